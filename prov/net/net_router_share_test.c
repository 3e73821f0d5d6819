/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nodes that share a router of a torus, and buses; packets with special
 * headers; link selection by address.
 */
#include "test/support/net_fixture.h"

#include "test/t.h"

#include <errno.h>
#include <string.h>

enum { HOP = 105000, INSIDE = 20000 };

/*
 * Configures 4x4 routers of two nodes each, with eight links per neighbour in x
 * and four in y.
 */
static void shared_config(struct net_config *cfg)
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
	/* engines are faster than all links */
	cfg->path[0].injection_ps_per_byte_x1000 = 1000;
	cfg->path[0].reception_ps_per_byte_x1000 = 1000;
}

static uint64_t latency(const struct net_config *cfg, uint32_t dst)
{
	struct net_fixture e;

	net_fixture_open(&e, cfg, 0);
	T_OK(net_fixture_send(&e, 0, 0, dst, 32));
	net_fixture_drain(&e);
	T_IS(e.last_node, dst);
	net_fixture_close(&e);
	return e.last_at;
}

static void nodes_of_one_router_use_no_link(void **state)
{
	struct net_config cfg;
	uint64_t ends;

	shared_config(&cfg);
	cfg.path[0].injection_ps_per_byte_x1000 = 50000;
	/* 72 bytes take three ticks at 16 GB/s, and 18 ticks at 2 GB/s */
	ends = cfg.path[0].inject_ps + 64 * 50 + cfg.path[0].receive_ps;
	T_IS(latency(&cfg, 1), ends + 3 * 2000 + 2 * INSIDE);
	ends += 18 * 2000;
	T_IS(latency(&cfg, 2), ends + 2 * INSIDE + HOP);
	T_IS(latency(&cfg, 3), ends + 2 * INSIDE + HOP);
	T_IS(latency(&cfg, 2 * 10), ends + 2 * INSIDE + 4 * HOP);
}

static void all_pairs_reach_each_other(void **state)
{
	struct net_msg msg = { .bytes = 1500 };
	struct net_config cfg;
	struct net_fixture e;

	shared_config(&cfg);
	net_fixture_open(&e, &cfg, 1 << 14);
	for (msg.src = 0; msg.src < 32; msg.src++)
		for (msg.dst = 0; msg.dst < 32; msg.dst++) {
			msg.fifo = msg.dst;
			msg.routing = msg.dst % 4;
			msg.ack = msg.dst % 3 == 0;
			msg.spread = msg.dst % 5 == 0;
			T_OK(net_send(e.net, 0, &msg));
		}
	net_fixture_drain(&e);
	T_FALSE(net_deadlock_check(e.net));
	T_IS(e.arrived, 32 * 32);
	T_IS(e.acked, 32 * 11);
	T_IS(net_send(e.net, 0, &(struct net_msg){ .dst = 32 }), -EINVAL);
	net_fixture_close(&e);
}

/* Returns the total rate of two nodes of a router to another router, MB/s. */
static uint64_t pair_rate(struct net_config *cfg)
{
	struct net_msg msg = { .bytes = 1 << 20, .dst = 4 };
	struct net_fixture e;

	net_fixture_open(&e, cfg, 1 << 14);
	for (; msg.src < 2; msg.src++, msg.dst = 8)
		T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	T_IS(e.arrived, 2);
	net_fixture_close(&e);
	return e.bytes * 1000000 / e.last_at;
}

