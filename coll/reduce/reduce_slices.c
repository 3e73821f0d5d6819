/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reduction of long vectors between ranks that have a core each: every rank
 * combines a slice (coll_slices.h) and sends it to the root.
 *
 * Restrictions: commutative operations (order of the operands: see
 * allreduce_slices.c); intracommunicators.
 * Cost: 2 alpha + 2 (p - 1) / p n beta + (p - 1) / p n gamma; p messages per
 * rank.
 */
#include "coll/coll_select.h"
#include "coll/coll_slices.h"

static void reduce_at_root(struct coll_prog *p, const struct weft_coll_args *a)
{
	MPI_Count n = a->r.count;

	coll_slices(p, coll_input(a), n,
		    coll_slice_at(p, a->r.buf, n, p->rank));
	for (int s = 1; s < p->size; s++) {
		int peer = (p->rank + s) % p->size;

		coll_recv(p, coll_slice_at(p, a->r.buf, n, peer),
			  coll_slice_n(p, n, peer), p->op_dt, peer);
	}
}

void coll_reduce_slices(struct coll_prog *p, const struct weft_coll_args *a)
{
	MPI_Count mine = coll_slice_n(p, a->r.count, p->rank);
	char *slice;

	if (p->rank == a->root) {
		reduce_at_root(p, a);
		return;
	}
	slice = coll_elems(p, mine, p->op_dt);
	coll_slices(p, a->s.buf, a->r.count, slice);
	coll_send(p, slice, mine, p->op_dt, a->root);
}
