/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machine file of gemini in the model: published latencies and rates, the
 * resources that the two interfaces of a chip share, and the links that packets
 * use. Nodes 2 i and 2 i + 1 are on chip i of 4x4x4; z varies fastest.
 */
#include "test/support/net_fixture.h"
#include "prov/net/file/net_file.h"

#include "test/t.h"

#include <string.h>

/* path indices, in the order of the machine file */
enum { FMA, BTE, GET, REPLY, AMO };
/* X, Y, Z: first node of the next chip in each dimension */
enum { ENDS = 128, X = 32, Y = 8, Z = 2 };
enum { X_PORTS = 16, Y_PORTS = 8, TORUS_PORTS = 40 };
enum { LONG = 1 << 20 };

static struct net_config cfg;

static void load(const char *machine)
{
	struct net_error_text why;

	T_OK(net_file_load(machine, 0, &cfg, &why));
	T_TRUE(!strcmp(cfg.path[BTE].name, "bte"));
	T_TRUE(!strcmp(cfg.path[AMO].name, "amo"));
}

/* ---- latencies ----------------------------------------------------------- */

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

static void put_latency_is_700_ns_plus_105_per_hop(void **state)
{
	uint64_t one;

	load("gemini:4x4x4");
	one = latency(X, FMA, 8);
	T_TRUE(one > 650000 && one <= 700000);
	T_IS(latency(2 * X, FMA, 8) - one, 105000);
	T_IS(latency(X + Y, FMA, 8) - one, 105000);
	T_IS(latency(Y, FMA, 8), one);
	T_IS(latency(Z, FMA, 8), one);
}

/*
 * A get is a request without data, a read at the target host, and a reply that
 * has a different header.
 */
static void a_get_takes_less_than_1500_ns(void **state)
{
	uint64_t both;

	load("gemini:4x4x4");
	both = latency(X, GET, 0) + latency(X, REPLY, 8);
	T_TRUE(both > 1200000 && both <= 1500000);
}

static void packet_sizes_match_the_paper(void **state)
{
	load("gemini:4x4x4");
	T_IS(net_wire_bytes(&cfg, 8), 32 * 3); /* 64 B: 32 phits of 24 bits */
	T_IS(net_wire_bytes(&cfg, 1), 11 * 3);
	T_IS(cfg.ack_wire_bytes, 2 * 3);
	T_IS(cfg.path[REPLY].header_bytes + 8 * 9 + cfg.trailer_bytes, 27 * 3);
	T_IS(cfg.payload_bytes, 64);
}

/* ---- rates --------------------------------------------------------------- */

struct flow {
	uint32_t src, dst;
	uint8_t path, routing;
};

/*
 * Returns the total rate of n concurrent long messages in MB/s, without the
 * start-up time. *apart_p: difference between the slowest and the fastest
 * message, in per cent.
 */
static uint64_t rate(const struct flow *f, unsigned n, unsigned *apart_p)
{
	uint64_t first = UINT64_MAX, last = 0, start = UINT64_MAX;
	struct net_fixture e;

	net_fixture_open(&e, &cfg, 1 << 16);
	for (unsigned i = 0; i < n; i++) {
		struct net_msg msg = { .src = f[i].src,
				       .dst = f[i].dst,
				       .path = f[i].path,
				       .routing = f[i].routing,
				       .bytes = LONG,
				       .cookie = i,
				       .fifo = i };
		uint64_t empty = latency(f[i].dst, f[i].path, 0);

		start = empty < start ? empty : start;
		T_OK(net_send(e.net, 0, &msg));
	}
	net_fixture_drain(&e);
	T_IS(e.arrived, n);
	for (unsigned i = 0; i < n; i++) {
		first = e.cookie_at[i] < first ? e.cookie_at[i] : first;
		last = e.cookie_at[i] > last ? e.cookie_at[i] : last;
	}
	net_fixture_close(&e);
	if (apart_p)
		*apart_p = (unsigned)(100 * (last - first) / last);
	return n * (uint64_t)LONG * 1000000 / (last - start);
}