static void nodes_of_a_router_may_share_a_bus(void **state)
{
	struct net_config cfg;
	uint64_t each, both;

	shared_config(&cfg);
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

/* Returns how many of the four links to a neighbour a message uses. */
static unsigned links_used(uint8_t routing, uint8_t spread)
{
	struct net_msg msg = { .bytes = 512 * 200, .dst = 2 };
	struct net_port_count c;
	struct net_config cfg;
	struct net_fixture e;
	unsigned port, n = 0;

	shared_config(&cfg);
	msg.routing = routing;
	msg.spread = spread;
	net_fixture_open(&e, &cfg, 1 << 14);
	T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	T_IS(e.arrived, 1);
	for (port = 20; port < 24; port++) {
		net_port_get(e.net, 32, port, &c);
		n += c.packets > 0;
	}
	net_fixture_close(&e);
	return n;
}

static void link_is_selected_by_load_pair_or_address(void **state)
{
	T_IS(links_used(NET_DYNAMIC, 0), 4);
	T_IS(links_used(NET_DETERMINISTIC, 0), 1);
	T_IS(links_used(NET_DETERMINISTIC, 1), 4);
}

/*
 * Returns the number of links to a neighbour that are used by messages whose
 * target addresses differ by `stride`.
 */
static unsigned links_used_by_stride(uint64_t stride)
{
	struct net_msg msg = {
		.bytes = 64, .dst = 2, .routing = NET_DETERMINISTIC, .spread = 1
	};
	struct net_port_count c;
	struct net_config cfg;
	struct net_fixture e;
	unsigned port, n = 0;

	shared_config(&cfg);
	net_fixture_open(&e, &cfg, 1 << 14);
	for (unsigned i = 0; i < 64; i++) {
		msg.address = i * stride;
		T_OK(net_send(e.net, 0, &msg));
	}
	net_fixture_drain(&e);
	T_IS(e.arrived, 64);
	for (port = 20; port < 24; port++) {
		net_port_get(e.net, 32, port, &c);
		n += c.packets > 0;
	}
	net_fixture_close(&e);
	return n;
}

static void messages_to_one_line_use_one_link(void **state)
{
	T_IS(links_used_by_stride(0), 1);
	T_IS(links_used_by_stride(8),
	     1); /* all 64 words are within 512 bytes */
	T_IS(links_used_by_stride(512), 4);
}

/* ---- tables and source routes -------------------------------------------- */

static uint64_t packets_at(const struct net_fixture *e, uint32_t node,
			   unsigned first, unsigned count)
{
	struct net_port_count c;
	uint64_t n = 0;

	for (unsigned i = first; i < first + count; i++) {
		net_port_get(e->net, node, i, &c);
		n += c.packets;
	}
	return n;
}

/*
 * Packets from router 0 to router 5 at (1,1) use x first or y first, as the
 * loaded order specifies.
 */
static void routing_tables_may_be_reloaded(void **state)
{
	const uint8_t y_first[NET_DIMS_MAX] = { 1, 0 };
	const uint8_t wrong[NET_DIMS_MAX] = { 1, 1 };
	uint8_t zone[NET_ZONES][NET_DIMS_MAX] = {
		{ 2, 1 }, { 3 }, { 3 }, { 3 }
	};
	struct net_msg msg = { .bytes = 512, .dst = 10 };
	struct net_config cfg;
	struct net_fixture e;

	shared_config(&cfg);
	net_fixture_open(&e, &cfg, 0);
	for (msg.routing = 0; msg.routing < 2; msg.routing++)
		T_OK(net_send(e.net, 0, &msg));
	T_IS(net_tables_load(e.net, wrong, zone), -EINVAL);
	net_run(e.net, cfg.path[0].inject_ps + 500000, &net_fixture_up, &e,
		NULL);
	T_IS(net_tables_load(e.net, y_first, zone), -EBUSY);
	net_fixture_drain(&e);
	T_IS(packets_at(&e, 32, 8, 8),
	     2); /* x first: packets leave router 0 in x */
	T_IS(packets_at(&e, 32, 20, 4), 0);
	T_OK(net_tables_load(e.net, y_first, zone));
	for (msg.routing = 0; msg.routing < 2; msg.routing++)
		T_OK(net_send(e.net, e.last_at, &msg));
	net_fixture_drain(&e);
	T_IS(packets_at(&e, 32, 8, 8), 2);
	T_IS(packets_at(&e, 32, 20, 4), 2);
	T_IS(e.arrived, 4);
	net_fixture_close(&e);
}

static int send_routed(struct net_fixture *e, const uint8_t *route,
		       unsigned len, uint8_t routing)
{
	struct net_msg msg = { .bytes = 2048,
			       .dst = 10,
			       .routing = routing,
			       .ack = 1,
			       .route = route,
			       .route_len = (uint8_t)len };

	return net_send(e->net, 0, &msg);
}

/* The route is y+, x+, x+, x-. Ports 0 to 7 are x-, 8 to 15 x+, 20 to 23 y+. */
static void a_source_route_names_every_link(void **state)
{
	const uint8_t route[] = { 0, 23, 15, 9, 1, 24 };
	struct net_config cfg;
	struct net_fixture e;

	shared_config(&cfg);
	net_fixture_open(&e, &cfg, 0);
	T_IS(send_routed(&e, route, 5, NET_DETERMINISTIC), -EINVAL);
	T_IS(send_routed(&e, route, 6, NET_DYNAMIC), -EINVAL);
	T_IS(send_routed(&e, (uint8_t[]){ 0, 24, 0 }, 3, NET_SYSTEM), -EINVAL);
	T_IS(send_routed(&e, (uint8_t[]){ 0, 99 }, 2, NET_SYSTEM), -EINVAL);
	T_OK(send_routed(&e, route, 6, NET_DETERMINISTIC));
	T_OK(send_routed(&e, route, 6, NET_SYSTEM));
	net_fixture_drain(&e);
	T_IS(e.arrived, 2);
	T_IS(e.acked, 2);
	T_IS(packets_at(&e, 32, 23, 1), 8);
	T_IS(packets_at(&e, 32 + 1, 15, 1), 8);
	T_IS(packets_at(&e, 32 + 5, 9, 1), 8);
	T_IS(packets_at(&e, 32 + 9, 1, 1), 8);
	net_fixture_close(&e);
}

/* ---- bus time of a path -------------------------------------------------- */

/* Returns the duration of equally many messages from and to node 0. */
static uint64_t both_directions(struct net_config *cfg)
{
	struct net_msg msg = { .bytes = 512 };
	struct net_fixture e;

	net_fixture_open(&e, cfg, 1 << 14);
	for (unsigned i = 0; i < 1000; i++) {
		msg.src = 2 * (i % 2);
		msg.dst = 2 - msg.src;
		T_OK(net_send(e.net, 0, &msg));
	}
	net_fixture_drain(&e);
	T_IS(e.arrived, 1000);
	net_fixture_close(&e);
	return e.last_at;
}

static void read_requests_use_bus_bandwidth(void **state)
{
	struct net_config cfg;
	uint64_t plain, with_requests;

	shared_config(&cfg);
	cfg.buses = 1;
	cfg.bus[0].ps_per_byte_x1000 = 1000000; /* 1 GB/s, received data only */
	cfg.path[0].bus_in = 1;
	plain = both_directions(&cfg);
	cfg.path[0].bus_request = 1;
	cfg.path[0].request_bytes = 128;
	with_requests = both_directions(&cfg);
	/* 500 packets of 512 ns each; 640 ns each with read requests */
	T_TRUE(with_requests > plain + 450 * 128000 &&
	       with_requests < plain + 520 * 128000);
}

/*
 * Returns the duration of a hundred messages that target `words` different
 * words of node 2.
 */
static uint64_t time_of_words(struct net_config *cfg, uint64_t words)
{
	struct net_msg msg = { .bytes = 8,
			       .dst = 2,
			       .routing = NET_DETERMINISTIC };
	struct net_fixture e;

	net_fixture_open(&e, cfg, 0);
	for (unsigned i = 0; i < 100; i++) {
		msg.address = i % words * 8;
		T_OK(net_send(e.net, 0, &msg));
	}
	net_fixture_drain(&e);
	net_fixture_close(&e);
	return e.last_at;
}

static void word_cache_hits_and_misses(void **state)
{
	struct net_config cfg;
	uint64_t one, four, five;

	shared_config(&cfg);
	cfg.buses = 2;
	cfg.bus[0].words = 3; /* the path does not use this bus */
	cfg.bus[1].packet_ps = 1000000;
	cfg.bus[1].miss_ps = 2000000;
	cfg.bus[1].words = 4;
	cfg.path[0].bus_in = 2;
	one = time_of_words(&cfg, 1);
	four = time_of_words(&cfg, 4);
	five = time_of_words(&cfg, 5);
	T_IS(four - one, 3 * 2000000ull);
	/* two of the five words share a cache entry and evict each other */
	T_IS(five - one, (3 + 39) * 2000000ull);
}

/* ---- packet sizes -------------------------------------------------------- */

static uint64_t acked_after(const struct net_config *cfg)
{
	struct net_msg msg = { .bytes = 32, .dst = 1, .ack = 1 };
	struct net_fixture e;

	net_fixture_open(&e, cfg, 0);
	T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	T_IS(e.acked, 1);
	net_fixture_close(&e);
	return e.acked_at;
}

static void acknowledgement_may_have_another_size(void **state)
{
	struct net_config cfg;
	uint64_t plain;

	net_config_bgq(&cfg);
	cfg.ack_receive_ps = 4000;
	plain = acked_after(&cfg); /* 40 bytes take 20 ns */
	cfg.ack_wire_bytes = 8;
	T_IS(plain - acked_after(&cfg), 16000);
	cfg.ack_wire_bytes = 80;
	T_IS(acked_after(&cfg) - plain, 20000);
}

static void path_may_have_another_header_size(void **state)
{
	struct net_msg msg = { .bytes = 512 * 100, .dst = 1 };
	struct net_port_count c;
	struct net_config cfg;
	struct net_fixture e;
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
		net_fixture_open(&e, &cfg, 0);
		T_OK(net_send(e.net, 0, &msg));
		net_fixture_drain(&e);
		net_port_get(e.net, 0, 1, &c);
		time[i] = e.last_at;
		busy[i] = c.busy_ps;
		net_fixture_close(&e);
	}
	T_IS(time[0] - time[1], 100 * 20 * 500);
	T_IS(busy[0], 100 * 552 * 500);
	T_IS(busy[1], 100 * 532 * 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(nodes_of_one_router_use_no_link),
		T_CASE(all_pairs_reach_each_other),
		T_CASE(nodes_of_a_router_may_share_a_bus),
		T_CASE(link_is_selected_by_load_pair_or_address),
		T_CASE(messages_to_one_line_use_one_link),
		T_CASE(routing_tables_may_be_reloaded),
		T_CASE(a_source_route_names_every_link),
		T_CASE(read_requests_use_bus_bandwidth),
		T_CASE(word_cache_hits_and_misses),
		T_CASE(acknowledgement_may_have_another_size),
		T_CASE(path_may_have_another_header_size),
	};
	return T_RUN(tests);
}
