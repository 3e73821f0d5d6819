/* SPDX-License-Identifier: BSD-3-Clause */
/* Links with different properties: parallel, slow and long links. */
#include "test/support/net_fixture.h"

#include "test/t.h"

#include <string.h>

/* Configures a ring with `links` links to each neighbour. */
static void ring_config(struct net_config *cfg, uint16_t nodes, uint8_t links)
{
	net_config_bgq(cfg);
	cfg->dims = 1;
	cfg->size[0] = nodes;
	cfg->midplane[0] = 0;
	cfg->wrap[0] = nodes > 2;
	cfg->links[0] = links;
	/* engines are faster than all links */
	cfg->path[0].injection_ps_per_byte_x1000 = 1000;
	cfg->path[0].reception_ps_per_byte_x1000 = 1000;
}

/*
 * Returns the number of + ports by which packets left node 0. *most_p: largest
 * number of packets on one port.
 */
static unsigned links_used(const struct net_fixture *e, unsigned links,
			   uint64_t *most_p)
{
	struct net_port_count c;
	unsigned i, n = 0;

	*most_p = 0;
	for (i = 0; i < links; i++) {
		net_port_get(e->net, 0, links + i, &c);
		n += c.packets > 0;
		if (*most_p < c.packets)
			*most_p = c.packets;
	}
	return n;
}

/* Returns the duration of 16 messages of 256 packets from node 0 to node 1. */
static uint64_t stream(struct net_fixture *e, uint8_t links, uint8_t routing)
{
	struct net_msg msg = {
		.dst = 1, .bytes = 512 * 256, .routing = routing, .zone = 1
	};
	struct net_config cfg;

	ring_config(&cfg, 2, links);
	net_fixture_open(e, &cfg, 0);
	for (msg.fifo = 0; msg.fifo < 16; msg.fifo++)
		T_OK(net_send(e->net, 0, &msg));
	net_fixture_drain(e);
	T_IS(e->arrived, 16);
	T_OK(net_check(e->net));
	return e->last_at;
}

static void adaptive_packets_use_all_links_to_a_neighbour(void **state)
{
	struct net_fixture one, four;
	uint64_t most, slow = stream(&one, 1, NET_DYNAMIC);
	uint64_t fast = stream(&four, 4, NET_DYNAMIC);

	T_IS(links_used(&four, 4, &most), 4);
	T_TRUE(most < 4096 / 4 * 11 / 10);
	T_TRUE(slow > 38 * fast / 10);
	net_fixture_close(&one);
	net_fixture_close(&four);
}

static void deterministic_pair_uses_one_link(void **state)
{
	struct net_fixture e;
	uint64_t most;

	stream(&e, 4, NET_DETERMINISTIC);
	T_IS(links_used(&e, 4, &most), 1);
	T_IS(most, 4096);
	net_fixture_close(&e);
}

static void different_pairs_are_spread_over_links(void **state)
{
	struct net_msg msg = { .bytes = 64, .routing = NET_DETERMINISTIC };
	struct net_config cfg;
	struct net_fixture e;
	uint64_t most;

	ring_config(&cfg, 64, 4);
	net_fixture_open(&e, &cfg, 0);
	for (msg.dst = 1; msg.dst < 32; msg.dst++)
		T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	T_IS(links_used(&e, 4, &most), 4);
	net_fixture_close(&e);
}

/* Traffic exceeds the rings' buffers; the bubble prevents deadlock. */
static void multi_link_rings_do_not_deadlock(void **state)
{
	struct net_msg msg = { .bytes = 512 * 40, .zone = 1 };
	struct net_config cfg;
	struct net_fixture e;
	unsigned i;

	ring_config(&cfg, 8, 3);
	net_fixture_open(&e, &cfg, 0);
	for (i = 0; i < 8 * 16; i++) {
		msg.src = i % 8;
		msg.dst = (i + 3) % 8;
		msg.fifo = i / 8;
		msg.routing = i % 3 ? NET_DYNAMIC : NET_DETERMINISTIC;
		T_OK(net_send(e.net, 0, &msg));
	}
	net_fixture_drain(&e);
	T_IS(e.arrived, 8 * 16);
	T_OK(net_check(e.net));
	net_fixture_close(&e);
}

static void a_link_that_lost_lanes_takes_longer(void **state)
{
	struct net_msg msg = { .dst = 1,
			       .bytes = 512 * 64,
			       .routing = NET_DETERMINISTIC };
	struct net_config cfg;
	struct net_fixture e;
	uint64_t whole, half;

	ring_config(&cfg, 2, 1);
	cfg.protocol_ticks = 0;
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	whole = e.last_at;
	T_OK(net_link_rate(e.net, 0, 1, 2 * cfg.link_ps_per_byte_x1000));
	/* no link at the end of a mesh */
	T_IS(net_link_rate(e.net, 0, 0, 1), -EINVAL);
	T_OK(net_send(e.net, whole, &msg));
	net_fixture_drain(&e);
	half = e.last_at - whole;
	T_IS(half - whole, 64 * 138 * 2000);
	T_OK(net_check(e.net));
	net_fixture_close(&e);
}

