/* SPDX-License-Identifier: BSD-3-Clause */
/* Class routes: results, times, and the behaviour of each packet kind. */
#include "test/support/net_fixture.h"

#include "test/t.h"

#include <stdlib.h>
#include <string.h>

struct tree {
	struct net_fixture e;
	uint32_t count;
	uint32_t route;
	uint32_t *node;
	uint32_t *share;
	int *parent;
	struct net_tree_plan plan;
};

static void tree_open_with(struct tree *t, const uint16_t size[5],
			   uint32_t share, uint32_t barriers)
{
	struct net_config cfg;
	uint32_t i;

	net_config_bgq(&cfg);
	memcpy(cfg.size, size, 10);
	cfg.barriers = barriers;
	net_fixture_open(&t->e, &cfg, 65536);
	for (t->count = 1, i = 0; i < 5; i++)
		t->count *= size[i];
	t->node = calloc(t->count, sizeof(*t->node));
	t->share = calloc(t->count, sizeof(*t->share));
	for (i = 0; i < t->count; i++) {
		t->node[i] = i;
		t->share[i] = share;
	}
	T_OK(net_tree_plan(&cfg, t->node, t->share, t->count, &t->plan));
	t->parent = t->plan.parent;
	T_OK(net_tree_open(t->e.net, t->node, t->parent, t->share, t->count,
			   &t->route));
}

static void tree_open(struct tree *t, const uint16_t size[5], uint32_t share)
{
	tree_open_with(t, size, share, 16);
}

static void tree_close(struct tree *t)
{
	net_tree_close(t->e.net, t->route);
	net_fixture_close(&t->e);
	free(t->node);
	free(t->share);
	net_tree_plan_free(&t->plan);
}

static void all_send(struct tree *t, uint64_t at, struct net_part part,
		     uint32_t times)
{
	uint32_t i, k;

	part.route = t->route;
	for (i = 0; i < t->count; i++)
		for (k = 0; k < t->share[i]; k++) {
			part.node = t->node[i];
			part.cookie = 1 + i * 100 + k;
			T_OK(net_tree_send(t->e.net, at, &part));
		}
}

/* Table 3, in nanoseconds: a constant plus 57.33 ns per hop. */
static void table_3_is_endpoint_plus_hops(void **state)
{
	static const struct {
		uint16_t size[5];
		unsigned ns;
	} row[] = {
		{ { 2, 1, 1, 1, 1 }, 641 },  { { 2, 2, 1, 1, 1 }, 756 },
		{ { 2, 2, 2, 1, 1 }, 870 },  { { 2, 2, 2, 2, 1 }, 985 },
		{ { 2, 2, 2, 2, 2 }, 1100 }, { { 4, 2, 2, 2, 2 }, 1214 },
		{ { 4, 4, 2, 2, 2 }, 1329 }, { { 4, 4, 4, 2, 2 }, 1444 },
		{ { 4, 4, 4, 4, 2 }, 1558 },
	};
	struct net_part part = { .kind = WEFT_COLL_ALLREDUCE,
				 .fp = 1,
				 .bytes = 8 };
	struct tree t;
	unsigned i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		tree_open(&t, row[i].size, 1);
		all_send(&t, 0, part, 1);
		net_fixture_drain(&t.e);
		T_IS(t.e.results, t.count);
		T_IS((t.e.result_at + 500) / 1000, row[i].ns);
		tree_close(&t);
	}
}

static void every_node_receives_the_sum_of_all_contributions(void **state)
{
	struct net_part part = { .kind = WEFT_COLL_ALLREDUCE, .bytes = 512 };
	struct tree t;
	uint64_t sum = 0;
	uint32_t i, k, s;

	tree_open(&t, (uint16_t[]){ 3, 2, 2, 1, 2 }, 4);
	for (i = 0; i < t.count; i++)
		for (k = 0; k < 4; k++)
			sum += 1 + i * 100 + k;
	for (s = 0; s < 20; s++) {
		part.seq = s;
		all_send(&t, 1000 * s, part, 4);
	}
	net_fixture_drain(&t.e);
	T_IS(t.e.results, 20 * t.count);
	T_IS(t.e.result_sum, 20 * t.count * sum);
	tree_close(&t);
}

