/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups: joining, operations, leaving. Joining takes three steps, each a
 * collective by messages over the group itself:
 *
 *   gather   everyone's free routes and node number -> route and tree
 *   open     map the others' areas, open the row of the route
 *   agree    did that work everywhere? else stay with messages
 *
 * A route is free again when every member has left, because a late member may
 * still count himself in at our row; so the group lingers until all have said
 * that they are gone.
 */
#include "prov/nic/nic_int.h"
#include "prov/nic/nic_coll_int.h"
#include "prov/nic/nic_coll_net.h"
#include "prov/nic/cu/cu_exact.h"
#include "src/base/hash.h"
#include "src/base/log.h"

#include <stdlib.h>
#include <unistd.h>

/* How well a join went; all have what the least of them has. */
enum { JOIN_NO, JOIN_PACKETS, JOIN_ALL };

/* Trees by messages, and those of machines without a torus. */
#define COLL_ARITY 8

/* An operation under way that completes an op. */
struct coll_op {
	struct weft_coll_work work;
	struct weft_op *op;
};

/* ---- messages ------------------------------------------------------------ */

static void coll_send(void *arg, int member, const struct weft_cu_msg *msg,
		      const void *payload)
{
	struct weft_coll *c = arg;
	unsigned char buf[sizeof(*msg) + COLL_FAR_BYTES];
	struct weft_pkt pkt = {
		.type = NIC_COLL, .tag = c->key,
		.len = (uint16_t)(sizeof(*msg) + msg->bytes),
	};

	memcpy(buf, msg, sizeof(*msg));
	if (msg->bytes)
		memcpy(buf + sizeof(*msg), payload, msg->bytes);
	nic_ctrl(c->nic, c->member[member], &pkt, buf);
}

static void coll_say_left(struct weft_coll *c)
{
	struct weft_pkt pkt = { .type = NIC_COLL, .tag = c->key };

	for (int i = 0; i < c->n; i++) {
		if (i != c->me && !c->member[i]->lost)
			nic_ctrl(c->nic, c->member[i], &pkt, NULL);
	}
}

static struct weft_coll *coll_find(struct weft_nic *nic, uint64_t key)
{
	struct weft_list *n, *tmp;

	weft_list_each(n, tmp, &nic->coll->groups) {
		struct weft_coll *c =
			weft_container_of(n, struct weft_coll, link);

		if (c->key == key)
			return c;
	}
	return NULL;
}

/* ---- the end of a group -------------------------------------------------- */

static void route_give_back(struct weft_coll *c)
{
	nic_long_close(c);
	if (c->hw)
		weft_cu_group_close(c->hw);
	c->hw = NULL;
	nic_net_close(c->net);
	c->net = NULL;
	weft_cu_tree_fini(&c->tree);
	if (c->route >= 0)
		c->nic->coll->routes |= UINT64_C(1) << c->route;
	c->route = -1;
}

static void coll_free(struct weft_coll *c)
{
	route_give_back(c);
	if (c->far)
		weft_cu_group_close(c->far);
	weft_list_remove(&c->link);
	c->nic->coll_groups--;
	free(c->words);
	free(c->area);
	free(c->gone);
	free(c->member);
	free(c);
}

/* Member i is gone, by his own word or dead. */
static void coll_gone(struct weft_coll *c, int i)
{
	if (c->gone[i])
		return;
	c->gone[i] = true;
	if (++c->gone_count == c->n)
		coll_free(c);
}

void weft_nic_leave(struct weft_coll *c)
{
	c->joined = NULL;
	coll_say_left(c);
	coll_gone(c, c->me);
}

/* ---- packets in ---------------------------------------------------------- */

static int coll_index(const struct weft_coll *c, const struct weft_peer *src)
{
	for (int i = 0; i < c->n; i++) {
		if (i != c->me && c->member[i] == src)
			return i;
	}
	return -1;
}

static void coll_take(struct weft_coll *c, int from, const void *payload,
		      size_t len)
{
	struct weft_cu_msg m;

	if (!len) {
		coll_gone(c, from);
		return;
	}
	memcpy(&m, payload, sizeof(m));
	if (!weft_cu_receive(c->far, &m, (const char *)payload + sizeof(m)))
		c->nic->garbage++;
}

