/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Forwarding of results of class routes by the members, if switches do not copy
 * them. A result goes down the tree of src/tree/tree_shape.h, starting at the
 * first member; each member sends it to its most distant child first. With
 * chained events, the event that counts an arriving packet starts the packets
 * to the children, independently of the ranks. Otherwise the processors of the
 * members poll for the result, and put it into the memory of one child after
 * another.
 *
 * A broadcast by chained events is first sent from its root to the first
 * member; the operation is then complete at the root. The broadcast may arrive
 * at a member before that member has posted its contribution.
 */
#include "prov/vt/route/vt_route.h"

static uint64_t result_cookie(uint32_t place, uint32_t member, unsigned k)
{
	return (uint64_t)member << VT_RESULT_MEMBER | VT_COOKIE_RESULT |
	       (place * VT_WINDOW + k);
}

/*
 * Returns the buffer of a member that waits for the result in slot k, or NULL.
 */
static struct vt_buf *waiting_buf(struct weft_vt *w, uint32_t place,
				  uint32_t member, unsigned k)
{
	uint32_t i = vt_route_members(w, place)[member].part[k];

	return i == VT_NONE ? NULL : vt_buf(w, i);
}

/* Puts the result into the memory of another member. */
static void result_send(struct vt_engine_pass *t, uint64_t cookie,
			uint32_t from, uint32_t to, uint64_t at)
{
	struct weft_vt *w = t->w;
	uint32_t place = (uint32_t)cookie / VT_WINDOW;
	unsigned k = (uint32_t)cookie % VT_WINDOW;
	const struct vt_member *m = vt_route_members(w, place);
	/* with chained events, all commands that events start use one queue */
	const struct weft_pkt_attr attr = { .path = (uint8_t)w->fold_path,
					    .fifo = vt_tree_chained(w, place) };
	struct vt_buf *b;
	struct net_msg msg;

	vt_require(to < w->routes[place].count);
	vt_msg_init_unit(w, m[from].rank, m[to].rank, &attr, &msg);
	msg.bytes = w->routes[place].bytes[k];
	msg.cookie = result_cookie(place, to, k);
	b = waiting_buf(w, place, to, k);
	if (b)
		b->arrived_bytes = 0;
	vt_model_send(w, at, &msg);
}

/*
 * Returns whether a member has the whole result now; the member may have posted
 * a different operation.
 */
static bool has_arrived(struct weft_vt *w, uint32_t place, uint32_t member,
			unsigned k, uint64_t offset, uint32_t bytes)
{
	struct vt_buf *b = waiting_buf(w, place, member, k);

	if (!b)
		return offset + bytes == w->routes[place].bytes[k];
	b->arrived_bytes += bytes;
	return b->arrived_bytes == w->routes[place].bytes[k];
}

/*
 * Decodes and checks the route index (*place_p) and the member (*member_p) in a
 * cookie.
 */
static void result_decode(struct weft_vt *w, uint64_t cookie, uint32_t *place_p,
			  uint32_t *member_p)
{
	*place_p = (uint32_t)cookie / VT_WINDOW;
	*member_p = (uint32_t)(cookie >> VT_RESULT_MEMBER);
	vt_require(vt_route_is_place(w, *place_p));
	vt_require(*member_p < w->routes[*place_p].count &&
		   w->routes[*place_p].count <= w->size);
}

bool vt_result_arrived(struct weft_vt *w, uint32_t place, uint32_t member,
		       unsigned k)
{
	struct vt_adder *a = &vt_adders(w, place)[member];
	bool arrived = a->early_results >> k & 1;

	a->early_results &= ~(1u << k);
	return arrived;
}

/*
 * Handles a result at a member: sends it to the children, then delivers it to
 * the member's rank.
 */
