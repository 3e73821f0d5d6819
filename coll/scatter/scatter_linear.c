/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scatter: the root sends to all other ranks.
 *
 * Restrictions: none; supports the v form and intercommunicators.
 * Cost: (p - 1) alpha + (p - 1) / p n beta; n: bytes at the root.
 *
 *   p = 5, root 1       1->0 1->2 1->3 1->4
 */
#include "coll/coll_select.h"

static void linear_root(struct coll_prog *p, const struct weft_coll_args *a,
			int self)
{
	int i;

	for (i = 0; i < p->size; i++)
		if (i != self)
			coll_send_block(p, &a->s, i, i);
	if (self >= 0 && !coll_in_place(&a->r))
		coll_copy(p, coll_block_addr(&a->s, self),
			  coll_count(&a->s, self), a->s.dt, a->r.buf,
			  a->r.count, a->r.dt);
}

void coll_scatter_linear(struct coll_prog *p, const struct weft_coll_args *a)
{
	bool inter = a->comm->inter;

	if (a->root == (inter ? MPI_ROOT : p->rank))
		linear_root(p, a, inter ? -1 : p->rank);
	else if (a->root != MPI_PROC_NULL)
		coll_recv_wait(p, a->r.buf, a->r.count, a->r.dt, a->root);
}
