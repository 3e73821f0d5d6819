/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tiled routers: which packets a blocked output delays, which column an
 * adaptive packet waits for, and that two virtual channels have equal priority.
 */
#include "test/support/net_fixture.h"

#include "test/t.h"

#include <string.h>

/* Ports of a router: 8 x-, 8 x+, 4 y-, 4 y+, then two nodes. */
enum { X_UP = 8, Y_DOWN = 16, Y_UP = 20, DOWN = 24, ROUTERS = 32 };
/* inverse link rate in 1/1000 ps per byte: 100 ns per byte */
enum { SLOW = 100000000 };

static void tiled_config(struct net_config *cfg)
{
	net_config_bgq(cfg);
	cfg->dims = 2;
	memcpy(cfg->size, (uint16_t[]){ 4, 4 }, 4);
	memcpy(cfg->links, (uint16_t[]){ 8, 4 }, 4);
	memset(cfg->midplane, 0, sizeof(cfg->midplane));
	memcpy(cfg->zone[0], (uint8_t[]){ 1, 2 }, 2);
	cfg->router_nodes = 2;
	cfg->dyn_queues = 1;
	cfg->read_paths = 0;
	cfg->tokens_end = 8;
	cfg->link_end_ps_x1000 = cfg->link_ps_per_byte_x1000 / 8;
	cfg->routes = cfg->routes_system = cfg->barriers = 0;
	cfg->path[0].injection_ps_per_byte_x1000 = 1000;
	cfg->path[0].reception_ps_per_byte_x1000 = 1000;
	cfg->columns = 8;
	cfg->row_buffer = 1;
}

static void send_by(struct net_fixture *e, uint32_t dst, unsigned first,
		    unsigned second, uint64_t cookie)
{
	const uint8_t route[] = { 0, (uint8_t)first, (uint8_t)second,
				  (uint8_t)(DOWN + dst % 2) };
	struct net_msg msg = { .bytes = 512,
			       .dst = dst,
			       .cookie = cookie,
			       .routing = NET_DETERMINISTIC,
			       .route = route,
			       .route_len = 4 };

	T_OK(net_send(e->net, 0, &msg));
}

/*
 * Two packets go to router 4 and leave it by a slow link. A third packet
 * arrives by the same link and leaves by `port`. Returns its arrival time.
 */
static uint64_t third_packet_arrival(const struct net_config *cfg,
				     unsigned port, uint32_t dst)
{
	struct net_fixture e;

	net_fixture_open(&e, cfg, 0);
	T_OK(net_link_rate(e.net, ROUTERS + 4, X_UP + 1, SLOW));
	for (unsigned i = 0; i < 2; i++)
		send_by(&e, 16, X_UP, X_UP + 1, 1);
	send_by(&e, dst, X_UP, port, 2);
	net_fixture_drain(&e);
	T_IS(e.arrived, 3);
	net_fixture_close(&e);
	return e.cookie_at[2];
}

/* Link time of 552 bytes at 100 ns per byte, ps. */
#define BLOCKED 55200000ull

static void blocked_output_delays_its_column(void **state)
{
	struct net_config cfg;
	uint64_t free_ps, other, same;

	tiled_config(&cfg);
	/*
	 * The third packet leaves router 4 in -y, by a link of another column
	 * (2), then by a link of the blocked column (1).
	 */
	other = third_packet_arrival(&cfg, Y_DOWN + 2, 14);
	same = third_packet_arrival(&cfg, Y_DOWN + 1, 14);
	T_TRUE(other < BLOCKED);
	T_TRUE(same > BLOCKED);
	cfg.row_buffer = 2;
	T_TRUE(third_packet_arrival(&cfg, Y_DOWN + 1, 14) < BLOCKED);
	cfg.columns = 0;
	free_ps = third_packet_arrival(&cfg, Y_DOWN + 1, 14);
	T_IS(other, free_ps);
}

/*
 * When the row buffer is full, a third packet blocks its input buffer
 * (head-of-line blocking).
 */
static void full_row_buffer_blocks_the_input(void **state)
{
	struct net_config cfg;
	struct net_fixture e;

	tiled_config(&cfg);
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_link_rate(e.net, ROUTERS + 4, X_UP + 1, SLOW));
	for (unsigned i = 0; i < 3; i++)
		send_by(&e, 16, X_UP, X_UP + 1, 1);
	send_by(&e, 14, X_UP, Y_DOWN + 2, 2);
	/* a packet that arrives at router 4 by another link is not blocked */
	send_by(&e, 14, X_UP + 3, Y_DOWN + 1, 3);
	net_fixture_drain(&e);
	T_TRUE(e.cookie_at[2] > BLOCKED);
	T_TRUE(e.cookie_at[3] < BLOCKED);
	net_fixture_close(&e);
}

/* ---- adaptive packets ---------------------------------------------------- */

/*
 * One link is busy for a long time; each of the other links is busy with four
 * packets. A packet that may wait for any link uses one of the other links; a
 * packet that has chosen the link with the shortest queue waits for it. The
 * packet on the slow link goes to the other node of the target's router.
 * Returns the arrival time.
 */
