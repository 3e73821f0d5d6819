/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Alltoall in one round, in an order of peers that is random for each rank. In
 * a torus the messages of the algorithm "linear" all go in the same direction
 * at the same time, because every rank sends to the rank at the same distance;
 * with random orders all links carry the same load at all times.
 *
 * Restrictions: not in place; intracommunicators; supports the v and w forms.
 * Cost: (p - 1) alpha + (p - 1) / p n beta, in one round.
 *
 *   p = 3       0->1 1->0 2->1, 0->2 1->2 2->0 (for example)
 */
#include "coll/coll_select.h"
#include "src/base/permute.h"

void coll_alltoall_random(struct coll_prog *p, const struct weft_coll_args *a)
{
	struct weft_permute o;
	int i, peer;

	weft_permute_init(&o, (uint64_t)p->rank, (uint64_t)p->size);
	for (i = 1; i < p->size; i++) {
		peer = (p->rank - i + p->size) % p->size;
		coll_recv_block(p, &a->r, peer, peer);
	}
	for (uint64_t k = 0; k < weft_permute_size(&o); k++) {
		peer = (int)weft_permute(&o, k);
		if (peer < p->size && peer != p->rank)
			coll_send_block(p, &a->s, peer, peer);
	}
	coll_copy_block(p, &a->s, p->rank, &a->r, p->rank);
}
