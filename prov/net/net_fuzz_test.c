/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random traffic of all kinds at once on random machines: every message
 * arrives, and the result depends neither on the order of sends nor on how
 * net_run calls are split.
 */
#include "test/support/net_fixture.h"

#include "src/base/rng.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 400, PARTS = 12, ROUTES = 3 };

/* Topologies: a torus of nodes, a tree, a torus of shared routers. */
enum { TORUS, TREE, SHARED };

struct plan {
	unsigned kind;
	struct net_config cfg;
	uint32_t nodes;
	uint32_t count;
	uint64_t at[MESSAGES];
	struct net_msg msg[MESSAGES];
	uint64_t arrivals;
};

/*
 * Configures a fat tree with query barriers (query_ps) instead of barrier
 * classes, sometimes with fewer parents than children.
 */
static void plan_tree(struct plan *p, struct weft_rng *r)
{
	unsigned l;

	p->cfg.topology = NET_GEN_FAT_TREE;
	p->cfg.dims = (uint8_t)(1 + weft_rng_below(r, 3));
	p->nodes = 1;
	for (l = 0; l < p->cfg.dims; l++) {
		p->cfg.size[l] = (uint16_t)(2 + weft_rng_below(r, 3));
		p->cfg.parents[l] = (uint16_t)(1 + weft_rng_below(r, 4));
		p->nodes *= p->cfg.size[l];
	}
	p->cfg.barriers = 0;
	p->cfg.query_ps = 80000;
	p->cfg.ack_ps = 30000;
	p->cfg.ack_receive_ps = 20000;
}

/* Two nodes per router share a bus; several links to each neighbour. */
static void plan_shared(struct plan *p, struct weft_rng *r)
{
	unsigned d;

	p->cfg.dims = 3;
	p->cfg.router_nodes = 2;
	p->nodes = 2;
	for (d = 0; d < 3; d++) {
		p->cfg.links[d] = (uint16_t)(1 + weft_rng_below(r, 4));
		p->cfg.midplane[d] = 0;
		p->nodes *= p->cfg.size[d];
	}
	memset(p->cfg.zone, 0, sizeof(p->cfg.zone));
	for (d = 0; d < NET_ZONES; d++)
		p->cfg.zone[d][0] = 7;
	p->cfg.dyn_queues = 1;
	p->cfg.tokens_end = 1 + (uint32_t)weft_rng_below(r, 8);
	p->cfg.ack_ps = 30000;
	p->cfg.ack_receive_ps = 20000;
	p->cfg.ack_wire_bytes = 6;
	p->cfg.buses = 1;
	p->cfg.bus[0].ps_per_byte_x1000 = 200000;
	p->cfg.bus[0].nodes = 2;
	p->cfg.path[0].bus_out = 1;
	p->cfg.routes = p->cfg.routes_system = p->cfg.barriers = 0;
}

static void plan_machine(struct plan *p, struct weft_rng *r)
{
	unsigned d;

	net_config_bgq(&p->cfg);
	p->nodes = 1;
	for (d = 0; d < 5; d++) {
		p->cfg.size[d] = (uint16_t)(1 + weft_rng_below(r, 4));
		p->cfg.wrap[d] = weft_rng_below(r, 4) != 0;
		p->cfg.midplane[d] = 2;
		p->nodes *= p->cfg.size[d];
	}
	p->cfg.tokens[0] = 18 * (1 + (uint32_t)weft_rng_below(r, 7));
	p->cfg.tokens[1] = 2 + (uint32_t)weft_rng_below(r, 6);
	p->cfg.dyn_queues = 1 + (uint32_t)weft_rng_below(r, 7);
	p->cfg.read_paths = (uint32_t)weft_rng_below(r, 4);
	p->cfg.inject_depth = 1 + (uint32_t)weft_rng_below(r, 4);
	p->cfg.l2_bytes = weft_rng_below(r, 2) ? 8192 : 0;
	if (p->kind == TREE)
		plan_tree(p, r);
	else if (p->kind == SHARED)
		plan_shared(p, r);
}

