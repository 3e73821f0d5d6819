/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reduction operations: the table of predefined ones, user operations,
 * application.
 */
#include "src/base/attr.h"
#include "src/types/types_op_fn.h"
#include "src/types/types_pack.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

/*
 * Kernels of MPI_REPLACE and MPI_NO_OP: none, since reductions may not use
 * them.
 */
static const weft_op_row none = { NULL };

#define OP(slot, h, table)                                                  \
	[slot] = { .obj = { WEFT_KIND_OP, 1, 0, (uint32_t)(uintptr_t)(h) }, \
		   .commutative = true,                                     \
		   .row = (table) }

struct weft_op weft_op_predef[32] = {
	OP(0x01, MPI_SUM, weft_op_sum),
	OP(0x02, MPI_MIN, weft_op_min),
	OP(0x03, MPI_MAX, weft_op_max),
	OP(0x04, MPI_PROD, weft_op_prod),
	OP(0x08, MPI_BAND, weft_op_band),
	OP(0x09, MPI_BOR, weft_op_bor),
	OP(0x0a, MPI_BXOR, weft_op_bxor),
	OP(0x10, MPI_LAND, weft_op_land),
	OP(0x11, MPI_LOR, weft_op_lor),
	OP(0x12, MPI_LXOR, weft_op_lxor),
	OP(0x18, MPI_MINLOC, weft_op_minloc),
	OP(0x19, MPI_MAXLOC, weft_op_maxloc),
	OP(0x1c, MPI_REPLACE, none),
	OP(0x1d, MPI_NO_OP, none),
};

int weft_op_open(MPI_User_function *user, MPI_User_function_c *user_c,
		 bool commutative, struct weft_op **op_p)
{
	struct weft_op *op = calloc(1, sizeof(*op));

	if (!op)
		return -ENOMEM;
	weft_obj_init(&op->obj, WEFT_KIND_OP);
	op->commutative = commutative;
	op->user = user;
	op->user_c = user_c;
	*op_p = op;
	return 0;
}

void weft_op_put(struct weft_op *op)
{
	if (op->obj.predefined || !weft_obj_put(&op->obj))
		return;
	op->obj.kind = WEFT_KIND_FREE;
	free(op);
}

/*
 * Calls the user's function with copies of count and datatype, which it may
 * overwrite.
 */
static void apply_user(const struct weft_op *op, void *in, void *inout,
		       MPI_Count count, const struct weft_dt *dt)
{
	MPI_Datatype handle = weft_dt_handle(dt);
	MPI_Count done, len;

	if (op->user_c) {
		op->user_c(in, inout, &count, &handle);
		return;
	}
	for (done = 0; done < count; done += len) {
		MPI_Count off = done * dt->extent;
		int n;

		len = count - done < INT_MAX ? count - done : INT_MAX;
		n = (int)len;
		op->user((char *)in + off, (char *)inout + off, &n, &handle);
	}
}

void weft_op_apply(const struct weft_op *op, const void *in, void *inout,
		   MPI_Count count, const struct weft_dt *dt)
{
	struct weft_typed from = { dt, (void *)(uintptr_t)in, count };
	struct weft_typed to = { dt, inout, count };

	if (weft_unlikely(!op->row))
		apply_user(op, from.buf, inout, count, dt);
	else if (op->row[dt->basic])
		op->row[dt->basic](in, inout, (size_t)count);
	else if (weft_op_handle(op) == MPI_REPLACE)
		weft_pack_copy(&to, &from);
}