static void late_member_delays_only_its_route(void **state)
{
	struct net_part part = { .kind = WEFT_COLL_ALLREDUCE, .bytes = 512 };
	struct tree t;
	uint32_t i, s, other;

	tree_open(&t, (uint16_t[]){ 4, 2, 1, 1, 1 }, 1);
	T_OK(net_tree_open(t.e.net, t.node, t.parent, t.share, t.count,
			   &other));
	/* forty packets of the first route lack the last contribution */
	for (s = 0; s < 40; s++)
		for (i = 0; i + 1 < t.count; i++) {
			part.route = t.route;
			part.node = i;
			part.seq = s;
			T_OK(net_tree_send(t.e.net, 0, &part));
		}
	part.route = other;
	part.kind = WEFT_COLL_BARRIER;
	part.bytes = 0;
	part.seq = 0;
	for (i = 0; i < t.count; i++) {
		part.node = i;
		T_OK(net_tree_send(t.e.net, 0, &part));
	}
	net_fixture_drain(&t.e);
	T_IS(t.e.results, t.count);
	part.route = t.route;
	part.kind = WEFT_COLL_ALLREDUCE;
	part.bytes = 512;
	part.node = t.count - 1;
	for (s = 0; s < 40; s++) {
		part.seq = s;
		T_OK(net_tree_send(t.e.net, 100000000, &part));
	}
	net_fixture_drain(&t.e);
	T_IS(t.e.results, 41 * t.count);
	net_tree_close(t.e.net, other);
	tree_close(&t);
}

static void long_reductions_stream_at_the_rate_of_the_alu(void **state)
{
	struct net_part part = { .kind = WEFT_COLL_ALLREDUCE,
				 .fp = 1,
				 .bytes = 512 };
	struct tree t;
	uint64_t one, many;

	tree_open(&t, (uint16_t[]){ 2, 2, 2, 2, 2 }, 1);
	all_send(&t, 0, part, 1);
	net_fixture_drain(&t.e);
	one = t.e.result_at;
	for (part.seq = 1; part.seq <= 256; part.seq++)
		all_send(&t, 100000000, part, 1);
	net_fixture_drain(&t.e);
	many = t.e.result_at - 100000000;
	T_IS(many - one, 255 * 150 * 2000ull);
	tree_close(&t);
}

/* Opens a route over node 0 and one of its neighbours. */
static uint32_t pair_open(struct net_fixture *e, uint32_t neighbour)
{
	const uint32_t node[2] = { 0, neighbour }, share[2] = { 1, 1 };
	const int parent[2] = { -1, 0 };
	uint32_t route;

	T_OK(net_tree_open(e->net, node, parent, share, 2, &route));
	return route;
}

/* Both routes use node 0, whose ALU processes their packets alternately. */
static void two_routes_share_the_alu_of_a_node(void **state)
{
	enum { PACKETS = 64 };
	struct net_config cfg;
	struct net_fixture e;

	net_config_bgq(&cfg);
	memcpy(cfg.size, (uint16_t[]){ 4, 4, 1, 1, 1 }, 10);
	net_fixture_open(&e, &cfg, 0);
	for (unsigned i = 0; i < 2; i++) {
		uint32_t neighbour = i ? 4 : 1;
		struct net_part part = { .kind = WEFT_COLL_ALLREDUCE,
					 .fp = 1,
					 .bytes = 512 };

		part.route = pair_open(&e, neighbour);
		for (part.seq = 0; part.seq < PACKETS; part.seq++) {
			part.node = 0;
			T_OK(net_tree_send(e.net, 0, &part));
			part.node = neighbour;
			T_OK(net_tree_send(e.net, 0, &part));
		}
	}
	net_fixture_drain(&e);
	T_IS(e.results, 2 * 2 * PACKETS);
	T_TRUE(e.result_at > 2 * PACKETS * 150 * 2000ull);
	T_TRUE(e.result_at < 2 * PACKETS * 150 * 2000ull + 3000000);
	net_fixture_close(&e);
}

static void broadcast_waits_for_no_member(void **state)
{
	struct net_part part = { .kind = WEFT_COLL_BCAST,
				 .bytes = 100,
				 .cookie = 42 };
	struct tree t;

	tree_open(&t, (uint16_t[]){ 4, 2, 2, 1, 1 }, 1);
	part.route = t.route;
	part.node = 3;
	T_OK(net_tree_send(t.e.net, 0, &part));
	net_fixture_drain(&t.e);
	T_IS(t.e.results, t.count);
	T_IS(t.e.result_sum, 42 * t.count);
	tree_close(&t);
}

