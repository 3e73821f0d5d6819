/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allreduce between two groups: each group combines its vectors at its rank 0,
 * the two ranks 0 exchange the results, and each group broadcasts the received
 * vector.
 *
 * Restrictions: intercommunicators.
 * Cost: (1 + 2 log2 p) (alpha + n beta) + log2 p n gamma.
 *
 *   3 | 2       1->0 2->0 | 1->0      0 <-> 0      0->2 0->1 | 0->1
 */
#include "coll/coll_select.h"

void coll_allreduce_inter(struct coll_prog *p, const struct weft_coll_args *a)
{
	struct weft_coll_args in = *a;
	MPI_Count n = a->r.count;

	in.root = 0;
	in.r.buf = p->rank ? NULL : coll_elems(p, n, a->r.dt);
	coll_comm_set(p, a->comm->local);
	coll_reduce_local_group(p, a, &in);
	coll_wait_all(p);
	if (p->rank == 0) {
		coll_comm_set(p, a->comm);
		coll_send(p, in.r.buf, n, a->r.dt, 0);
		coll_recv_wait(p, a->r.buf, n, a->r.dt, 0);
		coll_comm_set(p, a->comm->local);
	}
	in.r.buf = a->r.buf;
	coll_bcast_binomial(p, &in);
}
