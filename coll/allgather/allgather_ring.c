/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allgather on a ring: every block makes p - 1 hops; each rank receives blocks
 * directly into their positions in the receive buffer.
 *
 * Restrictions: intracommunicators only; supports the v form.
 * Cost: (p - 1) alpha + (p - 1) / p n beta; n: bytes of all blocks.
 *
 *   p = 3       rank  0    1    2
 *   step 1           a c  a b  b c
 *   step 2           abc  abc  abc
 */
#include "coll/coll_select.h"

void coll_allgather_ring(struct coll_prog *p, const struct weft_coll_args *a)
{
	int size = p->size, rank = p->rank, s;
	unsigned id;

	coll_own_block(p, a);
	for (s = 1; s < size; s++) {
		id = coll_recv_block(p, &a->r, (rank - s + size) % size,
				     (rank - 1 + size) % size);
		coll_send_block(p, &a->r, (rank - s + 1 + size) % size,
				(rank + 1) % size);
		coll_wait(p, id);
	}
}
