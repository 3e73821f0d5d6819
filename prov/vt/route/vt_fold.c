/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions on class routes of a machine whose switches have no arithmetic:
 * the network interfaces of the members execute them on their own processors,
 * while the ranks continue. The members form a tree in the order of their ranks
 * (src/tree/tree_shape.h): a binomial tree, so that a sum has the same bits
 * as with recursive doubling, or a wide tree, if the machine has one and the
 * order does not matter. Barriers also use the tree if the network has no other
 * method.
 *
 * Each interface adds its inputs in order, one after the other, and sends the
 * sum to its parent. The first member's sum is sent either to all members, by
 * switches that copy packets, or to the one member that gets the result. The
 * buffer of a member's contribution also contains its partial sum.
 *
 * If the switches do not copy packets for the group either, the members forward
 * the result (vt_result_bcast.c). Interfaces with chained events send the
 * result in the same way as the sums; for a barrier they only count arrivals.
 * Without chained events the processors of the members execute all steps: a
 * member adds the data put into its memory, or polls a word to which the others
 * added their contributions by atomics, and sends its sum to its parent by a
 * put or an atomic.
 */
#include "prov/vt/route/vt_route.h"

#include <string.h>

/* ---- state of reductions in interfaces (struct vt_adder) ----------------- */

bool vt_fold_applies(const struct weft_vt *w, uint32_t place,
		     const struct weft_backend_part *part)
{
	if (part->kind == WEFT_COLL_BARRIER)
		return vt_tree_absent(w, place) ||
		       !net_tree_supports(&w->cfg, WEFT_COLL_BARRIER);
	return (part->kind == WEFT_COLL_REDUCE ||
		part->kind == WEFT_COLL_ALLREDUCE) &&
	       !net_tree_supports(&w->cfg, WEFT_COLL_ALLREDUCE);
}

/* Returns whether the order of the additions changes the bits of the result. */
static bool order_matters(const struct weft_backend_part *part)
{
	return part->fp && part->kind != WEFT_COLL_BARRIER;
}

static void tree_of(const struct weft_vt *w, uint32_t place,
		    const struct weft_backend_part *part,
		    struct weft_tree_shape *tree)
{
	const struct vt_route *r = &w->routes[place];
	unsigned k = part->seq % VT_WINDOW;
	bool pairs = r->order_seq[k] == part->seq + 1 ? r->ordered[k]
						      : order_matters(part);

	weft_tree_shape_init(tree, r->count, pairs ? 0 : w->cfg.fold_levels);
}

/*
 * Initializes the reduction state of a member (struct vt_adder). The fold slots
 * need no reset: they are empty after every complete reduction.
 */
void vt_adder_init(struct vt_adder *a)
{
	memset(a->slot_used, 0, sizeof(a->slot_used));
	a->busy_ps = a->interface_seq = 0;
	a->early_inputs = VT_NONE;
	a->early_results = 0;
}

bool vt_fold_slot_free(const struct vt_adder *a, uint64_t seq)
{
	return !a->slot_used[seq % VT_WINDOW];
}

/* Frees the window slot that a contribution uses. */
static void slot_release(struct vt_engine_pass *t, uint32_t i)
{
	const struct vt_buf *b = vt_buf(t->w, i);
	uint32_t rank = vt_route_members(t->w, b->route)[b->to].rank;
	struct vt_adder *a = &vt_adders(t->w, b->route)[b->to];
	/* relaxed: see vt_due() */
	uint32_t resources =
		weft_load32_relaxed(&vt_rank(t->w, rank)->waits_for);

	a->slot_used[b->part.seq % VT_WINDOW] = 0;
	if (resources & VT_ROOM_ROUTE)
		vt_rank_notify(t, rank, t->time_ps);
}

/* ---- sending of sums ----------------------------------------------------- */

/*
 * Returns whether the contribution is added to a word in the parent's memory by
 * an atomic.
 */
static bool by_atomic(const struct weft_vt *w, uint32_t place,
		      const struct weft_backend_part *part)
{
	return part->word && w->word_path && vt_tree_absent(w, place);
}

/* Sends the first `bytes` bytes of the sum in buffer i. */
static void send_sum(struct vt_engine_pass *t, uint32_t i, uint32_t bytes,
		     struct net_msg *msg, uint64_t at)
{
	struct vt_buf *b = vt_buf(t->w, i);

	b->arrived_bytes = 0;
	b->end = bytes;
	msg->bytes = bytes;
	msg->cookie = i | VT_COOKIE_FOLD;
	vt_model_send(t->w, at, msg);
}

