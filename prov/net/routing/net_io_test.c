/* SPDX-License-Identifier: BSD-3-Clause */
/* I/O nodes (BGQ-24) and partitions (BGQ-25) of a torus. */
#include "test/support/net_fixture.h"

#include "prov/net/file/net_name.h"
#include "src/base/attr.h"
#include "test/t.h"

#include <string.h>

enum { NODES = 32, EACH = 16, IO = NODES }; /* two I/O nodes: 32 and 33 */

static void io_config(struct net_config *cfg, uint16_t partitions)
{
	net_config_bgq(cfg);
	memcpy(cfg->size, (uint16_t[]){ 4, 4, 2, 1, 1 }, 10);
	cfg->partitions = partitions;
	cfg->io_nodes = EACH;
	cfg->io_links = 2;
}

/* Returns the latency of a packet of 512 bytes over this number of hops. */
static uint64_t latency(const struct net_config *c, unsigned hops)
{
	return c->path[0].inject_ps + 544 * 312500 / 1000 + hops * c->hop_ps +
	       138 * 2000 + c->path[0].receive_ps;
}

/*
 * The bridges of the first block are nodes 0 and 8, those of the second block
 * 16 and 24. Node 5 is (0,2,1), three hops from bridge 0 and four from bridge
 * 8; node 24 is one hop from bridge 0 around the ring.
 */
static void packets_use_the_nearest_bridge_both_ways(void **state)
{
	static const struct {
		uint32_t src, dst, hops;
	} row[] = {
		{ 0, IO, 1 },  { 8, IO, 1 },	  { 1, IO, 2 },
		{ 5, IO, 4 },  { IO, 5, 4 },	  { IO, 0, 1 },
		{ IO, 8, 1 },  { 16, IO + 1, 1 }, { IO + 1, 31, 3 },
		{ 24, IO, 2 }, { IO, 24, 2 },
	};
	struct net_msg m = { .bytes = 512, .routing = NET_SYSTEM };
	struct net_config cfg;
	struct net_fixture e;
	uint64_t at = 0;

	io_config(&cfg, 0);
	net_fixture_open(&e, &cfg, 0);
	T_IS(net_nodes(e.net), NODES + 2);
	T_IS(net_ports(e.net), 11);
	for (unsigned i = 0; i < WEFT_COUNT_OF(row); i++, at += 100000000) {
		m.src = row[i].src;
		m.dst = row[i].dst;
		T_OK(net_send(e.net, at, &m));
		net_fixture_drain(&e);
		T_IS(e.last_node, m.dst);
		T_IS(net_hops(e.net, m.src, m.dst), row[i].hops);
		T_IS(e.last_at - at, latency(&cfg, row[i].hops));
	}
	T_IS(e.arrived, WEFT_COUNT_OF(row));
	net_fixture_close(&e);
}

static void only_system_packets_use_io_links(void **state)
{
	struct net_msg m = { .bytes = 8 };
	struct net_config cfg;
	struct net_fixture e;

	io_config(&cfg, 0);
	net_fixture_open(&e, &cfg, 0);
	for (m.routing = 0; m.routing <= NET_SYSTEM; m.routing++) {
		m.src = 3;
		m.dst = IO;
		T_IS(net_send(e.net, 0, &m),
		     m.routing == NET_SYSTEM ? 0 : -EINVAL);
		m.src = IO;
		m.dst = 3;
		T_IS(net_send(e.net, 0, &m),
		     m.routing == NET_SYSTEM ? 0 : -EINVAL);
	}
	m.routing = NET_SYSTEM;
	m.dst = IO + 1;
	T_IS(net_send(e.net, 0, &m), -EINVAL);
	m.dst = IO + 2;
	T_IS(net_send(e.net, 0, &m), -EINVAL);
	net_fixture_drain(&e);
	T_IS(e.arrived, 2);
	net_fixture_close(&e);
}

/* All nodes write; each I/O node stores packets at the rate of its engine. */
static void both_links_carry_the_writes_of_a_block(void **state)
{
	struct net_msg m = { .bytes = 100 * 512, .routing = NET_SYSTEM };
	struct net_port_count c;
	struct net_config cfg;
	struct net_fixture e;

	io_config(&cfg, 0);
	net_fixture_open(&e, &cfg, 0);
	for (m.src = 0; m.src < NODES; m.src++) {
		m.dst = IO + m.src / EACH;
		T_OK(net_send(e.net, 0, &m));
	}
	net_fixture_drain(&e);
	T_IS(e.arrived, NODES);
	for (unsigned k = 0; k < 2; k++) {
		net_port_get(e.net, IO, k, &c);
		T_TRUE(c.received >= 700 && c.received <= 900);
	}
	/* 1600 packets of 512 bytes: 3.2 GB/s, two links 3.55 GB/s */
	T_TRUE(e.last_at >= 1600 * 160000ull);
	T_TRUE(e.last_at < 1600 * 160000ull * 5 / 4);
	net_fixture_close(&e);
}

/* Half of the nodes are at equal distance from bridges 0 and 16. */
static void load_is_shared_by_bridges_at_equal_distance(void **state)
{
	struct net_msg m = { .dst = IO, .bytes = 8, .routing = NET_SYSTEM };
	struct net_port_count c;
	struct net_config cfg;
	struct net_fixture e;

	io_config(&cfg, 0);
	cfg.io_nodes = NODES;
	net_fixture_open(&e, &cfg, 0);
	for (m.src = 0; m.src < NODES; m.src++)
		T_OK(net_send(e.net, 0, &m));
	net_fixture_drain(&e);
	for (unsigned k = 0; k < 2; k++) {
		net_port_get(e.net, IO, k, &c);
		T_IS(c.received, NODES / 2);
	}
	net_fixture_close(&e);
}

