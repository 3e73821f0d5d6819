/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions of a few elements of a predefined type, straight to the unit: the
 * handles say all there is to know. In a crowd of ranks whatever a call touches
 * is cold, so this one touches little.
 */
#include "src/core/core_lock.h"
#include "src/core/core_unit_int.h"

#include "src/base/attr.h"
#include "src/types/types_dt.h"
#include "src/types/types_op.h"
#include "src/core/core_progress.h"
#include "src/core/core_state.h"

#include <errno.h>

#define SHORT_ELEMS 2048u

/* Predefined types and operations, by the low bits of their handles. */
struct short_type {
	uint32_t ops; /* a bit for each operation that the unit does on it */
	uint32_t fi;  /* enum fi_datatype */
};

static struct short_type short_type[WEFT_COUNT_OF(weft_dt_predef)];
static uint8_t short_op[WEFT_COUNT_OF(weft_op_predef)]; /* enum fi_op */

static void type_open(struct short_type *t, const struct weft_dt *dt)
{
	for (unsigned i = 0; i < WEFT_COUNT_OF(short_op); i++) {
		const struct weft_op *op = &weft_op_predef[i];

		if (!op->obj.predefined || !weft_op_allows(op, dt) ||
		    !weft_unit_can(op, dt))
			continue;
		t->ops |= 1u << i;
		t->fi = weft_unit_names(op, dt, &short_op[i]);
	}
}

void weft_short_open(void)
{
	for (unsigned i = 0; i < WEFT_COUNT_OF(short_type); i++) {
		if (weft_dt_predef[i].obj.predefined)
			type_open(&short_type[i], &weft_dt_predef[i]);
	}
}

WEFT_HOT static int run(struct weft_route *r, struct fi_weft_call *call,
			struct weft_req **req_p)
{
	struct fi_weft_work work;
	int rc;

	call->root = 0;
	call->flags = weft_core.crowded ? FI_WEFT_CROWD : 0;
	if (req_p)
		return weft_later_begin(r, call, req_p);
	rc = r->ops->begin(&r->mc->fid, call, &work);
	if (weft_unlikely(weft_core.virt) && rc != -FI_ENOSYS)
		weft_comm_next_tag(r->comm);
	if (weft_likely(!rc))
		return 0;
	return rc == -FI_ENOSYS ? -ENOSYS : weft_unit_finish(r, &work, rc);
}

WEFT_HOT int weft_unit_barrier(struct weft_route *r, struct weft_req **req_p)
{
	struct fi_weft_call call;

	if (weft_unlikely(weft_threads))
		return -ENOSYS;
	call.what = FI_BARRIER;
	return run(r, &call, req_p);
}

WEFT_HOT int weft_unit_allreduce(struct weft_route *r, const void *in,
				 void *out, MPI_Count count, MPI_Datatype type,
				 MPI_Op op, struct weft_req **req_p)
{
	const struct short_type *t = &short_type[(uintptr_t)type & 0xff];
	unsigned o = (uintptr_t)op & 0x1f;
	struct fi_weft_call call;

	if ((uintptr_t)type >> 8 != 2 || (uintptr_t)op >> 5 != 1 ||
	    !(t->ops >> o & 1) || (uint64_t)count - 1 >= SHORT_ELEMS ||
	    weft_unlikely(weft_threads))
		return -ENOSYS;
	call.what = FI_ALLREDUCE;
	call.in = in;
	call.out = out;
	call.count = (size_t)count;
	call.datatype = (enum fi_datatype)t->fi;
	call.op = (enum fi_op)short_op[o];
	return run(r, &call, req_p);
}
