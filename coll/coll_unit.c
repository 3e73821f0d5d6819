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
#include "src/core/core_opts.h"
#include "src/core/core_state.h"

#include <errno.h>

/*
 * Collectives of a communicator before it joins a route. What they do must not
 * depend on how far the join is here, but on their number alone: nonblocking
 * ones use a route from the moment they begin to join it, and what became of it
 * counts from the next blocking one on.
 */
#define UNIT_JOIN_AT 2
#define UNIT_JOINED  (UNIT_JOIN_AT + 1)

/* A world of so many ranks joins in MPI_Init: some ms, 20 at most. */
#define UNIT_WORLD 16

/* The kinds below, by their bits. */
#define QUICK(kind) (1u << (kind))

static void be_quick(struct weft_comm *comm)
{
	static const enum weft_coll_kind kinds[] = {
		WEFT_COLL_BARRIER,
		WEFT_COLL_BCAST,
		WEFT_COLL_REDUCE,
		WEFT_COLL_ALLREDUCE,
	};

	for (size_t i = 0; i < WEFT_COUNT_OF(kinds); i++) {
		if (coll_unforced(kinds[i]))
			comm->quick |= QUICK(kinds[i]);
	}
}

void coll_unit_join(struct weft_comm *comm)
{
	if (comm->inter || comm->joins >= UNIT_JOINED)
		return;
	if (comm->early)
		weft_unit_settle(comm);
	else if (++comm->joins == UNIT_JOIN_AT)
		weft_unit_join(comm);
	else
		return;
	comm->joins = UNIT_JOINED;
	if (comm->route)
		be_quick(comm);
}

void coll_unit_begin(struct weft_comm *comm)
{
	if (comm->inter || comm->joins >= UNIT_JOIN_AT)
		return;
	if (++comm->joins == UNIT_JOIN_AT && weft_unit_begin(comm))
		comm->joins = UNIT_JOINED;
}

void weft_coll_open(struct weft_comm *world)
{
	if (world->size > UNIT_WORLD && !weft_core.virt)
		return;
	world->joins = UNIT_JOIN_AT - 1;
	coll_unit_join(world);
}

struct weft_route *coll_route(const struct weft_coll_args *a)
{
	const struct weft_comm *comm = a->comm;

	if (a->route)
		return a->route;
	if (a->any_order)
		return NULL;
	return comm->joins < UNIT_JOINED ? comm->early : comm->route;
}

/* Would a route of its own be used? The same answer on all ranks. */
static bool private_pays(const struct weft_coll_args *a)
{
	if (coll_exact_wanted(a))
		return true;
	if (a->comm->info || a->comm->inter || !coll_unforced(a->kind) ||
	    !coll_unit_fits(a))
		return false;
	switch (a->kind) {
	case WEFT_COLL_BARRIER:
		return true;
	case WEFT_COLL_BCAST:
	case WEFT_COLL_REDUCE:
	case WEFT_COLL_ALLREDUCE:
		return coll_volume(a) && coll_volume(a) <= COLL_UNIT_BYTES;
	default:
		return false;
	}
}

struct weft_route *coll_unit_private(const struct weft_coll_args *a)
{
	/* tags number the collectives of a communicator; 0 and 1 are taken */
	uint64_t salt = 2 + (uint64_t)weft_comm_next_tag(a->comm);
	enum weft_route_state state;
	struct weft_route *r;

	if (!private_pays(a) ||
	    weft_route_open(coll_exact_comm(a), salt, false, &r))
		return NULL;
	state = weft_route_wait(r);
	if (state == WEFT_ROUTE_REAL ||
	    (state == WEFT_ROUTE_MESSAGES && coll_exact_wanted(a)))
		return r;
	weft_route_close(r);
	return NULL;
}

bool coll_unit_fits(const struct weft_coll_args *a)
{
	switch (a->kind) {
	case WEFT_COLL_REDUCE:
	case WEFT_COLL_ALLREDUCE:
	case WEFT_COLL_REDUCE_SCATTER:
		return weft_unit_can(a->op, a->r.dt);
	default:
		return true;
	}
}

