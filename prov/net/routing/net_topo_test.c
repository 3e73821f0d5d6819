/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbours and routes: every link has two ends, and every route arrives. */
#include "prov/net/net_layout.h"
#include "prov/net/routing/net_routing.h"
#include "prov/net/routing/net_topo.h"

#include "test/t.h"

#include <stdlib.h>
#include <string.h>

/* Checks that the other end of each link leads back to the port. */
static void check_links(const struct net_config *cfg)
{
	uint32_t n, nodes = net_topo_nodes(cfg);
	unsigned port, back, again, x, y;
	int64_t peer;

	for (n = 0; n < nodes; n++)
		for (port = 0; port < net_topo_ports(cfg); port++) {
			peer = net_topo_peer(cfg, n, port, &back, &x);
			if (peer < 0)
				continue;
			T_TRUE(peer < nodes);
			T_IS(net_topo_peer(cfg, (uint32_t)peer, back, &again,
					   &y),
			     n);
			T_IS(again, port);
			T_IS(x, y);
		}
}

static struct net *open_net(const struct net_config *cfg)
{
	size_t bytes = (net_bytes(cfg, 100) + 63) & ~(size_t)63;
	struct net *net = aligned_alloc(64, bytes);

	T_NOT_NULL(net);
	T_OK(net_open(net, bytes, cfg, 100));
	return net;
}

/*
 * Follows a packet that selects one of its allowed ports by `pick`, and checks
 * that it arrives after the minimal number of hops.
 */
static void check_route(const struct net *net, uint32_t src, uint32_t dst,
			unsigned pick, bool det)
{
	struct net_msg msg = { .src = src, .dst = dst };
	struct net_packet p = { .dst = dst, .flags = NET_P_DYN };
	uint32_t n = src, hops = 0;
	unsigned port;
	uint64_t w;

	T_OK(net_routing_plan(net, &msg, p.rem));
	net_routing_start(net, &p);
	while (!net_routing_is_last(net, &p, n)) {
		net_routing_ports(net, &p, n);
		T_TRUE(p.want != 0);
		T_TRUE(p.want >> p.det & 1);
		for (w = p.want; w & (w - 1) && pick % 3; w &= w - 1)
			pick /= 3;
		port = det ? p.det : (unsigned)__builtin_ctzll(w);
		net_routing_hop(net, &p, n, port);
		T_TRUE(net_neighbour(net, n, port) >= 0);
		n = (uint32_t)net_neighbour(net, n, port);
		T_TRUE(++hops <= 100);
	}
	T_IS(n, dst);
	T_IS(hops, net_hops(net, src, dst));
}

static void routes_arrive(const struct net_config *cfg)
{
	struct net *net = open_net(cfg);
	uint32_t ends = net_topo_ends(cfg), i, a, b;

	for (i = 0; i < 3000; i++) {
		a = i * 7919 % ends;
		b = i * 104729 % ends;
		check_route(net, a, b, i * 31, i % 2);
	}
	free(net);
}

static void torus_config(struct net_config *cfg, const uint16_t size[5])
{
	net_config_bgq(cfg);
	memcpy(cfg->size, size, 10);
}

static void torus_links_match_and_routes_arrive(void **state)
{
	struct net_config cfg;

	torus_config(&cfg, (uint16_t[]){ 4, 4, 4, 4, 2 });
	check_links(&cfg);
	routes_arrive(&cfg);
	torus_config(&cfg, (uint16_t[]){ 5, 3, 1, 2, 2 });
	check_links(&cfg);
	routes_arrive(&cfg);
	cfg.wrap[0] = cfg.wrap[1] = cfg.wrap[4] = 0;
	check_links(&cfg);
	routes_arrive(&cfg);
}

static void mesh_has_no_wraparound_link(void **state)
{
	struct net_config cfg;
	unsigned back, x;

	torus_config(&cfg, (uint16_t[]){ 4, 1, 1, 1, 1 });
	T_IS(net_topo_peer(&cfg, 3, 1, &back, &x), 0);
	T_IS(net_topo_peer(&cfg, 0, 0, &back, &x), 3);
	cfg.wrap[0] = 0;
	T_IS(net_topo_peer(&cfg, 3, 1, &back, &x), -1);
	T_IS(net_topo_peer(&cfg, 0, 0, &back, &x), -1);
	T_IS(net_topo_peer(&cfg, 1, 1, &back, &x), 2);
	T_IS(back, 0);
}

static void half_ring_distance_uses_both_directions(void **state)
{
	struct net_config cfg;
	struct net *net;
	struct net_msg msg = { 0 };
	int8_t rem[NET_DIMS_MAX];
	int up = 0, down = 0;

	torus_config(&cfg, (uint16_t[]){ 4, 4, 1, 1, 1 });
	net = open_net(&cfg);
	for (msg.src = 0; msg.src < 16; msg.src++) {
		msg.dst = (msg.src + 8) % 16;
		T_OK(net_routing_plan(net, &msg, rem));
		up += rem[0] == 2;
		down += rem[0] == -2;
	}
	T_IS(up, 8);
	T_IS(down, 8);
	free(net);
}

static void hints_are_followed_and_impossible_hints_refused(void **state)
{
	struct net_config cfg;
	struct net *net;
	struct net_msg msg = { .src = 0, .dst = 1, .hint = { -1 } };
	int8_t rem[NET_DIMS_MAX];

	torus_config(&cfg, (uint16_t[]){ 8, 1, 1, 1, 1 });
	net = open_net(&cfg);
	T_OK(net_routing_plan(net, &msg, rem));
	T_IS(rem[0], -7);
	free(net);
	cfg.wrap[0] = 0;
	net = open_net(&cfg);
	T_IS(net_routing_plan(net, &msg, rem), -EINVAL);
	free(net);
}

