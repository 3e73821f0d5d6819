/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allgather between two groups: each group gathers its blocks at its rank 0,
 * the two ranks 0 exchange them, and each group broadcasts the received blocks.
 *
 * Restrictions: intercommunicators, blocks of equal size.
 * Cost: (1 + 2 log2 p) alpha + (2 + log2 p) n beta.
 *
 *   3 | 2       1->0 2->0 | 1->0      0 <-> 0      0->2 0->1 | 0->1
 */
#include "coll/coll_select.h"

void coll_allgather_inter(struct coll_prog *p, const struct weft_coll_args *a)
{
	MPI_Count len = a->s.count * a->s.dt->size;
	struct weft_coll_args up = *a, down = *a;

	up.root = 0;
	up.r.dt = coll_byte();
	up.r.count = len;
	up.r.buf = p->rank ? NULL : coll_bytes(p, len * a->comm->size);
	coll_comm_set(p, a->comm->local);
	coll_gather_binomial(p, &up);
	coll_wait_all(p);
	coll_comm_set(p, a->comm);
	down.root = 0;
	down.r.count = a->r.count * p->size;
	if (p->rank == 0) {
		coll_send(p, up.r.buf, len * a->comm->size, coll_byte(), 0);
		coll_recv_wait(p, a->r.buf, down.r.count, a->r.dt, 0);
	}
	coll_comm_set(p, a->comm->local);
	coll_bcast_binomial(p, &down);
}
