/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allgather by recursive doubling: ranks at distance 1, 2, 4 ... exchange all
 * the blocks that they have, which are adjacent in the receive buffer.
 *
 * Restrictions: the number of ranks is a power of two; blocks of equal size.
 * Cost: log2 p alpha + (p - 1) / p n beta.
 *
 *   p = 4       rank  0    1    2    3      (with p = 6 it is not chosen:
 *   distance 1        ab   ab   cd   cd      see allgather_bruck.c)
 *   distance 2        all  all  all  all
 */
#include "coll/coll_select.h"

void coll_allgather_recdbl(struct coll_prog *p, const struct weft_coll_args *a)
{
	int bit, mine, peer;

	coll_own_block(p, a);
	for (bit = 1; bit < p->size; bit <<= 1) {
		peer = p->rank ^ bit;
		mine = p->rank & ~(bit - 1);
		coll_send(p, coll_block_addr(&a->r, mine), bit * a->r.count,
			  a->r.dt, peer);
		coll_recv_wait(p, coll_block_addr(&a->r, mine ^ bit),
			       bit * a->r.count, a->r.dt, peer);
	}
}
