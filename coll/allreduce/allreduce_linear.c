/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allreduce: every rank receives the vectors of all ranks and combines them
 * itself, from the last rank to the first. With few ranks this takes the time
 * of one message.
 *
 * Restrictions: none; supports intercommunicators.
 * Cost: alpha + (p - 1) (n beta + n gamma).
 *
 *   p = 3       rank i: x0 op (x1 op x2)
 */
#include "coll/coll_select.h"

void coll_allreduce_linear(struct coll_prog *p, const struct weft_coll_args *a)
{
	bool inter = a->comm->inter;
	const void *own = coll_input(a);
	MPI_Count n = a->r.count;
	struct weft_dt *dt = a->r.dt;
	void *copy;
	int i;

	if (coll_in_place(&a->s)) {
		copy = coll_elems(p, n, dt);
		coll_copy(p, own, n, dt, copy, n, dt);
		own = copy;
	}
	for (i = 0; i < p->size; i++)
		if (inter || i != p->rank)
			coll_send(p, own, n, dt, i);
	coll_reduce_recv_all(p, a, own, a->r.buf);
}
