/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machine file of qsnet2 in the model: latencies are exact sums of their
 * parts, and rates and times match published results.
 */
#include "test/support/net_fixture.h"
#include "prov/net/file/net_file.h"

#include "test/t.h"

#include <stdlib.h>
#include <string.h>

enum { STEN, DMA, EVENT }; /* path indices, in the order of the machine file */

static struct net_config cfg;

static void load(const char *machine)
{
	struct net_error_text why;

	if (net_file_load(machine, 0, &cfg, &why))
		print_message("%s\n", why.text);
	T_OK(net_file_load(machine, 0, &cfg, &why));
	T_TRUE(!strcmp(cfg.path[DMA].name, "dma"));
	T_TRUE(!strcmp(cfg.path[EVENT].name, "event"));
}

/* Returns the time from post to arrival of one message from node 0, ps. */
static uint64_t latency(uint32_t dst, uint8_t path, uint64_t bytes)
{
	struct net_msg msg = { .dst = dst, .bytes = bytes, .path = path };
	struct net_fixture e;

	net_fixture_open(&e, &cfg, 0);
	T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	T_IS(e.arrived, 1);
	net_fixture_close(&e);
	return e.last_at;
}

/*
 * Returns the rate of a long message to the next node, in MB/s; both: the total
 * rate of two messages in opposite directions.
 */
static uint64_t rate(uint8_t path, bool both)
{
	struct net_msg msg = { .bytes = 4 << 20, .dst = 1, .path = path };
	struct net_fixture e;

	net_fixture_open(&e, &cfg, 1 << 14);
	T_OK(net_send(e.net, 0, &msg));
	msg.src = 1;
	msg.dst = 0;
	if (both)
		T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	net_fixture_close(&e);
	return e.bytes * 1000000 / e.last_at;
}

/* mille: tolerance in per mille */
static bool is_close(uint64_t got, uint64_t want, unsigned mille)
{
	return got * 1000 >= want * (1000 - mille) &&
	       got * 1000 <= want * (1000 + mille);
}

static void write_latency_is_two_elans_and_a_switch(void **state)
{
	uint64_t wire, sum;

	load("qsnet2:4");
	/* 16 + 18 + 16 bytes, rounded up to whole ticks */
	wire = (50 * cfg.link_ps_per_byte_x1000 / 1000 + 999) / 1000 * 1000;
	sum = 82500 + 157500; /* command processor and input unit */
	sum += 2 * 5 * 4000;  /* two cables of 5 m */
	sum += 21000 + 1000;  /* one switch, and the hop into the end node */
	sum += wire;	      /* link time of the packet */
	sum += 32 * cfg.path[EVENT].injection_ps_per_byte_x1000 / 1000;
	T_IS(latency(1, EVENT, 8), sum);
}

static void tree_level_adds_two_switches_and_two_cables(void **state)
{
	static const uint32_t dst[] = { 1, 4, 16, 64, 256, 1024 };
	uint64_t before = 0, now;
	unsigned l;

	load("qsnet2@table3");
	for (l = 0; l < 6; l++) {
		now = latency(dst[l], EVENT, 8);
		if (l)
			T_IS(now - before,
			     2 * 21000 + 2 * 4000ull * cfg.cable[l]);
		before = now;
	}
	/* compared with one switch: ten more switches, 40 m more cable */
	load("qsnet2:4");
	T_IS(before - latency(1, EVENT, 8), 10 * 21000 + 4000 * (50 - 2 * 5));
}

/* The thread processor of a node matches messages one after the other. */
static void matches_of_a_node_are_serialised(void **state)
{
	struct net_fixture e;

	load("qsnet2:4");
	T_TRUE(cfg.match_unit);
	net_fixture_open(&e, &cfg, 0);
	T_IS(net_thread_run(e.net, 1, 1000000, cfg.match_ps), 1300000);
	T_IS(net_thread_run(e.net, 1, 1100000, cfg.match_ps), 1600000);
	T_IS(net_thread_run(e.net, 2, 1100000, cfg.match_ps), 1400000);
	T_IS(net_thread_run(e.net, 1, 9000000, cfg.match_ps), 9300000);
	net_fixture_close(&e);
}

