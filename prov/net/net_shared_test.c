/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nodes that share a router of a torus, and what they share besides; packets of
 * other forms than most; links chosen by address.
 */
#include "prov/net/net_end.h"

#include "test/t.h"

#include <errno.h>
#include <string.h>

enum { HOP = 105000, INSIDE = 20000 };

/* 4x4 routers of two nodes each, eight and four links to neighbours. */
static void shared(struct net_config *cfg)
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
	cfg->hop_ps = HOP;
	cfg->hop_end_ps = INSIDE;
	cfg->link_end_ps_x1000 = cfg->link_ps_per_byte_x1000 / 8;
	cfg->tokens_end = 8;
	cfg->routes = cfg->routes_system = cfg->barriers = 0;
	/* Engines that no link waits for. */
	cfg->path[0].injection_ps_per_byte_x1000 = 1000;
	cfg->path[0].reception_ps_per_byte_x1000 = 1000;
}

static uint64_t latency(const struct net_config *cfg, uint32_t dst)
{
	struct net_end e;

	net_end_open(&e, cfg, 0);
	T_OK(net_end_send(&e, 0, 0, dst, 32));
	net_end_drain(&e);
	T_IS(e.last_node, dst);
	net_end_close(&e);
	return e.last_at;
}

static void nodes_of_one_router_meet_inside_it(void **state)
{
	struct net_config cfg;
	uint64_t ends;

	shared(&cfg);
	cfg.path[0].injection_ps_per_byte_x1000 = 50000;
	/* 72 bytes at 16 GB/s are three ticks */
	ends = cfg.path[0].inject_ps + 64 * 50 + 3 * 2000 +
	       cfg.path[0].receive_ps;
	T_IS(latency(&cfg, 1), ends + 2 * INSIDE);
	T_IS(latency(&cfg, 2), ends + 2 * INSIDE + HOP);
	T_IS(latency(&cfg, 3), ends + 2 * INSIDE + HOP);
	T_IS(latency(&cfg, 2 * 10), ends + 2 * INSIDE + 4 * HOP);
}

static void everybody_reaches_everybody(void **state)
{
	struct net_msg msg = { .bytes = 1500 };
	struct net_config cfg;
	struct net_end e;

	shared(&cfg);
	net_end_open(&e, &cfg, 1 << 14);
	for (msg.src = 0; msg.src < 32; msg.src++)
		for (msg.dst = 0; msg.dst < 32; msg.dst++) {
			msg.fifo = msg.dst;
			msg.way = msg.dst % 4;
			msg.ack = msg.dst % 3 == 0;
			msg.spread = msg.dst % 5 == 0;
			T_OK(net_send(e.net, 0, &msg));
		}
	net_end_drain(&e);
	T_FALSE(net_stuck(e.net));
	T_IS(e.arrived, 32 * 32);
	T_IS(e.acked, 32 * 11);
	T_IS(net_send(e.net, 0, &(struct net_msg){ .dst = 32 }), -EINVAL);
	net_end_close(&e);
}

/* Rate of two nodes of a router that each send to one of another, MB/s. */
static uint64_t pair_rate(struct net_config *cfg)
{
	struct net_msg msg = { .bytes = 1 << 20, .dst = 4 };
	struct net_end e;

	net_end_open(&e, cfg, 1 << 14);
	for (; msg.src < 2; msg.src++, msg.dst = 8)
		T_OK(net_send(e.net, 0, &msg));
	net_end_drain(&e);
	T_IS(e.arrived, 2);
	net_end_close(&e);
	return e.bytes * 1000000 / e.last_at;
}

static void a_bus_may_belong_to_all_nodes_of_a_router(void **state)
{
	struct net_config cfg;
	uint64_t each, both;

	shared(&cfg);
	cfg.buses = 1;
	cfg.bus[0].ps_per_byte_x1000 = 200000; /* 5 GB/s */
	cfg.path[0].bus_out = 1;
	each = pair_rate(&cfg);
	cfg.bus[0].nodes = 2;
	both = pair_rate(&cfg);
	T_TRUE(each > 9900 && each <= 10000);
	T_TRUE(both > 4950 && both <= 5000);
	cfg.bus[0].nodes = 3;
	T_IS(net_config_check(&cfg), -EINVAL);
}

