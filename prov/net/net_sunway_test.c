/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machine file of sunway in the model: latencies are exact sums of their
 * parts; rates; shared buffers, slow links and multicast groups of its
 * switches.
 */
#include "test/support/net_fixture.h"
#include "prov/net/file/net_file.h"

#include "test/t.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	FSM,
	QUEUE,
	RDMA,
	EVENT
}; /* path indices, in the order of the machine file */
enum { ENDS = 576, DOWN = 18, UP = 18, LEAF = ENDS, SPINE = ENDS + 64 };

static struct net_config cfg;

static void load(const char *machine)
{
	struct net_error_text why;

	if (net_file_load(machine, 0, &cfg, &why))
		print_message("%s\n", why.text);
	T_OK(net_file_load(machine, 0, &cfg, &why));
	T_TRUE(!strcmp(cfg.path[RDMA].name, "rdma"));
	T_TRUE(!strcmp(cfg.path[EVENT].name, "event"));
}

static uint32_t leaf_of(uint32_t node, unsigned rail)
{
	return LEAF + node / DOWN * 2 + rail;
}

/* Returns the latency of a message from node 0 on rail 0, ps. */
static uint64_t latency(uint32_t dst, uint8_t path, uint64_t bytes)
{
	struct net_msg msg = {
		.dst = dst, .bytes = bytes, .path = path, .rail = 1
	};
	struct net_fixture e;

	net_fixture_open(&e, &cfg, 0);
	T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	T_IS(e.arrived, 1);
	net_fixture_close(&e);
	return e.last_at;
}

/* Returns the link time of a packet with this payload, ps. */
static uint64_t on_link(uint32_t bytes)
{
	uint32_t wire = net_wire_bytes(&cfg, (bytes + 15) / 16);

	return (uint64_t)net_wire_ticks(&cfg, wire,
					cfg.link_ps_per_byte_x1000) *
	       cfg.tick_ps;
}

/* ---- latency ------------------------------------------------------------- */

static void message_latency_is_the_sum_of_its_parts(void **state)
{
	uint64_t four, engine;

	load("sunway");
	engine = 64 * cfg.path[QUEUE].injection_ps_per_byte_x1000 / 1000;
	four = 4 * cfg.hop_ps + (2 * 5 + 2 * 1) * cfg.metre_ps;
	T_IS(latency(ENDS - 1, QUEUE, 8),
	     1245000 + engine + four + on_link(8) + 400000);
	/* within one leaf switch: two hops and two cables of 5 m */
	T_IS(latency(1, QUEUE, 8), 1245000 + engine + 2 * cfg.hop_ps +
					   10 * cfg.metre_ps + on_link(8) +
					   400000);
}

static void short_messages_save_two_pcie_crossings(void **state)
{
	uint64_t fast, plain;

	load("sunway");
	fast = latency(ENDS - 1, FSM, 8);
	plain = latency(ENDS - 1, QUEUE, 8);
	T_TRUE(plain - fast > 925000 && plain - fast < 945000);
	load("sunway@guest");
	T_IS(latency(ENDS - 1, FSM, 8) - fast, 10000);
	T_IS(latency(ENDS - 1, QUEUE, 8) - plain, 10000);
}

/*
 * SWE-12, SWE-16: a node has a port on each of two rails, a rail has 32 leaf
 * switches, a port has 32 KB of buffer.
 */
static void machine_matches_the_paper(void **state)
{
	uint32_t blocks, i;

	load("sunway");
	T_IS(cfg.size[0] * cfg.size[1], 576);
	T_IS(cfg.size[1], 32);
	T_IS(cfg.parents[1], 18);
	T_IS(cfg.siblings, 4);
	T_IS(cfg.rails, 2);
	T_IS(cfg.care.lanes, 4);
	for (i = 0, blocks = cfg.tokens_shared; i < 4; i++)
		blocks += net_channel_tokens(&cfg, i);
	T_IS(blocks * 64, 32 << 10);
}

static void link_payload_rate_matches_the_paper(void **state)
{
	load("sunway");
	T_IS(cfg.payload_bytes * 10000ull / net_wire_bytes(&cfg, 128), 9770);
	/* 13.324 GB/s, less because packets are rounded up to slices */
	T_TRUE(2048.0 * 1000 / (double)on_link(2048) > 13.31);
	T_TRUE(2048.0 * 1000 / (double)on_link(2048) < 13.325);
}

