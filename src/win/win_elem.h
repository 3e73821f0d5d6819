/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Effect of an accumulate on the elements of a target: target = target op
 * operand, MPI_REPLACE, MPI_NO_OP, or compare and swap. Elements are stored as
 * in memory, gaps included: one every extent bytes.
 *
 * An element of 1, 2, 4 or 8 bytes at an address that is a multiple of its size
 * is changed by the processor's compare-and-swap; the provider's engine
 * (fi_atomic) and atomics of C on shared memory do so, too, and all of them are
 * atomic to each other. Other elements need a lock, which the caller holds.
 * Type and location alone decide which, so that all members use the same method
 * at one location.
 */
#ifndef WEFT_WIN_ELEM_H
#define WEFT_WIN_ELEM_H

#include "src/types/types_op.h"

enum win_elem_what {
	WIN_ELEM_OP,
	WIN_ELEM_SUM32, /* integers: by atomic addition */
	WIN_ELEM_SUM64,
	WIN_ELEM_REPLACE,
	WIN_ELEM_KEEP, /* MPI_NO_OP */
	WIN_ELEM_CAS,
};

struct win_elem {
	enum win_elem_what what;
	weft_op_fn fn; /* WIN_ELEM_OP */
	size_t bytes;  /* true extent of an element */
	size_t step;   /* extent */
	bool solid;    /* a size that the processor can swap */
};

/* For elements of a predefined type; compares: op is not used. */
struct win_elem win_elem_of(const struct weft_dt *unit,
			    const struct weft_op *op, bool compares);

/* Can an element there be changed by an atomic instruction, without a lock? */
static inline bool win_elem_is_atomic(const struct win_elem *e, uint64_t at)
{
	return e->solid && !(at & (e->bytes - 1));
}

/*
 * Changes n elements from at on; in, compare and old (NULL: not used) are
 * arrays of elements. plain: no concurrent changes.
 */
struct win_elem_rows {
	const char *in;
	const char *compare;
	char *old;
};
void win_elem_apply(const struct win_elem *e, char *at,
		    const struct win_elem_rows *r, size_t n, bool plain);

#endif
