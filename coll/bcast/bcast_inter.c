/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Broadcast to the other group: the root sends to rank 0 of that group, which
 * broadcasts down a binomial tree.
 *
 * Restrictions: intercommunicators.
 * Cost: (1 + log2 p) (alpha + n beta).
 *
 *   root 2 of 3 | 5 ranks      2 -> 0, then 0->4 0->2 0->1 2->3
 */
#include "coll/coll_select.h"

void coll_bcast_inter(struct coll_prog *p, const struct weft_coll_args *a)
{
	struct weft_coll_args in = *a;

	if (a->root == MPI_PROC_NULL)
		return;
	if (a->root == MPI_ROOT) {
		coll_send(p, a->r.buf, a->r.count, a->r.dt, 0);
		return;
	}
	if (p->rank == 0)
		coll_recv_wait(p, a->r.buf, a->r.count, a->r.dt, a->root);
	in.root = 0;
	coll_comm_set(p, a->comm->local);
	coll_bcast_binomial(p, &in);
}
