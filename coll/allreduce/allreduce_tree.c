/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allreduce up and down one binomial tree: twice the rounds of recursive
 * doubling but 2 (p - 1) messages instead of p log2 p, and most ranks wait only
 * once, which is less work if ranks share cores.
 *
 * Restrictions: intracommunicators only.
 * Cost: 2 ceil(log2 p) (alpha + n beta) + ceil(log2 p) n gamma.
 *
 *   p = 5       up    1->0  3->2->0  4->0      x01234 at rank 0
 *               down  0->4  0->2->3  0->1
 */
#include "coll/coll_select.h"

void coll_allreduce_tree(struct coll_prog *p, const struct weft_coll_args *a)
{
	struct weft_coll_args up = *a;

	up.root = 0;
	/* with MPI_IN_PLACE each rank's vector is in its receive buffer */
	if (coll_in_place(&a->s) && p->rank != 0)
		up.s.buf = a->r.buf;
	coll_reduce_binomial(p, &up);
	coll_wait_all(p);
	coll_bcast_binomial(p, &up);
}