/* ---- buffers ------------------------------------------------------------- */

/*
 * Requests to a node that accepts nothing for some time fill all shared buffers
 * of the link; responses have private buffers.
 */
static void responses_pass_when_requests_fill_shared_buffers(void **state)
{
	struct net_msg msg = {
		.dst = 1, .bytes = 1 << 20, .path = RDMA, .rail = 1
	};
	struct net_fixture e;
	uint64_t alone;

	load("sunway");
	cfg.path[RDMA].reception_ps_per_byte_x1000 *= 1000;
	/* 13 packets use all shared buffers */
	cfg.tokens_shared = 13 * 33 - 2;
	for (unsigned own = 0; own < 2; own++) {
		/* two private blocks: too few for a response of three blocks */
		for (unsigned vc = 0; vc < 4; vc++)
			cfg.tokens[vc] = own ? 16 : 2;
		net_fixture_open(&e, &cfg, 0);
		msg.dst = 1;
		msg.fifo = 0;
		msg.routing = NET_DYNAMIC;
		msg.cookie = 0;
		msg.bytes = 1 << 18;
		msg.path = RDMA;
		T_OK(net_send(e.net, 0, &msg));
		msg.dst = 2;
		msg.routing = NET_SYSTEM;
		msg.path = EVENT;
		msg.bytes = 128;
		msg.fifo = 1;
		msg.cookie = 1;
		T_OK(net_send(e.net, 100000000, &msg));
		net_fixture_drain(&e);
		alone = e.cookie_at[1] - 100000000;
		if (own)
			T_TRUE(alone < 1000000);
		else
			T_TRUE(alone > 10000000);
		net_fixture_close(&e);
	}
}

/* Opens a multicast group over the first nodes. Returns the route. */
static uint32_t group_open(struct net_fixture *e, uint32_t nodes)
{
	struct net_tree_plan t;
	uint32_t node[64], route, i;

	for (i = 0; i < nodes; i++)
		node[i] = i;
	T_OK(net_tree_plan(&cfg, node, NULL, nodes, &t));
	T_OK(net_tree_open(e->net, t.node, t.parent, t.share, t.count, &route));
	net_tree_plan_free(&t);
	return route;
}

/*
 * SWE-16: packets of collectives use the shared buffers of the link, too. With
 * two private blocks, a packet of one block passes while requests fill the
 * shared buffers, but a packet of 33 blocks waits.
 */
static void collectives_use_the_shared_buffers(void **state)
{
	struct net_msg msg = {
		.dst = 1, .bytes = 1 << 18, .path = RDMA, .rail = 2
	};
	struct net_part part = { .kind = WEFT_COLL_BCAST };
	struct net_fixture e;
	uint64_t at[2];

	load("sunway");
	cfg.path[RDMA].reception_ps_per_byte_x1000 *= 1000;
	cfg.tokens_shared = 13 * 33 - 2;
	for (unsigned vc = 0; vc < NET_VC_MAX; vc++)
		cfg.tokens[vc] = 2;
	for (unsigned i = 0; i < 2; i++) {
		net_fixture_open(&e, &cfg, 0);
		part.route = group_open(&e, 2);
		part.bytes = i ? 2048 : 16;
		T_OK(net_send(e.net, 0, &msg));
		T_OK(net_tree_send(e.net, 100000000, &part));
		net_fixture_drain(&e);
		T_IS(e.results, 2);
		at[i] = e.result_at - 100000000;
		T_OK(net_check(e.net));
		net_fixture_close(&e);
	}
	T_TRUE(at[0] < 2000000);
	T_TRUE(at[1] > 10000000);
}

