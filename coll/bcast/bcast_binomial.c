/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Broadcast down a binomial tree, the largest subtree first.
 *
 * Restrictions: intracommunicators only.
 * Cost: ceil(log2 p) (alpha + n beta).
 *
 *   p = 6, root 0       0->4       round 1
 *                       0->2 4->5  round 2
 *                       0->1 2->3  round 3
 */
#include "coll/coll_select.h"
#include "coll/coll_tree.h"

void coll_bcast_binomial(struct coll_prog *p, const struct weft_coll_args *a)
{
	const struct weft_coll_side *b = &a->r;
	struct coll_tree t;
	int i;

	coll_tree_binomial(p->size, a->root, p->rank, &t);
	if (t.parent >= 0)
		coll_recv_wait(p, b->buf, b->count, b->dt, t.parent);
	for (i = t.nchild - 1; i >= 0; i--)
		coll_send(p, b->buf, b->count, b->dt, t.child[i]);
}