static void result_forward(struct vt_engine_pass *t, uint64_t cookie)
{
	struct weft_vt *w = t->w;
	unsigned k = (uint32_t)cookie % VT_WINDOW, n;
	uint32_t place, member;
	struct weft_tree_shape tree;
	uint64_t at, each;

	result_decode(w, cookie, &place, &member);
	each = vt_tree_by_cpu(w, place) ? w->cfg.fold_ps : 0;
	at = t->time_ps;
	if (member && vt_tree_by_cpu(w, place))
		at += w->cfg.poll_ps;
	weft_tree_shape_init(&tree, w->routes[place].count, w->cfg.fold_levels);
	n = cookie & VT_COOKIE_DELIVER ? 0
				       : weft_tree_shape_inputs(&tree, member);
	for (unsigned i = n; i > 0; i--) {
		at += each;
		result_send(t, cookie, member,
			    weft_tree_shape_child(&tree, member, i - 1), at);
	}
	if (n && each) {
		vt_require(!net_timer(w->net, at, cookie | VT_COOKIE_DELIVER));
	} else {
		/* deliver now, or when the member posts its contribution */
		const struct vt_route *r = &t->w->routes[place];
		bool bcast = r->root_seq[k] && r->root_seq[k] == r->seq[k];

		if (!vt_route_deliver(t, place, member, k) && bcast &&
		    r->root[k] != member)
			vt_adders(t->w, place)[member].early_results |= 1u << k;
	}
}

void vt_result_packet(struct vt_engine_pass *t, uint64_t cookie,
		      uint64_t offset, uint32_t bytes)
{
	uint32_t place, member;

	result_decode(t->w, cookie, &place, &member);
	if (has_arrived(t->w, place, member, (uint32_t)cookie % VT_WINDOW,
			offset, bytes))
		result_forward(t, cookie);
}

uint32_t vt_result_sender(struct weft_vt *w, uint64_t cookie)
{
	struct weft_tree_shape tree;
	uint32_t place, member;
	unsigned nth;

	result_decode(w, cookie, &place, &member);
	if (member) {
		weft_tree_shape_init(&tree, w->routes[place].count,
				     w->cfg.fold_levels);
		member = weft_tree_shape_parent(&tree, member, &nth);
	} else {
		/* the first member gets a broadcast from the root */
		member = w->routes[place].root[(uint32_t)cookie % VT_WINDOW];
		vt_require(member < w->routes[place].count);
	}
	return vt_route_members(w, place)[member].rank;
}

void vt_result_timer(struct vt_engine_pass *t, uint64_t cookie)
{
	result_forward(t, cookie);
}

void vt_result_begin(struct vt_engine_pass *t, uint32_t i, uint64_t at)
{
	const struct vt_buf *b = vt_buf(t->w, i);
	uint32_t place = b->route;
	unsigned k = vt_route_result_store(t, place, b->part.seq, i);

	vt_require(!net_timer(t->w->net, at, result_cookie(place, 0, k)));
}

/*
 * Returns the time at which the interface has read all of a posted
 * contribution.
 */
static uint64_t fetched_time(struct vt_engine_pass *t, const struct vt_buf *b)
{
	const struct net_config *cfg = &t->w->cfg;
	uint64_t rate = cfg->coll_injection_ps_x1000
				? cfg->coll_injection_ps_x1000
				: cfg->path[0].injection_ps_per_byte_x1000;
	struct vt_adder *me = &vt_adders(t->w, b->route)[b->to];
	uint64_t at = vt_send_time(t->w, b->stamp) + cfg->coll_inject_ps;

	if (me->busy_ps < at)
		me->busy_ps = at;
	me->busy_ps += b->part.bytes * rate / 1000;
	return me->busy_ps;
}

void vt_result_bcast_begin(struct vt_engine_pass *t, uint32_t i)
{
	const struct vt_buf *b = vt_buf(t->w, i);
	uint32_t place = b->route, root = b->to;
	uint64_t at = fetched_time(t, b), mine;
	unsigned k;

	vt_require(root < t->w->routes[place].count);
	if (!root) {
		vt_result_begin(t, i, at);
		return;
	}
	k = vt_route_result_store(t, place, b->part.seq, i);
	mine = result_cookie(place, root, k);
	result_send(t, mine, root, 0, at);
	vt_require(!net_timer(t->w->net, at, mine | VT_COOKIE_DELIVER));
}
