/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Joining a group takes a few steps, each a reduction by messages up and down a
 * tree of the group itself, so that a member communicates with its neighbours
 * only:
 *
 *   gather   free routes and requests of all members -> route
 *   place    nodes or locations of all members, if the tree follows them
 *   open     open the segment of the route, map those on the path to the root
 *   agree    exchange whether this succeeded everywhere; else use messages
 *
 * In virtual time the model does all of this.
 */
#include "prov/nic/nic_int.h"
#include "prov/group/grp_int.h"
#include "prov/group/grp_net.h"
#include "prov/nic/nic_place.h"
#include "src/base/hash.h"

#include <stdlib.h>
#include <unistd.h>

/*
 * Result of a join at one member; the group uses the lowest result of all
 * members.
 */
enum { JOIN_NO, JOIN_PACKETS, JOIN_ALL };

static void join_end(struct weft_nic_group *c, int err)
{
	void (*joined)(void *, struct weft_nic_group *, int) = c->joined;

	c->joined = NULL;
	c->state = err ? COLL_FAILED : COLL_READY;
	if (joined)
		joined(c->joined_arg, c, err);
}

static void join_gather(struct weft_nic_group *c);

static void join_agreed(struct weft_coll_call *call)
{
	struct weft_nic_group *c =
		weft_container_of(call, struct weft_nic_group, call);

	if (!call->err && c->agree == JOIN_PACKETS)
		nic_long_close(c);
	if (!call->err && c->agree == JOIN_NO) {
		grp_route_release(c);
		if (++c->join_collisions < COLL_TRIES) {
			join_gather(c);
			return;
		}
	}
	join_end(c, call->err);
}

/* Step 4: exchanges the results of step 3. */
static void join_agree(struct weft_nic_group *c, uint64_t how)
{
	c->state = COLL_AGREEING;
	c->agree = how;
	c->call = (struct weft_coll_call){
		.kind = WEFT_COLL_ALLREDUCE,
		.op = WEFT_NUM_MIN,
		.type = WEFT_NUM_U64,
		.in = &c->agree,
		.out = &c->agree,
		.count = 1,
		.done = join_agreed,
	};
	weft_cunit_post(c->by_msg, &c->call);
}

static struct weft_carrier *coll_carrier(const struct weft_nic_group *c)
{
	return c->nic->unit->carrier;
}

/*
 * Wakes a waiting member by its event word; members that cannot block on an
 * event word get a packet.
 */
static void coll_wake(void *arg, struct weft_event *event_word)
{
	struct weft_nic_group *c = arg;
	struct weft_carrier *ca = coll_carrier(c);

	if (!(weft_event_notify_all(event_word) & WEFT_EVENT_NUDGE))
		return;
	for (int i = 0; i < c->n; i++) {
		if (i != c->me)
			ca->ops->nudge(ca, c->member[i]);
	}
}

/*
 * Opens the group in virtual time: the model has the tree and the members' free
 * routes, and gives all members the same result, in one step and without
 * messages.
 */
static void join_open_net(struct weft_nic_group *c)
{
	struct weft_backend_route a = {
		.key = c->key,
		.routes = (uint32_t)c->nic->machine->routes,
		.n = c->n,
		.me = c->me,
		.member = c->member,
	};
	int ret = -ENOSPC;

	if (c->n > 1 && c->n >= c->nic->machine->tree_least && !c->no_route)
		ret = nic_net_open(coll_carrier(c), &a, &c->net);
	if (ret == -EAGAIN)
		return; /* the next poll calls this function again */
	if (!ret) {
		c->route = nic_net_id(c->net);
		c->form = nic_net_chained(c->net) ? WEFT_CUNIT_EVENTS
						  : WEFT_CUNIT_AUTO;
	}
	join_end(c, 0);
}

/*
 * Maps a member's segment once; at: offset of the segment in the member's
 * windows.
 */
static int segment_map(struct weft_nic_group *c, int member, size_t at,
		       size_t bytes, void **segment_p)
{
	struct weft_carrier *ca = coll_carrier(c);
	struct weft_peer *peer = member == c->me ? NULL : c->member[member];

	return *segment_p ? 0 : ca->ops->window(ca, peer, at, bytes, segment_p);
}

static int route_segment_map(void *arg, int member, void **segment_p)
{
	struct weft_nic_group *c = arg;
	size_t bytes = weft_cunit_segment_bytes(c->nic->coll->geo);
	int ret = segment_map(c, member, (size_t)c->route * bytes, bytes,
			      &c->segment[member]);

	*segment_p = c->segment[member];
	return ret;
}