/*
 * Returns the arrival time of a packet over two links of a ring, of which one
 * has a quarter of the rate.
 */
static uint64_t arrival_with_slow_link(uint32_t node, bool store_forward)
{
	struct net_config cfg;
	struct net_fixture e;

	ring_config(&cfg, 5, 1);
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_link_rate(e.net, node, 1, 4 * cfg.link_ps_per_byte_x1000));
	if (store_forward)
		T_OK(net_link_store_forward(e.net, 1, 1, true));
	T_OK(net_fixture_send(&e, 0, 0, 2, 512));
	net_fixture_drain(&e);
	T_OK(net_check(e.net));
	net_fixture_close(&e);
	return e.last_at;
}

/*
 * Cut-through: the tail arrives at the rate of the slowest link, regardless of
 * its position on the route.
 */
static void packet_is_not_faster_than_the_slowest_link(void **state)
{
	uint64_t first = arrival_with_slow_link(0, false);

	T_IS(first, arrival_with_slow_link(1, false));
	/*
	 * a store-and-forward link delivers the whole packet, whose reception
	 * takes 512 ps; the tail of the slow link is not counted twice
	 */
	T_IS(arrival_with_slow_link(0, true), first + 512);
	T_IS(arrival_with_slow_link(1, true), first + 512);
}

/* A packet that is still arriving by a slow link occupies its next link. */
static void slow_packet_occupies_the_next_link(void **state)
{
	struct net_msg msg = { .src = 1, .dst = 2, .bytes = 512, .cookie = 1 };
	struct net_config cfg;
	struct net_fixture e;
	uint64_t alone;

	msg.routing = NET_DETERMINISTIC;
	ring_config(&cfg, 5, 1);
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_link_rate(e.net, 0, 1, 4 * cfg.link_ps_per_byte_x1000));
	T_OK(net_fixture_send(&e, 0, 0, 2, 512));
	net_fixture_drain(&e);
	alone = e.last_at - cfg.path[0].receive_ps;
	/* posted when the head of the first packet is at node 1 */
	T_OK(net_fixture_send(&e, 10000000, 0, 2, 512));
	T_OK(net_send(e.net, 10500000, &msg));
	net_fixture_drain(&e);
	T_TRUE(e.cookie_at[1] > 10000000 + alone + 138 * 2000);
	T_OK(net_check(e.net));
	net_fixture_close(&e);
}

static void chunk_wire_bytes_exceed_chunk_bytes(void **state)
{
	struct net_config cfg;
	struct net_fixture e;
	uint64_t plain;

	ring_config(&cfg, 2, 1);
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_fixture_send(&e, 0, 0, 1, 512));
	net_fixture_drain(&e);
	plain = e.last_at;
	net_fixture_close(&e);
	cfg.chunk_wire_bytes = 40;
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_fixture_send(&e, 0, 0, 1, 512));
	net_fixture_drain(&e);
	T_IS(e.last_at - plain, 16 * 8 * 500);
	net_fixture_close(&e);
}

/* One switch and two cables; the hop into the end node takes no time. */
static void tree_latency_is_sum_of_cables_and_switches(void **state)
{
	struct net_config cfg;
	struct net_fixture e;
	uint64_t ends;

	net_config_bgq(&cfg);
	cfg.topology = NET_FAT_TREE;
	cfg.dims = 2;
	cfg.size[0] = cfg.size[1] = 4;
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_fixture_send(&e, 0, 0, 15, 8));
	net_fixture_drain(&e);
	ends = e.last_at - 4 * cfg.hop_ps;
	net_fixture_close(&e);
	cfg.hop_ps = 21000;
	cfg.hop_end_ps = 2000;
	cfg.metre_ps = 4000;
	cfg.cable[0] = 5;
	cfg.cable[1] = 20;
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_fixture_send(&e, 0, 0, 15, 8));
	net_fixture_drain(&e);
	T_IS(e.last_at - ends, 3 * 21000 + 2000 + 2 * 25 * 4000);
	net_fixture_close(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(adaptive_packets_use_all_links_to_a_neighbour),
		T_CASE(deterministic_pair_uses_one_link),
		T_CASE(different_pairs_are_spread_over_links),
		T_CASE(multi_link_rings_do_not_deadlock),
		T_CASE(a_link_that_lost_lanes_takes_longer),
		T_CASE(packet_is_not_faster_than_the_slowest_link),
		T_CASE(slow_packet_occupies_the_next_link),
		T_CASE(chunk_wire_bytes_exceed_chunk_bytes),
		T_CASE(tree_latency_is_sum_of_cables_and_switches),
	};

	return T_RUN(tests);
}
