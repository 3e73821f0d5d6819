/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Class routes in virtual time. A route has a place in the world that all its
 * members can compute: the first member's rank and the id they agreed on. The
 * first member writes down who belongs to it and asks the engine to open it.
 *
 * A part is a buffer like a packet's. It carries the contribution up the tree
 * (the engine combines inputs into the first of them) and waits for the
 * result, which is copied into it when it has come down, and then arrives at
 * its rank as packets do. A member has VT_WINDOW parts under way at most.
 */
#include "prov/carrier/vt/vt.h"
#include "src/base/log.h"

#include <stdlib.h>
#include <string.h>

static struct vt_member *members_of(struct weft_vt *w, uint32_t route)
{
	return w->members + (size_t)route * w->head->size;
}

/* ---- opening, by the members --------------------------------------------- */

static uint32_t member_rank(const struct vt *v,
			    const struct weft_vt_route_attr *a, int i)
{
	return i == a->me ? v->rank : ((struct vt_peer *)a->member[i])->rank;
}

struct by_node {
	uint32_t node;
	uint32_t member;
};

static int compare(const void *a, const void *b)
{
	const struct by_node *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->member < y->member ? -1 : 1;
}

static int write_members(struct vt *v, const struct weft_vt_route_attr *a,
			 uint32_t place)
{
	struct vt_member *m = members_of(v->w, place);
	struct by_node *order = calloc((size_t)a->n, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (int i = 0; i < a->n; i++) {
		m[i].rank = member_rank(v, a, i);
		order[i].node = v->w->rank_of[m[i].rank].node;
		order[i].member = (uint32_t)i;
	}
	qsort(order, (size_t)a->n, sizeof(*order), compare);
	for (int i = 0; i < a->n; i++)
		m[i].by_node = order[i].member;
	free(order);
	return 0;
}

/* The first member's: -EAGAIN until the engine has answered. */
static int ask(struct vt *v, const struct weft_vt_route_attr *a, uint32_t place)
{
	struct vt_route *r = &v->w->routes[place];
	uint32_t i;

	if (weft_load32(&r->state) == VT_ROUTE_OPENED) {
		if (r->err)
			weft_store32(&r->state, VT_ROUTE_FREE);
		return r->err;
	}
	if (weft_load32(&r->state) == VT_ROUTE_ASKED)
		return -EAGAIN;
	i = vt_buf_get(v);
	if (i == VT_NONE)
		return -EAGAIN;
	if (write_members(v, a, place))
		return -ENOMEM;
	r->count = (uint32_t)a->n;
	r->err = 0;
	memset(r->seq, 0, sizeof(r->seq));
	weft_store32(&r->state, VT_ROUTE_ASKED);
	vt_buf(v->w, i)->kind = VT_ROUTE_OPEN;
	vt_buf(v->w, i)->more = 0;
	vt_buf(v->w, i)->from = v->rank;
	vt_buf(v->w, i)->route = place;
	vt_post(v, i);
	return -EAGAIN;
}

int vt_route_open(struct weft_carrier *c, const struct weft_vt_route_attr *a)
{
	struct vt *v = vt_of(c);
	struct vt_own_route *own;
	uint32_t place;
	int ret = 0;

	if (a->id >= WEFT_VT_ROUTES)
		return -EINVAL;
	own = &v->route[a->id];
	place = member_rank(v, a, 0) * WEFT_VT_ROUTES + a->id;
	if (a->me == 0)
		ret = ask(v, a, place);
	if (ret)
		return ret;
	memset(own, 0, sizeof(*own));
	own->open = true;
	own->me = a->me;
	own->n = a->n;
	own->place = place;
	return 0;
}

void vt_route_close(struct weft_carrier *c, unsigned id)
{
	struct vt *v = vt_of(c);
	struct vt_own_route *own = &v->route[id];
	uint32_t i;

	if (id >= WEFT_VT_ROUTES || !own->open)
		return;
	own->open = false;
	if (own->me || v->out)
		return;
	i = vt_buf_get(v);
	/* Without a buffer the route stays taken; nothing worse. */
	if (i == VT_NONE)
		return;
	weft_store32(&v->w->routes[own->place].state, VT_ROUTE_FREE);
	vt_buf(v->w, i)->kind = VT_ROUTE_CLOSE;
	vt_buf(v->w, i)->more = 0;
	vt_buf(v->w, i)->from = v->rank;
	vt_buf(v->w, i)->route = own->place;
	vt_post(v, i);
}

/* ---- parts --------------------------------------------------------------- */

int vt_route_send(struct weft_carrier *c, unsigned id,
		  const struct weft_vt_part *part, const void *data)
{
	struct vt *v = vt_of(c);
	struct vt_buf *b;
	uint32_t i;

	if (id >= WEFT_VT_ROUTES || !v->route[id].open)
		return -EINVAL;
	if (part->bytes > v->base.mtu)
		return -EMSGSIZE;
	if (v->out)
		return -ESHUTDOWN;
	vt_enter(v);
	i = vt_buf_get(v);
	if (i == VT_NONE) {
		vt_exit(v);
		return -EAGAIN;
	}
	b = vt_buf(v->w, i);
	b->kind = VT_PART;
	b->more = v->last_to == VT_NONE - 1 && v->last_clock == v->me->clock;
	b->from = v->rank;
	b->to = (uint32_t)v->route[id].me;
	b->route = v->route[id].place;
	b->part = *part;
	if (part->bytes)
		memcpy(b->payload, data, part->bytes);
	if (!b->more)
		v->me->clock += v->w->head->cfg.send_ps;
	b->stamp = v->me->clock;
	v->last_to = VT_NONE - 1;
	v->last_full = false;
	v->last_clock = v->me->clock;
	vt_post(v, i);
	vt_exit(v);
	return 0;
}

int vt_route_take(struct weft_carrier *c, unsigned id,
		  struct weft_vt_part *part, void *data)
{
	struct vt *v = vt_of(c);
	struct vt_own_route *own = &v->route[id];
	unsigned k = part->seq % VT_WINDOW;

	if (id >= WEFT_VT_ROUTES || !own->open)
		return -EINVAL;
	if (!own->done[k] || own->result[k].seq != part->seq)
		return -EAGAIN;
	own->done[k] = false;
	*part = own->result[k];
	if (part->bytes && data)
		memcpy(data, own->data[k], part->bytes);
	return 0;
}

/* ---- the engine's side --------------------------------------------------- */

/* The nodes of the members, each once, and the tree over them. */
struct tree {
	uint32_t *node;
	uint32_t *share;
	int *parent;
	uint32_t count;
};

static void tree_fini(struct tree *t)
{
	free(t->node);
	free(t->share);
	free(t->parent);
}

static uint32_t node_of(struct weft_vt *w, const struct vt_member *m)
{
	return w->rank_of[m->rank].node;
}

static int tree_init(struct tree *t, struct weft_vt *w, uint32_t place)
{
	const struct vt_member *m = members_of(w, place);
	uint32_t n = w->routes[place].count;

	*t = (struct tree){ .node = calloc(n, sizeof(*t->node)),
			    .share = calloc(n, sizeof(*t->share)),
			    .parent = calloc(n, sizeof(*t->parent)) };
	if (!t->node || !t->share || !t->parent)
		return -ENOMEM;
	for (uint32_t k = 0; k < n; k++) {
		uint32_t node = node_of(w, &m[m[k].by_node]);

		if (!t->count || t->node[t->count - 1] != node)
			t->node[t->count++] = node;
		t->share[t->count - 1]++;
	}
	return net_route_tree(&w->head->cfg, t->node, t->count, t->parent);
}

static void post_open(struct vt_turn *t, const struct vt_buf *b)
{
	struct weft_vt *w = t->w;
	struct vt_route *r = &w->routes[b->route];
	struct tree tree;

	r->err = tree_init(&tree, w, b->route);
	if (!r->err)
		r->err = net_route_open(w->net, tree.node, tree.parent,
					tree.share, tree.count, &r->id);
	tree_fini(&tree);
	if (!r->err && r->id >= w->head->size * WEFT_VT_ROUTES) {
		net_route_close(w->net, r->id);
		r->err = -ENOSPC;
	}
	if (!r->err) {
		w->places[r->id] = b->route;
		w->head->routes_opened++;
	}
	weft_store32(&r->state, VT_ROUTE_OPENED);
	vt_engine_notice(t, b->from, t->at);
}


static enum net_coll coll_kind(unsigned kind)
{
	if (kind == WEFT_VT_BARRIER)
		return NET_BARRIER;
	return kind == WEFT_VT_REDUCE ? NET_REDUCE : NET_ALLREDUCE;
}

/* Does the member that sent this part wait for the result? */
static bool awaits(const struct vt_buf *b)
{
	return b->part.kind != WEFT_VT_REDUCE || b->part.root == b->to;
}

static void post_part(struct vt_turn *t, uint32_t i)
{
	struct weft_vt *w = t->w;
	struct vt_buf *b = vt_buf(w, i);
	struct vt_route *r = &w->routes[b->route];
	struct vt_member *m = members_of(w, b->route);
	uint32_t root = b->part.root < r->count ? b->part.root : 0;
	struct net_part part = {
		.route = r->id,
		.node = w->rank_of[b->from].node,
		.dst = node_of(w, &m[root]),
		.bytes = b->part.bytes,
		.seq = b->part.seq,
		.cookie = i,
		.kind = (uint8_t)coll_kind(b->part.kind),
		.fp = b->part.fp,
	};
	int ret;

	m[b->to].part[b->part.seq % VT_WINDOW] = awaits(b) ? i : VT_NONE;
	ret = net_route_send(w->net, vt_send_time(w, b->stamp), &part);
	if (!ret)
		return;
	weft_log(WEFT_LOG_ERROR, "vt: class route %u refused a packet: %s",
		 r->id, strerror(-ret));
	weft_store32(&w->head->broken, 1);
}

void vt_route_post(struct vt_turn *t, uint32_t i)
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
		net_route_close(t->w->net, t->w->routes[b->route].id);
		break;
	default:
		break;
	}
	vt_give_back(t, i);
}

