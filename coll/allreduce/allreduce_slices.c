/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allreduce of long vectors between ranks that have a core each: every rank
 * combines a slice (coll_slices.h) and sends it to all others.
 *
 * Restrictions: commutative operations (operands of the slice of rank r in the
 * order r, r - 1, r - 2 ..., which is deterministic); intracommunicators.
 * Cost: 2 alpha + 2 (p - 1) / p n beta + (p - 1) / p n gamma; 2 (p - 1)
 * messages per rank.
 */
#include "coll/coll_select.h"
#include "coll/coll_slices.h"

/* Receives the slices of all other ranks, and sends this rank's slice. */
static void exchange_slices(struct coll_prog *p, void *out, MPI_Count n)
{
	char *own = coll_slice_at(p, out, n, p->rank);
	int s, peer;

	for (s = 1; s < p->size; s++) {
		peer = (p->rank - s + p->size) % p->size;
		coll_recv(p, coll_slice_at(p, out, n, peer),
			  coll_slice_n(p, n, peer), p->op_dt, peer);
	}
	for (s = 1; s < p->size; s++)
		coll_send(p, own, coll_slice_n(p, n, p->rank), p->op_dt,
			  (p->rank + s) % p->size);
}

void coll_allreduce_slices(struct coll_prog *p, const struct weft_coll_args *a)
{
	MPI_Count n = a->r.count;

	coll_slices(p, coll_input(a), n,
		    coll_slice_at(p, a->r.buf, n, p->rank));
	exchange_slices(p, a->r.buf, n);
}
