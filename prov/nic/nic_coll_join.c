/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Joining a group takes three steps, each a collective by messages over the
 * group itself:
 *
 *   gather   everyone's free routes and node number -> route and tree
 *   open     map the others' areas, open the row of the route
 *   agree    did that work everywhere? else stay with messages
 *
 * In virtual time the model does it all.
 */
#include "prov/nic/nic_int.h"
#include "prov/nic/nic_coll_int.h"
#include "prov/nic/nic_coll_net.h"
#include "prov/nic/nic_place.h"
#include "src/base/hash.h"

#include <stdlib.h>
#include <unistd.h>

/* How well a join went; all have what the least of them has. */
enum { JOIN_NO, JOIN_PACKETS, JOIN_ALL };

static void join_end(struct weft_coll *c, int err)
{
	void (*joined)(void *, struct weft_coll *, int) = c->joined;

	c->joined = NULL;
	c->state = err ? COLL_FAILED : COLL_READY;
	if (joined)
		joined(c->joined_arg, c, err);
}

static void join_gather(struct weft_coll *c);

static void join_agreed(struct weft_cu_call *call)
{
	struct weft_coll *c = weft_container_of(call, struct weft_coll, call);

	if (!call->err && c->agree == JOIN_PACKETS)
		nic_long_close(c);
	if (!call->err && c->agree == JOIN_NO) {
		nic_coll_give_back(c);
		if (++c->tries < COLL_TRIES) {
			join_gather(c);
			return;
		}
	}
	join_end(c, call->err);
}

/* Step 3: tells the others how well step 2 worked here. */
static void join_agree(struct weft_coll *c, uint64_t how)
{
	c->state = COLL_AGREEING;
	c->agree = how;
	c->call = (struct weft_cu_call){
		.kind = WEFT_CU_ALLREDUCE, .op = WEFT_CU_MIN,
		.type = WEFT_CU_UINT64, .in = &c->agree, .out = &c->agree,
		.count = 1, .done = join_agreed,
	};
	weft_cu_post(c->far, &c->call);
}

/* Somebody sleeps; those who cannot sleep on a bell get a nudge each. */
static void coll_wake(void *arg, struct weft_bell *bell)
{
	struct weft_coll *c = arg;
	struct weft_carrier *ca = c->nic->unit->carrier;

	if (!(weft_bell_ring(bell) & WEFT_BELL_NUDGE))
		return;
	for (int i = 0; i < c->n; i++) {
		if (i != c->me)
			ca->ops->nudge(ca, c->member[i]);
	}
}

/* The unit's part of everyone's shared area; -EAGAIN: ask again. */
static int join_map(struct weft_coll *c)
{
	for (int i = 0; i < c->n; i++) {
		struct nic_peer *p;
		int ret;

		if (c->area[i])
			continue;
		if (i == c->me) {
			c->area[i] = nic_share_cu(c->nic->share);
			continue;
		}
		p = nic_peer_of(c->nic, c->member[i]);
		ret = p ? nic_share_peer(c->nic, p) : -ENOMEM;
		if (ret)
			return ret;
		c->area[i] = nic_share_cu(p->share);
	}
	return 0;
}

static struct weft_carrier *coll_carrier(const struct weft_coll *c)
{
	return c->nic->unit->carrier;
}

/*
 * In virtual time the model has the tree, knows who has which routes, and tells
 * all members alike: one step, and no messages.
 */
static void join_open_net(struct weft_coll *c)
{
	struct weft_vt_route_attr a = {
		.key = c->key, .routes = (uint32_t)c->nic->machine->routes,
		.n = c->n, .me = c->me, .member = c->member,
	};
	int ret = -ENOSPC;

	if (c->n > 1 && !c->no_route)
		ret = nic_net_open(coll_carrier(c), &a, &c->net);
	if (ret == -EAGAIN)
		return; /* poll comes back here */
	if (!ret)
		c->route = nic_net_id(c->net);
	join_end(c, 0);
}

/* The row of the barrier class lies behind those of the class routes. */
static int join_open_barrier(struct weft_coll *c, struct weft_cu_group_attr *a)
{
	void **area = calloc((size_t)c->n, sizeof(*area));
	int ret;

	if (!area)
		return -ENOMEM;
	for (int i = 0; i < c->n; i++)
		area[i] = (char *)c->area[i] + weft_cu_area_bytes(a->geo);
	a->geo = &c->nic->machine->bar;
	a->route = (unsigned)c->barrier;
	a->beside = c->hw;
	a->area = area;
	ret = weft_cu_group_open(a, &c->bar);
	free(area);
	return ret;
}

