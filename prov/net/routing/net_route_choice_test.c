/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes in a fat tree: the links that a message uses with adaptive,
 * deterministic and source routing; priorities.
 */
#include "test/support/net_fixture.h"

#include "test/t.h"

#include <errno.h>
#include <string.h>

enum { PACKETS = 256 };

/* Configures a tree with four children and `up` parents per switch. */
static void tree_config(struct net_config *cfg, uint8_t levels, uint16_t up)
{
	unsigned l;

	net_config_bgq(cfg);
	cfg->topology = NET_GEN_FAT_TREE;
	cfg->dims = levels;
	for (l = 0; l < levels; l++) {
		cfg->size[l] = 4;
		cfg->parents[l] = l ? up : 1;
	}
	/* engines are faster than all links */
	cfg->path[0].injection_ps_per_byte_x1000 = 1000;
	cfg->path[0].reception_ps_per_byte_x1000 = 1000;
}

static uint64_t packets_on_port(const struct net_fixture *e, uint32_t node,
				unsigned port)
{
	struct net_port_count c;

	net_port_get(e->net, node, port, &c);
	return c.packets;
}

/* Returns how many upward links of a leaf switch its nodes' messages use. */
static unsigned upward_links_used(uint16_t up, uint8_t routing, uint32_t nodes)
{
	struct net_msg msg = { .bytes = 512 * PACKETS, .routing = routing };
	uint32_t leaf = nodes;
	struct net_config cfg;
	struct net_fixture e;
	unsigned port, n = 0;

	tree_config(&cfg, nodes == 4096 ? 6 : 3, up);
	net_fixture_open(&e, &cfg, 1 << 16);
	for (msg.src = 0; msg.src < 4; msg.src++) {
		/*
		 * all targets have the same value of the digit that selects the
		 * upward link in deterministic routing
		 */
		msg.dst = nodes / 2 + 4 * msg.src;
		T_OK(net_send(e.net, 0, &msg));
	}
	net_fixture_drain(&e);
	T_IS(e.arrived, 4);
	for (port = 4; port < 4u + up; port++)
		n += packets_on_port(&e, leaf, port) > 0;
	net_fixture_close(&e);
	return n;
}

static void adaptive_packets_use_all_upward_links(void **state)
{
	static const uint32_t nodes[] = { 64, 4096 };
	unsigned i;

	for (i = 0; i < 2; i++) {
		T_IS(upward_links_used(4, NET_DYNAMIC, nodes[i]), 4);
		T_IS(upward_links_used(2, NET_DYNAMIC, nodes[i]), 2);
		T_IS(upward_links_used(4, NET_DETERMINISTIC, nodes[i]), 1);
		T_IS(upward_links_used(2, NET_DETERMINISTIC, nodes[i]), 1);
	}
}

/* Whichever top switch packets use, they arrive by the same downward link. */
static void downward_route_is_unique_per_top_switch(void **state)
{
	struct net_msg msg = { .bytes = 512 * PACKETS, .dst = 63 };
	struct net_config cfg;
	struct net_fixture e;
	uint32_t top;
	uint64_t sum = 0;
	unsigned port;

	tree_config(&cfg, 3, 4);
	net_fixture_open(&e, &cfg, 1 << 16);
	T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	for (top = 64 + 16 + 16; top < 64 + 16 + 16 + 16; top++) {
		for (port = 0; port < 3; port++)
			T_IS(packets_on_port(&e, top, port), 0);
		sum += packets_on_port(&e, top, 3);
	}
	T_IS(sum, PACKETS);
	net_fixture_close(&e);
}

/* ---- source routes ------------------------------------------------------- */

static int send_by(struct net_fixture *e, uint32_t dst, uint8_t routing,
		   const uint8_t *route, uint8_t len)
{
	struct net_msg msg = { .dst = dst,
			       .bytes = 512 * PACKETS,
			       .routing = routing,
			       .route = route,
			       .route_len = len };

	return net_send(e->net, e->last_at, &msg);
}

/*
 * The route from node 0 to node 27 = 1 * 16 + 2 * 4 + 3 uses the third upward
 * link, then the second; level 2 has four switches in each of four subtrees.
 */
static void a_source_route_is_consumed_switch_by_switch(void **state)
{
	static const uint8_t route[] = { 0, 4 + 2, 4 + 1, 1, 2, 3 };
	const uint32_t leaf = 64, middle = 64 + 16 + 2;
	const uint32_t top = 64 + 16 + 16 + 2 + 4 * 1;
	struct net_config cfg;
	struct net_fixture e;
	uint8_t routing;

	tree_config(&cfg, 3, 4);
	for (routing = NET_DYNAMIC; routing <= NET_SYSTEM; routing++) {
		net_fixture_open(&e, &cfg, 0);
		T_OK(send_by(&e, 27, routing, route, 6));
		net_fixture_drain(&e);
		T_IS(e.arrived, 1);
		T_IS(e.last_node, 27);
		T_IS(packets_on_port(&e, leaf, 6), PACKETS);
		T_IS(packets_on_port(&e, middle, 5), PACKETS);
		T_IS(packets_on_port(&e, top, 1), PACKETS);
		net_fixture_close(&e);
	}
}

