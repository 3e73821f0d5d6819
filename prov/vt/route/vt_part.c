/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contributions (parts) to class routes, and their results: functions that all
 * methods of reduction use. vt_route.c contains the calls; vt_fold.c and
 * vt_result_bcast.c contain the reductions and broadcasts by the interfaces.
 */
#include "prov/vt/route/vt_route.h"

#include <string.h>

bool vt_route_is_place(const struct weft_vt *w, uint32_t place)
{
	return place < w->size * VT_PLACES;
}

struct vt_member *vt_route_members(struct weft_vt *w, uint32_t route)
{
	vt_require(vt_route_is_place(w, route));
	return w->members + (size_t)route * w->size;
}

struct vt_adder *vt_adders(struct weft_vt *w, uint32_t place)
{
	vt_require(w->adders && vt_route_is_place(w, place));
	return w->adders + (size_t)place * w->size;
}

struct vt_member *vt_part_member(struct weft_vt *w, const struct vt_buf *b)
{
	vt_require(b->to < w->size);
	return &vt_route_members(w, b->route)[b->to];
}

bool vt_part_has_result(const struct weft_backend_part *part, uint32_t member)
{
	return part->kind != WEFT_COLL_REDUCE || part->root == member;
}

void vt_part_done(struct vt_engine_pass *t, uint32_t i)
{
	struct vt_member *m = vt_part_member(t->w, vt_buf(t->w, i));
	/* relaxed: see vt_due() */
	uint32_t resources =
		weft_load32_relaxed(&vt_rank(t->w, m->rank)->waits_for);

	vt_buf_return(t, i);
	if (--m->ahead == VT_WINDOW / 2 && (resources & VT_ROOM_ROUTE))
		vt_rank_notify(t, m->rank, t->time_ps);
}

void vt_route_done(struct vt_engine_pass *t, uint32_t i)
{
	const struct vt_buf *b = vt_buf(t->w, i);

	if (!vt_part_has_result(&b->part, b->to))
		vt_part_done(t, i);
}

/* ---- combining of contributions ------------------------------------------ */

void vt_part_add(struct vt_engine_pass *t, struct vt_buf *acc,
		 const struct vt_buf *in)
{
	struct weft_backend_part *part = &acc->part;

	vt_require(part->bytes <= vt_part_bytes(t->w->packet_bytes));
	part->flags |= in->part.flags;
	part->word &= in->part.word;
	if (part->kind != in->part.kind || part->op != in->part.op ||
	    part->type != in->part.type || part->bytes != in->part.bytes ||
	    part->root != in->part.root)
		part->flags |= WEFT_BACKEND_DIFFER;
	else if (part->bytes)
		part->flags |= t->v->combine(part->op, part->type, acc->payload,
					     in->payload, part->bytes);
}

/* ---- distribution of results --------------------------------------------- */

/*
 * Returns the memory for the data of result k of the route with index `place`.
 */
static unsigned char *result_data(const struct weft_vt *w, uint32_t place,
				  unsigned k)
{
	return w->results +
	       ((size_t)place * VT_WINDOW + k) * vt_part_bytes(w->packet_bytes);
}

unsigned vt_route_result_store(struct vt_engine_pass *t, uint32_t place,
			       uint64_t seq, uint32_t i)
{
	struct vt_buf *b = vt_buf(t->w, i);
	struct vt_route *r = &t->w->routes[place];
	unsigned k = seq % VT_WINDOW;

	if (r->seq[k] == seq + 1)
		return k;
	r->seq[k] = seq + 1;
	vt_require(b->part.bytes <= vt_part_bytes(t->w->packet_bytes));
	r->flags[k] = b->part.flags;
	r->bytes[k] = b->part.bytes;
	memcpy(result_data(t->w, place, k), b->payload, b->part.bytes);
	if (!vt_part_has_result(&b->part, b->to))
		vt_part_done(t, i);
	return k;
}

bool vt_route_deliver(struct vt_engine_pass *t, uint32_t place, uint32_t member,
		      unsigned k)
{
	struct vt_route *r = &t->w->routes[place];
	struct vt_member *m = &vt_route_members(t->w, place)[member];
	uint32_t i = m->part[k], bytes = r->bytes[k];
	struct vt_buf *b;

	if (i == VT_NONE || vt_buf(t->w, i)->part.seq + 1 != r->seq[k])
		return false;
	vt_require(bytes <= vt_part_bytes(t->w->packet_bytes));
	b = vt_buf(t->w, i);
	m->part[k] = VT_NONE;
	b->part.flags = r->flags[k];
	/*
	 * The member waits for an operation other than the one whose result has
	 * arrived.
	 */
	if (r->root_seq[k] == b->part.seq + 1 &&
	    (b->part.kind != WEFT_COLL_BCAST ||
	     (b->part.bytes != r->bytes[k] &&
	      !(r->flags[k] & WEFT_BACKEND_DIFFER)))) {
		b->part.flags |= WEFT_BACKEND_DIFFER;
		bytes = 0;
	}
	b->part.bytes = bytes;
	memcpy(b->payload, result_data(t->w, place, k), bytes);
	vt_arrive(t, m->rank, i, b->part.quiet);
	return true;
}

/* Delivers a result to the one member that gets it. */
void vt_route_result_to_root(struct vt_engine_pass *t, uint32_t i)
{
	const struct vt_buf *b = vt_buf(t->w, i);
	uint32_t place = b->route, root = b->part.root;
	unsigned k = vt_route_result_store(t, place, b->part.seq, i);

	vt_require(root < t->w->routes[place].count);
	vt_route_deliver(t, place, root, k);
}

/* Broadcasts a result to all members through the network. */
void vt_route_bcast(struct vt_engine_pass *t, uint32_t i, uint64_t at)
{
	const struct vt_buf *b = vt_buf(t->w, i);
	const struct net_part part = {
		.route = t->w->routes[b->route].id,
		.node = vt_rank(t->w, b->from)->node,
		.bytes = b->part.bytes,
		.seq = b->part.seq,
		.cookie =
			i | vt_bcast_cookie(b->route, &t->w->routes[b->route]),
		.kind = WEFT_COLL_BCAST,
	};

	vt_require(!net_tree_send(t->w->net, at, &part));
}
