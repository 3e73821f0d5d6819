/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Barrier by a binomial tree: ranks send signals up to rank 0 and down again.
 * Twice the rounds of dissemination, but 2 (p - 1) messages instead of p log2
 * p, which is less work if ranks share cores.
 *
 * Restrictions: intracommunicators only.
 * Cost: 2 ceil(log2 p) alpha.
 *
 *   p = 5, up       1->0  3->2->0  4->0        down: reverse
 */
#include "coll/coll_select.h"
#include "coll/coll_tree.h"

void coll_barrier_tree(struct coll_prog *p, const struct weft_coll_args *a)
{
	struct coll_tree t;
	int i;

	coll_tree_binomial(p->size, 0, p->rank, &t);
	for (i = 0; i < t.nchild; i++)
		coll_expect(p, t.child[i]);
	if (t.parent >= 0) {
		coll_signal(p, t.parent);
		coll_expect(p, t.parent);
	}
	for (i = t.nchild - 1; i >= 0; i--)
		coll_signal(p, t.child[i]);
}