/* A longer route is valid; NET_ROUTE_ANY selects any upward link. */
static void source_route_may_be_longer_and_leave_choices(void **state)
{
	static const uint8_t over[] = { 0, 4, 4, 0, 0, 1 };
	static const uint8_t any[] = { 0, NET_ROUTE_ANY, 5, 0, 1, 1 };
	struct net_config cfg;
	struct net_fixture e;
	unsigned port, more = 0;
	uint64_t all = 0;

	tree_config(&cfg, 3, 4);
	net_fixture_open(&e, &cfg, 0);
	T_IS(net_hops(e.net, 0, 1), 2);
	T_OK(send_by(&e, 1, NET_DETERMINISTIC, over, 6));
	net_fixture_drain(&e);
	T_IS(packets_on_port(&e, 64 + 16 + 16, 0), PACKETS);
	T_OK(send_by(&e, 5, NET_DYNAMIC, any, 6));
	net_fixture_drain(&e);
	/*
	 * packets of the second message take any upward link, those of the
	 * first take port 4
	 */
	for (port = 4; port < 8; port++) {
		all += packets_on_port(&e, 64, port);
		more += packets_on_port(&e, 64, port) > 0;
	}
	T_IS(all, 2 * PACKETS);
	T_TRUE(more > 1);
	T_IS(e.arrived, 2);
	net_fixture_close(&e);
}

static void invalid_source_route_is_refused(void **state)
{
	static const struct {
		uint8_t route[14], len, routing;
	} bad[] = {
		{ { 0, 4, 4, 1, 2, 2 }, 6, NET_DYNAMIC }, /* ends at node 26 */
		{ { 0, 4, 4, 1, 2 }, 5, NET_DYNAMIC },	  /* ends at a switch */
		{ { 0 }, 0, NET_DYNAMIC },		  /* empty route */
		{ { 0, 8, 4, 1, 2, 3 }, 6, NET_DYNAMIC }, /* no such link */
		/* an end node has only one upward link */
		{ { 1, 4, 4, 1, 2, 3 }, 6, NET_DYNAMIC },
		/* no link above the top */
		{ { 0, 4, 4, 4, 1, 2, 3 }, 7, NET_DYNAMIC },
		/* down, then up */
		{ { 0, 1, 0, 4, 4, 1, 2, 3 }, 8, NET_DYNAMIC },
		{ { 0, 4, 4, 1, 2, NET_ROUTE_ANY }, 6, NET_DYNAMIC },
		{ { 0, NET_ROUTE_ANY, 4, 1, 2, 3 }, 6, NET_DETERMINISTIC },
	};
	static const uint8_t ring[] = { 1 };
	struct net_config cfg;
	struct net_fixture e;
	unsigned i;

	tree_config(&cfg, 3, 4);
	net_fixture_open(&e, &cfg, 0);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		T_IS(send_by(&e, 27, bad[i].routing, bad[i].route, bad[i].len),
		     -EINVAL);
	T_IS(send_by(&e, 0, NET_DYNAMIC, bad[0].route, 0), -EINVAL);
	net_fixture_close(&e);
	net_config_bgq(&cfg);
	net_fixture_open(&e, &cfg, 0);
	T_IS(send_by(&e, 1, NET_DYNAMIC, ring, 1), -EINVAL);
	net_fixture_close(&e);
}

/* ---- channels and priorities --------------------------------------------- */

/* Nodes 1 to 15 fill all buffers towards node 0, which stores slowly. */
static void fill_buffers(struct net_fixture *e, struct net_config *cfg,
			 uint8_t routing)
{
	struct net_msg msg = { .bytes = 512 * PACKETS, .routing = routing };

	tree_config(cfg, 3, 4);
	cfg->path[0].reception_ps_per_byte_x1000 = 20000000; /* 50 MB/s */
	cfg->paths = 2;
	cfg->path[1] = cfg->path[0];
	cfg->path[1].reception_ps_per_byte_x1000 = 1000;
	net_fixture_open(e, cfg, 1 << 16);
	for (msg.src = 1; msg.src < 16; msg.src++) {
		msg.cookie = 8;
		T_OK(net_send(e->net, 0, &msg));
	}
}