/* Changes a message to a line broadcast (deposit) along dimension 0. */
static void plan_deposit(struct plan *p, struct net_msg *m)
{
	uint32_t step = p->nodes / p->cfg.size[0];

	if (p->cfg.size[0] < 3 || m->routing == NET_DYNAMIC || p->kind != TORUS)
		return;
	m->src %= step;
	m->dst = m->src + step * (p->cfg.size[0] / 2);
	m->deposit = 1;
}

static void plan_messages(struct plan *p, struct weft_rng *r)
{
	struct net_msg *m;
	uint32_t i;

	p->count = MESSAGES;
	p->arrivals = 0;
	for (i = 0; i < p->count; i++) {
		m = &p->msg[i];
		memset(m, 0, sizeof(*m));
		p->at[i] = weft_rng_below(r, 40000000);
		m->src = (uint32_t)weft_rng_below(r, p->nodes);
		m->dst = (uint32_t)weft_rng_below(r, p->nodes);
		m->bytes = weft_rng_below(r, 2) ? weft_rng_below(r, 8000)
						: weft_rng_below(r, 64);
		m->cookie = i + 1;
		/* one FIFO per message: the order of sends is arbitrary */
		m->fifo = i;
		m->routing = (uint8_t)weft_rng_below(r, 4);
		m->zone = (uint8_t)weft_rng_below(r, 4);
		m->stay = (uint8_t)weft_rng_below(r, 2);
		if (weft_rng_below(r, 8) == 0)
			plan_deposit(p, m);
		if (p->kind != TORUS) {
			m->ack = weft_rng_below(r, 2) != 0;
			m->spread = weft_rng_below(r, 2) != 0;
		}
		p->arrivals += m->deposit ? p->cfg.size[0] / 2u : 1;
	}
}

/* Sends a query or an acknowledged broadcast from one node. */
static void send_query(struct net_fixture *e, struct net_part *part,
		       uint32_t nodes)
{
	part->node = part->seq * 7 % nodes;
	part->kind = part->seq % 4 == 2 ? NET_ACKED_BCAST : NET_QUERY;
	part->bytes = 8;
	part->cookie = part->seq;
	T_OK(net_tree_send(e->net, 1000 * part->seq, part));
}

/* Sends barriers and allreduces alternately; backwards: last node first. */
static void barrier_parts(struct net_fixture *e, uint32_t nodes, uint32_t route,
			  bool backwards)
{
	struct net_part part = { .route = route };
	uint32_t s, k, i;

	for (s = 0; s < PARTS; s++) {
		part.seq = s;
		if (e->cfg.query_ps && s % 4 > 1) {
			send_query(e, &part, nodes);
			continue;
		}
		for (k = 0; k < nodes; k++) {
			i = backwards ? nodes - 1 - k : k;
			part.node = i;
			part.cookie = i + s + route * 10000;
			part.kind =
				s % 2 ? WEFT_COLL_BARRIER : WEFT_COLL_ALLREDUCE;
			part.bytes = s % 2 ? 0 : 512;
			T_OK(net_tree_send(e->net, 1000 * s + i, &part));
		}
	}
}

/*
 * Returns the expected number of results on class routes; acknowledged
 * broadcasts have no result.
 */
static uint64_t results_of(const struct plan *p)
{
	uint64_t all = (uint64_t)p->nodes * PARTS * ROUTES;

	return p->kind == SHARED ? 0 : p->kind == TREE ? all / 4 * 3 : all;
}

static void open_route(struct net_fixture *e, uint32_t nodes, uint32_t *route_p)
{
	uint32_t *node = calloc(nodes, 4), i;
	struct net_tree_plan t;

	for (i = 0; i < nodes; i++)
		node[i] = i;
	T_OK(net_tree_plan(&e->cfg, node, NULL, nodes, &t));
	T_OK(net_tree_open(e->net, t.node, t.parent, t.share, t.count,
			   route_p));
	net_tree_plan_free(&t);
	free(node);
}

