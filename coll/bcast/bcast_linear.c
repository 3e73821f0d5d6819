/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Broadcast: the root sends to all other ranks. The fastest algorithm for two
 * or three ranks.
 *
 * Restrictions: none; supports intercommunicators.
 * Cost: (p - 1) (alpha + n beta).
 *
 *   p = 5, root 1       1->2 1->3 1->4 1->0
 */
#include "coll/coll_select.h"

static void linear_root(struct coll_prog *p, const struct weft_coll_side *b,
			int self)
{
	int i;

	for (i = 1; i <= p->size; i++)
		if ((p->rank + i) % p->size != self)
			coll_send(p, b->buf, b->count, b->dt,
				  (p->rank + i) % p->size);
}

void coll_bcast_linear(struct coll_prog *p, const struct weft_coll_args *a)
{
	bool inter = a->comm->inter;

	if (a->root == (inter ? MPI_ROOT : p->rank))
		linear_root(p, &a->r, inter ? -1 : p->rank);
	else if (a->root != MPI_PROC_NULL)
		coll_recv_wait(p, a->r.buf, a->r.count, a->r.dt, a->root);
}