/* Sends the sum in buffer i to a member of the route. */
static void send_to_member(struct vt_engine_pass *t, const struct vt_member *m,
			   uint32_t i, uint32_t member, uint64_t at)
{
	struct vt_buf *b = vt_buf(t->w, i);
	const struct weft_pkt_attr attr = { .path = (uint8_t)t->w->fold_path };
	struct net_msg msg;

	vt_msg_init_unit(t->w, b->from, m[member].rank, &attr, &msg);
	send_sum(t, i, b->part.bytes, &msg, at);
}

/* Sends the sum in buffer i to the parent `member`. */
static void send_to_parent(struct vt_engine_pass *t, const struct vt_member *m,
			   uint32_t i, uint32_t member, uint64_t at)
{
	struct vt_buf *b = vt_buf(t->w, i);
	const struct weft_pkt_attr attr = { .path = (uint8_t)t->w->word_path };
	struct net_msg msg;

	if (!by_atomic(t->w, b->route, &b->part)) {
		send_to_member(t, m, i, member, at);
		return;
	}
	vt_msg_init_unit(t->w, b->from, m[member].rank, &attr, &msg);
	/* each route alternates between two words */
	msg.address = ((uint64_t)b->route << 1 | (b->part.seq & 1)) * 8;
	t->w->head->route_atomics++;
	send_sum(t, i, 8, &msg, at);
}

/* ---- adding of inputs ---------------------------------------------------- */

/* Completes the reduction: the first member has the complete sum. */
static void fold_finish(struct vt_engine_pass *t, const struct vt_member *m,
			uint32_t i, uint64_t at)
{
	struct vt_buf *b = vt_buf(t->w, i);

	if (b->part.kind == WEFT_COLL_REDUCE) {
		vt_require(b->part.root < t->w->size);
		send_to_member(t, m, i, b->part.root, at);
	} else if (vt_tree_absent(t->w, b->route)) {
		vt_result_begin(t, i, at);
	} else {
		vt_route_bcast(t, i, at);
	}
}

/*
 * Returns the time at which the addition of an input that has just arrived
 * ends. Atomics and counting events take no time of the interface's processor.
 */
static uint64_t added_time(struct vt_engine_pass *t, struct vt_adder *me,
			   const struct vt_buf *in)
{
	bool counts = vt_tree_chained(t->w, in->route) &&
		      in->part.kind == WEFT_COLL_BARRIER;

	if (counts)
		return t->time_ps;
	if (me->busy_ps < t->time_ps)
		me->busy_ps = t->time_ps;
	if (!by_atomic(t->w, in->route, &in->part))
		me->busy_ps += t->w->cfg.fold_ps;
	return me->busy_ps;
}

/*
 * Adds the inputs that have arrived, in order; after the last input sends the
 * sum.
 */
static void add_inputs(struct vt_engine_pass *t, uint32_t place,
		       uint32_t member, uint64_t seq)
{
	struct weft_vt *w = t->w;
	struct vt_member *m = vt_route_members(w, place);
	struct vt_adder *a = vt_adders(w, place), *me = &a[member];
	unsigned k = seq % VT_WINDOW, n, nth;
	struct vt_fold *f = &me->fold[k];
	struct weft_tree_shape tree;
	uint64_t at = t->time_ps;

	if (!f->at_interface)
		return;
	tree_of(w, place, &vt_buf(w, f->buf)->part, &tree);
	n = weft_tree_shape_inputs(&tree, member);
	while (f->added < n && f->arrived >> f->added & 1) {
		uint32_t child = weft_tree_shape_child(&tree, member, f->added);
		uint32_t in = a[child].fold[k].buf;

		vt_require(child < w->routes[place].count);
		vt_part_add(t, vt_buf(w, f->buf), vt_buf(w, in));
		at = added_time(t, me, vt_buf(w, in));
		f->added++;
	}
	if (f->added < n)
		return;
	/*
	 * all inputs are added: the slots of the inputs are free for later
	 * contributions
	 */
	for (unsigned c = 0; c < n; c++) {
		uint32_t i =
			a[weft_tree_shape_child(&tree, member, c)].fold[k].buf;

		slot_release(t, i);
		vt_route_done(t, i);
	}
	f->arrived = 0;
	f->added = 0;
	f->at_interface = false;
	if (n && vt_tree_by_cpu(w, place))
		/* time of the poll that detects the last input */
		at += w->cfg.poll_ps;
	if (member) {
		send_to_parent(t, m, f->buf,
			       weft_tree_shape_parent(&tree, member, &nth), at);
		return;
	}
	slot_release(t, f->buf);
	fold_finish(t, m, f->buf, at);
}

