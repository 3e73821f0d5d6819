/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Alltoall in p - 1 steps: in step s each rank sends to the rank at distance s
 * to the right and receives from the rank at distance s to the left. One
 * message per rank is in flight at a time, so long blocks do not compete for
 * bandwidth.
 *
 * Restrictions: not in place; intracommunicators; supports the v and w forms.
 * Cost: (p - 1) alpha + (p - 1) / p n beta.
 *
 *   p = 5       step 1  0->1 1->2 2->3 3->4 4->0
 *               step 2  0->2 1->3 2->4 3->0 4->1   and so on
 */
#include "coll/coll_select.h"

void coll_alltoall_pairwise(struct coll_prog *p, const struct weft_coll_args *a)
{
	int size = p->size, s, to, from;

	coll_copy_block(p, &a->s, p->rank, &a->r, p->rank);
	for (s = 1; s < size; s++) {
		to = (p->rank + s) % size;
		from = (p->rank - s + size) % size;
		coll_recv_block(p, &a->r, from, from);
		coll_send_block(p, &a->s, to, to);
		coll_wait_all(p);
	}
}
