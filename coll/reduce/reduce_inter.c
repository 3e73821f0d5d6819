/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reduction of the other group's vectors: a tree inside that group reduces to
 * its rank 0, which sends the result to the root.
 *
 * Restrictions: intercommunicators.
 * Cost: (1 + log2 p) (alpha + n beta) + log2 p n gamma.
 *
 *   root 1 of 2 | 3 ranks      1->0 2->0 there, then 0 -> 1
 */
#include "coll/coll_select.h"

void coll_reduce_inter(struct coll_prog *p, const struct weft_coll_args *a)
{
	struct weft_coll_args in = *a;
	MPI_Count n = a->r.count;

	if (a->root == MPI_PROC_NULL)
		return;
	if (a->root == MPI_ROOT) {
		coll_recv(p, a->r.buf, n, a->r.dt, 0);
		return;
	}
	in.root = 0;
	in.r.buf = p->rank ? NULL : coll_elems(p, n, a->r.dt);
	coll_comm_set(p, a->comm->local);
	coll_reduce_local_group(p, a, &in);
	coll_wait_all(p);
	coll_comm_set(p, a->comm);
	if (p->rank == 0)
		coll_send(p, in.r.buf, n, a->r.dt, a->root);
}
