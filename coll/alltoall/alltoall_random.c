/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Alltoall in one round, in an order of peers that is random for each rank. In
 * a torus the messages of "linear" all go in the same direction at the same
 * time, because all ranks send to the rank at the same distance; in random
 * orders the load of all links is the same at all times.
 *
 * Restrictions: not in place; intracommunicators; also the v and w forms.
 * Cost: (p - 1) alpha + (p - 1) / p n beta, in one round.
 *
 *   p = 3       0->1 1->0 2->1, 0->2 1->2 2->0 (for example)
 */
#include "coll/coll_select.h"
#include "src/base/hash.h"

/* A permutation of the numbers below 2^bits. */
struct order {
	uint64_t factor[2], added;
	unsigned bits;
};

static void order_init(struct order *o, int rank, int size)
{
	uint64_t h = weft_hash_mix((uint64_t)rank + 1);

	o->bits = 1;
	while (1 << o->bits < size)
		o->bits++;
	/* odd factors, so that each step of nth_peer() is invertible */
	o->factor[0] = h | 1;
	o->factor[1] = h >> 32 | 1;
	o->added = h >> 16;
}

/* Returns the i-th number; numbers up to 2^bits - 1 may be no rank. */
static int nth_peer(const struct order *o, uint64_t i)
{
	uint64_t mask = (UINT64_C(1) << o->bits) - 1, x = i;

	x = (x * o->factor[0] + o->added) & mask;
	x ^= x >> (o->bits + 1) / 2;
	x = (x * o->factor[1]) & mask;
	x ^= x >> (o->bits + 1) / 2;
	return (int)x;
}

void coll_alltoall_random(struct coll_prog *p, const struct weft_coll_args *a)
{
	struct order o;
	int i, peer;

	order_init(&o, p->rank, p->size);
	for (i = 1; i < p->size; i++) {
		peer = (p->rank - i + p->size) % p->size;
		coll_recv_block(p, &a->r, peer, peer);
	}
	for (i = 0; i < 1 << o.bits; i++) {
		peer = nth_peer(&o, (uint64_t)i);
		if (peer < p->size && peer != p->rank)
			coll_send_block(p, &a->s, peer, peer);
	}
	coll_copy_block(p, &a->s, p->rank, &a->r, p->rank);
}
