/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Translation of libfabric's collectives to calls of the collective unit, in
 * this file only. Reductions have a type and an operation of the unit; all
 * other calls transfer bytes. The functions are inline because every short call
 * needs them.
 */
#ifndef WEFT_MCGROUP_CALL_H
#define WEFT_MCGROUP_CALL_H

#include "prov/ofi/weft_ofi.h"

#include <rdma/fi_ext_weft.h>

#define WEFT_MCGROUP_CALLS (FI_GATHER + 1)
#define WEFT_MCGROUP_OPS   (FI_BXOR + 1)

/* Translation of one collective call. */
struct weft_mcgroup_call_row {
	uint8_t kind; /* enum weft_cunit_kind */
	bool reduces;
	bool exact; /* supports FI_WEFT_EXACT: sums rounded only once */
};

extern const struct weft_mcgroup_call_row
	weft_mcgroup_call_rows[WEFT_MCGROUP_CALLS];
/* The unit's operation for each enum fi_op, plus one; 0: not supported. */
extern const uint8_t weft_mcgroup_op_names[WEFT_MCGROUP_OPS];

/*
 * Returns the size in bytes of an element of a call that does not reduce; 0:
 * unknown type.
 */
size_t weft_mcgroup_bytes(enum fi_datatype t);

/*
 * Sets operation and type. Returns false if the unit does not support one of
 * them.
 */
static inline bool weft_mcgroup_names(enum fi_op op, enum fi_datatype type,
				      struct weft_cunit_call *call)
{
	if ((size_t)type >= WEFT_NUM_WORDS || (size_t)op >= WEFT_MCGROUP_OPS ||
	    !weft_mcgroup_op_names[op])
		return false;
	call->type = (uint8_t)type;
	call->op = (uint8_t)(weft_mcgroup_op_names[op] - 1);
	return true;
}

/*
 * Translates a call; for a barrier sets the kind only. Returns false if the
 * call does not exist or does not support the type.
 */
static inline bool weft_mcgroup_call(const struct fi_weft_call *c,
				     struct weft_cunit_call *call)
{
	const struct weft_mcgroup_call_row *k;

	if (weft_unlikely((size_t)c->what >= WEFT_MCGROUP_CALLS))
		return false;
	k = &weft_mcgroup_call_rows[c->what];
	call->kind = k->kind;
	if (call->kind == WEFT_CUNIT_BARRIER)
		return true;
	call->root = c->root;
	call->in = c->in;
	call->out = c->out;
	call->count = c->count;
	if (!k->reduces) {
		call->type = WEFT_NUM_U8;
		call->op = 0;
		call->count *= weft_mcgroup_bytes(c->datatype);
		return weft_mcgroup_bytes(c->datatype);
	}
	if (!weft_mcgroup_names(c->op, c->datatype, call))
		return false;
	if (weft_unlikely(c->flags & FI_WEFT_EXACT) && k->exact &&
	    call->type == WEFT_NUM_F64 && call->op == WEFT_CUNIT_SUM)
		call->type = WEFT_CUNIT_EXACT;
	return true;
}

#endif
