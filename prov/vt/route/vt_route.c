/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Class routes in virtual time. All members request a route from the engine,
 * identified by a key; the first member also writes the list of members into
 * one of its rank's route entries. After the last request the engine selects an
 * id that is free on all members, opens the machine's tree over their nodes,
 * and notifies all members. When the last member has closed the route, its id
 * is free again.
 *
 * A contribution is stored in a buffer like a packet. It goes up the tree (the
 * engine combines inputs into the first of them) and waits for the result,
 * which is copied into the same buffer and then arrives at its rank like a
 * packet. A member has at most VT_WINDOW contributions in flight.
 */
#include "prov/vt/route/vt_route.h"
#include "prov/net/file/net_name.h"
#include "src/base/log.h"

#include <stdlib.h>
#include <string.h>

/* ---- opening and closing by the members ---------------------------------- */

struct by_node {
	uint32_t node;
	uint32_t member;
};

static int compare_nodes(const void *a, const void *b)
{
	const struct by_node *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->member < y->member ? -1 : 1;
}

static int write_members(struct vt *v, const struct weft_backend_route *a,
			 uint32_t place)
{
	struct vt_member *m = vt_route_members(v->w, place);
	struct by_node *order = calloc((size_t)a->n, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (int i = 0; i < a->n; i++) {
		m[i].rank = i == a->me ? v->rank
				       : ((struct vt_peer *)a->member[i])->rank;
		m[i].ahead = 0;
		for (unsigned k = 0; k < VT_WINDOW; k++)
			m[i].part[k] = VT_NONE;
		if (v->w->adders)
			vt_adder_init(&vt_adders(v->w, place)[i]);
		order[i].node = v->w->rank_of[m[i].rank].node;
		order[i].member = (uint32_t)i;
	}
	qsort(order, (size_t)a->n, sizeof(*order), compare_nodes);
	for (int i = 0; i < a->n; i++)
		m[i].by_node = order[i].member;
	free(order);
	return 0;
}

/*
 * Returns the index of a free route entry of this rank, or VT_NONE. There are
 * enough entries for all ids and requests.
 */
static uint32_t new_place(struct vt *v)
{
	uint32_t place = v->rank * VT_PLACES, end = place + VT_PLACES;

	while (place < end &&
	       weft_load32(&v->w->routes[place].state) != VT_ROUTE_FREE)
		place++;
	return place < end ? place : VT_NONE;
}

static struct vt_route_request *find_request(struct vt_rank_cold *d,
					     uint64_t key)
{
	struct vt_route_request *empty = NULL;

	for (unsigned i = 0; i < WEFT_BACKEND_ROUTES; i++) {
		struct vt_route_request *req = &d->req[i];

		if (weft_load32(&req->state) == VT_ROUTE_FREE)
			empty = req;
		else if (req->key == key)
			return req;
	}
	return empty;
}

static int route_request(struct vt *v, const struct weft_backend_route *a,
			 struct vt_route_request *req)
{
	uint32_t i = vt_buf_get(v), place;
	struct vt_buf *b;

	if (i == VT_NONE)
		return -EAGAIN;
	b = vt_buf(v->w, i);
	b->kind = VT_ROUTE_OPEN;
	b->more = 0;
	b->from = v->rank;
	b->route = VT_NONE;
	b->part = (struct weft_backend_part){ .seq = a->key,
					      .flags = a->routes,
					      .bytes = (uint32_t)a->n };
	if (a->me == 0) {
		place = new_place(v);
		if (place == VT_NONE || write_members(v, a, place)) {
			vt_push(v->w, &v->me->returned, i);
			return -ENOMEM;
		}
		b->route = place;
		weft_store32(&v->w->routes[place].state, VT_ROUTE_REQUESTED);
	}
	req->key = a->key;
	weft_store32(&req->state, VT_ROUTE_REQUESTED);
	vt_post(v, i);
	return -EAGAIN;
}

/* Returns whether req contains a valid response of the engine. */
static bool is_valid_response(const struct vt *v,
			      const struct vt_route_request *req)
{
	switch (req->err) {
	case 0:
		return req->id < WEFT_BACKEND_ROUTES &&
		       vt_route_is_place(v->w, req->place);
	case -ENOSPC:
	case -EINVAL:
	case -ENOMEM:
		return true;
	default:
		return false;
	}
}

int vt_route_open(struct weft_carrier *c, const struct weft_backend_route *a,
		  unsigned *id_p)
{
	struct vt *v = vt_of(c);
	struct vt_route_request *req =
		find_request(&v->w->cold_of[v->rank], a->key);
	struct vt_own_route *own;
	struct vt_route_request got;

	if (!req || v->out)
		return -ENOSPC;
	if (weft_load32(&req->state) == VT_ROUTE_FREE)
		return route_request(v, a, req);
	if (weft_load32(&req->state) == VT_ROUTE_REQUESTED)
		return -EAGAIN;
	got = *req;
	if (!is_valid_response(v, &got)) {
		vt_mark_broken(v);
		return -EAGAIN;
	}
	weft_store32(&req->state, VT_ROUTE_FREE);
	if (got.err)
		return got.err;
	own = &v->route[got.id];
	/*
	 * the data of a result is always written before it is read, so it is
	 * not cleared
	 */
	memset(own, 0, offsetof(struct vt_own_route, data));
	own->open = true;
	own->me = a->me;
	own->n = a->n;
	own->place = got.place;
	*id_p = got.id;
	return 0;
}

void vt_route_close(struct weft_carrier *c, unsigned id)
{
	struct vt *v = vt_of(c);
	struct vt_own_route *own = &v->route[id];
	uint32_t i;

	if (id >= WEFT_BACKEND_ROUTES || !own->open)
		return;
	own->open = false;
	i = v->out ? VT_NONE : vt_buf_get(v);
	/* without a buffer the route stays open, which has no other effect */
	if (i == VT_NONE)
		return;
	vt_buf(v->w, i)->kind = VT_ROUTE_CLOSE;
	vt_buf(v->w, i)->more = 0;
	vt_buf(v->w, i)->from = v->rank;
	vt_buf(v->w, i)->route = own->place;
	vt_post(v, i);
}

/* ---- tree of a route, for display ---------------------------------------- */

struct tree_query {
	struct weft_vt *w;
	uint32_t place;
	struct net_tree_plan tree;
	int err;
};

/* Runs under a guard, because the list of members may have been overwritten. */
static void tree_guarded(void *arg)
{
	struct tree_query *l = arg;

	l->err = vt_tree_plan(l->w, l->place, &l->tree);
}

int weft_vt_route_tree(struct weft_carrier *c, unsigned id,
		       void (*each)(void *arg,
				    const struct weft_vt_tree_node *b),
		       void *arg)
{
	struct vt *v = vt_of(c);
	struct tree_query l = { .w = v->w };
	struct weft_vt_tree_node b;

	if (id >= WEFT_BACKEND_ROUTES || !v->route[id].open)
		return -ENOENT;
	l.place = v->route[id].place;
	if (weft_guard(tree_guarded, &l)) {
		vt_mark_broken(v);
		return -EFAULT;
	}
	for (uint32_t i = 0; !l.err && i < l.tree.count; i++) {
		b.parent = l.tree.parent[i];
		b.ranks = l.tree.share[i];
		net_node_name(&v->w->cfg, l.tree.node[i], b.node,
			      sizeof(b.node));
		each(arg, &b);
	}
	if (!l.err)
		net_tree_plan_free(&l.tree);
	return l.err;
}

/* ---- sending contributions and taking results ---------------------------- */

/*
 * Returns the entry of this member if it gets no result, otherwise NULL. A
 * member without result does not block, but must not use all buffers of its
 * rank: the root may wait for a message from that rank before the root starts
 * the operation.
 */
static struct vt_member *
member_without_result(struct vt *v, const struct vt_own_route *own,
		      const struct weft_backend_part *part)
{
	if (vt_part_has_result(part, (uint32_t)own->me))
		return NULL;
	return &vt_route_members(v->w, own->place)[own->me];
}

bool vt_route_room(const struct vt *v)
{
	return v->full_member->ahead < VT_WINDOW &&
	       (!v->full_adder ||
		vt_fold_slot_free(v->full_adder, v->full_seq));
}

/*
 * Returns whether the window has space for one more contribution; otherwise
 * records the exhausted resource.
 */
static bool has_window(struct vt *v, const struct vt_own_route *own,
		       const struct weft_backend_part *part)
{
	struct vt_member *ahead = member_without_result(v, own, part);
	bool fold = vt_fold_applies(v->w, own->place, part);

	if (!ahead && !fold)
		return true;
	v->full_member = &vt_route_members(v->w, own->place)[own->me];
	v->full_adder = fold ? &vt_adders(v->w, own->place)[own->me] : NULL;
	v->full_seq = part->seq;
	return (!ahead || ahead->ahead < VT_WINDOW) &&
	       (!fold || vt_fold_slot_free(v->full_adder, part->seq));
}

WEFT_HOT int vt_route_send(struct weft_carrier *c, unsigned id,
			   const struct weft_backend_part *part,
			   const void *data)
{
	struct vt *v = vt_of(c);
	struct vt_member *ahead;
	struct vt_buf *b;
	uint32_t i;
	bool folds;

	if (id >= WEFT_BACKEND_ROUTES || !v->route[id].open)
		return -EINVAL;
	if (part->bytes > v->base.mtu)
		return -EMSGSIZE;
	if (v->out)
		return -ESHUTDOWN;
	folds = vt_fold_applies(v->w, v->route[id].place, part);
	if (folds && !v->w->adders)
		return -EOPNOTSUPP;
	if (!has_window(v, &v->route[id], part)) {
		vt_set_backpressure(v, VT_ROOM_ROUTE);
		return -EAGAIN;
	}
	ahead = member_without_result(v, &v->route[id], part);
	vt_enter(v);
	i = vt_buf_get(v);
	if (i == VT_NONE) {
		vt_exit(v);
		return -EAGAIN;
	}
	b = vt_buf(v->w, i);
	b->kind = VT_PART;
	b->more = v->last_to == VT_NONE - 1 && v->last_clock == vt_now(v->me);
	b->from = v->rank;
	b->to = (uint32_t)v->route[id].me;
	b->route = v->route[id].place;
	b->id = (uint16_t)id;
	b->part = *part;
	if (part->bytes)
		memcpy(b->payload, data, part->bytes);
	if (!b->more)
		vt_clock_advance(v->me, v->w->cfg.coll_send_ps);
	b->stamp = vt_now(v->me);
	v->last_to = VT_NONE - 1;
	v->last_attr.full = false;
	v->last_clock = vt_now(v->me);
	if (ahead)
		ahead->ahead++;
	if (folds)
		vt_adders(v->w, b->route)[b->to]
			.slot_used[part->seq % VT_WINDOW] = 1;
	vt_post(v, i);
	vt_exit(v);
	return 0;
}

WEFT_HOT int vt_route_take(struct weft_carrier *c, unsigned id,
			   struct weft_backend_part *part, void *data)
{
	struct vt *v = vt_of(c);
	struct vt_own_route *own = &v->route[id];
	unsigned k = part->seq % VT_WINDOW;
	struct vt_result *r;

	if (id >= WEFT_BACKEND_ROUTES || !own->open)
		return -EINVAL;
	r = &own->result[k];
	if (r->seq != part->seq + 1)
		return -EAGAIN;
	r->seq = 0;
	part->flags = r->flags;
	part->bytes = r->bytes;
	if (part->bytes && data)
		memcpy(data,
		       r->bytes > VT_INLINE_BYTES ? own->data[k]
						  : r->inline_data,
		       part->bytes);
	return 0;
}

WEFT_HOT int vt_route_result_put(struct vt *v, const struct vt_buf *b)
{
	struct weft_backend_part part = b->part;
	unsigned id = b->id, k = part.seq % VT_WINDOW;
	struct vt_own_route *own;
	struct vt_result *r;

	if (weft_unlikely(id >= WEFT_BACKEND_ROUTES ||
			  part.bytes > WEFT_BACKEND_PART_MAX))
		return -EPROTO;
	own = &v->route[id];
	r = &own->result[k];
	r->seq = part.seq + 1;
	r->flags = part.flags;
	r->bytes = part.bytes;
	memcpy(r->bytes > VT_INLINE_BYTES ? own->data[k] : r->inline_data,
	       b->payload, r->bytes);
	return 0;
}

/* ---- called by the engine ------------------------------------------------ */

/* Opens a route that all members have requested; returns 0 or -errno. */
static int open_route(struct weft_vt *w, const struct vt_join *j)
{
	const struct vt_member *m = vt_route_members(w, j->place);
	struct vt_route *r = &w->routes[j->place];
	uint32_t ids = j->routes & ((1u << WEFT_BACKEND_ROUTES) - 1);
	int ret;

	r->count = j->n;
	r->closed = 0;
	memset(r->seq, 0, sizeof(r->seq));
	memset(r->root_seq, 0, sizeof(r->root_seq));
	memset(r->order_seq, 0, sizeof(r->order_seq));
	for (uint32_t i = 0; i < j->n; i++)
		ids &= ~vt_rank(w, m[i].rank)->routes;
	if (!ids)
		return -ENOSPC;
	r->user_id = (uint32_t)__builtin_ctz(ids);
	ret = vt_tree_open(w, j->place);
	if (ret)
		return ret;
	w->head->routes_opened++;
	for (uint32_t i = 0; i < j->n; i++)
		w->rank_of[m[i].rank].routes |= 1u << r->user_id;
	return 0;
}

/* Opens the route and sends the same response to all members. */
static void respond_all(struct vt_engine_pass *t, const struct vt_join *j)
{
	struct weft_vt *w = t->w;
	const struct vt_member *m = vt_route_members(w, j->place);
	struct vt_route *r = &w->routes[j->place];
	int err;

	vt_require(j->n <= w->size);
	err = open_route(w, j);
	weft_store32(&r->state, err ? VT_ROUTE_FREE : VT_ROUTE_OPENED);
	for (uint32_t i = 0; i < j->n; i++) {
		struct vt_route_request *req;

		vt_require(m[i].rank < w->size);
		req = find_request(&w->cold_of[m[i].rank], j->key);
		vt_require(req != NULL);
		req->err = err;
		req->place = j->place;
		req->id = r->user_id;
		weft_store32(&req->state, VT_ROUTE_OPENED);
		vt_rank_notify(t, m[i].rank, t->time_ps);
	}
}

static struct vt_join *find_join(struct weft_vt *w, uint64_t key, uint32_t n)
{
	struct vt_join *j = w->joins;
	struct vt_join *end = j + w->head->join_count;

	vt_require(w->head->join_count < w->size * WEFT_BACKEND_ROUTES);
	while (j != end && j->key != key)
		j++;
	if (j == end) {
		*j = (struct vt_join){ .key = key,
				       .n = n,
				       .place = VT_NONE,
				       .routes = UINT32_MAX };
		w->head->join_count++;
	}
	return j;
}

static void post_open(struct vt_engine_pass *t, const struct vt_buf *b)
{
	struct weft_vt *w = t->w;
	struct vt_join *j = find_join(w, b->part.seq, b->part.bytes);

	j->routes &= b->part.flags;
	if (b->route != VT_NONE)
		j->place = b->route;
	if (++j->count < j->n || j->place == VT_NONE)
		return;
	respond_all(t, j);
	vt_require(w->head->join_count - 1 < w->size * WEFT_BACKEND_ROUTES);
	*j = w->joins[--w->head->join_count];
}

static void post_close(struct weft_vt *w, uint32_t place)
{
	const struct vt_member *m = vt_route_members(w, place);
	struct vt_route *r = &w->routes[place];

	if (++r->closed < r->count)
		return;
	vt_require(r->count <= w->size && r->user_id < WEFT_BACKEND_ROUTES);
	vt_tree_close(w, place);
	for (uint32_t i = 0; i < r->count; i++)
		vt_rank(w, m[i].rank)->routes &= ~(1u << r->user_id);
	weft_store32(&r->state, VT_ROUTE_FREE);
}

bool vt_route_can(struct weft_carrier *c, enum weft_coll_kind kind)
{
	const struct net_config *cfg = &vt_of(c)->w->cfg;
	bool sums = net_tree_supports(cfg, WEFT_COLL_ALLREDUCE);

	/*
	 * a network that adds, or that gathers before a broadcast, implements a
	 * broadcast as a sum
	 */
	if (kind == WEFT_COLL_BCAST)
		return !sums && !cfg->bcast_gather;
	return kind == WEFT_COLL_BARRIER || sums || cfg->fold_ps;
}

bool vt_route_chained(struct weft_carrier *c, unsigned id)
{
	struct vt *v = vt_of(c);

	return id < WEFT_BACKEND_ROUTES && v->route[id].open &&
	       vt_tree_chained(v->w, v->route[id].place);
}

/*
 * Returns false if members have posted contributions with different roots to
 * the same operation, or if only some of them have posted a broadcast. The
 * operation then ends with WEFT_BACKEND_DIFFER for these members and for
 * members that post later.
 */
static bool same_bcast(struct vt_engine_pass *t, const struct vt_buf *b)
{
	struct vt_route *r = &t->w->routes[b->route];
	unsigned k = b->part.seq % VT_WINDOW;
	bool bcast = b->part.kind == WEFT_COLL_BCAST;

	if (r->root_seq[k] != b->part.seq + 1) {
		if (!bcast)
			return true;
		r->root_seq[k] = b->part.seq + 1;
		r->root[k] = b->part.root;
	}
	if (bcast && r->root[k] == b->part.root)
		return true;
	r->seq[k] = b->part.seq + 1;
	r->flags[k] = WEFT_BACKEND_DIFFER;
	r->bytes[k] = 0;
	vt_require(r->count <= t->w->size);
	for (uint32_t m = 0; m < r->count; m++)
		vt_route_deliver(t, b->route, m, k);
	return false;
}

/*
 * Posts a contribution to a broadcast. Returns whether it must be sent, because
 * the member is the root.
 */
static bool post_bcast(struct vt_engine_pass *t, const struct vt_buf *b)
{
	const struct vt_route *r = &t->w->routes[b->route];
	unsigned k = b->part.seq % VT_WINDOW;

	if (r->seq[k] != b->part.seq + 1)
		return b->part.root == b->to;
	/*
	 * The result exists. Deliver it if it has reached this member, to which
	 * chained events may not have forwarded it yet, or if the operation has
	 * failed.
	 */
	vt_require(b->to < r->count);
	if (!vt_tree_chained(t->w, b->route) ||
	    (r->flags[k] & WEFT_BACKEND_DIFFER) ||
	    vt_result_arrived(t->w, b->route, b->to, k))
		vt_route_deliver(t, b->route, b->to, k);
	return false;
}

static void post_part(struct vt_engine_pass *t, uint32_t i)
{
	struct weft_vt *w = t->w;
	struct vt_buf *b = vt_buf(w, i);
	struct vt_member *m = vt_route_members(w, b->route);
	struct vt_route *r = &w->routes[b->route];
	uint32_t root = b->part.root < r->count ? b->part.root : 0;
	struct net_part part = {
		.route = r->id,
		.node = vt_rank(w, b->from)->node,
		.dst = vt_rank(w, m[root < w->size ? root : 0].rank)->node,
		.bytes = b->part.bytes,
		.seq = b->part.seq,
		.cookie = i,
		/* the value is in shared memory, so limit it to valid kinds */
		.kind = b->part.kind % (WEFT_COLL_ALLREDUCE + 1),
		.fp = b->part.fp,
	};
	int ret;

	vt_part_member(w, b)->part[b->part.seq % VT_WINDOW] =
		vt_part_has_result(&b->part, b->to) ? i : VT_NONE;
	b->arrived_bytes = 0;
	if (vt_part_has_result(&b->part, b->to) && !same_bcast(t, b))
		return;
	if (b->part.kind == WEFT_COLL_BCAST && !post_bcast(t, b))
		return;
	if (b->part.kind == WEFT_COLL_BCAST && vt_tree_chained(w, b->route)) {
		vt_result_bcast_begin(t, i);
		return;
	}
	if (vt_fold_applies(w, b->route, &b->part)) {
		vt_fold_post(t, i);
		return;
	}
	ret = net_tree_send(w->net, vt_send_time(w, b->stamp), &part);
	if (!ret)
		return;
	weft_log(WEFT_LOG_ERROR, "vt: class route %u refused a packet: %s",
		 r->id, strerror(-ret));
	vt_require(false);
}

void vt_route_post(struct vt_engine_pass *t, uint32_t i)
{
	struct vt_buf *b = vt_buf(t->w, i);

	switch (b->kind) {
	case VT_PART:
		t->w->head->route_parts++;
		t->w->head->route_bytes += b->part.bytes;
		post_part(t, i);
		return;
	case VT_ROUTE_OPEN:
		post_open(t, b);
		break;
	case VT_ROUTE_CLOSE:
		post_close(t->w, b->route);
		break;
	default:
		break;
	}
	vt_buf_return(t, i);
}

/* Combines inputs into the first one, in order. */
uint64_t vt_route_combine(void *arg, uint64_t at, uint32_t node,
			  const uint64_t *cookie, unsigned count)
{
	struct vt_engine_pass *t = arg;
	struct vt_buf *acc = vt_buf(t->w, (uint32_t)cookie[0]);

	(void)node;
	t->time_ps = at;
	for (unsigned k = 1; k < count; k++) {
		struct vt_buf *in = vt_buf(t->w, (uint32_t)cookie[k]);

		vt_part_add(t, acc, in);
		if (!vt_part_has_result(&in->part, in->to))
			vt_part_done(t, (uint32_t)cookie[k]);
	}
	return cookie[0];
}

void vt_route_result(void *arg, uint64_t at, uint32_t route, uint32_t node,
		     uint64_t seq, uint64_t cookie)
{
	struct vt_engine_pass *t = arg;
	struct weft_vt *w = t->w;
	uint32_t place, member, nth = VT_NONE;
	unsigned k;

	vt_require(vt_route_is_place(w, route));
	place = cookie >> VT_BCAST_PLACE
			? (uint32_t)(cookie >> VT_BCAST_PLACE) &
				  ((1u << 20) - 1)
			: w->trees[route].place;
	vt_require(vt_route_is_place(w, place) &&
		   w->routes[place].count <= w->size);
	/*
	 * ignore the result of a route that has been closed, and results for a
	 * node without a member
	 */
	if (cookie >> VT_BCAST_PLACE &&
	    (cookie >> VT_BCAST_OPENING != w->routes[place].times ||
	     !vt_tree_at(w, place, node)))
		return;
	t->time_ps = at;
	k = vt_route_result_store(t, place, seq, (uint32_t)cookie);
	while ((member = vt_tree_next(w, place, node, &nth)) != VT_NONE)
		vt_route_deliver(t, place, member, k);
}
