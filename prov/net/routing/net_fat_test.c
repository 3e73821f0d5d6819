/* SPDX-License-Identifier: BSD-3-Clause */
/* Fat trees in the model: latency, contention, bandwidth. */
#include "test/support/net_fixture.h"

#include "test/t.h"

#include <string.h>

static void quaternary(struct net_config *cfg, uint8_t levels)
{
	unsigned l;

	net_config_bgq(cfg);
	cfg->topology = NET_FAT_TREE;
	cfg->dims = levels;
	for (l = 0; l < levels; l++)
		cfg->size[l] = 4;
}

static void latency_grows_with_the_level_of_the_common_switch(void **state)
{
	static const uint32_t dst[] = { 1, 4, 16, 255 };
	struct net_config cfg;
	struct net_fixture e;
	uint64_t t = 0, base;
	unsigned i, routing;

	quaternary(&cfg, 4);
	net_fixture_open(&e, &cfg, 0);
	base = cfg.path[0].inject_ps + 20000 + 36000 + cfg.path[0].receive_ps;
	for (i = 0; i < 4; i++)
		for (routing = 0; routing < 4; routing++) {
			struct net_msg msg = { .dst = dst[i],
					       .bytes = 8,
					       .routing = (uint8_t)routing };
			unsigned hops = 2 * (i + 1);

			T_IS(net_hops(e.net, 0, dst[i]), hops);
			T_OK(net_send(e.net, t, &msg));
			net_fixture_drain(&e);
			T_IS(e.last_node, dst[i]);
			T_IS(e.last_at - t, base + hops * cfg.hop_ps);
			t = e.last_at + 1000000;
		}
	net_fixture_close(&e);
}

/* All nodes send to their complement. */
static void complement_traffic_runs_at_link_rate(void **state)
{
	struct net_config cfg;
	struct net_fixture e;
	uint32_t i, packets = 200;
	uint64_t least;

	quaternary(&cfg, 3);
	net_fixture_open(&e, &cfg, 64 * 100);
	for (i = 0; i < 64; i++)
		T_OK(net_fixture_send(&e, 0, i, 63 - i, packets * 512));
	net_fixture_drain(&e);
	T_IS(e.arrived, 64);
	least = packets * 144ull * 2000;
	T_TRUE(e.last_at > least);
	T_TRUE(e.last_at < least * 115 / 100 + 3000000);
	net_fixture_close(&e);
}

static void all_to_all_arrives_on_a_thin_tree(void **state)
{
	struct net_config cfg;
	struct net_fixture e;
	uint32_t i, k, n = 24;

	net_config_bgq(&cfg);
	cfg.topology = NET_GEN_FAT_TREE;
	cfg.dims = 3;
	memcpy(cfg.size, (uint16_t[]){ 4, 3, 2 }, 6);
	memcpy(cfg.parents, (uint16_t[]){ 2, 2, 1 }, 6);
	net_fixture_open(&e, &cfg, 4000);
	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++) {
			struct net_msg msg = { .src = i,
					       .dst = k,
					       .bytes = 1500,
					       .fifo = k,
					       .routing = (uint8_t)(k % 4) };

			T_OK(net_send(e.net, 0, &msg));
		}
	net_fixture_drain(&e);
	T_FALSE(net_deadlock_check(e.net));
	T_IS(e.arrived, n * n);
	net_fixture_close(&e);
}

/* The root is a switch: it combines the contributions of the nodes. */
static void class_route_may_have_a_switch_as_root(void **state)
{
	struct net_config cfg;
	struct net_fixture e;
	uint32_t node[] = { 64, 0, 1, 2, 3 }, share[] = { 0, 1, 1, 1, 1 };
	struct net_part part = { .kind = WEFT_COLL_ALLREDUCE, .bytes = 8 };

	quaternary(&cfg, 3);
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_tree_open(e.net, node, (int[]){ -1, 0, 0, 0, 0 }, share, 5,
			   &part.route));
	for (part.node = 0; part.node < 4; part.node++) {
		part.cookie = 10 + part.node;
		T_OK(net_tree_send(e.net, 0, &part));
	}
	net_fixture_drain(&e);
	T_IS(e.results, 4);
	T_IS(e.result_sum, 4 * 46);
	net_fixture_close(&e);
}

/*
 * The nodes are in both halves of the machine, so the root is at the top; each
 * subtree has one switch.
 */
static void tree_plan_uses_the_switches_above_the_nodes(void **state)
{
	static const uint32_t node[] = { 3, 4, 5, 40 };
	struct net_part part = { .kind = WEFT_COLL_ALLREDUCE, .bytes = 8 };
	struct net_config cfg;
	struct net_tree_plan t;
	struct net_fixture e;
	unsigned i;

	quaternary(&cfg, 3);
	T_OK(net_tree_plan(&cfg, node, NULL, 4, &t));
	/* four nodes, three switches above them, two at level 2, the root */
	T_IS(t.count, 4 + 3 + 2 + 1);
	T_IS(t.parent[1], t.parent[2]);
	T_TRUE(t.parent[0] != t.parent[1]);
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_tree_open(e.net, t.node, t.parent, t.share, t.count,
			   &part.route));
	for (i = 0; i < 4; i++) {
		part.node = node[i];
		part.cookie = 10 + i;
		T_OK(net_tree_send(e.net, 0, &part));
	}
	net_fixture_drain(&e);
	T_IS(e.results, 4);
	T_IS(e.result_sum, 4 * 46);
	net_tree_plan_free(&t);
	T_OK(net_tree_plan(&cfg, node + 1, NULL, 2, &t));
	T_IS(t.count, 3);
	net_tree_plan_free(&t);
	net_fixture_close(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(latency_grows_with_the_level_of_the_common_switch),
		T_CASE(complement_traffic_runs_at_link_rate),
		T_CASE(all_to_all_arrives_on_a_thin_tree),
		T_CASE(class_route_may_have_a_switch_as_root),
		T_CASE(tree_plan_uses_the_switches_above_the_nodes),
	};
	return T_RUN(tests);
}
