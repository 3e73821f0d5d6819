/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Barrier between two groups: a barrier in each group, signals between the two
 * ranks 0, and signals down a tree in each group.
 *
 * Restrictions: intercommunicators.
 * Cost: (3 log2 p + 1) alpha.
 *
 *   3 | 2       0 1 2 | 0 1    all ranks of each group have arrived
 *               0 <---> 0      both groups have arrived
 *               0->1 0->2 | 0->1
 */
#include "coll/coll_select.h"
#include "coll/coll_tree.h"

void coll_barrier_inter(struct coll_prog *p, const struct weft_coll_args *a)
{
	struct coll_tree t;
	int i;

	coll_comm_set(p, a->comm->local);
	coll_barrier_dissem(p, a);
	coll_comm_set(p, a->comm);
	if (p->rank == 0) {
		coll_signal(p, 0);
		coll_expect(p, 0);
	}
	coll_comm_set(p, a->comm->local);
	coll_tree_binomial(p->size, 0, p->rank, &t);
	if (t.parent >= 0)
		coll_expect(p, t.parent);
	for (i = t.nchild - 1; i >= 0; i--)
		coll_signal(p, t.child[i]);
}