static void link_delivers_87_per_cent_of_its_rate(void **state)
{
	load("qsnet2:4");
	T_TRUE(is_close(rate(EVENT, false), 928, 5));
	load("qsnet2@raw:4");
	T_TRUE(is_close(rate(EVENT, false), 1160, 5));
}

static void both_directions_share_the_host_bus(void **state)
{
	load("qsnet2:4");
	T_TRUE(is_close(rate(DMA, false), 917, 10));
	T_TRUE(is_close(rate(DMA, true), 920, 10));
	T_TRUE(is_close(rate(EVENT, true), 2 * 928, 10));
	/* a DMA also needs a 64 B descriptor, and reads its data first */
	T_IS(cfg.path[DMA].inject_ps - cfg.path[STEN].inject_ps,
	     750000 + 64 * 1000000 / 450 - 222);
	T_TRUE(is_close(rate(STEN, false), 450, 20));
	load("qsnet2@itanium2:4");
	T_TRUE(is_close(rate(STEN, false), 600, 20));
}

/*
 * The time of a burst follows from the published rate of reads of 512 B. It
 * predicts the published rates of stores, 450 MB/s in bursts of 64 B and 600
 * MB/s in bursts of 128 B, within 10 %.
 */
static void a_burst_costs_time_on_the_host_bus(void **state)
{
	load("qsnet2:4");
	cfg.path[STEN].injection_ps_per_byte_x1000 = 1;
	T_TRUE(is_close(rate(STEN, false), 469, 10));
	load("qsnet2@itanium2:4");
	cfg.path[STEN].injection_ps_per_byte_x1000 = 1;
	T_TRUE(is_close(rate(STEN, false), 656, 10));
	/* writes of 128 B that are not merged */
	load("qsnet2:4");
	cfg.path[DMA].burst_in_bytes = 128;
	T_TRUE(is_close(rate(DMA, false), 656, 10));
}

/* The head of a packet leaves while the processor stores the tail. */
static void sten_packets_leave_before_they_are_stored(void **state)
{
	uint64_t stored, sum;

	load("qsnet2:4");
	stored = (16 + 1024) * cfg.path[STEN].injection_ps_per_byte_x1000;
	sum = cfg.path[STEN].inject_ps + stored / 1000 + 2 * 5 * 4000;
	sum += 21000 + 1000 + 157500;
	T_TRUE(is_close(latency(1, STEN, 1024), sum, 5));
	cfg.path[STEN].cut_through = 0;
	/* 1024 bytes, 8 block headers and a packet header on the link */
	sum += (1024 + 8 * 18 + 16) * cfg.link_ps_per_byte_x1000 / 1000;
	T_TRUE(is_close(latency(1, STEN, 1024), sum, 5));
}

static void short_writes_use_sten_and_long_writes_dma(void **state)
{
	load("qsnet2:4");
	T_TRUE(is_close(latency(1, STEN, 8), 850000, 20));
	T_TRUE(is_close(latency(1, DMA, 8), 1700000, 70));
	T_TRUE(latency(1, STEN, 2048) < latency(1, DMA, 2048));
	T_TRUE(latency(1, STEN, 3072) > latency(1, DMA, 3072));
}

/* ---- barriers ------------------------------------------------------------ */

static uint64_t barrier(uint32_t nodes)
{
	struct net_part part = { .kind = WEFT_COLL_BARRIER };
	uint32_t *node = calloc(nodes, sizeof(*node));
	struct net_tree_plan t;
	struct net_fixture e;

	for (uint32_t i = 0; i < nodes; i++)
		node[i] = i;
	net_fixture_open(&e, &cfg, 1 << 15);
	T_OK(net_tree_plan(&cfg, node, NULL, nodes, &t));
	T_OK(net_tree_open(e.net, t.node, t.parent, t.share, t.count,
			   &part.route));
	for (; part.node < nodes; part.node++)
		T_OK(net_tree_send(e.net, 0, &part));
	net_fixture_drain(&e);
	T_IS(e.results, nodes);
	net_tree_plan_free(&t);
	net_fixture_close(&e);
	free(node);
	return e.result_at;
}

/*
 * A barrier traverses the tree three times; each level adds two switches and
 * two cables to a traversal.
 */