/* A request waits while packets of collectives fill the shared buffers. */
static void requests_wait_for_buffers_of_collectives(void **state)
{
	struct net_part part = { .kind = WEFT_COLL_BCAST, .bytes = 2048 };
	struct net_msg msg = {
		.dst = 1, .bytes = 2048, .path = RDMA, .rail = 2
	};
	struct net_fixture e;
	uint64_t at[2];

	load("sunway");
	/* longer than a packet takes on the link */
	cfg.token_ps = 240000;
	for (unsigned i = 0; i < 2; i++) {
		cfg.tokens_shared = i ? 33 : 448;
		net_fixture_open(&e, &cfg, 0);
		part.route = group_open(&e, 2);
		for (part.seq = 0; part.seq < 8; part.seq++)
			T_OK(net_tree_send(e.net, 0, &part));
		T_OK(net_send(e.net, 500000, &msg));
		net_fixture_drain(&e);
		at[i] = e.cookie_at[0];
		net_fixture_close(&e);
	}
	T_TRUE(at[1] > at[0] + 240000);
}

/* A channel may use the shared buffers that other channels do not use. */
static void one_channel_may_use_all_shared_buffers(void **state)
{
	uint64_t time[2];

	load("sunway");
	for (unsigned i = 0; i < 2; i++) {
		struct net_msg msg = { .dst = ENDS - 1,
				       .bytes = 1 << 20,
				       .path = RDMA,
				       .rail = 1 };
		struct net_fixture e;

		cfg.token_ps = 250000;
		cfg.tokens_shared = i ? 448 : 64;
		net_fixture_open(&e, &cfg, 0);
		T_OK(net_send(e.net, 0, &msg));
		net_fixture_drain(&e);
		time[i] = e.last_at;
		net_fixture_close(&e);
	}
	T_TRUE(time[0] > time[1] * 3 / 2);
}

/* A credit is a block of four slices of 16 bytes. */
static void credits_are_blocks_of_64_bytes(void **state)
{
	load("sunway");
	T_IS(net_wire_tokens(&cfg, net_wire_bytes(&cfg, 0)), 1);
	T_IS(net_wire_tokens(&cfg, net_wire_bytes(&cfg, 1)), 1);
	T_IS(net_wire_tokens(&cfg, net_wire_bytes(&cfg, 2)), 2);
	T_IS(net_wire_tokens(&cfg, net_wire_bytes(&cfg, 128)), 33);
}

/* ---- links --------------------------------------------------------------- */

/* Store-and-forward adds one packet time, and does not change the rate. */
static void a_link_may_store_and_forward(void **state)
{
	struct net_msg msg = {
		.dst = ENDS - 1, .bytes = 2048, .path = EVENT, .rail = 1
	};
	uint64_t cut = 0, whole;
	struct net_fixture e;

	load("sunway");
	for (unsigned links = 0; links < 3; links++) {
		net_fixture_open(&e, &cfg, 0);
		if (links)
			T_OK(net_link_store_forward(e.net, 0, 0, true));
		for (unsigned i = UP; links > 1 && i < 2 * UP; i++)
			T_OK(net_link_store_forward(e.net, leaf_of(0, 0), i,
						    true));
		T_OK(net_send(e.net, 0, &msg));
		net_fixture_drain(&e);
		whole = e.last_at;
		if (!links)
			cut = whole;
		T_IS(whole, cut + links * on_link(2048));
		net_fixture_close(&e);
	}
	/* the link into the last node delivers complete packets only */
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_link_store_forward(e.net, leaf_of(ENDS - 1, 0), DOWN - 1,
				    true));
	T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	T_IS(e.last_at,
	     cut + 2048 * cfg.path[EVENT].reception_ps_per_byte_x1000 / 1000);
	net_fixture_close(&e);
}

/*
 * A packet that arrives at half the rate can leave at the full rate only after
 * it is complete.
 */
static void link_with_lost_lanes_is_store_and_forward(void **state)
{
	struct net_msg msg = {
		.dst = ENDS - 1, .bytes = 2048, .path = EVENT, .rail = 1
	};
	uint64_t half = 2 * 73333ull;
	struct net_fixture e;
	uint64_t whole, cut;

	load("sunway");
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_link_rate(e.net, 0, 0, half));
	T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	whole = e.last_at;
	net_fixture_close(&e);
	cut = latency(ENDS - 1, EVENT, 2048);
	T_TRUE(whole > cut + 2 * on_link(2048) - 2 * cfg.tick_ps);
	T_TRUE(whole < cut + 2 * on_link(2048) + 2 * cfg.tick_ps);
}

