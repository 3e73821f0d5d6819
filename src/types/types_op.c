/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reduction operations: the table of predefined operations, creation of user
 * operations, and applying an operation.
 */
#include "src/base/attr.h"
#include "src/types/types_op.h"
#include "src/types/types_pack.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

/*
 * Empty row of kernels for MPI_REPLACE and MPI_NO_OP, which reductions may not
 * use.
 */
static weft_num_fn *const none[WEFT_NUM_TYPES] = { NULL };

#define OP(slot, h, number, kernels)                                        \
	[slot] = { .obj = { WEFT_KIND_OP, 1, 0, (uint32_t)(uintptr_t)(h) }, \
		   .commutative = true,                                     \
		   .num = (number),                                         \
		   .row = (kernels) }

#define NUM(slot, n) OP(slot, MPI_##n, WEFT_NUM_##n, weft_num_op[WEFT_NUM_##n])

struct weft_op weft_op_predef[32] = {
	NUM(0x01, SUM),
	NUM(0x02, MIN),
	NUM(0x03, MAX),
	NUM(0x04, PROD),
	NUM(0x08, BAND),
	NUM(0x09, BOR),
	NUM(0x0a, BXOR),
	NUM(0x10, LAND),
	NUM(0x11, LOR),
	NUM(0x12, LXOR),
	OP(0x18, MPI_MINLOC, WEFT_NUM_OPS, weft_op_minloc),
	OP(0x19, MPI_MAXLOC, WEFT_NUM_OPS, weft_op_maxloc),
	OP(0x1c, MPI_REPLACE, WEFT_NUM_WRITE, none),
	OP(0x1d, MPI_NO_OP, WEFT_NUM_READ, none),
};

int weft_op_open(MPI_User_function *user, MPI_User_function_c *user_c,
		 bool commutative, struct weft_op **op_p)
{
	struct weft_op *op = calloc(1, sizeof(*op));

	if (!op)
		return -ENOMEM;
	weft_obj_init(&op->obj, WEFT_KIND_OP);
	op->commutative = commutative;
	op->num = WEFT_NUM_OPS;
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

/* Calls the user's function, which may overwrite count and datatype. */
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
