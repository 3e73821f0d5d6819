/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reduction operations. Applying an operation computes inout[i] = in[i] op
 * inout[i] for i = 0..count-1, always in this order of operands, so that
 * results depend only on the order of calls. Predefined operations are kernels
 * in a table indexed by operation and basic type; user functions are called as
 * MPI defines.
 */
#ifndef WEFT_TYPES_OP_H
#define WEFT_TYPES_OP_H

#include "src/types/types_dt.h"

struct weft_op {
	struct weft_obj obj; /* obj.predefined: value of the handle */
	bool commutative;
	/*
	 * number of a predefined operation (enum weft_num_op), equal to
	 * libfabric's number; WEFT_NUM_OPS: none
	 */
	uint8_t num;
	/* kernels of a predefined operation, by enum weft_num_type; or NULL */
	weft_num_fn *const *row;
	MPI_User_function *user;
	MPI_User_function_c *user_c;
};

/* Predefined operations, by the low bits of the handle (0x20..0x3f). */
extern struct weft_op weft_op_predef[32];

/* Kernels of MPI_MINLOC and MPI_MAXLOC, for types_op.c. */
extern weft_num_fn *const weft_op_minloc[WEFT_NUM_TYPES];
extern weft_num_fn *const weft_op_maxloc[WEFT_NUM_TYPES];

/*
 * Returns the operation of a handle, or NULL if the handle is null, stale, or
 * not an operation.
 */
static inline struct weft_op *weft_op_of(MPI_Op h)
{
	uintptr_t v = (uintptr_t)h;
	struct weft_op *op = &weft_op_predef[v & 0x1f];

	if (v > WEFT_HANDLE_MAX)
		return weft_obj_of(h, WEFT_KIND_OP);
	return v >> 5 == 1 && op->obj.predefined ? op : NULL;
}

static inline MPI_Op weft_op_handle(const struct weft_op *op)
{
	return weft_obj_handle(&op->obj);
}

static inline struct weft_op *weft_op_get(struct weft_op *op)
{
	if (!op->obj.predefined)
		weft_obj_get(&op->obj);
	return op;
}
void weft_op_put(struct weft_op *op);

/* Creates a user operation from user or user_c. Returns 0 or -ENOMEM. */
int weft_op_open(MPI_User_function *user, MPI_User_function_c *user_c,
		 bool commutative, struct weft_op **op_p);

static inline bool weft_op_commutes(const struct weft_op *op)
{
	return op->commutative;
}

/*
 * Returns whether op may reduce elements of dt: any type for a user operation,
 * the types of the standard's table for a predefined operation; no type for
 * MPI_REPLACE and MPI_NO_OP, which are for one-sided communication.
 */
static inline bool weft_op_allows(const struct weft_op *op,
				  const struct weft_dt *dt)
{
	return !op->row || op->row[dt->basic];
}

/* Computes inout = in op inout; weft_op_allows() must be true. */
void weft_op_apply(const struct weft_op *op, const void *in, void *inout,
		   MPI_Count count, const struct weft_dt *dt);

#endif