/*
 * Leaf switches send to one leaf switch; the downward link from one spine
 * switch has a quarter of its lanes. With tokens alone a sender notices this
 * when the buffers are full, with look-ahead as soon as tokens return late.
 * Returns the duration of all messages.
 */
static uint64_t past_a_slow_spine(uint8_t ahead)
{
	struct net_fixture e;

	cfg.look_ahead = ahead;
	net_fixture_open(&e, &cfg, 1 << 16);
	T_OK(net_link_rate(e.net, SPINE, 31, 4 * 73333ull));
	for (uint32_t i = 0; i < 6; i++) {
		struct net_msg msg = { .src = i * DOWN,
				       .dst = 31 * DOWN + i,
				       .bytes = 200 * 2048,
				       .path = RDMA,
				       .rail = 1 };

		T_OK(net_send(e.net, 0, &msg));
	}
	net_fixture_drain(&e);
	T_IS(e.arrived, 6);
	net_fixture_close(&e);
	return e.last_at;
}

static void look_ahead_avoids_slow_link_behind_switch(void **state)
{
	uint64_t blind, ahead;

	load("sunway");
	T_IS(cfg.look_ahead, 1);
	blind = past_a_slow_spine(0);
	ahead = past_a_slow_spine(1);
	T_TRUE(ahead < blind * 98 / 100);
}

/* ---- rails --------------------------------------------------------------- */

static void two_engines_fill_both_rails(void **state)
{
	struct net_fixture e;
	double rate;

	load("sunway");
	T_IS(cfg.engines, 2);
	net_fixture_open(&e, &cfg, 0);
	for (uint32_t i = 0; i < 8; i++) {
		struct net_msg msg = { .dst = 300,
				       .bytes = 1 << 20,
				       .path = RDMA,
				       .fifo = i % 2 };

		T_OK(net_send(e.net, 0, &msg));
	}
	net_fixture_drain(&e);
	rate = 8.0 * (1 << 20) * 1000 / (double)e.last_at;
	T_TRUE(rate > 25.2 && rate < 26.65);
	net_fixture_close(&e);
}

/* The engine's gap between messages reduces the bandwidth of 4 KB messages. */
static void short_messages_do_not_fill_a_link(void **state)
{
	struct net_msg msg = {
		.dst = 300, .bytes = 4096, .path = RDMA, .rail = 1
	};
	struct net_fixture e;
	double rate;

	load("sunway");
	net_fixture_open(&e, &cfg, 0);
	for (unsigned i = 0; i < 400; i++)
		T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	rate = 400.0 * 4096 * 1000 / (double)e.last_at;
	T_TRUE(rate > 7.0 && rate < 7.1);
	net_fixture_close(&e);
}

/* ---- groups (class routes) ----------------------------------------------- */

static int open_group(struct net *net, const uint32_t *node,
		      const uint32_t *share, uint32_t n, uint32_t *route_p)
{
	struct net_tree_plan t;
	int ret = net_tree_plan(&cfg, node, share, n, &t);

	if (ret)
		return ret;
	ret = net_tree_open(net, t.node, t.parent, t.share, t.count, route_p);
	net_tree_plan_free(&t);
	return ret;
}

/* All groups over the same nodes use the same ports. */
static void a_port_has_32_entries_for_groups(void **state)
{
	static const uint32_t node[] = { 0, 1, 40, 41 };
	static const uint32_t other[] = { 4, 5, 44, 45 };
	uint32_t route = 0, last = 0;
	struct net_fixture e;

	load("sunway");
	net_fixture_open(&e, &cfg, 0);
	for (unsigned i = 0; i < 32; i++)
		T_OK(open_group(e.net, node, NULL, 4, &last));
	T_IS(open_group(e.net, node, NULL, 4, &route), -ENOSPC);
	T_OK(open_group(e.net, other, NULL, 4, &route));
	net_tree_close(e.net, last);
	T_OK(open_group(e.net, node, NULL, 4, &route));
	net_fixture_close(&e);
}

/* Returns the port of `node` that leads to its neighbour `to`. */
static unsigned port_to(const struct net *net, uint32_t node, uint32_t to)
{
	unsigned port = 0;

	while (port < net_ports(net) && net_neighbour(net, node, port) != to)
		port++;
	T_TRUE(port < net_ports(net));
	return port;
}