static void barrier_time_steps_at_powers_of_four(void **state)
{
	static const uint32_t nodes[] = { 4, 16, 64, 256, 1024 };
	uint64_t before = 0, now;
	unsigned i;

	load("qsnet2:4x4x4x4x4");
	for (i = 0; i < 5; i++) {
		now = barrier(nodes[i]);
		T_IS(barrier(nodes[i] / 4 + 1), now);
		if (i)
			T_IS(now - before, 3 * (2 * 21000 + 2 * 5 * 4000));
		before = now;
	}
	T_TRUE(barrier(512) < 3500000);
	T_TRUE(barrier(512) > 2100000);
}

/* A long broadcast to 256 nodes is as fast as the slower of bus and link. */
static void broadcast_runs_at_link_rate(void **state)
{
	struct net_part part = { .kind = WEFT_COLL_BCAST,
				 .bytes = 2048,
				 .node = 3 };
	uint32_t node[256], i;
	struct net_tree_plan t;
	struct net_fixture e;

	load("qsnet2:4x4x4x4");
	for (i = 0; i < 256; i++)
		node[i] = i;
	net_fixture_open(&e, &cfg, 1 << 15);
	T_OK(net_tree_plan(&cfg, node, NULL, 256, &t));
	T_OK(net_tree_open(e.net, t.node, t.parent, t.share, t.count,
			   &part.route));
	for (; part.seq < 200; part.seq++)
		T_OK(net_tree_send(e.net, 0, &part));
	net_fixture_drain(&e);
	T_IS(e.results, 200 * 256);
	T_TRUE(is_close(200 * 2048 * 1000000ull / e.result_at, 905, 15));
	net_tree_plan_free(&t);
	net_fixture_close(&e);
}

/* ---- concurrent traffic -------------------------------------------------- */

/* Returns the rate per node, MB/s, when all nodes send to their complement. */
static uint64_t complement(const char *machine, uint32_t nodes)
{
	struct net_msg msg = { .bytes = 256 << 10, .path = EVENT };
	struct net_fixture e;

	load(machine);
	net_fixture_open(&e, &cfg, 1 << 16);
	for (; msg.src < nodes; msg.src++) {
		msg.dst = nodes - 1 - msg.src;
		T_OK(net_send(e.net, 0, &msg));
	}
	net_fixture_drain(&e);
	T_IS(e.arrived, nodes);
	net_fixture_close(&e);
	return e.bytes * 1000000 / e.last_at / nodes;
}

static void complement_traffic_scales_with_upward_links(void **state)
{
	uint64_t pair = complement("qsnet2:4", 4);

	T_TRUE(is_close(complement("qsnet2:4x4x4", 64), pair, 100));
	T_TRUE(is_close(complement("qsnet2@slim:4x4x4", 64), pair / 4, 100));
}

/*
 * QSN-30: the packets of a message use both rails. Their total rate is that of
 * the bus; a single packet takes the time of one rail.
 */
static void a_message_uses_both_rails(void **state)
{
	struct net_msg msg = { .dst = 1, .bytes = 64 << 10, .path = DMA };
	struct net_port_count c[2];
	uint64_t one, bus;
	struct net_fixture e;

	load("qsnet2:4x4");
	one = latency(15, STEN, 8);
	bus = rate(DMA, false);
	load("qsnet2@rails:4x4");
	T_IS(latency(15, STEN, 8), one);
	T_TRUE(is_close(rate(DMA, false), bus, 20));
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	for (unsigned i = 0; i < 2; i++)
		net_port_get(e.net, 0, i, &c[i]);
	T_IS(c[0].packets, 16);
	T_IS(c[1].packets, 16);
	net_fixture_close(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(write_latency_is_two_elans_and_a_switch),
		T_CASE(tree_level_adds_two_switches_and_two_cables),
		T_CASE(matches_of_a_node_are_serialised),
		T_CASE(link_delivers_87_per_cent_of_its_rate),
		T_CASE(both_directions_share_the_host_bus),
		T_CASE(a_burst_costs_time_on_the_host_bus),
		T_CASE(sten_packets_leave_before_they_are_stored),
		T_CASE(short_writes_use_sten_and_long_writes_dma),
		T_CASE(barrier_time_steps_at_powers_of_four),
		T_CASE(broadcast_runs_at_link_rate),
		T_CASE(complement_traffic_scales_with_upward_links),
		T_CASE(a_message_uses_both_rails),
	};
	return T_RUN(tests);
}
