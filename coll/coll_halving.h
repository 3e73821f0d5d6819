/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The phase that Rabenseifner's algorithms share: the ranks are folded onto a
 * power of two m; in each of log2 m steps neighbours at distance 1, 2, 4 ...
 * exchange halves of their current window of the vector. At the end every
 * folded rank has the result of a different window. Operands keep their order,
 * because the same windows of neighbouring groups of ranks are combined, with
 * the left group as the left operand.
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
	MPI_Count lo; /* first element; hi: element after the last */
	MPI_Count hi;
};

struct coll_halving {
	struct coll_fold fold;
	/* windows by step; win[steps]: window of the result */
	struct coll_window win[32];
	int steps;
};

/*
 * Combines the vectors of all ranks. vec: this rank's vector of n elements. On
 * return, the elements of vec in this rank's window are the result; an idle
 * rank (fold.me -1) has no window, and its vec is unchanged.
 */
void coll_halving(struct coll_prog *p, struct coll_halving *h, void *vec,
		  MPI_Count n, struct weft_dt *dt);

/* Returns the final window of folded rank `number`. */
struct coll_window coll_halving_window(const struct coll_halving *h,
				       MPI_Count n, int number);

/*
 * Executes the reverse phase: every rank gets all windows of the result in vec.
 */
void coll_doubling(struct coll_prog *p, struct coll_halving *h, void *vec,
		   MPI_Count n, struct weft_dt *dt);

#endif