static uint64_t rate_to(uint32_t dst, uint8_t path, uint8_t routing)
{
	const struct flow f = { 0, dst, path, routing };

	return rate(&f, 1, NULL);
}

static bool is_close(uint64_t is, uint64_t expected, unsigned percent)
{
	print_message("%lu, wanted %lu\n", (unsigned long)is,
		      (unsigned long)expected);
	return 100 * is > (100 - percent) * expected &&
	       100 * is < (100 + percent) * expected;
}

static void transfer_uses_all_links_to_a_neighbour(void **state)
{
	load("gemini:4x4x4");
	T_TRUE(rate_to(X, BTE, NET_DYNAMIC) > 5000);
	T_TRUE(rate_to(Y, BTE, NET_DYNAMIC) > 5000);
	T_TRUE(rate_to(Z, BTE, NET_DYNAMIC) > 5000);
	/* a link has 1.56 GB/s, but at most four packets in flight */
	T_TRUE(is_close(rate_to(X, BTE, NET_DETERMINISTIC), 1005, 3));
}

static void slow_lanes_halve_the_rate(void **state)
{
	load("gemini:4x4x4");
	T_TRUE(is_close(rate_to(Y, BTE, NET_DYNAMIC), 6250, 3));
	load("gemini@slow:4x4x4");
	T_TRUE(is_close(rate_to(Y, BTE, NET_DYNAMIC), 3125, 3));
}

/* HyperTransport adds 12 bytes per 64, and 12 more per read request. */
static void interface_rate_is_bus_rate(void **state)
{
	const struct flow both[] = { { 0, X, BTE, NET_DYNAMIC },
				     { X, 0, BTE, NET_DYNAMIC } };

	load("gemini:4x4x4");
	T_TRUE(is_close(rate_to(X, FMA, NET_DYNAMIC), 8083, 2));
	T_TRUE(is_close(rate(both, 2, NULL) / 2, 6981, 2));
}

static void two_interfaces_share_12800_mb_per_s_evenly(void **state)
{
	const struct flow both[] = { { 0, X, BTE, NET_DYNAMIC },
				     { 1, Z, BTE, NET_DYNAMIC } };
	unsigned apart;

	load("gemini:4x4x4");
	T_TRUE(is_close(rate(both, 2, &apart), 12800, 3));
	T_TRUE(apart < 3);
}

/*
 * Sends four puts from node 1, in four FIFOs, after four puts from node 0 if
 * `other` is set. Returns the arrival time of the last put of node 1.
 */
static uint64_t puts_beside(bool other)
{
	struct net_msg msg = { .bytes = 64 };
	struct net_fixture e;

	net_fixture_open(&e, &cfg, 0);
	for (unsigned i = 0; i < 8; i++) {
		msg.src = i % 2;
		msg.dst = 2 + 2 * (i / 2) + i % 2;
		msg.fifo = i / 2;
		if (msg.src || other)
			T_OK(net_send(e.net, 0, &msg));
	}
	net_fixture_drain(&e);
	net_fixture_close(&e);
	return e.node_at[9];
}

/*
 * GEM-13: each packet uses a processor tile that is free, so four packets of
 * each interface do not wait for each other; if the tiles are modelled as one
 * bus, packets are sent one after the other.
 */
static void packets_use_processor_tiles_that_are_free(void **state)
{
	uint64_t alone;

	load("gemini:8x1x1");
	alone = puts_beside(false);
	T_IS(puts_beside(true), alone);
	for (unsigned i = 0; i < cfg.buses; i++)
		cfg.bus[i].parts = 0;
	T_IS(puts_beside(false), alone);
	T_TRUE(puts_beside(true) > alone);
}

/*
 * Returns the rate of atomics by four nodes on `words` words of one node, in
 * millions per second.
 */
