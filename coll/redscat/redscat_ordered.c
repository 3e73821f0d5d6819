/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reduce-scatter in rank order: every rank sends every block to its owner. When
 * all contributions have arrived, the owner combines them from the last rank to
 * the first.
 *
 * Restrictions: intracommunicators only.
 * Cost: (p - 1) alpha + (p - 1) / p n (beta + gamma); memory for n elements.
 *
 *   p = 3, rank 1       b0 op (b1 op b2)
 */
#include "coll/coll_select.h"

static void ordered_exchange(struct coll_prog *p,
			     const struct weft_coll_args *a,
			     const MPI_Count *off, char *all)
{
	MPI_Count mine = off[p->rank + 1] - off[p->rank];
	struct weft_dt *dt = a->r.dt;
	int i, peer;

	for (i = 1; i < p->size; i++) {
		peer = (p->rank - i + p->size) % p->size;
		coll_recv(p, coll_at(all, peer * mine, dt), mine, dt, peer);
	}
	for (i = 1; i < p->size; i++) {
		peer = (p->rank + i) % p->size;
		coll_send(p, coll_at(coll_input(a), off[peer], dt),
			  off[peer + 1] - off[peer], dt, peer);
	}
	coll_copy(p, coll_at(coll_input(a), off[p->rank], dt), mine, dt,
		  coll_at(all, p->rank * mine, dt), mine, dt);
	coll_wait_all(p);
}

void coll_redscat_ordered(struct coll_prog *p, const struct weft_coll_args *a)
{
	MPI_Count *off = coll_offsets(p, &a->r, p->size), mine;
	struct weft_dt *dt = a->r.dt;
	char *all, *acc;
	int i;

	if (!off)
		return;
	mine = off[p->rank + 1] - off[p->rank];
	all = coll_elems(p, mine * p->size, dt);
	if (p->err)
		return;
	ordered_exchange(p, a, off, all);
	acc = coll_at(all, (p->size - 1) * mine, dt);
	for (i = p->size - 2; i >= 0; i--)
		coll_reduce(p, coll_at(all, i * mine, dt), acc, mine);
	coll_copy(p, acc, mine, dt, a->r.buf, mine, dt);
}