/*
 * Maps a member's segment of the barrier class; these segments are located
 * after those of the class routes.
 */
static int barrier_segment_map(void *arg, int member, void **segment_p)
{
	struct weft_nic_group *c = arg;
	const struct weft_machine *m = c->nic->machine;
	size_t bytes = weft_cunit_segment_bytes(&m->bar);
	int ret = segment_map(c, member,
			      weft_cunit_area_bytes(&m->cu) +
				      (size_t)c->barrier * bytes,
			      bytes, &c->bar_segment[member]);

	*segment_p = c->bar_segment[member];
	return ret;
}

static void segment_table_close(struct weft_nic_group *c, void ***rows,
				size_t bytes)
{
	struct weft_carrier *ca = coll_carrier(c);

	for (int i = 0; *rows && i < c->n; i++) {
		if ((*rows)[i])
			ca->ops->window_close(ca, (*rows)[i], bytes);
	}
	free(*rows);
	*rows = NULL;
}

void grp_segments_close(struct weft_nic_group *c)
{
	segment_table_close(c, &c->segment,
			    weft_cunit_segment_bytes(c->nic->coll->geo));
	segment_table_close(c, &c->bar_segment,
			    weft_cunit_segment_bytes(&c->nic->machine->bar));
}

static int segment_table_alloc(struct weft_nic_group *c)
{
	size_t n = (size_t)c->n;

	if (!c->segment)
		c->segment = calloc(n, sizeof(*c->segment));
	if (!c->bar_segment && c->barrier >= 0)
		c->bar_segment = calloc(n, sizeof(*c->bar_segment));
	return c->segment && (c->barrier < 0 || c->bar_segment) ? 0 : -ENOMEM;
}

static int join_open_groups(struct weft_nic_group *c)
{
	struct weft_cunit_geo geo = *c->nic->coll->geo;
	struct weft_cunit_group_attr a = {
		.geo = &geo,
		.n = c->n,
		.me = c->me,
		.route = (unsigned)c->route,
		.generation = c->key | 1,
		.reach = route_segment_map,
		.wake = coll_wake,
		.arg = c,
		.fence = c->oversubscribed || c->nic->unit->carrier->fences,
		.oversubscribed = c->oversubscribed,
		.form = c->form,
		.tree = &c->tree,
		/*
		 * not when oversubscribed: in a flat barrier one member wakes
		 * all others
		 */
		.flat = c->n <= WEFT_CUNIT_FLAT && !c->oversubscribed,
	};
	int ret = segment_table_alloc(c);

	weft_cunit_geo_widen(&geo, (unsigned)weft_tree_width(&c->tree) + 1);
	if (!ret && !c->hw)
		ret = weft_cunit_group_open(&a, &c->hw);
	if (ret || c->barrier < 0 || c->bar)
		return ret;
	geo = c->nic->machine->bar;
	a.route = (unsigned)c->barrier;
	a.reach = barrier_segment_map;
	a.ordered_with = c->hw;
	if (c->wide.n) {
		a.tree = &c->wide;
		weft_cunit_geo_widen(&geo,
				     (unsigned)weft_tree_width(a.tree) + 1);
	}
	ret = weft_cunit_group_open(&a, &c->bar);
	c->unordered = c->wide.n ? c->bar : NULL;
	return ret;
}

/*
 * Opens chained events of the unit for a group that the network cannot
 * multicast to directly.
 */
static int join_open_chain(struct weft_nic_group *c)
{
	const struct weft_chain_ops *ops = c->nic->unit->ops->chain;
	const struct weft_chain_attr a = { .key = c->key,
					   .tree = &c->tree,
					   .me = c->me,
					   .member = c->member };

	if (!ops || c->form != WEFT_CUNIT_EVENTS || c->chain)
		return 0;
	return nic_chain_open(c->nic->unit, ops, &a, &c->chain);
}

/* Step 3: opens the route's segment on this member. */
static void join_open(struct weft_nic_group *c)
{
	int groups = join_open_groups(c);
	int ret = groups ? groups : join_open_chain(c);
	int bulk = ret ? ret : nic_long_open(c);

	if (ret == -EAGAIN || bulk == -EAGAIN)
		return; /* the next poll calls this function again */
	c->points = 0;
	join_agree(c, ret ? JOIN_NO : bulk ? JOIN_PACKETS : JOIN_ALL);
}

/*
 * Builds the tree by the members' locations on the host. All members have the
 * same list of locations, so the trees are equal.
 */
