/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reduce-scatter of long vectors over several hosts: the steps of "pairwise",
 * but the messages of the next step are in flight while a block is combined. So
 * messages between hosts overlap with the reductions, and with the messages
 * within the host.
 *
 * Restrictions: commutative operations (operands in the order rank - 1, rank -
 * 2 ..., which is deterministic); intracommunicators.
 * Cost: (p - 1) alpha + (p - 1) / p n max(beta, gamma).
 *
 *   p = 3, rank 0   post step 1 | wait 1, post step 2, combine 1 | wait 2, ...
 */
#include "coll/coll_select.h"

/* Posts the messages of step s; returns the number of the receive. */
static unsigned ahead_post(struct coll_prog *p, const struct weft_coll_args *a,
			   const MPI_Count *off, int s, void *in)
{
	int to = (p->rank + s) % p->size;
	int from = (p->rank - s + p->size) % p->size;
	struct weft_dt *dt = a->r.dt;
	unsigned id =
		coll_recv(p, in, off[p->rank + 1] - off[p->rank], dt, from);

	coll_send(p, coll_at(coll_input(a), off[to], dt), off[to + 1] - off[to],
		  dt, to);
	return id;
}

/*
 * Receives alternately into two buffers: the messages of a step are in flight
 * while the block of the previous step is combined.
 */
static void ahead_steps(struct coll_prog *p, const struct weft_coll_args *a,
			const MPI_Count *off, void *const in[2], void *acc)
{
	MPI_Count mine = off[p->rank + 1] - off[p->rank];
	unsigned id = ahead_post(p, a, off, 1, in[1]), next = id;

	for (int s = 1; s < p->size; s++, id = next) {
		coll_wait(p, id);
		if (s + 1 < p->size)
			next = ahead_post(p, a, off, s + 1, in[(s + 1) % 2]);
		coll_reduce(p, in[s % 2], acc, mine);
	}
	coll_wait_all(p);
}

void coll_redscat_ahead(struct coll_prog *p, const struct weft_coll_args *a)
{
	MPI_Count *off = coll_offsets(p, &a->r, p->size), mine;
	struct weft_dt *dt = a->r.dt;
	void *acc, *in[2];

	if (!off)
		return;
	mine = off[p->rank + 1] - off[p->rank];
	in[0] = p->size > 2 ? coll_elems(p, mine, dt) : NULL;
	in[1] = coll_elems(p, mine, dt);
	/* In place, the result would overwrite blocks not sent yet. */
	acc = coll_in_place(&a->s) ? coll_elems(p, mine, dt) : a->r.buf;
	if (p->err)
		return;
	coll_copy(p, coll_at(coll_input(a), off[p->rank], dt), mine, dt, acc,
		  mine, dt);
	if (p->size > 1)
		ahead_steps(p, a, off, in, acc);
	coll_copy(p, acc, mine, dt, a->r.buf, mine, dt);
}