/* Links that a message from node 0 to a neighbour takes, of four. */
static unsigned lanes(uint8_t way, uint8_t spread)
{
	struct net_msg msg = { .bytes = 512 * 200, .dst = 2 };
	struct net_port_count c;
	struct net_config cfg;
	struct net_end e;
	unsigned port, n = 0;

	shared(&cfg);
	msg.way = way;
	msg.spread = spread;
	net_end_open(&e, &cfg, 1 << 14);
	T_OK(net_send(e.net, 0, &msg));
	net_end_drain(&e);
	T_IS(e.arrived, 1);
	for (port = 20; port < 24; port++) {
		net_port_get(e.net, 32, port, &c);
		n += c.packets > 0;
	}
	net_end_close(&e);
	return n;
}

static void a_link_is_chosen_by_load_by_pair_or_by_address(void **state)
{
	T_IS(lanes(NET_DYNAMIC, 0), 4);
	T_IS(lanes(NET_DETERMINISTIC, 0), 1);
	T_IS(lanes(NET_DETERMINISTIC, 1), 4);
}

/* ---- forms --------------------------------------------------------------- */

static uint64_t acked_after(const struct net_config *cfg)
{
	struct net_msg msg = { .bytes = 32, .dst = 1, .ack = 1 };
	struct net_end e;

	net_end_open(&e, cfg, 0);
	T_OK(net_send(e.net, 0, &msg));
	net_end_drain(&e);
	T_IS(e.acked, 1);
	net_end_close(&e);
	return e.acked_at;
}

static void an_acknowledgement_may_have_its_own_size(void **state)
{
	struct net_config cfg;
	uint64_t plain;

	net_config_bgq(&cfg);
	cfg.ack_receive_ps = 4000;
	plain = acked_after(&cfg); /* 40 bytes: 20 ns */
	cfg.ack_wire_bytes = 8;
	T_IS(plain - acked_after(&cfg), 16000);
	cfg.ack_wire_bytes = 80;
	T_IS(acked_after(&cfg) - plain, 20000);
}

static void a_path_may_have_its_own_header(void **state)
{
	struct net_msg msg = { .bytes = 512 * 100, .dst = 1 };
	struct net_port_count c;
	struct net_config cfg;
	struct net_end e;
	uint64_t time[2], busy[2];
	unsigned i;

	net_config_bgq(&cfg);
	cfg.dims = 1;
	cfg.protocol_ticks = 0;
	cfg.path[0].injection_ps_per_byte_x1000 = 1000;
	cfg.paths = 2;
	cfg.path[1] = cfg.path[0];
	cfg.path[1].header_bytes = 12;
	for (i = 0; i < 2; i++) {
		msg.path = (uint8_t)i;
		net_end_open(&e, &cfg, 0);
		T_OK(net_send(e.net, 0, &msg));
		net_end_drain(&e);
		net_port_get(e.net, 0, 1, &c);
		time[i] = e.last_at;
		busy[i] = c.busy_ps;
		net_end_close(&e);
	}
	T_IS(time[0] - time[1], 100 * 20 * 500);
	T_IS(busy[0], 100 * 552 * 500);
	T_IS(busy[1], 100 * 532 * 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(nodes_of_one_router_meet_inside_it),
		T_CASE(everybody_reaches_everybody),
		T_CASE(a_bus_may_belong_to_all_nodes_of_a_router),
		T_CASE(a_link_is_chosen_by_load_by_pair_or_by_address),
		T_CASE(an_acknowledgement_may_have_its_own_size),
		T_CASE(a_path_may_have_its_own_header),
	};
	return T_RUN(tests);
}
