/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Alltoall in place: in step s the ranks r and s - r (mod p) exchange blocks
 * through one temporary block.
 *
 * Restrictions: MPI_IN_PLACE only; intracommunicators; supports the v and w
 * forms. Cost: p alpha + (p - 1) / p n beta, and a copy of n bytes.
 *
 *   p = 5       s = 0   1-4 2-3      s = 3   0-3 1-2
 *               s = 1   0-1 2-4      s = 4   0-4 1-3
 *               s = 2   0-2 3-4
 */
#include "coll/coll_select.h"

static MPI_Count largest_block(struct coll_prog *p,
			       const struct weft_coll_side *r)
{
	MPI_Count most = 0;
	int i;

	for (i = 0; i < p->size; i++)
		if (coll_block_bytes(r, i) > most)
			most = coll_block_bytes(r, i);
	return most;
}

void coll_alltoall_inplace(struct coll_prog *p, const struct weft_coll_args *a)
{
	const struct weft_coll_side *r = &a->r;
	char *tmp = coll_bytes(p, largest_block(p, r));
	MPI_Count len;
	int s, peer;

	for (s = 0; s < p->size; s++) {
		peer = (s - p->rank + p->size) % p->size;
		if (peer == p->rank)
			continue;
		len = coll_block_bytes(r, peer);
		coll_copy(p, coll_block_addr(r, peer), coll_count(r, peer),
			  coll_type(r, peer), tmp, len, coll_byte());
		coll_recv_block(p, r, peer, peer);
		coll_send(p, tmp, len, coll_byte(), peer);
		coll_wait_all(p);
	}
}
