/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reduce-scatter of long vectors: in step s every rank sends the block of the
 * rank at distance s to the right, receives a contribution to its own block,
 * and combines it at once. Blocks are sent from the user's buffer.
 *
 * Restrictions: commutative operations (operands in the order rank - 1, rank -
 * 2 ..., which is deterministic); intracommunicators.
 * Cost: (p - 1) alpha + (p - 1) / p n (beta + gamma).
 *
 *   p = 3       step 1  0->1 b, 1->2 c, 2->0 a
 *               step 2  0->2 c, 1->0 a, 2->1 b
 */
#include "coll/coll_select.h"

static void pairwise_step(struct coll_prog *p, const struct weft_coll_args *a,
			  const MPI_Count *off, int s, void *in)
{
	int to = (p->rank + s) % p->size;
	int from = (p->rank - s + p->size) % p->size;
	struct weft_dt *dt = a->r.dt;

	coll_recv(p, in, off[p->rank + 1] - off[p->rank], dt, from);
	coll_send(p, coll_at(coll_input(a), off[to], dt), off[to + 1] - off[to],
		  dt, to);
	coll_wait_all(p);
}

void coll_redscat_pairwise(struct coll_prog *p, const struct weft_coll_args *a)
{
	MPI_Count *off = coll_offsets(p, &a->r, p->size), mine;
	struct weft_dt *dt = a->r.dt;
	void *acc, *in;
	int s;

	if (!off)
		return;
	mine = off[p->rank + 1] - off[p->rank];
	in = coll_elems(p, mine, dt);
	/* In place, the result would overwrite blocks not sent yet. */
	acc = coll_in_place(&a->s) ? coll_elems(p, mine, dt) : a->r.buf;
	if (p->err)
		return;
	coll_copy(p, coll_at(coll_input(a), off[p->rank], dt), mine, dt, acc,
		  mine, dt);
	for (s = 1; s < p->size; s++) {
		pairwise_step(p, a, off, s, in);
		coll_reduce(p, in, acc, mine);
	}
	coll_copy(p, acc, mine, dt, a->r.buf, mine, dt);
}
