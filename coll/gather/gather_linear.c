/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gather: all ranks send to the root.
 *
 * Restrictions: none; supports the v form and intercommunicators.
 * Cost: (p - 1) alpha + (p - 1) / p n beta; n: bytes at the root.
 *
 *   p = 5, root 1       0->1 2->1 3->1 4->1
 */
#include "coll/coll_select.h"

static void linear_root(struct coll_prog *p, const struct weft_coll_args *a,
			int self)
{
	int i;

	for (i = 0; i < p->size; i++)
		if (i != self)
			coll_recv_block(p, &a->r, i, i);
	if (self >= 0 && !coll_in_place(&a->s))
		coll_copy(p, a->s.buf, a->s.count, a->s.dt,
			  coll_block_addr(&a->r, self), coll_count(&a->r, self),
			  a->r.dt);
}

void coll_gather_linear(struct coll_prog *p, const struct weft_coll_args *a)
{
	bool inter = a->comm->inter;

	if (a->root == (inter ? MPI_ROOT : p->rank))
		linear_root(p, a, inter ? -1 : p->rank);
	else if (a->root != MPI_PROC_NULL)
		coll_send(p, a->s.buf, a->s.count, a->s.dt, a->root);
}
