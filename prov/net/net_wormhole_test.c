/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wormhole switching and held paths (QSN-24): exact times of packets that wait
 * for channels, order, and freedom from deadlock.
 */
#include "test/support/net_fixture.h"
#include "prov/net/file/net_file.h"

#include "test/t.h"

#include <string.h>

enum { EVENT = 2 }; /* index of the path from the Elan's own memory */

/* Times of qsnet2 in ns: a link of 5 m into a switch, and into a node. */
enum {
	LINK = 41,
	LINK_END = 21,
	RECEIVE_PS = 157500,
	ACK = 21,
	/* 2048 B in 16 blocks, and the header: 2352 B at 1066 MB/s */
	FULL = 2207,
	FIFO = 961, /* 1024 B at 1066 MB/s */
	SHORT = 47, /* 50 B at 1066 MB/s */
};

static struct net_config cfg;

static void load(const char *machine)
{
	struct net_error_text why;

	T_OK(net_file_load(machine, 0, &cfg, &why));
}

static void post(struct net_fixture *e, uint32_t src, uint32_t dst,
		 uint32_t bytes, uint64_t cookie)
{
	struct net_msg msg = { .src = src,
			       .dst = dst,
			       .bytes = bytes,
			       .cookie = cookie,
			       .fifo = (uint32_t)cookie % 8,
			       .routing = NET_DETERMINISTIC,
			       .path = EVENT };

	T_OK(net_send(e->net, 0, &msg));
}

/* Returns the time at which the engine has built a packet, ps. */
static uint64_t built(uint32_t bytes)
{
	const struct net_path *p = &cfg.path[EVENT];

	return p->inject_ps +
	       (16 + bytes) * p->injection_ps_per_byte_x1000 / 1000;
}

/*
 * Nodes 1 to 3 each send a packet to node 0. Two of the packets hold the
 * channels of the last link and send segments of 961, 961 and 285 ns in turn.
 * The acknowledgement of the first one is back at the switch before the last
 * segment of the second one has left, so the third packet follows it.
 */
static void channels_share_a_link_and_are_held(void **state)
{
	uint64_t grant, end = LINK_END * 1000 + RECEIVE_PS;
	struct net_fixture e;
	unsigned src;

	load("qsnet2:4x4");
	grant = built(2048) + LINK * 1000;
	net_fixture_open(&e, &cfg, 0);
	for (src = 1; src <= 3; src++)
		post(&e, src, 0, 2048, src);
	net_fixture_drain(&e);
	T_IS(e.cookie_at[1], grant + (4 * FIFO + 285) * 1000ull + end);
	T_IS(e.cookie_at[2], grant + (4 * FIFO + 2 * 285) * 1000ull + end);
	T_IS(e.cookie_at[3],
	     grant + (4 * FIFO + 2 * 285 + FULL) * 1000ull + end);
	net_fixture_close(&e);
}

/*
 * A node sends three short packets: the third waits at its source until the
 * acknowledgement of the first one has returned over both links.
 */
static void a_path_is_held_until_the_acknowledgement(void **state)
{
	uint64_t one = LINK + LINK_END + SHORT, at;
	struct net_fixture e;
	unsigned i;

	load("qsnet2:4x4");
	net_fixture_open(&e, &cfg, 0);
	for (i = 0; i < 3; i++)
		post(&e, 0, 1, 16, i);
	net_fixture_drain(&e);
	at = built(16) + one * 1000 + RECEIVE_PS;
	T_IS(e.cookie_at[0], at);
	T_IS(e.cookie_at[1], at + SHORT * 1000);
	/* the link is granted in whole ns; the packet keeps the fraction */
	at = (at + ACK * 1000) / 1000 * 1000 + (LINK + LINK_END) * 1000;
	at += built(16) % 1000 + one * 1000 + RECEIVE_PS;
	T_IS(e.cookie_at[2], at);
	net_fixture_close(&e);
}

/*
 * Sends packet i of 0 to 2 from node 4 + i over the same switch of the second
 * level to node 0, packet 2 to node 1.
 */
static void post_routed(struct net_fixture *e, unsigned i)
{
	const uint8_t route[] = { 0, 4, 0, i == 2 };
	struct net_msg msg = { .src = 4 + i,
			       .dst = i == 2,
			       .bytes = 2048,
			       .cookie = i,
			       .routing = NET_DETERMINISTIC,
			       .route = route,
			       .route_len = 4,
			       .path = EVENT };

	T_OK(net_send(e->net, 0, &msg));
}

