/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allgather: every rank sends its block to every other rank.
 *
 * Restrictions: none; supports the v form and intercommunicators.
 * Cost: (p - 1) alpha + (p - 1) / p n beta, all in one round.
 *
 *   p = 3       0->1 0->2   1->2 1->0   2->0 2->1
 */
#include "coll/coll_select.h"

void coll_allgather_linear(struct coll_prog *p, const struct weft_coll_args *a)
{
	bool inter = a->comm->inter;
	int i, peer;

	for (i = 0; i < p->size; i++)
		if (inter || i != p->rank)
			coll_recv_block(p, &a->r, i, i);
	if (!inter)
		coll_own_block(p, a);
	for (i = inter ? 0 : 1; i < p->size; i++) {
		peer = (p->rank + i) % p->size;
		if (coll_in_place(&a->s))
			coll_send_block(p, &a->r, p->rank, peer);
		else
			coll_send(p, a->s.buf, a->s.count, a->s.dt, peer);
	}
}