/* I/O nodes do not change the times of traffic inside the torus. */
static void other_packets_take_the_same_time(void **state)
{
	uint64_t last[2];

	for (unsigned i = 0; i < 2; i++) {
		struct net_msg m = { .bytes = 5000 };
		struct net_config cfg;
		struct net_fixture e;

		io_config(&cfg, 0);
		cfg.io_nodes = i ? EACH : 0;
		net_fixture_open(&e, &cfg, 0);
		for (unsigned n = 0; n < 200; n++) {
			m.src = n % NODES;
			m.dst = n * 7 % NODES;
			m.routing = n / NODES % 4;
			m.fifo = n / NODES;
			T_OK(net_send(e.net, 0, &m));
		}
		net_fixture_drain(&e);
		T_IS(e.arrived, 200);
		last[i] = e.log;
		net_fixture_close(&e);
	}
	T_IS(last[0], last[1]);
}

/* ---- partitions ---------------------------------------------------------- */

/* Returns a hash of partition 0's callbacks; other partitions have traffic. */
static uint64_t partition_log(uint16_t partitions, unsigned busy)
{
	struct net_msg m = { .bytes = 5000 };
	struct net_config cfg;
	struct net_fixture e;
	uint64_t sum = 0;

	io_config(&cfg, partitions);
	cfg.io_nodes = 0;
	net_fixture_open(&e, &cfg, 0);
	for (unsigned p = 0; p < busy; p++)
		for (unsigned n = 0; n < 4 * NODES; n++) {
			m.src = p * NODES + n % NODES;
			m.dst = p * NODES + (n * 7 + 3 + p) % NODES;
			m.fifo = n / NODES;
			T_OK(net_send(e.net, 0, &m));
		}
	net_fixture_drain(&e);
	T_IS(e.arrived, 4 * NODES * busy);
	for (unsigned n = 0; n < NODES; n++)
		sum = sum * 31 + e.node_at[n];
	net_fixture_close(&e);
	return sum;
}

static void partitions_do_not_affect_each_other(void **state)
{
	T_IS(partition_log(0, 1), partition_log(2, 1));
	T_IS(partition_log(2, 2), partition_log(2, 1));
	T_IS(partition_log(3, 3), partition_log(2, 1));
}

static void no_packet_or_tree_crosses_partitions(void **state)
{
	const uint32_t node[2] = { 0, NODES + 2 }, share[2] = { 1, 1 };
	struct net_msg m = { .bytes = 8 };
	struct net_tree_plan t;
	struct net_config cfg;
	struct net_fixture e;
	uint32_t route;

	io_config(&cfg, 2);
	net_fixture_open(&e, &cfg, 0);
	for (m.src = 0; m.src < 2 * NODES; m.src++) {
		for (unsigned port = 0; port < 10; port++) {
			int64_t peer = net_neighbour(e.net, m.src, port);

			T_TRUE(peer < 0 || peer / NODES == m.src / NODES);
		}
		m.dst = (m.src + NODES) % (2 * NODES);
		for (m.routing = 0; m.routing <= NET_SYSTEM; m.routing++)
			T_IS(net_send(e.net, 0, &m), -EINVAL);
	}
	T_IS(net_tree_plan(&cfg, node, share, 2, &t), -EINVAL);
	T_IS(net_tree_open(e.net, node, (int[]){ -1, 0 }, share, 2, &route),
	     -EINVAL);
	/* four I/O nodes; the last two belong to the second partition */
	m.routing = NET_SYSTEM;
	m.src = 3;
	m.dst = 2 * NODES + 1;
	T_OK(net_send(e.net, 0, &m));
	m.dst = 2 * NODES + 2;
	T_IS(net_send(e.net, 0, &m), -EINVAL);
	net_fixture_drain(&e);
	net_fixture_close(&e);
}

static void invalid_configurations_are_refused(void **state)
{
	struct net_config cfg;

	io_config(&cfg, 0);
	cfg.io_nodes = 5;
	T_IS(net_config_check(&cfg), -EINVAL);
	cfg.io_nodes = 16;
	cfg.io_links = 0;
	T_IS(net_config_check(&cfg), -EINVAL);
	cfg.io_links = 11;
	T_IS(net_config_check(&cfg), -EINVAL);
	cfg.io_links = 2;
	T_OK(net_config_check(&cfg));
	cfg.partitions = 60000;
	T_IS(net_config_check(&cfg), -EINVAL);
}

static void names_of_io_nodes_and_partitions(void **state)
{
	struct net_config cfg;
	char text[64];

	io_config(&cfg, 2);
	net_node_name(&cfg, NODES + 5, text, sizeof(text));
	T_STR(text, "1:(0,2,1,0,0)");
	net_node_name(&cfg, 2 * NODES + 3, text, sizeof(text));
	T_STR(text, "I/O node 3");
	net_class_name(&cfg, net_class_of(&cfg, 0, 10), text);
	T_STR(text, "I+");
	net_class_name(&cfg, net_class_of(&cfg, 2 * NODES, 1), text);
	T_STR(text, "I-");
	T_IS(net_classes(&cfg), 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(packets_use_the_nearest_bridge_both_ways),
		T_CASE(only_system_packets_use_io_links),
		T_CASE(both_links_carry_the_writes_of_a_block),
		T_CASE(load_is_shared_by_bridges_at_equal_distance),
		T_CASE(other_packets_take_the_same_time),
		T_CASE(partitions_do_not_affect_each_other),
		T_CASE(no_packet_or_tree_crosses_partitions),
		T_CASE(invalid_configurations_are_refused),
		T_CASE(names_of_io_nodes_and_partitions),
	};
	return T_RUN(tests);
}
