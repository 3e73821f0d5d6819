/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an accumulate does to the elements of a target: target = target op
 * operand, MPI_REPLACE, MPI_NO_OP, or compare and swap. Elements lie as in
 * memory, gaps included: one every extent bytes.
 *
 * An element of 1, 2, 4 or 8 bytes at an address that is a multiple of its size
 * is changed by the processor's compare-and-swap; so does the provider's engine
 * (fi_atomic), and so do atomics of C on shared memory, and all agree. Others
 * need a lock, which the caller holds. Type and place alone decide which, so
 * that all who meet at a place do the same.
 */
#ifndef WEFT_WIN_ELEM_H
#define WEFT_WIN_ELEM_H

#include "src/types/types_op.h"

enum win_elem_what {
	WIN_ELEM_OP,
	WIN_ELEM_SUM32, /* integers: by the processor's addition */
	WIN_ELEM_SUM64,
	WIN_ELEM_REPLACE,
	WIN_ELEM_KEEP, /* MPI_NO_OP */
	WIN_ELEM_CAS,
};

struct win_elem {
	enum win_elem_what what;
	weft_op_fn fn; /* WIN_ELEM_OP */
	size_t bytes;  /* from an element's first to behind its last */
	size_t step;   /* extent */
	bool solid;    /* a size that the processor swaps */
};

/* Of elements of a predefined type; compares: op is nothing. */
struct win_elem win_elem_of(const struct weft_dt *unit,
			    const struct weft_op *op, bool compares);

/* Is an element there the processor's business, without a lock? */
static inline bool win_elem_is_quick(const struct win_elem *e, uint64_t at)
{
	return e->solid && !(at & (e->bytes - 1));
}

/*
 * Changes n elements from at on; in, compare and old (NULL: not wanted) are
 * rows of elements. plain: nobody else changes them meanwhile.
 */
struct win_elem_rows {
	const char *in;
	const char *compare;
	char *old;
};
void win_elem_apply(const struct win_elem *e, char *at,
		    const struct win_elem_rows *r, size_t n, bool plain);

#endif
