/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives by the provider's collective unit (class routes). The whole
 * operation is one step, and it progresses even if no rank is inside MPI.
 *
 * Restrictions: communicators that have joined a route; reductions that the
 * unit supports.
 * Cost: one store and one read per rank; with more than 8 ranks, a pass up and
 * down the tree.
 *
 *   p = 3     0 1 2        every rank writes its vector to shared memory
 *             x x x        every rank reads all vectors and combines 0, 1, 2
 */
#include "coll/coll_select.h"

#include "coll/coll_hosts.h"

#include "src/base/attr.h"
#include "src/offload/offload_device.h"
#include "src/core/core_opts.h"
#include "src/core/core_state.h"

#include <assert.h>
#include <errno.h>

/*
 * Sequence number of the collective at which a communicator joins a route. The
 * method of a collective must depend only on its sequence number, not on the
 * progress of the join at this rank. So nonblocking collectives use a route as
 * soon as the join has started, and the result of the join takes effect at the
 * next blocking collective.
 */
#define UNIT_JOIN_AT 2
#define UNIT_JOINED  (UNIT_JOIN_AT + 1)

/*
 * Largest world that joins a route in MPI_Init; the join takes at most 20 ms.
 */
#define UNIT_WORLD 16

/* Bit of a kind in comm->unit_kinds. */
#define BIT(kind) (1u << (kind))

/*
 * Sets the kinds of collectives that use the route without consulting the
 * algorithm table.
 */
static void route_kinds_set(struct weft_comm *comm)
{
	static const enum weft_coll_kind kinds[] = {
		WEFT_COLL_BARRIER,
		WEFT_COLL_BCAST,
		WEFT_COLL_REDUCE,
		WEFT_COLL_ALLREDUCE,
	};

	for (size_t i = 0; i < WEFT_COUNT_OF(kinds); i++) {
		/*
		 * vectors may be too long for the route, so the table must
		 * select the algorithm
		 */
		if (i && weft_route_max_bytes(comm->route))
			return;
		if (coll_not_forced(kinds[i]))
			comm->unit_kinds |= BIT(kinds[i]);
	}
}

/*
 * Joins the route of this host, since no collective unit spans hosts. Returns
 * whether there are several hosts.
 */
static bool join_host(struct weft_comm *comm)
{
	struct coll_hosts *h = coll_hosts(comm);

	if (h && ++comm->join_age >= UNIT_JOIN_AT) {
		coll_hosts_join(h, comm);
		comm->join_age = UNIT_JOINED;
	}
	return h;
}

void coll_unit_join(struct weft_comm *comm)
{
	if (comm->inter || comm->join_age >= UNIT_JOINED || join_host(comm))
		return;
	if (comm->joining)
		weft_route_join_wait(comm);
	else if (++comm->join_age == UNIT_JOIN_AT)
		weft_route_join(comm);
	else
		return;
	comm->join_age = UNIT_JOINED;
	if (comm->route)
		route_kinds_set(comm);
}

void coll_unit_begin(struct weft_comm *comm)
{
	if (comm->inter || comm->join_age >= UNIT_JOIN_AT || coll_hosts(comm))
		return;
	if (++comm->join_age == UNIT_JOIN_AT && weft_route_join_begin(comm))
		comm->join_age = UNIT_JOINED;
}

void weft_coll_open(struct weft_comm *world)
{
	if (world->size > UNIT_WORLD && !weft_core.traits.network_routes)
		return;
	world->join_age = UNIT_JOIN_AT - 1;
	coll_unit_join(world);
}

struct weft_route *coll_route(const struct weft_coll_args *a)
{
	const struct weft_comm *comm = a->comm;

	if (a->route)
		return a->route;
	if (a->any_order)
		return NULL;
	return comm->join_age < UNIT_JOINED ? comm->joining : comm->route;
}

bool coll_unit_too_long(const struct weft_coll_args *a,
			const struct weft_route *r)
{
	/* during the join only some ranks have the limit, so no rank uses it */
	if (!r || r == a->comm->joining || !weft_route_max_bytes(r))
		return false;
	return coll_volume(a) > weft_route_max_bytes(r) &&
	       !coll_exact_requested(a);
}

