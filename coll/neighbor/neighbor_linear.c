/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Neighbourhood collectives: each rank posts all receives, then all sends. If a
 * process is a neighbour several times, messages match in the order of the
 * lists. In a Cartesian topology a message to the left arrives from the right,
 * so there the receive from the right is posted before the receive from the
 * left in every dimension.
 *
 * Restrictions: communicators with a topology.
 * Cost: d alpha + n beta with d neighbours, n bytes.
 *
 *   2 ranks, periodic     0: left 1, right 1     1: left 0, right 0
 *     0 sends             l to 1, then r to 1
 *     1 receives          from its right (l), then from its left (r)
 */
#include "coll/coll_select.h"
#include "src/types/types_topo.h"

static void recv_all(struct coll_prog *p, const struct weft_coll_args *a)
{
	const struct weft_topo *t = a->comm->topo;
	int i, k;

	for (k = 0; k < t->nin; k++) {
		i = t->kind == MPI_CART ? k ^ 1 : k;
		if (t->in[i] != MPI_PROC_NULL)
			coll_recv_block(p, &a->r, i, t->in[i]);
	}
}

void coll_neighbor_allgather(struct coll_prog *p,
			     const struct weft_coll_args *a)
{
	const struct weft_topo *t = a->comm->topo;
	int i;

	recv_all(p, a);
	for (i = 0; i < t->nout; i++)
		if (t->out[i] != MPI_PROC_NULL)
			coll_send(p, a->s.buf, a->s.count, a->s.dt, t->out[i]);
}

void coll_neighbor_alltoall(struct coll_prog *p, const struct weft_coll_args *a)
{
	const struct weft_topo *t = a->comm->topo;
	int i;

	recv_all(p, a);
	for (i = 0; i < t->nout; i++)
		if (t->out[i] != MPI_PROC_NULL)
			coll_send_block(p, &a->s, i, t->out[i]);
}