/* Step 2: opens the route's row here. */
static void join_open(struct weft_coll *c)
{
	struct weft_cu_geo geo = *c->nic->coll->geo;
	struct weft_cu_group_attr a = {
		.geo = &geo, .n = c->n, .me = c->me,
		.route = (unsigned)c->route, .generation = c->key | 1,
		.area = c->area, .wake = coll_wake, .arg = c,
		.fence = c->crowded || c->nic->unit->carrier->fences,
		.crowd = c->crowded, .tree = &c->tree,
		/* in a crowd one wakes all */
		.flat = c->n <= WEFT_CU_FLAT && !c->crowded,
	};
	int ret = join_map(c);

	if (ret == -EAGAIN)
		return; /* poll comes back here */
	weft_cu_geo_widen(&geo, (unsigned)weft_cu_tree_width(&c->tree) + 1);
	if (!ret)
		ret = weft_cu_group_open(&a, &c->hw);
	if (!ret && c->barrier >= 0)
		ret = join_open_barrier(c, &a);
	c->points = 0;
	join_agree(c, ret ? JOIN_NO : nic_long_open(c) ? JOIN_ALL :
							 JOIN_PACKETS);
}

/* By where the members run; equal words everywhere, so an equal tree. */
static int join_near(struct weft_coll *c)
{
	weft_cu_place *place;
	int ret;

	if (!c->arity)
		return weft_cu_tree_pairs(&c->tree, c->n);
	place = malloc((size_t)c->n * sizeof(*place));
	if (!place)
		return -ENOMEM;
	for (int i = 0; i < c->n; i++)
		place[i] = c->words[i].place;
	ret = weft_cu_tree_near(&c->tree, c->n, (int)c->arity, place);
	free(place);
	return ret;
}

static int join_tree(struct weft_coll *c)
{
	const struct weft_machine *m = c->nic->machine;
	struct weft_cu_coord *at;
	int ret;

	if (!m->coords)
		return join_near(c);
	at = calloc((size_t)c->n, sizeof(*at));
	if (!at)
		return -ENOMEM;
	for (int i = 0; i < c->n; i++)
		m->coords((uint32_t)c->words[i].node, at[i].at);
	ret = weft_cu_tree_torus(&c->tree, c->n, at);
	free(at);
	return ret;
}

/*
 * One of the routes that are free everywhere. Groups that join at the same
 * time begin to look at different ones, or they would take the same.
 */
static int route_pick(const struct weft_coll *c, uint64_t free_routes)
{
	unsigned turn = (unsigned)(c->key + (uint64_t)c->tries) % 64;
	uint64_t turned = free_routes >> turn;

	if (turn)
		turned |= free_routes << (64 - turn);
	return (int)((unsigned)__builtin_ctzll(turned) + turn) % 64;
}

void nic_coll_join_step(struct weft_coll *c)
{
	if (coll_carrier(c)->virt)
		join_open_net(c);
	else
		join_open(c);
}

void nic_coll_join_fail(struct weft_coll *c, int err)
{
	join_end(c, err);
}