static int join_host_tree(struct weft_nic_group *c)
{
	weft_tree_place *place;
	int ret;

	if (!c->arity)
		return weft_tree_pairs(&c->tree, c->n);
	place = malloc((size_t)c->n * sizeof(*place));
	if (!place)
		return -ENOMEM;
	for (int i = 0; i < c->n; i++)
		place[i] = c->word ? c->word[i] : WEFT_TREE_NOWHERE;
	ret = weft_tree_host(&c->tree, c->n, (int)c->arity, place);
	free(place);
	return ret;
}

/*
 * Returns whether the tree or the form of barriers depends on the nodes of the
 * members.
 */
static bool by_nodes(const struct weft_nic_group *c)
{
	const struct weft_machine *m = c->nic->machine;

	return m->coords || (m->forms && !c->arity);
}

static uint64_t node_of(const struct weft_nic_group *c, int i)
{
	return c->word ? c->word[i] : (uint64_t)i;
}

/*
 * Selects the form of barriers by the members' nodes. All members have the same
 * list of nodes, so the forms are equal.
 */
static int join_form(struct weft_nic_group *c)
{
	const struct weft_nic_group_form *f = c->nic->machine->forms;
	uint64_t *node;

	c->form = WEFT_CUNIT_AUTO;
	if (!f || !by_nodes(c))
		return 0;
	node = malloc((size_t)c->n * sizeof(*node));
	if (!node)
		return -ENOMEM;
	for (int i = 0; i < c->n; i++)
		node[i] = node_of(c, i);
	while (!f->serves(node, c->n))
		f++;
	c->form = (uint8_t)f->form;
	free(node);
	return 0;
}

static int join_tree(struct weft_nic_group *c)
{
	const struct weft_machine *m = c->nic->machine;
	struct weft_tree_coord *at;
	int ret;

	if (!m->coords)
		return join_host_tree(c);
	at = calloc((size_t)c->n, sizeof(*at));
	if (!at)
		return -ENOMEM;
	for (int i = 0; i < c->n; i++)
		m->coords((uint32_t)node_of(c, i), at[i].at);
	ret = weft_tree_torus(&c->tree, c->n, at);
	free(at);
	return ret;
}

/* Builds the descriptor tree, if the machine uses descriptor trees. */
static int join_descriptor_tree(struct weft_nic_group *c)
{
	unsigned levels = c->nic->machine->levels;

	weft_tree_fini(&c->wide);
	if (!levels || c->arity)
		return 0;
	return weft_tree_levels(&c->wide, c->n, levels);
}

/*
 * Selects one of the routes that are free at all members: the first, because
 * its segments have been used before. Groups that collided start their search
 * at different routes.
 */
static int route_pick(const struct weft_nic_group *c, uint64_t free_routes)
{
	unsigned shift = 0;
	uint64_t rotated;

	if (c->join_collisions)
		shift = (unsigned)(c->key + (uint64_t)c->join_collisions) % 64;
	rotated = free_routes >> shift;
	if (shift)
		rotated |= free_routes << (64 - shift);
	return (int)((unsigned)__builtin_ctzll(rotated) + shift) % 64;
}

void grp_join_step(struct weft_nic_group *c)
{
	if (coll_carrier(c)->ops->backend->routes)
		join_open_net(c);
	else
		join_open(c);
}

void grp_join_fail(struct weft_nic_group *c, int err)
{
	join_end(c, err);
}

/*
 * Takes a class that is free at all members. Returns false if another join has
 * taken that class first.
 */
static bool class_take(const struct weft_nic_group *c, uint64_t everywhere,
		       uint64_t *here, int *id_p)
{
	int pick;

	if (!everywhere)
		return true;
	pick = route_pick(c, everywhere);
	if (!(*here >> pick & 1))
		return false;
	*here &= ~(UINT64_C(1) << pick);
	*id_p = pick;
	return true;
}

/*
 * Returns the routes of groups that this member has left; they are free when
 * all members have left.
 */
static uint64_t routes_leaving(const struct grp *nc)
{
	const struct weft_list *n;
	uint64_t leaving = 0;

	for (n = nc->groups.next; n != &nc->groups; n = n->next) {
		const struct weft_nic_group *c =
			weft_container_of(n, struct weft_nic_group, link);

		if (c->route >= 0 && c->gone[c->me])
			leaving |= UINT64_C(1) << c->route;
	}
	return leaving;
}

/*
 * Takes a route and continues this join, unless another join has taken the
 * route first.
 */
