/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the names of nodes and links of each machine. */
#include "prov/net/net.h"
#include "prov/net/file/net_name.h"

#include "test/t.h"

#include <stdio.h>
#include <string.h>

static void link_is(const struct net_config *cfg, uint32_t node, unsigned port,
		    const char *want)
{
	char name[NET_CLASS_NAME], text[32], got[64];

	net_class_name(cfg, net_class_of(cfg, node, port), name);
	net_link_name(cfg, node, port, text, sizeof(text));
	snprintf(got, sizeof(got), "%s %s", text, name);
	if (strcmp(got, want))
		fail_msg("%s, not %s", got, want);
}

static void links_of_a_torus_have_dimension_and_direction(void **state)
{
	struct net_config cfg;

	net_config_bgq(&cfg);
	T_IS(net_classes(&cfg), 10);
	T_IS(net_groups(&cfg), 1);
	link_is(&cfg, 0, 0, "(0,0,0,0,0) A-");
	link_is(&cfg, 511, 9, "(3,3,3,3,1) E+");
	memcpy(cfg.links, (uint16_t[]){ 1, 1, 2, 1, 1 }, 10);
	link_is(&cfg, 2, 5, "(0,0,0,1,0) link 1 C-");
	link_is(&cfg, 2, 6, "(0,0,0,1,0) link 0 C+");
	link_is(&cfg, 2, 8, "(0,0,0,1,0) D-");
}

static void nodes_of_a_shared_router_are_numbered(void **state)
{
	struct net_config cfg;
	struct net_group g;

	net_config_bgq(&cfg);
	cfg.dims = 3;
	cfg.router_nodes = 2;
	memcpy(cfg.links, (uint16_t[]){ 8, 4, 8 }, 6);
	T_IS(net_classes(&cfg), 8);
	link_is(&cfg, 17, 0, "node 17 N+");
	link_is(&cfg, 128, 8, "(0,0,0) link 0 A+");
	link_is(&cfg, 128 + 63, 41, "(3,3,3) N-");
	T_IS(net_groups(&cfg), 2);
	net_group(&cfg, 1, &g);
	T_IS(g.first, 128);
	T_IS(g.count, 64);
	T_IS(g.ports, 42);
	T_TRUE(net_has_coords(&cfg));
}

static void links_of_a_tree_have_level_switch_and_port(void **state)
{
	struct net_config cfg;
	struct net_group g;

	net_config_bgq(&cfg);
	cfg.topology = NET_FAT_TREE;
	cfg.dims = 3;
	memcpy(cfg.size, (uint16_t[]){ 4, 4, 4 }, 6);
	T_IS(net_classes(&cfg), 6);
	link_is(&cfg, 17, 0, "node 17 port 0 0+");
	link_is(&cfg, 64, 3, "level 1 switch 0 port 3 1-");
	link_is(&cfg, 64 + 5, 4, "level 1 switch 5 port 4 1+");
	link_is(&cfg, 64 + 16, 7, "level 2 switch 0 port 7 2+");
	link_is(&cfg, 64 + 47, 1, "level 3 switch 15 port 1 3-");
	T_IS(net_groups(&cfg), 4);
	net_group(&cfg, 2, &g);
	T_IS(g.first, 80);
	T_IS(g.count, 16);
	T_IS(g.ports, 8);
	T_IS(g.ends, 16);
	T_IS(g.up, 16);
	net_group(&cfg, 3, &g);
	T_IS(g.ports, 4);
}

/* Two rails of 32 leaf and 18 spine switches; leaves are connected in pairs. */
static void switch_names_contain_rail_and_sibling_link(void **state)
{
	const uint32_t leaf = 576, spine = leaf + 64;
	struct net_config cfg;
	struct net_group g;

	net_config_bgq(&cfg);
	cfg.topology = NET_GEN_FAT_TREE;
	cfg.dims = 2;
	cfg.rails = 2;
	cfg.siblings = 4;
	memcpy(cfg.size, (uint16_t[]){ 18, 32 }, 4);
	memcpy(cfg.parents, (uint16_t[]){ 1, 18 }, 4);
	T_IS(net_classes(&cfg), 5);
	link_is(&cfg, 575, 1, "node 575 port 1 0+");
	link_is(&cfg, leaf, 0, "level 1 switch 0.0 port 0 1-");
	link_is(&cfg, leaf + 63, 35, "level 1 switch 1.31 port 35 1+");
	link_is(&cfg, leaf + 62, 39, "level 1 switch 0.31 port 39 1=");
	link_is(&cfg, spine + 35, 31, "level 2 switch 1.17 port 31 2-");
	net_group(&cfg, 1, &g);
	T_IS(g.count, 64);
	T_IS(g.ports, 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(links_of_a_torus_have_dimension_and_direction),
		T_CASE(nodes_of_a_shared_router_are_numbered),
		T_CASE(links_of_a_tree_have_level_switch_and_port),
		T_CASE(switch_names_contain_rail_and_sibling_link),
	};
	return T_RUN(tests);
}