/* ---- at once, without a program ------------------------------------------ */

/* Is this side short, and can the unit take it as it lies? */
static bool quick_fits(const struct weft_coll_args *a)
{
	if ((uint64_t)(a->r.count * a->r.dt->size) > COLL_UNIT_BYTES)
		return false;
	return a->op ? weft_unit_can(a->op, a->r.dt)
		     : weft_dt_is_run(a->r.dt, a->r.count);
}

/* An info may name an algorithm: then the table looks. */
static bool is_quick(const struct weft_comm *comm, enum weft_coll_kind kind)
{
	return (comm->quick & QUICK(kind)) && !comm->info;
}

static void quick_reduction(const struct weft_coll_args *a,
			    struct weft_unit_call *call)
{
	call->kind = a->kind == WEFT_COLL_REDUCE ? WEFT_UNIT_REDUCE
						 : WEFT_UNIT_ALLREDUCE;
	call->in = coll_input(a);
	call->out = a->r.buf;
	call->count = a->r.count;
	call->dt = a->r.dt;
	call->op = a->op;
}

static void quick_bcast(const struct weft_coll_args *a,
			struct weft_unit_call *call)
{
	call->kind = WEFT_UNIT_BCAST;
	call->out = (char *)a->r.buf + a->r.dt->true_lb;
	call->count = a->r.count * a->r.dt->size;
	/* other ranks may have types with gaps, and run a program */
	weft_comm_next_tag(a->comm);
	call->untagged = false;
}

/* The call for the unit as it is; false: ask the table. */
static bool quick_call(const struct weft_coll_args *a,
		       struct weft_unit_call *call)
{
	if (!is_quick(a->comm, a->kind))
		return false;
	*call = (struct weft_unit_call){ .kind = WEFT_UNIT_BARRIER,
					 .root = a->root,
					 .route = a->comm->route,
					 .untagged = true };
	if (a->kind == WEFT_COLL_BARRIER) {
		call->root = 0;
		return true;
	}
	if (!a->r.count || !quick_fits(a) || coll_exact_wanted(a))
		return false;
	if (a->kind == WEFT_COLL_BCAST)
		quick_bcast(a, call);
	else
		quick_reduction(a, call);
	return true;
}

WEFT_HOT bool weft_coll_barrier_quick(struct weft_comm *comm,
				      struct weft_req **req_p, int *rc_p)
{
	if (!is_quick(comm, WEFT_COLL_BARRIER))
		return false;
	*rc_p = weft_unit_barrier(comm->route, req_p);
	return *rc_p != -ENOSYS;
}

WEFT_HOT bool weft_coll_allreduce_quick(struct weft_comm *comm, const void *in,
					void *out, MPI_Count count,
					MPI_Datatype type, MPI_Op op,
					struct weft_req **req_p, int *rc_p)
{
	if (!is_quick(comm, WEFT_COLL_ALLREDUCE) || weft_core_exact ||
	    in == out || !in || !out || out == MPI_IN_PLACE)
		return false;
	if (in == MPI_IN_PLACE)
		in = out;
	*rc_p = weft_unit_allreduce(comm->route, in, out, count, type, op,
				    req_p);
	return *rc_p != -ENOSYS;
}

bool coll_unit_quick(const struct weft_coll_args *a, int *rc_p)
{
	struct weft_unit_call call;

	if (!quick_call(a, &call))
		return false;
	*rc_p = weft_unit_run(&call);
	return true;
}

bool coll_unit_start(const struct weft_coll_args *a, struct weft_req **req_p,
		     int *rc_p)
{
	struct weft_unit_call call;

	if (!quick_call(a, &call))
		return false;
	*rc_p = weft_unit_post(&call, req_p);
	return true;
}

/* ---- as steps of a program ----------------------------------------------- */

void coll_barrier_unit(struct coll_prog *p, const struct weft_coll_args *a)
{
	const struct weft_unit_call call = { .kind = WEFT_UNIT_BARRIER,
					     .route = coll_route(a) };

	coll_unit(p, &call);
}