static void join_take(struct weft_nic_group *c)
{
	struct grp *nc = c->nic->coll;

	if (join_form(c) || join_tree(c) || join_descriptor_tree(c)) {
		join_end(c, 0);
		return;
	}
	if (!class_take(c, c->common.routes, &nc->routes, &c->route) ||
	    !class_take(c, c->common.barriers, &nc->barriers, &c->barrier)) {
		join_agree(c, JOIN_NO);
		return;
	}
	c->state = COLL_OPENING;
	grp_join_step(c);
}

static void join_placed(struct weft_coll_call *call)
{
	struct weft_nic_group *c =
		weft_container_of(call, struct weft_nic_group, call);

	if (call->err)
		join_end(c, call->err);
	else
		join_take(c);
}

/*
 * Returns the number of the emulated node; if it is unknown, the member's index
 * in the group.
 */
static uint64_t my_node(const struct weft_nic_group *c)
{
	int node = c->nic->coll->node;

	return node >= 0 ? (uint64_t)node : (uint64_t)c->me;
}

/*
 * Step 2: gathers one word per member by a bitwise or of vectors in which each
 * member sets its own word.
 */
static void join_place(struct weft_nic_group *c)
{
	free(c->word);
	c->word = calloc((size_t)c->n, sizeof(*c->word));
	if (!c->word) {
		grp_fail(c, -ENOMEM);
		return;
	}
	c->word[c->me] = by_nodes(c) ? my_node(c) : nic_place_here();
	c->call = (struct weft_coll_call){
		.kind = WEFT_COLL_ALLREDUCE,
		.op = WEFT_NUM_BOR,
		.type = WEFT_NUM_U64,
		.in = c->word,
		.out = c->word,
		.count = (size_t)c->n,
		.done = join_placed,
	};
	weft_cunit_post(c->by_msg, &c->call);
}

/* Returns whether the tree depends on the members' host locations. */
static bool needs_places(const struct weft_nic_group *c)
{
	return by_nodes(c) ? !(c->common.flags & JOIN_NODE_IS_INDEX)
			   : c->common.flags & JOIN_PLACED;
}

/*
 * Returns the minimum of the requested arities, which is the number of bits set
 * in the combined votes.
 */
static unsigned common_arity(const struct join_vote *w)
{
	unsigned n = 0;

	for (size_t i = 0; i < WEFT_COUNT_OF(w->arity); i++)
		n += (unsigned)__builtin_popcountll(w->arity[i]);
	return n;
}

/* Continues the join after step 1. */
static void join_gathered(struct weft_coll_call *call)
{
	struct weft_nic_group *c =
		weft_container_of(call, struct weft_nic_group, call);

	if (call->err) {
		join_end(c, call->err);
		return;
	}
	c->arity = common_arity(&c->common);
	c->oversubscribed = !(c->common.flags & JOIN_ENOUGH_CPUS);
	/*
	 * no route is free yet, but all members have left a common route: retry
	 * until it is free
	 */
	if (!c->common.routes && c->common.soon &&
	    ++c->join_collisions < COLL_TRIES) {
		join_gather(c);
		return;
	}
	if (c->n == 1 || !c->common.routes)
		join_end(c, 0);
	else if (needs_places(c))
		join_place(c);
	else
		join_take(c);
}

static void arity_set(struct join_vote *w, unsigned arity)
{
	for (unsigned i = 0; i < arity && i < COLL_ARITY_MAX; i++)
		w->arity[i / 64] |= UINT64_C(1) << i % 64;
}

static uint64_t my_flags(const struct weft_nic_group *c)
{
	bool roomy = c->n <= sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t flags = roomy ? JOIN_ENOUGH_CPUS : 0;

	if (my_node(c) == (uint64_t)c->me)
		flags |= JOIN_NODE_IS_INDEX;
	/*
	 * the tree follows the host's topology, under the same condition as in
	 * join_open_groups
	 */
	if (!c->nic->machine->coords && c->nic->coll->arity &&
	    (c->n > WEFT_CUNIT_FLAT || !roomy) &&
	    nic_place_here() != WEFT_TREE_NOWHERE)
		flags |= JOIN_PLACED;
	return flags;
}