/* Somebody has joined a group that we have not joined yet. */
static int coll_keep(struct weft_nic *nic, struct weft_peer *src,
		     const struct weft_pkt *pkt, const void *payload)
{
	struct coll_early *e;

	if (nic->coll->early_count >= COLL_EARLY_MAX)
		return -EPROTO;
	e = malloc(sizeof(*e) + pkt->len);
	if (!e)
		return -EAGAIN;
	e->key = pkt->tag;
	e->src = src;
	e->len = pkt->len;
	memcpy(e->payload, payload, pkt->len);
	weft_list_push_back(&nic->coll->early, &e->link);
	nic->coll->early_count++;
	return 0;
}

int nic_got_coll(struct weft_nic *nic, struct weft_peer *src,
		 const struct weft_pkt *pkt, const void *payload)
{
	unsigned char buf[sizeof(struct weft_cu_msg) + COLL_FAR_BYTES];
	struct weft_cu_msg m;
	struct weft_coll *c;
	int from;

	if (pkt->len > sizeof(buf) || (pkt->len && pkt->len < sizeof(m)))
		return -EPROTO;
	/* the payload may change under us: look at a copy only */
	memcpy(buf, payload, pkt->len);
	memcpy(&m, buf, sizeof(m));
	if (pkt->len && pkt->len - sizeof(m) != m.bytes)
		return -EPROTO;
	c = coll_find(nic, pkt->tag);
	if (!c)
		return coll_keep(nic, src, pkt, buf);
	from = coll_index(c, src);
	if (from < 0)
		return -EPROTO;
	coll_take(c, from, buf, pkt->len);
	return 0;
}

/* Hands the packets that came too early to the group they are for. */
static void coll_replay(struct weft_coll *c)
{
	struct nic_coll *nc = c->nic->coll;
	struct weft_list *n, *tmp;

	weft_list_each(n, tmp, &nc->early) {
		struct coll_early *e =
			weft_container_of(n, struct coll_early, link);
		int from;

		if (e->key != c->key)
			continue;
		weft_list_remove(n);
		nc->early_count--;
		from = coll_index(c, e->src);
		if (from >= 0)
			coll_take(c, from, e->payload, e->len);
		free(e);
	}
}

/* ---- joining ------------------------------------------------------------- */

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
		route_give_back(c);
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

/* Step 2 in virtual time: the network has the tree. */
static void join_open_net(struct weft_coll *c)
{
	struct weft_vt_route_attr a = { .id = (unsigned)c->route, .n = c->n,
					.me = c->me, .member = c->member };
	int ret = nic_net_open(coll_carrier(c), &a, &c->net);

	if (ret != -EAGAIN)
		join_agree(c, ret ? JOIN_NO : JOIN_PACKETS);
}

/* Step 2: opens the route's row here. */
static void join_open(struct weft_coll *c)
{
	struct weft_cu_group_attr a = {
		.geo = c->nic->coll->geo, .n = c->n, .me = c->me,
		.route = (unsigned)c->route, .generation = c->key | 1,
		.area = c->area, .wake = coll_wake, .arg = c,
		.fence = c->crowded || c->nic->unit->carrier->fences,
	};
	int ret = join_map(c);

	if (ret == -EAGAIN)
		return; /* poll comes back here */
	/* in a crowd one wakes all; otherwise everyone reads for himself */
	if (c->n > WEFT_CU_FLAT || c->crowded)
		a.tree = &c->tree;
	if (!ret)
		ret = weft_cu_group_open(&a, &c->hw);
	c->points = 0;
	join_agree(c, ret ? JOIN_NO : nic_long_open(c) ? JOIN_ALL :
							 JOIN_PACKETS);
}

