/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Effect of an accumulate on the elements of a target: target = target op
 * operand, MPI_REPLACE, MPI_NO_OP, or compare and swap. Arrays of elements have
 * the memory layout of the type, gaps included: one element every extent bytes.
 *
 * An element of 1, 2, 4 or 8 bytes at an address that is a multiple of its size
 * is changed by the processor's compare-and-swap. The provider's engine
 * (fi_atomic) and C atomics on shared memory do the same, so all these changes
 * are mutually atomic. Other elements need a lock, which the caller holds. Type
 * and location alone select the method, so that all members use the same method
 * at one location.
 */
#ifndef WEFT_WIN_ELEM_H
#define WEFT_WIN_ELEM_H

#include "src/types/types_op.h"

enum win_elem_what {
	WIN_ELEM_OP,
	WIN_ELEM_SUM32, /* integers, changed by atomic addition */
	WIN_ELEM_SUM64,
	WIN_ELEM_REPLACE,
	WIN_ELEM_KEEP, /* MPI_NO_OP */
	WIN_ELEM_CAS,
};

struct win_elem {
	enum win_elem_what what;
	weft_num_fn *fn; /* kernel of WIN_ELEM_OP */
	size_t bytes;	 /* true extent of an element, bytes */
	size_t step;	 /* extent of an element, bytes */
	bool can_swap;	 /* the size allows compare-and-swap */
};

/*
 * Returns the change that `op` makes to elements of the predefined type `unit`.
 * compares: the change is a compare and swap, and `op` is not used.
 */
struct win_elem win_elem_of(const struct weft_dt *unit,
			    const struct weft_op *op, bool compares);

/*
 * Returns whether an element at address `at` can be changed by an atomic
 * instruction, without a lock.
 */
static inline bool win_elem_is_atomic(const struct win_elem *e, uint64_t at)
{
	return e->can_swap && !(at & (e->bytes - 1));
}

/*
 * Arrays of elements for win_elem_apply(); NULL: not used. win_elem_apply()
 * updates n elements at address `at`; `plain`: there are no concurrent updates.
 */
struct win_elem_arrays {
	const char *in;
	const char *compare;
	char *old;
};
void win_elem_apply(const struct win_elem *e, char *at,
		    const struct win_elem_arrays *r, size_t n, bool plain);

#endif
