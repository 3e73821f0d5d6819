/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The phase that Rabenseifner's algorithms share: the ranks are folded onto a
 * power of two m; in each of log2 m steps neighbours at distance 1, 2, 4 ...
 * exchange halves of the window they still reduce. At the end every folded rank
 * has the result for a window of its own. Operands keep their order, because
 * equal windows of neighbouring groups of ranks are combined, the left group as
 * the left operand.
 *
 *   m = 4, vector abcd        0       1       2       3
 *   distance 1               ab      cd      ab      cd     of pairs
 *   distance 2               a       c       b       d      of all
 */
#ifndef WEFT_COLL_HALVING_H
#define WEFT_COLL_HALVING_H

#include "coll/coll_prog.h"
#include "coll/coll_tree.h"

struct coll_window {
	MPI_Count lo; /* elements */
	MPI_Count hi;
};

struct coll_halving {
	struct coll_fold fold;
	struct coll_window win[32]; /* by step; win[steps] is the result's */
	int steps;
};

/*
 * Combines the vectors of the ranks. vec: n elements, holds this rank's vector,
 * and its window of the result afterwards (idle ranks: unchanged, fold.me is
 * -1).
 */
void coll_halving(struct coll_prog *p, struct coll_halving *h, void *vec,
		  MPI_Count n, struct weft_dt *dt);

/* The final window of folded rank `number`. */
struct coll_window coll_halving_window(const struct coll_halving *h,
				       MPI_Count n, int number);

/* The reverse phase: every rank gets all windows into vec. */
void coll_doubling(struct coll_prog *p, struct coll_halving *h, void *vec,
		   MPI_Count n, struct weft_dt *dt);

#endif