/*
 * Handles an input at the member that adds it. If that member has posted its
 * own contribution, records the input and returns true; otherwise returns
 * false, since an earlier contribution, which may use another tree, may still
 * occupy the slot.
 */
static bool input_arrive(struct vt_engine_pass *t, uint32_t i, uint32_t *up_p)
{
	struct weft_vt *w = t->w;
	struct vt_buf *b = vt_buf(w, i);
	uint64_t seq = b->part.seq;
	struct weft_tree_shape tree;
	struct vt_fold *f;
	unsigned nth;

	tree_of(w, b->route, &b->part, &tree);
	*up_p = weft_tree_shape_parent(&tree, b->to, &nth);
	f = &vt_adders(w, b->route)[*up_p].fold[seq % VT_WINDOW];
	if (f->seq != seq || !(f->posted || f->at_interface))
		return false;
	f->arrived |= 1ull << nth;
	return true;
}

void vt_fold_post(struct vt_engine_pass *t, uint32_t i)
{
	struct weft_vt *w = t->w;
	struct vt_buf *b = vt_buf(w, i);
	struct vt_adder *a = vt_adders(w, b->route);
	uint64_t at = vt_send_time(w, b->stamp) +
		      (vt_tree_by_cpu(w, b->route) ? 0 : w->cfg.coll_inject_ps);
	struct vt_fold *f;
	unsigned k;
	uint32_t *link, up, n = 0;

	vt_require(b->to < w->size);
	f = &a[b->to].fold[b->part.seq % VT_WINDOW];
	f->buf = i;
	f->seq = b->part.seq;
	f->posted = true;
	vt_require(b->route < w->size * VT_PLACES);
	/*
	 * Record whether the order of additions matters, which selects the
	 * tree. If the members' operations differ, the value of the first
	 * member to post is used.
	 */
	k = b->part.seq % VT_WINDOW;
	if (w->routes[b->route].order_seq[k] != b->part.seq + 1) {
		w->routes[b->route].order_seq[k] = b->part.seq + 1;
		w->routes[b->route].ordered[k] = order_matters(&b->part);
	}
	/* inputs that arrived before the member's own contribution */
	link = &a[b->to].early_inputs;
	while (*link != VT_NONE) {
		vt_require(n++ < t->w->buf_count);
		if (input_arrive(t, *link, &up))
			*link = vt_buf(t->w, *link)->chain;
		else
			link = &vt_buf(t->w, *link)->chain;
	}
	vt_require(!net_timer(w->net, at, i));
}

/*
 * Handles a rank's own contribution when it reaches the interface. Earlier
 * contributions are handled first, because several may have been posted at the
 * same time.
 */
static void part_posted(struct vt_engine_pass *t, uint32_t i)
{
	struct vt_buf *b = vt_buf(t->w, i);
	uint32_t place = b->route, member = b->to;
	uint64_t seq = b->part.seq;
	struct vt_adder *me;

	vt_require(b->kind == VT_PART && member < t->w->size);
	me = &vt_adders(t->w, place)[member];
	if (me->interface_seq + VT_WINDOW < seq)
		me->interface_seq = seq - VT_WINDOW;
	for (; me->interface_seq <= seq; me->interface_seq++) {
		struct vt_fold *f = &me->fold[me->interface_seq % VT_WINDOW];

		if (!f->posted || f->seq != me->interface_seq)
			continue;
		f->posted = false;
		f->at_interface = true;
		add_inputs(t, place, member, me->interface_seq);
	}
}

void vt_fold_timer(void *arg, uint64_t at, uint64_t cookie)
{
	struct vt_engine_pass *t = arg;

	t->time_ps = at;
	if (cookie & VT_COOKIE_RESULT)
		vt_result_timer(t, cookie);
	else
		part_posted(t, (uint32_t)cookie);
}

/*
 * Handles a sum that has arrived, at the member that adds it or at the member
 * that gets the result.
 */
void vt_fold_packet(struct vt_engine_pass *t, uint32_t i, uint32_t bytes)
{
	struct weft_vt *w = t->w;
	struct vt_buf *b = vt_buf(w, i);
	uint32_t up;

	vt_require(b->kind == VT_PART && b->to < w->routes[b->route].count);
	b->arrived_bytes += bytes;
	if (b->arrived_bytes < b->end)
		return;
	if (!b->to) {
		vt_route_result_to_root(t, i);
		return;
	}
	if (input_arrive(t, i, &up)) {
		add_inputs(t, b->route, up, b->part.seq);
		return;
	}
	b->chain = vt_adders(w, b->route)[up].early_inputs;
	vt_adders(w, b->route)[up].early_inputs = i;
}
