/* SPDX-License-Identifier: BSD-3-Clause */
/* Every rank combines its own slice; see coll_slices.h. */
#include "coll/coll_slices.h"

static void offer_slices(struct coll_prog *p, const void *in, MPI_Count n)
{
	for (int s = 1; s < p->size; s++) {
		int peer = (p->rank + s) % p->size;

		coll_send(p, coll_slice_at(p, in, n, peer),
			  coll_slice_n(p, n, peer), p->op_dt, peer);
	}
}

void coll_slices(struct coll_prog *p, const void *in, MPI_Count n, void *to)
{
	MPI_Count mine = coll_slice_n(p, n, p->rank);
	char *own = coll_slice_at(p, in, n, p->rank);
	char *tmp = coll_elems(p, mine, p->op_dt);

	offer_slices(p, in, n);
	coll_copy(p, own, mine, p->op_dt, to, mine, p->op_dt);
	/*
	 * every rank starts with a different peer, so that the ranks do not all
	 * read from the same one
	 */
	for (int s = 1; s < p->size; s++) {
		coll_recv_wait(p, tmp, mine, p->op_dt,
			       (p->rank - s + p->size) % p->size);
		coll_reduce(p, tmp, to, mine);
	}
}