static int join_tree(struct weft_coll *c)
{
	const struct weft_machine *m = c->nic->machine;
	struct weft_cu_coord *at;
	int ret;

	if (!m->coords)
		return weft_cu_tree_kary(&c->tree, c->n, COLL_ARITY);
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

static void join_step(struct weft_coll *c)
{
	if (coll_carrier(c)->virt)
		join_open_net(c);
	else
		join_open(c);
}

/* After step 1: takes a route, unless another join was quicker. */
static void join_gathered(struct weft_cu_call *call)
{
	struct weft_coll *c = weft_container_of(call, struct weft_coll, call);
	uint64_t free_routes = UINT64_MAX, cpus = UINT64_MAX;
	int pick;

	if (call->err) {
		join_end(c, call->err);
		return;
	}
	for (int i = 0; i < c->n; i++)
		free_routes &= c->words[i].routes;
	for (int i = 0; i < c->n; i++)
		cpus = c->words[i].cpus < cpus ? c->words[i].cpus : cpus;
	c->crowded = (uint64_t)c->n > cpus;
	if (c->n == 1 || !free_routes ||
	    (!coll_carrier(c)->virt && join_tree(c))) {
		join_end(c, 0);
		return;
	}
	pick = route_pick(c, free_routes);
	if (!(c->nic->coll->routes >> pick & 1)) {
		join_agree(c, JOIN_NO);
		return;
	}
	c->route = pick;
	c->nic->coll->routes &= ~(UINT64_C(1) << pick);
	c->state = COLL_OPENING;
	join_step(c);
}

/* Step 1. A member without number stands where he stands in the set. */
static void join_gather(struct weft_coll *c)
{
	struct weft_nic *nic = c->nic;

	c->state = COLL_GATHERING;
	c->mine.routes = 0;
	if ((nic->share || coll_carrier(c)->virt) && !c->no_route)
		c->mine.routes = nic->coll->routes;
	c->mine.node = nic->coll->node >= 0 ? (uint64_t)nic->coll->node :
					      (uint64_t)c->me;
	c->mine.at = (uintptr_t)&c->mine;
	c->mine.cpus = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
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
	struct weft_cu_group_attr a = {
		.geo = &c->nic->coll->far_geo, .n = c->n, .me = c->me,
		.generation = 1, .send = coll_send, .arg = c,
	};
	struct weft_cu_tree t;
	int ret = weft_cu_tree_kary(&t, c->n, COLL_ARITY);

	if (ret)
		return ret;
	if (c->n > WEFT_CU_FLAT)
		a.tree = &t;
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
	c->route = -1;
	weft_list_init(&c->longs);
	c->joined = a->joined;
	c->joined_arg = a->arg;
	c->no_route = a->no_route;
	weft_list_push_back(&nic->coll->groups, &c->link);
	nic->coll_groups++;
	ret = coll_alloc(c, a);
	if (ret) {
		coll_free(c);
		return ret;
	}
	*c_p = c;
	coll_replay(c);
	join_gather(c);
	return 0;
}

void weft_nic_coll_info(const struct weft_coll *c, struct weft_coll_info *info)
{
	*info = (struct weft_coll_info){
		.route = c->route, .members = c->n,
		.depth = c->tree.n ? c->tree.depth : 0,
		.bulk = c->bulk,
		.flat = c->n <= WEFT_CU_FLAT && !c->crowded,
	};
}

/* ---- operations ---------------------------------------------------------- */

/* The unit is done with it. */
static void work_done(struct weft_cu_call *call)
{
	struct weft_coll_work *w =
		weft_container_of(call, struct weft_coll_work, call);

	for (size_t i = 0; w->wide && w->out && i < w->count; i++)
		w->out[i] = weft_cu_exact_to(&w->wide[i]);
	free(w->wide);
	w->coll->pending--;
	w->coll->nic->coll->pending--;
	w->over = true;
	if (w->done)
		w->done(w);
}

/* Widens the doubles of an exact sum; the wide ones are summed in place. */
static int work_widen(struct weft_coll_work *w,
		      const struct weft_coll_call *call)
{
	w->wide = malloc((call->count + 1) * sizeof(*w->wide));
	if (!w->wide)
		return -ENOMEM;
	for (size_t i = 0; i < call->count; i++) {
		double x;

		memcpy(&x, (const char *)call->in + i * sizeof(x), sizeof(x));
		weft_cu_exact_from(&w->wide[i], x);
	}
	w->out = call->out;
	w->count = call->count;
	w->call.in = w->wide;
	w->call.out = w->wide;
	return 0;
}

static bool coll_reduces(unsigned kind)
{
	return kind == WEFT_CU_REDUCE || kind == WEFT_CU_ALLREDUCE ||
	       kind == WEFT_CU_REDUCE_SCATTER;
}

static bool call_is_exact(const struct weft_coll_call *call)
{
	return call->exact && call->type == WEFT_CU_DOUBLE &&
	       call->op == WEFT_CU_SUM &&
	       (call->kind == WEFT_CU_REDUCE ||
		call->kind == WEFT_CU_ALLREDUCE);
}

static int call_check(const struct weft_coll *c,
		      const struct weft_coll_call *call)
{
	if (weft_unlikely(c->state != COLL_READY))
		return c->state == COLL_FAILED ? -ECONNRESET : -EAGAIN;
	if (coll_reduces(call->kind) && !weft_cu_can(call->op, call->type))
		return -EOPNOTSUPP;
	return call->root < 0 || call->root >= c->n ? -EINVAL : 0;
}

int weft_nic_coll_begin(struct weft_coll *c, struct weft_coll_work *w,
			const struct weft_coll_call *call, unsigned turns)
{
	int ret = call_check(c, call);

	if (ret)
		return ret;
	w->over = false;
	w->coll = c;
	w->wide = NULL;
	w->call.kind = call->kind;
	w->call.op = call->op;
	w->call.type = call->type;
	w->call.root = call->root;
	w->call.in = call->in;
	w->call.out = call->out;
	w->call.count = call->count;
	w->call.done = work_done;
	if (call_is_exact(call))
		w->call.type = WEFT_CU_EXACT;
	w->is_long = nic_long_wants(c, w);
	if (w->call.type == WEFT_CU_EXACT && !w->is_long &&
	    work_widen(w, call))
		return -ENOMEM;
	c->pending++;
	c->nic->coll->pending++;
	if (w->is_long) {
		nic_long_post(c, w);
		return 0;
	}
	if (c->hw && weft_cu_quick(c->hw, &w->call, turns))
		return 0;
	if (c->net && nic_net_can(c->net, &w->call)) {
		nic_net_post(c->net, &w->call);
		return 0;
	}
	return weft_cu_post(c->hw ? c->hw : c->far, &w->call);
}

bool weft_nic_coll_spin(struct weft_coll_work *w, unsigned turns)
{
	struct weft_cu_group *g = w->coll->hw;

	if (w->is_long)
		return nic_long_spin(w, turns);
	while (!w->over && g && weft_cu_spin(g, turns))
		weft_cu_poll(g);
	return w->over;
}

bool weft_nic_coll_crowded(const struct weft_coll *c)
{
	return c->crowded;
}

static void coll_op_done(struct weft_coll_work *w)
{
	struct coll_op *o = weft_container_of(w, struct coll_op, work);
	struct weft_nic *nic = w->coll->nic;
	struct weft_op *op = o->op;
	int err = w->call.err;

	op->data = w->call.flags;
	op->len = 0;
	weft_pool_put(&nic->coll->ops, o);
	nic_done(nic, op, err);
}

int weft_nic_coll(struct weft_coll *c, struct weft_op *op,
		  const struct weft_coll_call *call)
{
	struct nic_coll *nc = c->nic->coll;
	struct coll_op *o = weft_pool_get(&nc->ops);
	int ret;

	if (!o)
		return -ENOMEM;
	o->op = op;
	o->work.done = coll_op_done;
	ret = weft_nic_coll_begin(c, &o->work, call, 0);
	if (ret)
		weft_pool_put(&nc->ops, o);
	return ret;
}

/* ---- moving on ----------------------------------------------------------- */

static void coll_move(struct weft_coll *c)
{
	if (c->state == COLL_OPENING)
		join_step(c);
	if (c->pending && c->hw)
		weft_cu_poll(c->hw);
	if (c->pending && c->net)
		nic_net_poll(c->net);
	if (!weft_list_empty(&c->longs))
		nic_long_move(c);
	/* by messages nodes work for others, too: always look */
	weft_cu_poll(c->far);
}

/* What a wait has to look at for one group; the number of things. */
static int coll_expects(struct weft_coll *c, struct weft_carrier_watch *w)
{
	struct weft_cu_watch one, far;
	int n = 0;

	if (c->state == COLL_OPENING)
		return 2;
	if (!c->pending || !c->hw)
		return 0;
	if (weft_cu_ready(c->hw, &one))
		return 2;
	n = one.word != NULL;
	if (!weft_list_empty(&c->longs)) {
		if (nic_long_ready(c, &far))
			return 2;
		one = far;
		n++;
	}
	*w = (struct weft_carrier_watch){ .word = one.word, .want = one.want,
					  .bell = one.bell,
					  .crowded = c->crowded };
	return n;
}

/* What a wait has to look at besides packets. */
static void coll_watch(struct weft_nic *nic)
{
	struct weft_carrier *ca = nic->unit->carrier;
	struct weft_carrier_watch w = { 0 };
	struct weft_list *n, *tmp;
	int waits = 0;

	weft_list_each(n, tmp, &nic->coll->groups)
		waits += coll_expects(
			weft_container_of(n, struct weft_coll, link), &w);
	if (waits > 1)
		w = (struct weft_carrier_watch){ .want = 1 };
	ca->ops->watch(ca, &w);
	nic->coll->watching = waits;
}

void nic_coll_poll(struct weft_nic *nic)
{
	struct weft_list *n, *tmp;

	weft_list_each(n, tmp, &nic->coll->groups)
		coll_move(weft_container_of(n, struct weft_coll, link));
	if (nic->coll->pending || nic->coll->watching)
		coll_watch(nic);
}

void nic_coll_lost(struct weft_nic *nic, struct weft_peer *peer, int err)
{
	struct weft_list *n, *tmp;

	weft_list_each(n, tmp, &nic->coll->groups) {
		struct weft_coll *c =
			weft_container_of(n, struct weft_coll, link);
		int i = coll_index(c, peer);

		if (i < 0)
			continue;
		/* one who has left in good order may go */
		if (!c->gone[i]) {
			nic_long_fail(c, err);
			if (c->hw)
				weft_cu_group_fail(c->hw, err);
			if (c->net)
				nic_net_fail(c->net, err);
			weft_cu_group_fail(c->far, err);
			if (c->state != COLL_READY)
				c->state = COLL_FAILED;
		}
		coll_gone(c, i);
	}
}

/* ---- life ---------------------------------------------------------------- */

int nic_coll_open(struct weft_nic *nic, int node)
{
	struct nic_coll *nc = calloc(1, sizeof(*nc));
	size_t far = nic->packet_bytes - sizeof(struct weft_cu_msg);

	if (!nc)
		return -ENOMEM;
	nc->geo = &nic->machine->cu;
	nc->far_geo = (struct weft_cu_geo){
		.routes = 1, .inputs = COLL_ARITY + 1,
		.packet_bytes = far < COLL_FAR_BYTES ? far : COLL_FAR_BYTES,
	};
	nc->routes = nic->machine->routes;
	nc->node = node;
	weft_list_init(&nc->groups);
	weft_list_init(&nc->early);
	weft_hash_init(&nc->joins);
	weft_pool_init(&nc->ops, sizeof(struct coll_op));
	nic->coll = nc;
	return 0;
}

void nic_coll_close(struct weft_nic *nic)
{
	struct nic_coll *nc = nic->coll;
	struct weft_list *n;

	while (!weft_list_empty(&nc->groups))
		coll_free(weft_container_of(nc->groups.next, struct weft_coll,
					    link));
	while ((n = weft_list_pop_front(&nc->early)))
		free(weft_container_of(n, struct coll_early, link));
	weft_hash_fini(&nc->joins);
	weft_pool_fini(&nc->ops);
	free(nc);
	nic->coll = NULL;
}