static uint64_t atomics(unsigned words)
{
	struct net_msg msg = { .path = AMO, .bytes = 8 };
	const unsigned n = 8192;
	struct net_fixture e;
	uint64_t at;

	net_fixture_open(&e, &cfg, 1 << 15);
	for (unsigned i = 0; i < n; i++) {
		msg.src = 2 + i % 4 * 2;
		msg.address = i % words * 8;
		msg.fifo = i / 4 % 256;
		T_OK(net_send(e.net, 0, &msg));
	}
	net_fixture_drain(&e);
	T_IS(e.arrived, n);
	at = e.last_at;
	net_fixture_close(&e);
	return (uint64_t)n * 1000000 / at;
}

static void atomic_rate_with_amo_cache_hit_and_miss(void **state)
{
	load("gemini:16x1x1");
	T_TRUE(is_close(atomics(1), 99, 3));
	T_TRUE(is_close(atomics(64), 99, 3));
	T_TRUE(is_close(atomics(8192), 45, 3));
}

/* ---- links and virtual channels ------------------------------------------ */

/* Returns how many links carry packets from node 0 to dst off the chip. */
static unsigned links_to(uint32_t dst, unsigned first, unsigned count)
{
	struct net_msg msg = { .dst = dst,
			       .bytes = 1 << 16,
			       .routing = NET_DYNAMIC };
	struct net_port_count c;
	struct net_fixture e;
	unsigned n = 0;

	net_fixture_open(&e, &cfg, 1 << 14);
	T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	for (unsigned port = first; port < first + count; port++) {
		net_port_get(e.net, ENDS, port, &c);
		n += c.packets > 0;
	}
	net_fixture_close(&e);
	return n;
}

static void neighbours_have_eight_four_and_eight_links(void **state)
{
	load("gemini:4x4x4");
	T_IS(links_to(X, 0, X_PORTS), 8);
	T_IS(links_to(Y, X_PORTS, Y_PORTS), 4);
	T_IS(links_to(Z, X_PORTS + Y_PORTS, X_PORTS), 8);
	T_IS(links_to(X, X_PORTS, TORUS_PORTS - X_PORTS), 0);
}

static void nodes_of_a_chip_use_no_link(void **state)
{
	load("gemini:4x4x4");
	T_IS(links_to(1, 0, TORUS_PORTS), 0);
	/* a hop, and 33 B at the rate of a link instead of that of the bus */
	T_IS(latency(X, FMA, 8) - latency(1, FMA, 8), 105000 + 15000 - 2083);
}

/*
 * Requests of a neighbour in y wait for all four links to this node; a packet
 * takes 9.6 us on a link. The neighbour's response to a request of this node
 * waits only for the packet being sent, not for the queued requests.
 */
static void response_overtakes_queued_requests(void **state)
{
	const uint64_t post_ps = 100000000, most = 40000000;
	struct net_msg many = { .src = Y, .bytes = LONG, .spread = 1 };
	struct net_msg one = { .dst = Y, .bytes = 8, .ack = 1 };
	uint64_t now = post_ps;
	struct net_fixture e;

	many.routing = one.routing = NET_DETERMINISTIC;
	load("gemini:4x4x4");
	net_fixture_open(&e, &cfg, 0);
	for (unsigned i = 0; i < Y_PORTS / 2; i++)
		T_OK(net_link_rate(e.net, ENDS + Y / 2, X_PORTS + i,
				   100000000));
	T_OK(net_send(e.net, 0, &many));
	T_OK(net_send(e.net, post_ps, &one));
	while (!e.acked && now < post_ps + most) {
		now += 1000000;
		net_run(e.net, now, &net_fixture_up, &e, NULL);
	}
	T_IS(e.acked, 1);
	net_fixture_close(&e);
}

/*
 * Every node sends its ring neighbours more requests than the links can buffer,
 * and every packet gets a response. With one channel for requests and responses
 * this would deadlock.
 */