/*
 * The routers count packets and chunks of each channel, and the occupation of
 * its buffers: here requests of two nodes, which wait for each other, and
 * responses of one.
 */
static void routers_count_the_channels_of_their_ports(void **state)
{
	const uint32_t near = leaf_of(0, 0), far = leaf_of(100, 0);
	struct net_msg msg = { .dst = 100, .rail = 1 };
	unsigned in, out, header;
	struct net_fixture e;

	load("sunway");
	cfg.counters = 1;
	header = cfg.header_bytes / cfg.chunk_bytes;
	net_fixture_open(&e, &cfg, 0);
	in = port_to(e.net, near, 0);
	out = port_to(e.net, far, 100);
	T_OK(net_counter_set(e.net, near, in, NET_COUNTER_RECEIVED,
			     1u << NET_VC_DET));
	T_OK(net_counter_set(e.net, near, in, NET_COUNTER_QUEUED,
			     1u << NET_VC_DET));
	T_OK(net_counter_set(e.net, far, out, 0, 1u << NET_VC_DET));
	T_OK(net_counter_set(e.net, far, out, 1, 1u << NET_VC_SYS));
	T_OK(net_counter_set(e.net, far, out, 2, 1u << NET_VC_DYN));
	for (msg.src = 0; msg.src < 2; msg.src++) {
		msg.path = RDMA;
		msg.routing = NET_DETERMINISTIC;
		msg.bytes = 3 * 2048;
		T_OK(net_send(e.net, 0, &msg));
	}
	msg.src = 0;
	msg.fifo = 1;
	msg.path = EVENT;
	msg.routing = NET_SYSTEM;
	msg.bytes = 128;
	T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	T_IS(e.arrived, 3);
	T_IS(net_counter_get(e.net, near, in, NET_COUNTER_RECEIVED),
	     3 * 2048 / cfg.payload_bytes);
	T_TRUE(net_counter_get(e.net, near, in, NET_COUNTER_QUEUED) > 0);
	T_IS(net_counter_get(e.net, far, out, 0),
	     6 * 2048 / cfg.payload_bytes *
		     (cfg.payload_bytes / cfg.chunk_bytes + header));
	T_IS(net_counter_get(e.net, far, out, 1),
	     128 / cfg.chunk_bytes + header);
	T_IS(net_counter_get(e.net, far, out, 2), 0);
	net_fixture_close(&e);
}

/* Nodes of a class route that do not contribute drop the results. */
static void non_member_node_drops_results(void **state)
{
	static const uint32_t node[] = { 0, 1, 2, 100, 101 };
	static const uint32_t share[] = { 1, 0, 1, 0, 1 };
	struct net_part part = { .kind = WEFT_COLL_BCAST,
				 .bytes = 64,
				 .cookie = 7 };
	struct net_count c;
	struct net_fixture e;

	load("sunway");
	net_fixture_open(&e, &cfg, 0);
	T_OK(open_group(e.net, node, share, 5, &part.route));
	T_OK(net_tree_send(e.net, 0, &part));
	net_fixture_drain(&e);
	T_IS(e.results, 3);
	net_count_get(e.net, &c);
	T_IS(c.filtered, 2);
	net_fixture_close(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(message_latency_is_the_sum_of_its_parts),
		T_CASE(short_messages_save_two_pcie_crossings),
		T_CASE(machine_matches_the_paper),
		T_CASE(link_payload_rate_matches_the_paper),
		T_CASE(responses_pass_when_requests_fill_shared_buffers),
		T_CASE(collectives_use_the_shared_buffers),
		T_CASE(requests_wait_for_buffers_of_collectives),
		T_CASE(one_channel_may_use_all_shared_buffers),
		T_CASE(credits_are_blocks_of_64_bytes),
		T_CASE(a_link_may_store_and_forward),
		T_CASE(link_with_lost_lanes_is_store_and_forward),
		T_CASE(look_ahead_avoids_slow_link_behind_switch),
		T_CASE(two_engines_fill_both_rails),
		T_CASE(short_messages_do_not_fill_a_link),
		T_CASE(a_port_has_32_entries_for_groups),
		T_CASE(routers_count_the_channels_of_their_ports),
		T_CASE(non_member_node_drops_results),
	};
	return T_RUN(tests);
}