/* Step 1: gathers the free routes and requests of all members. */
static void join_gather(struct weft_nic_group *c)
{
	struct grp *nc = c->nic->coll;
	struct join_vote *w = &c->common;

	c->state = COLL_GATHERING;
	*w = (struct join_vote){ .flags = my_flags(c) };
	arity_set(w, nc->arity);
	if (c->nic->share && !c->no_route) {
		w->routes = nc->routes;
		w->soon = nc->routes | routes_leaving(nc);
		w->barriers = nc->barriers;
	}
	c->call = (struct weft_coll_call){
		.kind = WEFT_COLL_ALLREDUCE,
		.op = WEFT_NUM_BAND,
		.type = WEFT_NUM_U64,
		.in = w,
		.out = w,
		.count = JOIN_VOTE_WORDS,
		.done = join_gathered,
	};
	weft_cunit_post(c->by_msg, &c->call);
}

/*
 * Returns the key of the group, equal at all members: a hash of the given key,
 * the members' names in order, and the number of joins of this list.
 */
static uint64_t coll_key(struct weft_nic_group *c, uint64_t h)
{
	struct grp *nc = c->nic->coll;
	union weft_name name;
	uint64_t times;

	for (int i = 0; i < c->n; i++) {
		if (i == c->me)
			weft_nic_name(c->nic, &name);
		else
			name = *c->member[i]->name;
		h = weft_hash_mix(h ^ weft_name_key(&name)) + (uint64_t)i;
	}
	times = (uintptr_t)weft_hash_get(&nc->joins, h) + 1;
	weft_hash_set(&nc->joins, h, (void *)(uintptr_t)times);
	return weft_hash_mix(h + times * 0x9e3779b97f4a7c15u);
}

static int coll_open_msgs(struct weft_nic_group *c)
{
	struct weft_cunit_geo geo = c->nic->coll->msg_geo;
	struct weft_cunit_group_attr a = {
		.geo = &geo,
		.tree = &c->msg_tree,
		.flat = c->n <= WEFT_CUNIT_FLAT,
		.n = c->n,
		.me = c->me,
		.generation = 1,
		.send = grp_msg_send,
		.arg = c,
	};
	int ret = weft_tree_pairs(&c->msg_tree, c->n);

	if (ret)
		return ret;
	geo.inputs = (unsigned)weft_tree_width(&c->msg_tree) + 1;
	return weft_cunit_group_open(&a, &c->by_msg);
}

static int coll_alloc(struct weft_nic_group *c,
		      const struct weft_nic_group_attr *a)
{
	size_t n = (size_t)a->n;

	c->member = calloc(n, sizeof(*c->member));
	c->gone = calloc(n, sizeof(*c->gone));
	if (!c->member || !c->gone)
		return -ENOMEM;
	memcpy(c->member, a->member, n * sizeof(*c->member));
	for (int i = 0; i < a->n; i++) {
		if (i != a->me && c->member[i]->lost)
			return -ECONNRESET;
	}
	c->key = coll_key(c, a->key);
	return coll_open_msgs(c);
}

int weft_nic_join(struct weft_nic *nic, const struct weft_nic_group_attr *a,
		  struct weft_nic_group **c_p)
{
	struct weft_nic_group *c;
	int ret;

	if (a->n < 1 || a->me < 0 || a->me >= a->n)
		return -EINVAL;
	nic_last_reclaim(nic);
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->nic = nic;
	c->n = a->n;
	c->me = a->me;
	c->route = c->barrier = -1;
	weft_list_init(&c->longs);
	c->joined = a->joined;
	c->joined_arg = a->arg;
	c->no_route = a->no_route;
	weft_list_push_back(&nic->coll->groups, &c->link);
	nic->coll_groups++;
	nic->coll_active = true;
	ret = coll_alloc(c, a);
	if (ret) {
		grp_free(c);
		return ret;
	}
	*c_p = c;
	grp_replay(c);
	if (coll_carrier(c)->ops->backend->routes) {
		c->state = COLL_OPENING;
		join_open_net(c);
	} else {
		join_gather(c);
	}
	return 0;
}

void weft_nic_group_info(const struct weft_nic_group *c,
			 struct weft_nic_group_info *info)
{
	struct weft_cunit_state s = { 0 };

	if (c->unordered)
		weft_cunit_state(c->unordered, &s);
	*info = (struct weft_nic_group_info){
		.route = c->route,
		.barrier = c->barrier,
		.members = c->n,
		.depth = c->tree.n ? c->tree.depth : 0,
		.bulk = c->bulk,
		.form = c->form,
		.levels = c->unordered ? c->wide.depth : 0,
		.described = s.posted,
		.most = c->net ? c->nic->machine->tree_bytes : 0,
		.atomics = (c->hw ? weft_cunit_atomics(c->hw) : 0) +
			   (c->bar ? weft_cunit_atomics(c->bar) : 0),
	};
}