/* Takes one that is free everywhere, if any; false: somebody was quicker. */
static bool take(const struct weft_coll *c, uint64_t everywhere,
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

/* Routes of groups that this member has left: free when all others have. */
static uint64_t routes_coming(const struct nic_coll *nc)
{
	const struct weft_list *n;
	uint64_t coming = 0;

	for (n = nc->groups.next; n != &nc->groups; n = n->next) {
		const struct weft_coll *c =
			weft_container_of(n, struct weft_coll, link);

		if (c->route >= 0 && c->gone[c->me])
			coming |= UINT64_C(1) << c->route;
	}
	return coming;
}

/* After step 1: takes a route, unless another join was quicker. */
static void join_gathered(struct weft_cu_call *call)
{
	struct weft_coll *c = weft_container_of(call, struct weft_coll, call);
	uint64_t routes = UINT64_MAX, barriers = UINT64_MAX, cpus = UINT64_MAX;
	uint64_t arity = c->nic->coll->arity, soon = UINT64_MAX;
	struct nic_coll *nc = c->nic->coll;

	if (call->err) {
		join_end(c, call->err);
		return;
	}
	for (int i = 0; i < c->n; i++) {
		const struct join_word *w = &c->words[i];

		routes &= w->routes;
		soon &= w->routes | w->coming;
		barriers &= w->barriers;
		cpus = w->cpus < cpus ? w->cpus : cpus;
		arity = w->arity < arity ? w->arity : arity;
	}
	c->arity = (unsigned)arity;
	c->crowded = (uint64_t)c->n > cpus;
	/* all have left one: hear of it, and ask again */
	if (!routes && soon && ++c->tries < COLL_TRIES) {
		join_gather(c);
		return;
	}
	if (c->n == 1 || !routes || join_tree(c)) {
		join_end(c, 0);
		return;
	}
	if (!take(c, routes, &nc->routes, &c->route) ||
	    !take(c, barriers, &nc->barriers, &c->barrier)) {
		join_agree(c, JOIN_NO);
		return;
	}
	c->state = COLL_OPENING;
	nic_coll_join_step(c);
}

/* Step 1. A member without number stands where he stands in the set. */
static void join_gather(struct weft_coll *c)
{
	struct weft_nic *nic = c->nic;

	c->state = COLL_GATHERING;
	c->mine.routes = c->mine.barriers = c->mine.coming = 0;
	if (nic->share && !c->no_route) {
		c->mine.routes = nic->coll->routes;
		c->mine.coming = routes_coming(nic->coll);
		c->mine.barriers = nic->coll->barriers;
	}
	c->mine.node = nic->coll->node >= 0 ? (uint64_t)nic->coll->node :
					      (uint64_t)c->me;
	c->mine.at = (uintptr_t)&c->mine;
	c->mine.cpus = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	c->mine.arity = nic->coll->arity;
	c->mine.place = WEFT_CU_NOWHERE;
	/* a tree that follows the host is wanted: as join_open and join_tree */
	if (!nic->machine->coords && c->mine.arity &&
	    (c->n > WEFT_CU_FLAT || (uint64_t)c->n > c->mine.cpus))
		c->mine.place = nic_place_here();
	c->call = (struct weft_cu_call){
		.kind = WEFT_CU_ALLGATHER, .type = WEFT_CU_UINT64,
		.in = &c->mine, .out = c->words, .count = JOIN_WORDS,
		.done = join_gathered,
	};
	weft_cu_post(c->far, &c->call);
}

/*
 * The same on all members: the key they were given, their names in order, and
 * how often these have joined.
 */
static uint64_t coll_key(struct weft_coll *c, uint64_t h)
{
	struct nic_coll *nc = c->nic->coll;
	struct sockaddr_in name;
	uint64_t times;

	for (int i = 0; i < c->n; i++) {
		if (i == c->me)
			weft_nic_name(c->nic, &name);
		else
			name = c->member[i]->name;
		h = weft_hash_mix(h ^ ((uint64_t)name.sin_addr.s_addr << 16 |
				       name.sin_port)) +
		    (uint64_t)i;
	}
	times = (uintptr_t)weft_hash_get(&nc->joins, h) + 1;
	weft_hash_set(&nc->joins, h, (void *)(uintptr_t)times);
	return weft_hash_mix(h + times * 0x9e3779b97f4a7c15u);
}

static int coll_far(struct weft_coll *c)
{
	struct weft_cu_geo geo = c->nic->coll->far_geo;
	struct weft_cu_tree t;
	struct weft_cu_group_attr a = {
		.geo = &geo, .tree = &t, .flat = c->n <= WEFT_CU_FLAT,
		.n = c->n, .me = c->me,
		.generation = 1, .send = nic_coll_say, .arg = c,
	};
	int ret = weft_cu_tree_pairs(&t, c->n);

	if (ret)
		return ret;
	geo.inputs = (unsigned)weft_cu_tree_width(&t) + 1;
	ret = weft_cu_group_open(&a, &c->far);
	weft_cu_tree_fini(&t);
	return ret;
}

static int coll_alloc(struct weft_coll *c, const struct weft_coll_attr *a)
{
	size_t n = (size_t)a->n;

	c->member = calloc(n, sizeof(*c->member));
	c->gone = calloc(n, sizeof(*c->gone));
	c->area = calloc(n, sizeof(*c->area));
	c->words = calloc(n, sizeof(*c->words));
	if (!c->member || !c->gone || !c->area || !c->words)
		return -ENOMEM;
	memcpy(c->member, a->member, n * sizeof(*c->member));
	for (int i = 0; i < a->n; i++) {
		if (i != a->me && c->member[i]->lost)
			return -ECONNRESET;
	}
	c->key = coll_key(c, a->key);
	return coll_far(c);
}

int weft_nic_join(struct weft_nic *nic, const struct weft_coll_attr *a,
		  struct weft_coll **c_p)
{
	struct weft_coll *c;
	int ret;

	if (a->n < 1 || a->me < 0 || a->me >= a->n)
		return -EINVAL;
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
	ret = coll_alloc(c, a);
	if (ret) {
		nic_coll_free(c);
		return ret;
	}
	*c_p = c;
	nic_coll_replay(c);
	if (coll_carrier(c)->virt) {
		c->state = COLL_OPENING;
		join_open_net(c);
	} else {
		join_gather(c);
	}
	return 0;
}

void weft_nic_coll_info(const struct weft_coll *c, struct weft_coll_info *info)
{
	*info = (struct weft_coll_info){
		.route = c->route, .barrier = c->barrier, .members = c->n,
		.depth = c->tree.n ? c->tree.depth : 0,
		.bulk = c->bulk,
		.flat = c->n <= WEFT_CU_FLAT && !c->crowded,
	};
}