void coll_bcast_unit(struct coll_prog *p, const struct weft_coll_args *a)
{
	struct weft_unit_call call = { .kind = WEFT_UNIT_BCAST,
				       .root = a->root,
				       .route = coll_route(a) };
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
		.kind = kind,
		.root = a->root,
		.in = coll_input(a),
		.out = a->r.buf,
		.count = a->r.count,
		.dt = a->r.dt,
		.op = a->op,
		.route = coll_route(a),
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

void coll_redscat_unit(struct coll_prog *p, const struct weft_coll_args *a)
{
	say_reduction(p, a, WEFT_UNIT_REDUCE_SCATTER);
}

/* ---- blocks -------------------------------------------------------------- */

/* A side that is n blocks, seen as one; a side in place is a block of other. */
static struct weft_coll_side blocks(const struct weft_coll_side *side, int n)
{
	struct weft_coll_side all = *side;

	all.count *= n;
	return all;
}

static struct weft_coll_side own_side(struct coll_prog *p,
				      const struct weft_coll_side *side,
				      const struct weft_coll_side *other)
{
	struct weft_coll_side own = *side;

	if (!coll_in_place(side))
		return own;
	own = *other;
	own.buf = coll_block(other, p->rank);
	return own;
}

/* What a rank hands in and gets: NULL where it has nothing of that kind. */
static void say_blocks(struct coll_prog *p, struct weft_unit_call *call,
		       const struct weft_coll_side *in,
		       const struct weft_coll_side *out)
{
	struct coll_flat from, to;

	if (in) {
		coll_flat_open(p, in, &from);
		if (!p->err)
			coll_flat_pack(p, &from);
		call->in = from.bytes;
	}
	if (out) {
		coll_flat_open(p, out, &to);
		call->out = to.bytes;
	}
	if (p->err || !call->count)
		return;
	coll_unit(p, call);
	if (!out || !to.copied)
		return;
	coll_wait_all(p);
	coll_flat_unpack(p, &to);
}

static MPI_Count side_len(const struct weft_coll_side *s)
{
	return s->count * s->dt->size;
}

void coll_allgather_unit(struct coll_prog *p, const struct weft_coll_args *a)
{
	struct weft_unit_call call = { .kind = WEFT_UNIT_ALLGATHER,
				       .route = coll_route(a),
				       .count = side_len(&a->r) };
	struct weft_coll_side in = own_side(p, &a->s, &a->r);
	struct weft_coll_side out = blocks(&a->r, p->size);

	say_blocks(p, &call, &in, &out);
}

void coll_alltoall_unit(struct coll_prog *p, const struct weft_coll_args *a)
{
	struct weft_unit_call call = { .kind = WEFT_UNIT_ALLTOALL,
				       .route = coll_route(a),
				       .count = side_len(&a->r) };
	struct weft_coll_side in = blocks(&a->s, p->size);
	struct weft_coll_side out = blocks(&a->r, p->size);

	say_blocks(p, &call, &in, &out);
}

void coll_gather_unit(struct coll_prog *p, const struct weft_coll_args *a)
{
	bool at_root = p->rank == a->root;
	struct weft_coll_side in = own_side(p, &a->s, &a->r), out = a->r;
	struct weft_unit_call call = { .kind = WEFT_UNIT_GATHER,
				       .route = coll_route(a),
				       .root = a->root,
				       .count = side_len(&in) };

	if (at_root)
		out = blocks(&a->r, p->size);
	say_blocks(p, &call, &in, at_root ? &out : NULL);
}

void coll_scatter_unit(struct coll_prog *p, const struct weft_coll_args *a)
{
	bool at_root = p->rank == a->root;
	struct weft_coll_side in = a->s, out = own_side(p, &a->r, &a->s);
	struct weft_unit_call call = { .kind = WEFT_UNIT_SCATTER,
				       .route = coll_route(a),
				       .root = a->root,
				       .count = side_len(&out) };

	if (at_root)
		in = blocks(&a->s, p->size);
	say_blocks(p, &call, at_root ? &in : NULL, &out);
}