static uint64_t adaptive_arrival(const struct net_config *cfg)
{
	struct net_msg msg = { .bytes = 512, .dst = 3, .cookie = 2, .fifo = 1 };
	struct net_fixture e;

	net_fixture_open(&e, cfg, 0);
	T_OK(net_link_rate(e.net, ROUTERS, Y_UP, SLOW));
	for (unsigned i = 0; i < 13; i++) {
		const uint8_t link = (uint8_t)(Y_UP + (i ? 1 + i % 3 : 0));
		const uint8_t route[] = { 0, link, DOWN };
		struct net_msg taken = { .bytes = 512,
					 .dst = 2,
					 .routing = NET_DETERMINISTIC,
					 .route = route,
					 .route_len = 3 };

		T_OK(net_send(e.net, 0, &taken));
	}
	T_OK(net_send(e.net, 590000, &msg));
	net_fixture_drain(&e);
	T_IS(e.arrived, 14);
	net_fixture_close(&e);
	return e.cookie_at[2];
}

static void adaptive_packet_waits_for_one_column(void **state)
{
	struct net_config cfg;

	tiled_config(&cfg);
	T_TRUE(adaptive_arrival(&cfg) > BLOCKED);
	cfg.columns = 0;
	T_TRUE(adaptive_arrival(&cfg) < BLOCKED);
}

/*
 * A link in x leads to router 4, whose four links in y+ are slow. `blocked`
 * packets take that route. Returns the arrival time of a packet behind them
 * that continues in x.
 */
static uint64_t arrival_behind_adaptive(const struct net_config *base,
					unsigned columns, unsigned blocked)
{
	struct net_msg msg = { .bytes = 512, .dst = 10, .cookie = 1 };
	struct net_config cfg = *base;
	struct net_fixture e;

	cfg.links[0] = 1;
	cfg.columns = columns;
	net_fixture_open(&e, &cfg, 0);
	for (unsigned i = 6; i < 10; i++)
		T_OK(net_link_rate(e.net, ROUTERS + 4, i, SLOW));
	for (unsigned i = 0; i < blocked; i++)
		T_OK(net_send(e.net, 0, &msg));
	msg.dst = 16;
	msg.hint[0] = 1;
	msg.cookie = 2;
	T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	T_IS(e.arrived, blocked + 1);
	net_fixture_close(&e);
	return e.cookie_at[2];
}

/* Four packets are on the links, four wait in separate row buffers. */
static void adaptive_packets_wait_in_row_buffers(void **state)
{
	struct net_config cfg;

	tiled_config(&cfg);
	T_TRUE(arrival_behind_adaptive(&cfg, 16, 8) < BLOCKED);
	T_TRUE(arrival_behind_adaptive(&cfg, 16, 9) > BLOCKED);
}

/* With eight columns, the last link in y is in the column of the link in x+. */
static void blocked_column_delays_adaptive_packets(void **state)
{
	struct net_config cfg;

	tiled_config(&cfg);
	T_TRUE(arrival_behind_adaptive(&cfg, 8, 4) < BLOCKED);
	T_TRUE(arrival_behind_adaptive(&cfg, 8, 8) > BLOCKED);
	cfg.row_buffer = 2;
	T_TRUE(arrival_behind_adaptive(&cfg, 8, 8) < BLOCKED);
}

/* ---- virtual channels ---------------------------------------------------- */

/*
 * Both nodes of a router send over one link, node 1 on the system channel.
 * Returns the arrival time of one node's messages, in per cent of the total
 * duration.
 */
static uint64_t arrival_percent(const struct net_config *cfg, unsigned node)
{
	const uint8_t route[] = { 0, Y_UP, DOWN };
	struct net_msg msg = {
		.bytes = 100 * 512, .dst = 2, .route = route, .route_len = 3
	};
	struct net_fixture e;

	net_fixture_open(&e, cfg, 0);
	for (; msg.src < 2; msg.src++) {
		msg.routing = msg.src ? NET_SYSTEM : NET_DETERMINISTIC;
		msg.cookie = msg.src;
		T_OK(net_send(e.net, 0, &msg));
	}
	net_fixture_drain(&e);
	T_IS(e.arrived, 2);
	net_fixture_close(&e);
	return 100 * e.cookie_at[node] / e.last_at;
}

static void channels_of_equal_priority_share_a_link(void **state)
{
	struct net_config cfg;

	tiled_config(&cfg);
	T_TRUE(arrival_percent(&cfg, 1) < 60);
	cfg.system_alternate = 1;
	T_TRUE(arrival_percent(&cfg, 1) > 95);
	T_TRUE(arrival_percent(&cfg, 0) > 95);
}

/* All nodes send more packets than the buffers hold. */
static void heavy_traffic_does_not_deadlock(void **state)
{
	struct net_msg msg = { .bytes = 3000, .ack = 1 };
	struct net_config cfg;
	struct net_fixture e;

	tiled_config(&cfg);
	cfg.system_alternate = 1;
	net_fixture_open(&e, &cfg, 1 << 16);
	for (unsigned round = 0; round < 4; round++)
		for (msg.src = 0; msg.src < 32; msg.src++)
			for (msg.dst = 0; msg.dst < 32; msg.dst++) {
				msg.fifo = msg.dst;
				msg.routing = (msg.dst + round) % 4;
				msg.spread = round % 2;
				T_OK(net_send(e.net, 0, &msg));
			}
	net_fixture_drain(&e);
	T_FALSE(net_deadlock_check(e.net));
	T_IS(e.arrived, 4 * 32 * 32);
	T_IS(e.acked, 4 * 32 * 32);
	net_fixture_close(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(blocked_output_delays_its_column),
		T_CASE(full_row_buffer_blocks_the_input),
		T_CASE(adaptive_packet_waits_for_one_column),
		T_CASE(adaptive_packets_wait_in_row_buffers),
		T_CASE(blocked_column_delays_adaptive_packets),
		T_CASE(channels_of_equal_priority_share_a_link),
		T_CASE(heavy_traffic_does_not_deadlock),
	};
	return T_RUN(tests);
}
