/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives by the provider's unit (class routes): the whole operation is
 * one step, and nobody has to be inside MPI for it to go on.
 *
 * Restrictions: communicators that have joined a route; reductions that the
 * unit's arithmetic knows.
 * Cost: one store per rank and one read; up and down the tree beyond 8 ranks.
 *
 *   p = 3     0 1 2        everyone writes his part where the others see it
 *             x x x        everyone reads all parts and combines 0, 1, 2
 */
#include "coll/coll_select.h"

/* Blocking collectives of a communicator before it joins a route. */
#define UNIT_JOIN_AT 2

void coll_unit_join(struct weft_comm *comm)
{
	if (comm->inter || comm->joins > UNIT_JOIN_AT)
		return;
	if (++comm->joins == UNIT_JOIN_AT)
		weft_unit_join(comm);
}

void coll_barrier_unit(struct coll_prog *p, const struct weft_coll_args *a)
{
	const struct weft_unit_call call = { .kind = WEFT_UNIT_BARRIER };

	(void)a;
	coll_unit(p, &call);
}

void coll_bcast_unit(struct coll_prog *p, const struct weft_coll_args *a)
{
	struct weft_unit_call call = { .kind = WEFT_UNIT_BCAST,
				       .root = a->root };
	struct coll_flat f;

	coll_flat_open(p, &a->r, &f);
	if (!f.len || p->err)
		return;
	if (p->rank == a->root)
		coll_flat_pack(p, &f);
	call.out = f.bytes;
	call.count = f.len;
	coll_unit(p, &call);
	if (p->rank == a->root || !f.copied)
		return;
	coll_wait_all(p);
	coll_flat_unpack(p, &f);
}

static void say_reduction(struct coll_prog *p, const struct weft_coll_args *a,
			  enum weft_unit_kind kind)
{
	const struct weft_unit_call call = {
		.kind = kind, .root = a->root, .in = coll_input(a),
		.out = a->r.buf, .count = a->r.count, .dt = a->r.dt,
		.op = a->op,
	};

	if (call.count)
		coll_unit(p, &call);
}

void coll_reduce_unit(struct coll_prog *p, const struct weft_coll_args *a)
{
	say_reduction(p, a, WEFT_UNIT_REDUCE);
}

void coll_allreduce_unit(struct coll_prog *p, const struct weft_coll_args *a)
{
	say_reduction(p, a, WEFT_UNIT_ALLREDUCE);
}