/* Returns the latency of a short packet while the buffers are full. */
static uint64_t time_through_congestion(uint8_t full_way, uint8_t routing,
					uint32_t src)
{
	struct net_msg msg = { .src = src,
			       .bytes = 8,
			       .routing = routing,
			       .path = 1,
			       .fifo = 1,
			       .dst = 2 };
	const uint64_t at = 100000000;
	struct net_config cfg;
	struct net_fixture e;

	fill_buffers(&e, &cfg, full_way);
	T_OK(net_send(e.net, at, &msg));
	net_fixture_drain(&e);
	T_IS(e.arrived, 16);
	net_fixture_close(&e);
	return e.cookie_at[0] - at;
}

/*
 * The buffers of one channel are full on the whole route. A packet of another
 * channel waits for at most one packet at each link.
 */
static void full_channel_does_not_block_higher_priority(void **state)
{
	static const uint8_t low[] = { NET_DYNAMIC, NET_DETERMINISTIC };
	uint64_t alone, packet = 138 * 2000;
	struct net_msg msg = { .src = 4, .bytes = 8, .dst = 2 };
	struct net_config cfg;
	struct net_fixture e;
	unsigned i;

	tree_config(&cfg, 3, 4);
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	alone = e.last_at;
	net_fixture_close(&e);
	for (i = 0; i < 2; i++) {
		T_TRUE(time_through_congestion(low[i], low[i], 4) > 20 * alone);
		T_TRUE(time_through_congestion(low[i], NET_HIGH, 4) <
		       alone + 4 * packet);
		T_TRUE(time_through_congestion(low[i], NET_SYSTEM, 4) <
		       alone + 4 * packet);
	}
	T_TRUE(time_through_congestion(NET_HIGH, NET_HIGH, 4) > 20 * alone);
	T_TRUE(time_through_congestion(NET_HIGH, NET_SYSTEM, 4) <
	       alone + 4 * packet);
}

/* A sender prefers high-priority packets, although they were posted last. */
static void high_priority_packets_overtake(void **state)
{
	static const uint8_t routing[] = { NET_DETERMINISTIC, NET_HIGH,
					   NET_SYSTEM };
	struct net_msg msg = { .dst = 63, .bytes = 512 * PACKETS };
	struct net_config cfg;
	struct net_fixture e;
	unsigned i;

	tree_config(&cfg, 3, 4);
	net_fixture_open(&e, &cfg, 1 << 14);
	for (i = 0; i < 3; i++) {
		msg.cookie = i;
		msg.fifo = i;
		msg.routing = routing[i];
		T_OK(net_send(e.net, 1000000 * i, &msg));
	}
	net_fixture_drain(&e);
	T_IS(e.arrived, 3);
	T_TRUE(e.cookie_at[2] < e.cookie_at[1]);
	T_TRUE(e.cookie_at[1] < e.cookie_at[0]);
	/* the high-priority packets used the link alone */
	T_TRUE(e.cookie_at[2] <
	       2000000 + PACKETS * 144 * 2000ull * 102 / 100 + 1000000);
	net_fixture_close(&e);
}

/* Port masks have 64 bits. */
static void a_switch_has_up_to_64_ports(void **state)
{
	struct net_msg msg = { .bytes = 2000 };
	struct net_config cfg;
	struct net_fixture e;
	uint64_t up = 0;

	tree_config(&cfg, 2, 1);
	cfg.size[0] = 40;
	cfg.size[1] = 3;
	cfg.parents[1] = 24;
	cfg.dyn_queues = 1;
	net_fixture_open(&e, &cfg, 1 << 14);
	T_IS(net_ports(e.net), 64);
	for (msg.src = 0; msg.src < 120; msg.src++) {
		msg.dst = 119 - msg.src;
		msg.routing = msg.src % 4;
		T_OK(net_send(e.net, 0, &msg));
	}
	net_fixture_drain(&e);
	T_IS(e.arrived, 120);
	/* all messages of the first leaf leave it: 4 packets of 512 B each */
	for (unsigned port = 40; port < 64; port++)
		up += packets_on_port(&e, 120, port);
	T_IS(up, 40 * 4);
	T_TRUE(packets_on_port(&e, 120, 63) > 0);
	net_fixture_close(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(adaptive_packets_use_all_upward_links),
		T_CASE(downward_route_is_unique_per_top_switch),
		T_CASE(a_source_route_is_consumed_switch_by_switch),
		T_CASE(source_route_may_be_longer_and_leave_choices),
		T_CASE(invalid_source_route_is_refused),
		T_CASE(full_channel_does_not_block_higher_priority),
		T_CASE(high_priority_packets_overtake),
		T_CASE(a_switch_has_up_to_64_ports),
	};
	return T_RUN(tests);
}
