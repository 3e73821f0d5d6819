/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reduce-scatter between two groups: each group combines its vectors at its
 * rank 0, the two ranks 0 exchange the results, and each group scatters the
 * received vector by its own counts.
 *
 * Restrictions: intercommunicators.
 * Cost: (1 + log2 p + p) alpha + (2 + log2 p) n beta + log2 p n gamma.
 *
 *   3 | 2       1->0 2->0 | 1->0      0 <-> 0      0->1 0->2 | 0->1
 */
#include "coll/coll_select.h"

void coll_redscat_inter(struct coll_prog *p, const struct weft_coll_args *a)
{
	MPI_Count *off = coll_offsets(p, &a->r, a->comm->size), n;
	struct weft_coll_args up = *a, down = *a;
	struct weft_coll_array none = { NULL, false };
	bool lead = p->rank == 0;

	if (!off)
		return;
	n = off[a->comm->size];
	up.root = down.root = 0;
	up.r.counts = none;
	up.r.count = n;
	up.r.buf = lead ? coll_elems(p, n, a->r.dt) : NULL;
	coll_comm_set(p, a->comm->local);
	coll_reduce_local_group(p, a, &up);
	coll_wait_all(p);
	down.s = a->r;
	down.s.buf = lead ? coll_elems(p, n, a->r.dt) : NULL;
	down.s.displs = (struct weft_coll_array){ off, true };
	down.r.counts = none;
	down.r.count = coll_count(&a->r, p->rank);
	if (lead) {
		coll_comm_set(p, a->comm);
		coll_send(p, up.r.buf, n, a->r.dt, 0);
		coll_recv_wait(p, down.s.buf, n, a->r.dt, 0);
		coll_comm_set(p, a->comm->local);
	}
	down.comm = a->comm->local;
	coll_scatter_linear(p, &down);
}