/* Returns whether a private route would be used; the same on all ranks. */
static bool private_route_useful(const struct weft_coll_args *a)
{
	if (coll_exact_requested(a))
		return true;
	if (a->comm->info || a->comm->inter || coll_avoids_unit(a) ||
	    !coll_unit_fits(a) || coll_hosts(a->comm))
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

struct weft_route *coll_unit_private_route(const struct weft_coll_args *a)
{
	/*
	 * a unique salt: 0 and 1 are in use, and tags number the collectives of
	 * a communicator
	 */
	uint64_t salt = 2 + (uint64_t)weft_comm_next_tag(a->comm);
	enum weft_route_state state;
	struct weft_route *r;

	if (!private_route_useful(a) ||
	    weft_route_open(coll_exact_comm(a), salt, &r))
		return NULL;
	state = weft_route_wait(r);
	if ((state == WEFT_ROUTE_CLASS && !coll_unit_too_long(a, r)) ||
	    (state == WEFT_ROUTE_MESSAGES && coll_exact_requested(a)))
		return r;
	weft_route_close(r);
	return NULL;
}

/* ---- calls that need no program ---- */

/* Returns whether the vector is short and the unit can use it in place. */
static bool fits_in_place(const struct weft_coll_args *a)
{
	if ((uint64_t)(a->r.count * a->r.dt->size) > COLL_UNIT_BYTES)
		return false;
	return a->op ? weft_route_supports(a->op, a->r.dt)
		     : weft_dt_is_run(a->r.dt, a->r.count) &&
			       !weft_device_owns((char *)a->r.buf +
						 a->r.dt->true_lb);
}

/*
 * Returns whether calls of this kind use the class route without consulting the
 * algorithm table (coll_select.c). An info key may select an algorithm, which
 * needs the table.
 */
static bool is_on_route(const struct weft_comm *comm, enum weft_coll_kind kind)
{
	return (comm->unit_kinds & BIT(kind)) && !comm->info;
}

static void reduction_call(const struct weft_coll_args *a,
			   struct weft_coll_call *call)
{
	call->kind = (uint8_t)a->kind;
	call->in = coll_input(a);
	call->out = a->r.buf;
	call->count = (size_t)a->r.count;
	weft_route_reduction(call, a->op, a->r.dt);
}

static void bcast_call(const struct weft_coll_args *a,
		       struct weft_coll_call *call)
{
	call->kind = WEFT_COLL_BCAST;
	call->out = (char *)a->r.buf + a->r.dt->true_lb;
	call->count = (size_t)(a->r.count * a->r.dt->size);
	call->type = WEFT_NUM_U8;
	/*
	 * use up a tag as the other ranks do: they may have types with gaps,
	 * and then execute a program, which uses a tag
	 */
	weft_comm_next_tag(a->comm);
}

/* Fills in the call for the unit. Returns false if the table must be used. */
static bool unit_call_fill(const struct weft_coll_args *a,
			   struct weft_coll_call *call)
{
	if (!is_on_route(a->comm, a->kind))
		return false;
	*call = (struct weft_coll_call){ .kind = WEFT_COLL_BARRIER };
	if (a->kind == WEFT_COLL_BARRIER)
		return true;
	if (!a->r.count || !fits_in_place(a) || coll_exact_requested(a))
		return false;
	call->root = a->root;
	if (a->kind == WEFT_COLL_BCAST)
		bcast_call(a, call);
	else
		reduction_call(a, call);
	return true;
}

WEFT_HOT bool weft_coll_barrier_on_route(struct weft_comm *comm,
					 struct weft_req **req_p, int *rc_p)
{
	if (!is_on_route(comm, WEFT_COLL_BARRIER))
		return false;
	*rc_p = weft_route_barrier(comm->route, req_p);
	return *rc_p != -ENOSYS;
}

WEFT_HOT bool weft_coll_allreduce_on_route(struct weft_comm *comm,
					   const void *in, void *out,
					   MPI_Count count, MPI_Datatype type,
					   MPI_Op op, struct weft_req **req_p,
					   int *rc_p)
{
	if (!is_on_route(comm, WEFT_COLL_ALLREDUCE) || weft_core_exact ||
	    in == out || !in || !out || out == MPI_IN_PLACE ||
	    weft_device_owns(in) || weft_device_owns(out))
		return false;
	if (in == MPI_IN_PLACE)
		in = out;
	*rc_p = weft_route_allreduce(comm->route, in, out, count, type, op,
				     req_p);
	return *rc_p != -ENOSYS;
}

static_assert(WEFT_ROUTE_FAST_BYTES < COLL_SHARED_MIN,
	      "ranks on the fast path and others must select the unit");

/* Returns whether the table prefers shared memory to the unit. */
static bool prefers_shared(const struct weft_coll_args *a)
{
	struct weft_coll_args b;

	if (a->kind != WEFT_COLL_ALLREDUCE || coll_volume(a) < COLL_SHARED_MIN)
		return false;
	b = *a;
	b.blocks = true;
	return coll_select(&b)->need & COLL_SHARED;
}

bool coll_unit_run(const struct weft_coll_args *a, int *rc_p)
{
	struct weft_coll_call call;

	if (prefers_shared(a) || !unit_call_fill(a, &call))
		return false;
	/*
	 * use up a tag: the deadlock report numbers collectives by their tags
	 */
	if (weft_unlikely(weft_core.traits.reports_waits) &&
	    a->kind != WEFT_COLL_BCAST)
		weft_comm_next_tag(a->comm);
	*rc_p = weft_route_run(a->comm->route, &call);
	return true;
}

bool coll_unit_start(const struct weft_coll_args *a, struct weft_req **req_p,
		     int *rc_p)
{
	struct weft_coll_call call;

	if (!unit_call_fill(a, &call))
		return false;
	*rc_p = weft_route_post(a->comm->route, &call, req_p);
	return true;
}

/* ---- unit calls as steps of a program ---- */

void coll_barrier_unit(struct coll_prog *p, const struct weft_coll_args *a)
{
	const struct weft_coll_call call = { .kind = WEFT_COLL_BARRIER };

	coll_unit(p, coll_route(a), &call);
}

void coll_bcast_unit(struct coll_prog *p, const struct weft_coll_args *a)
{
	struct weft_coll_call call = { .kind = WEFT_COLL_BCAST,
				       .root = a->root,
				       .type = WEFT_NUM_U8 };
	struct coll_flat f;

	coll_flat_open(p, &a->r, &f);
	if (!f.len || p->err)
		return;
	if (p->rank == a->root)
		coll_flat_pack(p, &f);
	call.out = f.bytes;
	call.count = (size_t)f.len;
	coll_unit(p, coll_route(a), &call);
	if (p->rank == a->root || !f.copied)
		return;
	coll_wait_all(p);
	coll_flat_unpack(p, &f);
}

void coll_reduction_unit(struct coll_prog *p, const struct weft_coll_args *a)
{
	struct weft_coll_call call = { .root = a->root };

	reduction_call(a, &call);
	if (call.count)
		coll_unit(p, coll_route(a), &call);
}

/* ---- operations on blocks ---- */

/* Converts a side of n blocks to a side of one block. */
static struct weft_coll_side blocks(const struct weft_coll_side *side, int n)
{
	struct weft_coll_side all = *side;

	all.count *= n;
	return all;
}

/*
 * Returns this rank's side of the operation; for MPI_IN_PLACE, this rank's
 * block of `other`.
 */
static struct weft_coll_side own_side(struct coll_prog *p,
				      const struct weft_coll_side *side,
				      const struct weft_coll_side *other)
{
	struct weft_coll_side own = *side;

	if (!coll_in_place(side))
		return own;
	own = *other;
	own.buf = coll_block_addr(other, p->rank);
	return own;
}

static MPI_Count side_len(const struct weft_coll_side *s)
{
	return s->count * s->dt->size;
}

/*
 * Adds an operation on blocks. in, out: this rank's send and receive side;
 * NULL: none.
 */
static void unit_blocks_add(struct coll_prog *p, const struct weft_coll_args *a,
			    struct weft_coll_call call,
			    const struct weft_coll_side *in,
			    const struct weft_coll_side *out)
{
	struct coll_flat from, to;

	call.type = WEFT_NUM_U8;
	if (in) {
		coll_flat_open(p, in, &from);
		if (!p->err)
			coll_flat_pack(p, &from);
		call.in = from.bytes;
	}
	if (out) {
		coll_flat_open(p, out, &to);
		call.out = to.bytes;
	}
	if (p->err || !call.count)
		return;
	coll_unit(p, coll_route(a), &call);
	if (!out || !to.copied)
		return;
	coll_wait_all(p);
	coll_flat_unpack(p, &to);
}

void coll_allgather_unit(struct coll_prog *p, const struct weft_coll_args *a)
{
	const struct weft_coll_call call = { .kind = WEFT_COLL_ALLGATHER,
					     .count = (size_t)side_len(&a->r) };
	struct weft_coll_side in = own_side(p, &a->s, &a->r);
	struct weft_coll_side out = blocks(&a->r, p->size);

	unit_blocks_add(p, a, call, &in, &out);
}

void coll_alltoall_unit(struct coll_prog *p, const struct weft_coll_args *a)
{
	const struct weft_coll_call call = { .kind = WEFT_COLL_ALLTOALL,
					     .count = (size_t)side_len(&a->r) };
	struct weft_coll_side in = blocks(&a->s, p->size);
	struct weft_coll_side out = blocks(&a->r, p->size);

	unit_blocks_add(p, a, call, &in, &out);
}

void coll_gather_unit(struct coll_prog *p, const struct weft_coll_args *a)
{
	bool at_root = p->rank == a->root;
	struct weft_coll_side in = own_side(p, &a->s, &a->r), out = a->r;
	const struct weft_coll_call call = { .kind = WEFT_COLL_GATHER,
					     .root = a->root,
					     .count = (size_t)side_len(&in) };

	if (at_root)
		out = blocks(&a->r, p->size);
	unit_blocks_add(p, a, call, &in, at_root ? &out : NULL);
}

void coll_scatter_unit(struct coll_prog *p, const struct weft_coll_args *a)
{
	bool at_root = p->rank == a->root;
	struct weft_coll_side in = a->s, out = own_side(p, &a->r, &a->s);
	const struct weft_coll_call call = { .kind = WEFT_COLL_SCATTER,
					     .root = a->root,
					     .count = (size_t)side_len(&out) };

	if (at_root)
		in = blocks(&a->s, p->size);
	unit_blocks_add(p, a, call, at_root ? &in : NULL, &out);
}