/*
 * Packets 5 and 6 from nodes 1 and 2 to node 0 leave the switch of node 0 at
 * 4129 and 4414 ns, as above. Packets 0 and 1 from another switch hold both
 * channels of the links to the switch of node 0, and wait there with one
 * segment each. They leave in turn: 0 at 4414, 6336 and 8258 ns, 1 at 5375,
 * 7297 and 8543 ns. Packet 2 to node 1, whose link is idle, waits for a channel
 * of the first of these links until packet 0 is acknowledged.
 */
static void a_blocked_packet_occupies_links_behind_it(void **state)
{
	uint64_t grant, at;
	struct net_fixture e;
	unsigned i;

	load("qsnet2:4x4");
	net_fixture_open(&e, &cfg, 0);
	post(&e, 1, 0, 2048, 5);
	post(&e, 2, 0, 2048, 6);
	for (i = 0; i < 3; i++)
		post_routed(&e, i);
	net_fixture_drain(&e);
	grant = built(2048) + LINK * 1000;
	at = grant + (8258 + 285 + LINK_END) * 1000 + RECEIVE_PS;
	T_IS(e.cookie_at[0], at);
	T_IS(e.cookie_at[1], at + 285 * 1000);
	at = (at + ACK * 1000) / 1000 + 3 * LINK;
	at += 2 * LINK + LINK_END + FULL;
	T_IS(e.cookie_at[2], at * 1000 + built(2048) % 1000 + RECEIVE_PS);
	net_fixture_close(&e);
}

/*
 * Packet 0 waits at the switch of node 0, as in the previous test. One of its
 * segments is in the FIFO there and one in the previous FIFO, so packet 2 has
 * the first link to itself for its remaining segments: the link carries
 * segments of packets 0, 2, 0, 2 and 2, of 961, 961, 961, 961 and 285 ns. The
 * end of packet 2 follows 82 ns later at the switch of node 1.
 */
static void the_other_channel_passes_a_blocked_packet(void **state)
{
	uint64_t grant, tail = 4 * FIFO + 285 + 2 * LINK;
	struct net_fixture e;

	load("qsnet2:4x4");
	net_fixture_open(&e, &cfg, 0);
	post(&e, 1, 0, 2048, 5);
	post(&e, 2, 0, 2048, 6);
	post_routed(&e, 0);
	post_routed(&e, 2);
	net_fixture_drain(&e);
	grant = built(2048) + LINK * 1000;
	T_IS(e.cookie_at[2], grant + (tail + LINK_END) * 1000 + RECEIVE_PS);
	net_fixture_close(&e);
}

/* A short message does not overtake a long one on the other channel. */
static void messages_on_one_route_stay_in_order(void **state)
{
	struct net_fixture e;

	load("qsnet2:4x4");
	net_fixture_open(&e, &cfg, 0);
	post(&e, 0, 5, 2048, 0);
	post(&e, 0, 5, 8, 8); /* from the same memory FIFO */
	net_fixture_drain(&e);
	T_IS(e.last_cookie, 8);
	net_fixture_close(&e);
}

/*
 * All nodes send all kinds of packets to all nodes, with FIFOs much smaller
 * than a packet.
 */
static void heavy_traffic_has_no_deadlock(void **state)
{
	static const uint32_t fifo[] = { 64, 256, 1024, 4096 };
	struct net_msg msg = { .path = EVENT };
	struct net_fixture e;
	unsigned i, n;

	for (i = 0; i < 4; i++) {
		load("qsnet2:4x4x4");
		cfg.fifo_bytes = fifo[i];
		net_fixture_open(&e, &cfg, 1 << 16);
		for (n = 0; n < 64 * 40; n++) {
			msg.src = n % 64;
			msg.dst = (n * 37 + n / 64 * 11 + 5) % 64;
			msg.bytes = n * 977 % 9000;
			msg.routing = n / 64 % 4;
			msg.fifo = n / 64;
			msg.ack = n / 64 % 3 == 0;
			msg.cookie = 100;
			T_OK(net_send(e.net, 0, &msg));
		}
		net_fixture_drain(&e);
		T_IS(e.arrived, 64 * 40);
		T_OK(net_check(e.net));
		net_fixture_close(&e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(channels_share_a_link_and_are_held),
		T_CASE(a_path_is_held_until_the_acknowledgement),
		T_CASE(a_blocked_packet_occupies_links_behind_it),
		T_CASE(the_other_channel_passes_a_blocked_packet),
		T_CASE(messages_on_one_route_stay_in_order),
		T_CASE(heavy_traffic_has_no_deadlock),
	};
	return T_RUN(tests);
}
