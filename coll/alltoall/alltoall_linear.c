/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Alltoall in one round: each rank posts all receives, then all sends,
 * beginning with its right neighbour.
 *
 * Restrictions: not in place; supports the v and w forms and
 * intercommunicators. Cost: (p - 1) alpha + (p - 1) / p n beta, in one round.
 *
 *   p = 3       0->1 1->2 2->0, 0->2 1->0 2->1
 */
#include "coll/coll_select.h"

void coll_alltoall_linear(struct coll_prog *p, const struct weft_coll_args *a)
{
	bool inter = a->comm->inter;
	int i, peer;

	for (i = inter ? 0 : 1; i < p->size; i++) {
		peer = (p->rank % p->size - i + p->size) % p->size;
		coll_recv_block(p, &a->r, peer, peer);
	}
	for (i = inter ? 0 : 1; i < p->size; i++) {
		peer = (p->rank + i) % p->size;
		coll_send_block(p, &a->s, peer, peer);
	}
	if (!inter)
		coll_copy_block(p, &a->s, p->rank, &a->r, p->rank);
}