static bool alike(const struct weft_vt_part *a, const struct weft_vt_part *b)
{
	return a->kind == b->kind && a->op == b->op && a->type == b->type &&
	       a->bytes == b->bytes;
}

/* Inputs are combined into the first, in their order. */
uint64_t vt_route_combine(void *arg, uint64_t at, uint32_t node,
			  const uint64_t *cookie, unsigned count)
{
	struct vt_turn *t = arg;
	struct vt_buf *acc = vt_buf(t->w, (uint32_t)cookie[0]);

	(void)node;
	t->at = at;
	for (unsigned k = 1; k < count; k++) {
		struct vt_buf *in = vt_buf(t->w, (uint32_t)cookie[k]);

		acc->part.flags |= in->part.flags;
		if (!alike(&acc->part, &in->part))
			acc->part.flags |= WEFT_VT_DIFFER;
		else if (acc->part.bytes)
			acc->part.flags |= t->v->combine(
				acc->part.op, acc->part.type, acc->payload,
				in->payload, acc->part.bytes);
		if (!awaits(in))
			vt_give_back(t, (uint32_t)cookie[k]);
	}
	return cookie[0];
}

/* Keeps the result while it comes down: its buffer is its member's. */
static unsigned keep(struct vt_turn *t, uint32_t place, uint64_t seq,
		     uint32_t i)
{
	struct vt_buf *b = vt_buf(t->w, i);
	struct vt_route *r = &t->w->routes[place];
	unsigned k = seq % VT_WINDOW;

	if (r->seq[k] == seq + 1)
		return k;
	r->seq[k] = seq + 1;
	r->flags[k] = b->part.flags;
	r->bytes[k] = b->part.bytes;
	memcpy(r->data[k], b->payload, b->part.bytes);
	if (!awaits(b))
		vt_give_back(t, i);
	return k;
}