static void zone_masks_apply_in_order(void **state)
{
	struct net_config cfg;
	struct net *net;
	struct net_packet p = { .flags = NET_P_DYN, .rem = { 1, -1, 0, 0, 1 } };

	net_config_bgq(&cfg);
	net = open_net(&cfg);
	net_routing_start(net, &p);
	p.zone = 0; /* zone set: dimensions A to D in any order, then E */
	net_routing_ports(net, &p, 0);
	T_IS(p.want, 1 << 1 | 1 << 2);
	p.zone = 1; /* zone set: dimensions in any order */
	net_routing_ports(net, &p, 0);
	T_IS(p.want, 1 << 1 | 1 << 2 | 1 << 9);
	p.zone = 2; /* zone set: dimensions in fixed order */
	net_routing_ports(net, &p, 0);
	T_IS(p.want, 1 << 1);
	/* zone set: dimensions in fixed order, except E at any time */
	p.zone = 3;
	net_routing_ports(net, &p, 0);
	T_IS(p.want, 1 << 1 | 1 << 9);
	p.flags |= NET_P_STAY;
	p.vc = NET_VC_DET;
	net_routing_ports(net, &p, 0);
	T_IS(p.want, 0);
	T_IS(p.det, 1);
	free(net);
}

static void deterministic_port_follows_programmed_order(void **state)
{
	struct net_config cfg;
	struct net *net;
	struct net_packet p = { .rem = { 1, -1, 0, 0, 1 } };

	net_config_bgq(&cfg);
	memcpy(cfg.order, (uint8_t[]){ 4, 3, 2, 1, 0 }, 5);
	net = open_net(&cfg);
	net_routing_start(net, &p);
	net_routing_ports(net, &p, 0);
	T_IS(p.det, 9);
	p.left = 0x03;
	net_routing_ports(net, &p, 0);
	T_IS(p.det, 2);
	free(net);
}

/* Nodes of one router communicate through it. */
static void nodes_of_a_shared_router_reach_all_others(void **state)
{
	struct net_config cfg;
	struct net *net;
	unsigned back, x;

	torus_config(&cfg, (uint16_t[]){ 4, 3, 2, 1, 1 });
	cfg.dyn_queues = 3;
	cfg.dims = 3;
	cfg.router_nodes = 2;
	memcpy(cfg.links, (uint16_t[]){ 2, 1, 4 }, 6);
	T_IS(net_topo_ends(&cfg), 48);
	T_IS(net_topo_nodes(&cfg), 72);
	T_IS(net_topo_ports(&cfg), 14 + 2);
	T_IS(net_topo_peer(&cfg, 7, 0, &back, &x), 48 + 3);
	T_IS(back, 15);
	T_IS(net_topo_peer(&cfg, 7, 1, &back, &x), -1);
	T_IS(net_topo_peer(&cfg, 48 + 3, 14, &back, &x), 6);
	check_links(&cfg);
	routes_arrive(&cfg);
	net = open_net(&cfg);
	T_IS(net_hops(net, 6, 7), 2);
	T_IS(net_hops(net, 6, 4), 3);
	T_IS(net_hops(net, 6, 8), 4);
	free(net);
}

static void fat_config(struct net_config *cfg, const uint16_t *m,
		       const uint16_t *w, uint8_t levels)
{
	net_config_bgq(cfg);
	cfg->topology = w ? NET_GEN_FAT_TREE : NET_FAT_TREE;
	cfg->dims = levels;
	memcpy(cfg->size, m, levels * sizeof(*m));
	if (w)
		memcpy(cfg->parents, w, levels * sizeof(*w));
	cfg->dyn_queues = 3;
}

static void fat_tree_links_match_and_routes_arrive(void **state)
{
	struct net_config cfg;

	fat_config(&cfg, (uint16_t[]){ 4, 4, 4 }, NULL, 3);
	T_IS(net_topo_ends(&cfg), 64);
	T_IS(net_topo_nodes(&cfg), 64 + 3 * 16);
	T_IS(net_topo_ports(&cfg), 8);
	check_links(&cfg);
	routes_arrive(&cfg);
	fat_config(&cfg, (uint16_t[]){ 4, 4, 4, 4, 4 }, NULL, 5);
	T_IS(net_topo_nodes(&cfg), 1024 + 5 * 256);
	check_links(&cfg);
	routes_arrive(&cfg);
}

/* Each node has two rails; half the links of a switch lead up. */
static void generalized_tree_links_match_and_routes_arrive(void **state)
{
	struct net_config cfg;

	fat_config(&cfg, (uint16_t[]){ 6, 8, 3 }, (uint16_t[]){ 2, 3, 4 }, 3);
	T_IS(net_topo_ends(&cfg), 144);
	T_IS(net_topo_nodes(&cfg), 144 + 24 * 2 + 3 * 6 + 24);
	check_links(&cfg);
	routes_arrive(&cfg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(torus_links_match_and_routes_arrive),
		T_CASE(mesh_has_no_wraparound_link),
		T_CASE(half_ring_distance_uses_both_directions),
		T_CASE(hints_are_followed_and_impossible_hints_refused),
		T_CASE(zone_masks_apply_in_order),
		T_CASE(deterministic_port_follows_programmed_order),
		T_CASE(nodes_of_a_shared_router_reach_all_others),
		T_CASE(fat_tree_links_match_and_routes_arrive),
		T_CASE(generalized_tree_links_match_and_routes_arrive),
	};
	return T_RUN(tests);
}