static void requests_do_not_block_responses(void **state)
{
	struct net_fixture e;

	load("gemini:8x1x1");
	net_fixture_open(&e, &cfg, 1 << 17);
	for (uint32_t i = 0; i < 16; i++) {
		struct net_msg msg = { .src = i,
				       .dst = (i + 6) % 16,
				       .bytes = 1 << 16,
				       .ack = 1,
				       .fifo = 1,
				       .routing = i % 2 ? NET_DYNAMIC
							: NET_DETERMINISTIC };

		T_OK(net_send(e.net, 0, &msg));
	}
	net_fixture_drain(&e);
	T_IS(e.arrived, 16);
	T_IS(e.acked, 16);
	net_fixture_close(&e);
}

/*
 * Returns the time until 64 messages of four packets in eight FIFOs are
 * acknowledged, with these limits of packets and messages (0: no limit).
 */
static uint64_t all_acked(uint32_t packets, uint32_t messages)
{
	struct net_msg msg = { .dst = X, .bytes = 256, .ack = 1 };
	struct net_fixture e;

	load("gemini:4x4x4");
	cfg.outstanding = packets;
	cfg.transactions = messages;
	net_fixture_open(&e, &cfg, 0);
	for (unsigned i = 0; i < 64; i++) {
		msg.fifo = i % 8;
		T_OK(net_send(e.net, 0, &msg));
	}
	net_fixture_drain(&e);
	T_IS(e.acked, 64);
	net_fixture_close(&e);
	return e.acked_at;
}

/*
 * GEM-10: a packet is sent only when the request buffer has a free entry, a
 * message only when a sequence identifier is free. Without queueing, a packet
 * is acknowledged after more than 900 ns.
 */
static void outstanding_requests_are_limited(void **state)
{
	uint64_t unlimited = all_acked(0, 0);

	T_IS(all_acked(256, 64), unlimited);
	T_TRUE(all_acked(255, 0) >= unlimited);
	T_TRUE(all_acked(16, 0) > 15 * 600000ull);
	T_TRUE(all_acked(16, 0) < 24 * 900000ull);
	T_TRUE(all_acked(1, 0) > 255 * 600000ull);
	T_TRUE(all_acked(0, 1) > 63 * 600000ull);
	T_TRUE(all_acked(0, 1) < all_acked(1, 0) / 2);
}

/*
 * An acknowledgement in flight is counted at its sender but not yet at the
 * receiver; busy_ps must not underflow.
 */
static void link_busy_time_never_exceeds_elapsed_time(void **state)
{
	struct net_msg msg = { .dst = X, .bytes = 8, .ack = 1 };
	struct net_port_count c;
	struct net_fixture e;

	load("gemini:4x4x4");
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_send(e.net, 0, &msg));
	for (uint64_t now = 0; !e.acked; now += 10000) {
		net_run(e.net, now, &net_fixture_up, &e, NULL);
		for (uint32_t chip = 0; chip < ENDS / 2; chip++)
			for (unsigned port = 0; port < TORUS_PORTS; port++) {
				net_port_get(e.net, ENDS + chip, port, &c);
				T_TRUE(c.busy_ps <= now + 10000);
			}
		T_TRUE(now < 10000000);
	}
	net_fixture_close(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(put_latency_is_700_ns_plus_105_per_hop),
		T_CASE(a_get_takes_less_than_1500_ns),
		T_CASE(packet_sizes_match_the_paper),
		T_CASE(transfer_uses_all_links_to_a_neighbour),
		T_CASE(slow_lanes_halve_the_rate),
		T_CASE(interface_rate_is_bus_rate),
		T_CASE(two_interfaces_share_12800_mb_per_s_evenly),
		T_CASE(packets_use_processor_tiles_that_are_free),
		T_CASE(atomic_rate_with_amo_cache_hit_and_miss),
		T_CASE(neighbours_have_eight_four_and_eight_links),
		T_CASE(nodes_of_a_chip_use_no_link),
		T_CASE(response_overtakes_queued_requests),
		T_CASE(requests_do_not_block_responses),
		T_CASE(outstanding_requests_are_limited),
		T_CASE(link_busy_time_never_exceeds_elapsed_time),
	};

	return T_RUN(tests);
}