static void hand_out(struct vt_turn *t, uint32_t place, uint32_t member,
		     unsigned k, uint64_t at)
{
	struct vt_route *r = &t->w->routes[place];
	struct vt_member *m = &members_of(t->w, place)[member];
	uint32_t i = m->part[k];
	struct vt_buf *b = vt_buf(t->w, i);

	if (i == VT_NONE || b->part.seq + 1 != r->seq[k])
		return;
	m->part[k] = VT_NONE;
	b->part.flags = r->flags[k];
	b->part.bytes = r->bytes[k];
	memcpy(b->payload, r->data[k], r->bytes[k]);
	vt_arrive(t, m->rank, i, at);
}

/* The first member at a node, in the order of nodes; or the count. */
static uint32_t find_node(struct weft_vt *w, uint32_t place, uint32_t node)
{
	const struct vt_member *m = members_of(w, place);
	uint32_t low = 0, high = w->routes[place].count;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (node_of(w, &m[m[mid].by_node]) < node)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

void vt_route_result(void *arg, uint64_t at, uint32_t route, uint32_t node,
		     uint64_t seq, uint64_t cookie)
{
	struct vt_turn *t = arg;
	struct weft_vt *w = t->w;
	uint32_t place = w->places[route];
	const struct vt_member *m = members_of(w, place);
	uint32_t i = find_node(w, place, node);
	unsigned k;

	t->at = at;
	k = keep(t, place, seq, (uint32_t)cookie);
	for (; i < w->routes[place].count; i++) {
		if (node_of(w, &m[m[i].by_node]) != node)
			break;
		hand_out(t, place, m[i].by_node, k, at);
	}
}