enum { BACKWARDS = 1, STEPS = 2, LATE = 4 };

/* Runs the plan; variant `how` must not affect the result. Sets the hashes. */
static void plan_run(const struct plan *p, unsigned how, uint64_t hash[2])
{
	struct net_fixture e;
	struct net_count c;
	uint32_t i, k, route[ROUTES];
	uint64_t t, step = 3333333;

	net_fixture_open(&e, &p->cfg, 20000);
	for (i = 0; i < ROUTES && p->kind != SHARED; i++)
		open_route(&e, p->nodes, &route[i]);
	for (i = 0; i < ROUTES && p->kind != SHARED; i++) {
		k = how & BACKWARDS ? ROUTES - 1 - i : i;
		barrier_parts(&e, p->nodes, route[k], how & BACKWARDS);
	}
	for (i = 0; i < p->count; i++) {
		k = how & BACKWARDS ? p->count - 1 - i : i;
		if (!(how & LATE) || p->at[k] <= step)
			T_OK(net_send(e.net, p->at[k], &p->msg[k]));
	}
	for (t = step; how & (STEPS | LATE) && t < 60000000; t += step) {
		net_run(e.net, t, &net_fixture_up, &e, NULL);
		for (i = 0; how & LATE && i < p->count; i++)
			if (p->at[i] > t && p->at[i] <= t + step)
				T_OK(net_send(e.net, p->at[i], &p->msg[i]));
	}
	net_fixture_drain(&e);
	T_FALSE(net_deadlock_check(e.net));
	T_IS(e.arrived, p->arrivals);
	T_IS(e.results, results_of(p));
	net_count_get(e.net, &c);
	T_IS(c.injected, c.delivered);
	hash[0] = c.hash;
	hash[1] = e.log;
	net_fixture_close(&e);
}

static void check_variants(unsigned kind, int n)
{
	static struct plan p;
	uint64_t want[2], got[2];
	struct weft_rng r;
	unsigned how;
	int i;

	p.kind = kind;
	for (i = 0; i < n; i++) {
		weft_rng_init(&r, 2026, (uint64_t)i);
		plan_machine(&p, &r);
		plan_messages(&p, &r);
		plan_run(&p, 0, want);
		for (how = 1; how < 6; how++) {
			plan_run(&p, how, got);
			T_IS(got[1], want[1]);
			T_IS(got[0], want[0]);
		}
	}
}

static void random_torus_traffic_is_deterministic(void **state)
{
	check_variants(TORUS, t_scale(40));
}

static void random_tree_traffic_is_deterministic(void **state)
{
	check_variants(TREE, t_scale(40));
}

static void random_shared_router_traffic_is_deterministic(void **state)
{
	check_variants(SHARED, t_scale(40));
}

/* Interfaces and class routes wait for free records, and nothing is lost. */
static void few_records_delay_but_lose_nothing(void **state)
{
	struct net_config cfg;
	struct net_fixture e;
	uint64_t sent = 0, i;

	net_config_bgq(&cfg);
	memcpy(cfg.size, (uint16_t[]){ 4, 4, 1, 1, 1 }, 10);
	net_fixture_open(&e, &cfg, 40);
	for (i = 0; i < 2000; i++) {
		struct net_msg m = { .src = (uint32_t)(i * 7 % 16),
				     .dst = (uint32_t)(i * 5 % 16),
				     .bytes = 2000,
				     .fifo = (uint32_t)i };
		int ret = net_send(e.net, e.last_at, &m);

		if (ret == -EAGAIN) {
			net_fixture_drain(&e);
			continue;
		}
		T_OK(ret);
		sent++;
	}
	net_fixture_drain(&e);
	T_FALSE(net_deadlock_check(e.net));
	T_IS(e.arrived, sent);
	net_fixture_close(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(random_torus_traffic_is_deterministic),
		T_CASE(random_tree_traffic_is_deterministic),
		T_CASE(random_shared_router_traffic_is_deterministic),
		T_CASE(few_records_delay_but_lose_nothing),
	};
	return T_RUN(tests);
}
