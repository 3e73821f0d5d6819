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

#include "src/base/attr.h"

/* Blocking collectives of a communicator before it joins a route. */
#define UNIT_JOIN_AT 2

/* The kinds below, by their bits. */
#define QUICK(kind) (1u << (kind))

void coll_unit_join(struct weft_comm *comm)
{
	static const enum weft_coll_kind kinds[] = {
		WEFT_COLL_BARRIER, WEFT_COLL_BCAST, WEFT_COLL_REDUCE,
		WEFT_COLL_ALLREDUCE,
	};

	if (comm->inter || comm->joins > UNIT_JOIN_AT)
		return;
	if (++comm->joins != UNIT_JOIN_AT)
		return;
	weft_unit_join(comm);
	for (size_t i = 0; comm->route && i < WEFT_COUNT_OF(kinds); i++) {
		if (coll_unforced(kinds[i]))
			comm->quick |= QUICK(kinds[i]);
	}
}

/* ---- at once, without a program ------------------------------------------ */

static int quick_bcast(const struct weft_coll_args *a)
{
	const struct weft_unit_call call = {
		.kind = WEFT_UNIT_BCAST, .root = a->root,
		.out = (char *)a->r.buf + a->r.dt->true_lb,
		.count = a->r.count * a->r.dt->size,
	};

	/* other ranks may have types with gaps, and run a program */
	weft_comm_next_tag(a->comm);
	return call.count ? weft_unit_run(a->comm, &call) : 0;
}

static int quick_reduction(const struct weft_coll_args *a,
			   enum weft_unit_kind kind)
{
	const struct weft_unit_call call = {
		.kind = kind, .root = a->root, .in = coll_input(a),
		.out = a->r.buf, .count = a->r.count, .dt = a->r.dt,
		.op = a->op,
	};

	return call.count ? weft_unit_run(a->comm, &call) : 0;
}

/* Is this side short, and can the unit take it as it lies? */
static bool quick_fits(const struct weft_coll_args *a)
{
	if ((uint64_t)(a->r.count * a->r.dt->size) > COLL_UNIT_BYTES)
		return false;
	return a->op ? weft_unit_can(a->op, a->r.dt) :
		       weft_dt_is_run(a->r.dt, a->r.count);
}

/* An info may name an algorithm: then the table looks. */
static bool is_quick(const struct weft_comm *comm, enum weft_coll_kind kind)
{
	return (comm->quick & QUICK(kind)) && !comm->info;
}

bool weft_coll_barrier_quick(struct weft_comm *comm, int *rc_p)
{
	static const struct weft_unit_call call = {
		.kind = WEFT_UNIT_BARRIER,
	};

	if (!is_quick(comm, WEFT_COLL_BARRIER))
		return false;
	*rc_p = weft_unit_run(comm, &call);
	return true;
}

bool coll_unit_quick(const struct weft_coll_args *a, int *rc_p)
{
	if (a->kind == WEFT_COLL_BARRIER)
		return weft_coll_barrier_quick(a->comm, rc_p);
	if (!is_quick(a->comm, a->kind) || !quick_fits(a))
		return false;
	if (a->kind == WEFT_COLL_BCAST)
		*rc_p = quick_bcast(a);
	else
		*rc_p = quick_reduction(a, a->kind == WEFT_COLL_REDUCE ?
						   WEFT_UNIT_REDUCE :
						   WEFT_UNIT_ALLREDUCE);
	return true;
}

/* ---- as steps of a program ----------------------------------------------- */

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