static void reduction_is_delivered_only_at_its_target(void **state)
{
	struct net_part part = { .kind = WEFT_COLL_REDUCE,
				 .bytes = 64,
				 .dst = 5 };
	struct tree t;

	tree_open(&t, (uint16_t[]){ 4, 2, 2, 1, 1 }, 1);
	all_send(&t, 0, part, 1);
	net_fixture_drain(&t.e);
	T_IS(t.e.results, 1);
	T_IS(t.e.last_node, 5);
	tree_close(&t);
}

static void barrier_uses_no_alu_time(void **state)
{
	struct net_part part = { .kind = WEFT_COLL_BARRIER };
	struct tree t;

	tree_open(&t, (uint16_t[]){ 4, 4, 4, 4, 2 }, 1);
	all_send(&t, 0, part, 1);
	net_fixture_drain(&t.e);
	T_IS(t.e.results, t.count);
	T_IS(t.e.combines, 0);
	/* 12 bytes: 3 ticks; barrier packets do not cut through */
	T_IS(t.e.result_at, t.e.cfg.coll_inject_ps +
				    18 * (t.e.cfg.hop_ps + 3 * 2000) +
				    t.e.cfg.coll_receive_ps);
	tree_close(&t);
}

static void barrier_without_class_uses_empty_packets(void **state)
{
	struct net_part part = { .kind = WEFT_COLL_BARRIER };
	struct tree t;
	uint32_t first;
	uint64_t slow, at = 1000000000;

	tree_open_with(&t, (uint16_t[]){ 4, 4, 4, 4, 2 }, 1, 1);
	first = t.route;
	T_OK(net_tree_open(t.e.net, t.node, t.parent, t.share, t.count,
			   &t.route));
	all_send(&t, at, part, 1);
	net_fixture_drain(&t.e);
	T_IS(t.e.results, t.count);
	/* half of the nodes have children: the last dimension has length 2 */
	T_IS(t.e.combines, t.count / 2);
	slow = t.e.result_at - at;
	net_tree_close(t.e.net, t.route);
	t.route = first;
	all_send(&t, 2 * at, part, 1);
	net_fixture_drain(&t.e);
	T_TRUE(t.e.result_at - 2 * at < slow);
	tree_close(&t);
}

static void invalid_trees_are_refused(void **state)
{
	uint32_t node[] = { 0, 1, 2, 3 }, share[] = { 1, 1, 1, 1 }, r, i;
	struct net_config cfg;
	struct net_fixture e;

	net_config_bgq(&cfg);
	memcpy(cfg.size, (uint16_t[]){ 4, 1, 1, 1, 1 }, 10);
	net_fixture_open(&e, &cfg, 0);
	T_IS(net_tree_open(e.net, node, (int[]){ -1, 0, -1, 2 }, share, 4, &r),
	     -EINVAL);
	T_IS(net_tree_open(e.net, node, (int[]){ 1, 0, 1, 2 }, share, 4, &r),
	     -EINVAL);
	T_IS(net_tree_open(e.net, node, (int[]){ -1, 0, 0, 2 }, share, 4, &r),
	     -EINVAL);
	for (i = 0; i < cfg.routes - cfg.routes_system; i++)
		T_OK(net_tree_open(e.net, node, (int[]){ -1, 0, 1, 0 }, share,
				   4, &r));
	T_IS(net_tree_open(e.net, node, (int[]){ -1, 0, 1, 0 }, share, 4, &r),
	     -ENOSPC);
	net_tree_close(e.net, 3);
	T_OK(net_tree_open(e.net, node, (int[]){ -1, 0, 1, 0 }, share, 4, &r));
	T_IS(r, 3);
	net_fixture_close(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(table_3_is_endpoint_plus_hops),
		T_CASE(every_node_receives_the_sum_of_all_contributions),
		T_CASE(late_member_delays_only_its_route),
		T_CASE(long_reductions_stream_at_the_rate_of_the_alu),
		T_CASE(two_routes_share_the_alu_of_a_node),
		T_CASE(broadcast_waits_for_no_member),
		T_CASE(reduction_is_delivered_only_at_its_target),
		T_CASE(barrier_uses_no_alu_time),
		T_CASE(barrier_without_class_uses_empty_packets),
		T_CASE(invalid_trees_are_refused),
	};
	return T_RUN(tests);
}
