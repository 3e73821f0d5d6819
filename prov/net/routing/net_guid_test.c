/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two-level tables of the prototype's switch and of larger machines: they
 * give the same routes as tables with one entry per node, and no route passes
 * more switches than the paper states.
 */
#include "prov/net/routing/net_guid.h"
#include "test/support/net_fixture.h"

#include "test/t.h"

#include <errno.h>
#include <string.h>

static void config(struct net_config *cfg, const uint16_t *m, const uint16_t *w,
		   uint8_t levels, uint8_t super)
{
	net_config_bgq(cfg);
	cfg->topology = NET_GEN_FAT_TREE;
	cfg->dims = levels;
	cfg->rails = 2;
	cfg->siblings = 4;
	cfg->supernode = super;
	cfg->dyn_queues = 1;
	cfg->routes = cfg->routes_system = cfg->barriers = 0;
	memcpy(cfg->size, m, levels * sizeof(*m));
	memcpy(cfg->parents, w, levels * sizeof(*w));
}

/* Configures the prototype, in which a supernode is one switch of 576 ports. */
static void prototype(struct net_config *cfg)
{
	config(cfg, (uint16_t[]){ 18, 32 }, (uint16_t[]){ 1, 18 }, 2, 2);
}

/*
 * Configures the largest machine of switch chips with 40 ports: 1,024
 * supernodes of 256 nodes.
 */
static void largest(struct net_config *cfg)
{
	config(cfg, (uint16_t[]){ 16, 16, 32, 32 },
	       (uint16_t[]){ 1, 16, 16, 8 }, 4, 2);
}

/* Configures eight supernodes of 16 nodes, with switches above them. */
static void eight_supernodes(struct net_config *cfg)
{
	config(cfg, (uint16_t[]){ 4, 4, 8 }, (uint16_t[]){ 1, 4, 2 }, 3, 2);
}

/* Compares all entries of all tables with the routes to single nodes. */
static void check_tables(const struct net_config *cfg)
{
	const struct net_fat_route *got;
	struct net_fat_route want;
	struct net_fixture e;

	net_fixture_open(&e, cfg, 0);
	T_TRUE(e.net->off_table > 0);
	for (uint32_t node = e.net->ends; node < e.net->nodes; node++)
		for (unsigned hops = 1; hops <= 3; hops++)
			for (uint32_t dst = 0; dst < e.net->ends; dst++) {
				net_fat_route(&e.net->fat, node, dst, hops, 0,
					      &want);
				got = net_table_find(e.net, node, hops, dst);
				T_IS(got->ports, want.ports);
				T_IS(got->detour, want.detour);
				T_IS(got->first, want.first);
			}
	net_fixture_close(&e);
}

static void two_level_table_equals_flat_table(void **state)
{
	struct net_config cfg;

	prototype(&cfg);
	check_tables(&cfg);
	eight_supernodes(&cfg);
	check_tables(&cfg);
	/* tables of this size are not stored */
	largest(&cfg);
	T_IS(net_table_bytes(&cfg), 0);
	cfg.supernode = 0;
	T_IS(net_table_bytes(&cfg), 0);
}

enum { LEAF = 576, UP = 18, ACROSS = 36 };

/* Returns how many packets to dst use port `up` of the first leaf switch. */
static uint64_t packets_by(struct net_fixture *e, unsigned up, uint32_t dst)
{
	struct net_msg msg = { .dst = dst, .bytes = 512 * 20, .rail = 1 };
	struct net_port_count c;
	uint64_t before;

	net_port_get(e->net, LEAF, up, &c);
	before = c.packets;
	T_OK(net_send(e->net, e->last_at, &msg));
	msg.routing = NET_DETERMINISTIC;
	T_OK(net_send(e->net, e->last_at, &msg));
	net_fixture_drain(e);
	net_port_get(e->net, LEAF, up, &c);
	return c.packets - before;
}

/* Packets follow an entry that management has written. */
static void packets_use_the_table_entry(void **state)
{
	const struct net_fat_route only = { .ports = 1ull << (UP + 5),
					    .first = UP + 5 };
	struct net_config cfg;
	struct net_fixture e;

	prototype(&cfg);
	net_fixture_open(&e, &cfg, 0);
	T_TRUE(packets_by(&e, UP + 5, 500) < 20);
	T_OK(net_table_set(e.net, LEAF, 0, net_guid_of(&e.net->fat, 500),
			   &only));
	T_IS(packets_by(&e, UP + 5, 500), 40);
	T_TRUE(packets_by(&e, UP + 5, 501) < 20);
	/* packets that arrive from above use another table */
	T_OK(net_table_set(e.net, LEAF, UP, net_guid_of(&e.net->fat, 501),
			   &only));
	T_TRUE(packets_by(&e, UP + 5, 501) < 20);
	net_tables_renew(e.net);
	T_TRUE(packets_by(&e, UP + 5, 500) < 20);
	net_fixture_close(&e);
}

static void invalid_entries_are_refused(void **state)
{
	struct net_fat_route r = { .ports = 1ull << UP, .first = UP };
	const struct net_guid to = { 0, 3 };
	struct net_config cfg;
	struct net_fixture e;

	prototype(&cfg);
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_table_set(e.net, LEAF, 0, to, &r));
	T_IS(net_table_set(e.net, LEAF - 1, 0, to, &r), -EINVAL);
	T_IS(net_table_set(e.net, LEAF, 40, to, &r), -EINVAL);
	T_IS(net_table_set(e.net, LEAF, 0, (struct net_guid){ 1, 3 }, &r),
	     -EINVAL);
	T_IS(net_table_set(e.net, LEAF, 0, (struct net_guid){ 0, 576 }, &r),
	     -EINVAL);
	r.ports = 1ull << 40;
	T_IS(net_table_set(e.net, LEAF, 0, to, &r), -EINVAL);
	r.ports = 0;
	T_IS(net_table_set(e.net, LEAF, 0, to, &r), -EINVAL);
	net_fixture_close(&e);
	cfg.supernode = 0;
	net_fixture_open(&e, &cfg, 0);
	T_IS(net_table_set(e.net, LEAF, 0, to, &r), -EOPNOTSUPP);
	net_fixture_close(&e);
}

/*
 * A switch between supernodes has one entry for all nodes of a supernode: after
 * a failure in that supernode, its entry has only ports by which all its nodes
 * can be reached.
 */
static void entry_of_a_supernode_is_valid_for_all_its_nodes(void **state)
{
	const struct net_fat_route *r;
	struct net_config cfg;
	struct net_fixture e;
	uint32_t top, leaf;

	eight_supernodes(&cfg);
	cfg.siblings = 0;
	net_fixture_open(&e, &cfg, 0);
	leaf = e.net->fat.first[1];
	/* the second leaf of supernode 1 loses its first upward link */
	top = leaf + 2 * 5;
	T_OK(net_link_kill(e.net, top, 4));
	r = net_table_find(e.net, leaf, 1, 16);
	T_IS(r->ports, 0xf0);
	net_tables_renew(e.net);
	r = net_table_find(e.net, leaf, 1, 16);
	T_IS(r->ports, 0xe0);
	for (uint32_t dst = 0; dst < 128; dst++)
		T_OK(net_fixture_send(&e, 0, 5, dst, 512));
	net_fixture_drain(&e);
	T_IS(e.arrived, 128);
	net_fixture_close(&e);
}

static void two_level_table_size_matches_the_paper(void **state)
{
	struct net_config cfg;
	struct net_fat f;
	size_t entries;

	largest(&cfg);
	net_fat_init(&f, &cfg);
	entries = net_table_entries(&f);
	T_IS(entries, 256 + 1024);
	T_TRUE(1000 - 1000 * entries / f.first[1] == 996);
	prototype(&cfg);
	net_fat_init(&f, &cfg);
	T_IS(net_table_entries(&f), 577);
}

/* Follows the first port of every entry. Returns the number of switches. */
static unsigned switches_on_route(const struct net_fat *f, uint32_t src,
				  uint32_t dst)
{
	uint32_t node = src;
	unsigned port, there, hops = 0;
	uint64_t ports;

	while (node != dst && hops < 16) {
		ports = net_fat_steer(f, NULL, node, dst, hops, 0, &port);
		T_TRUE(ports >> port & 1);
		node = (uint32_t)net_fat_neighbour(f, node, port, &there);
		hops++;
	}
	T_IS(node, dst);
	return hops - 1;
}

static void no_route_passes_more_than_seven_chips(void **state)
{
	struct net_config cfg;
	struct net_fat f;
	unsigned most = 0, n;

	prototype(&cfg);
	net_fat_init(&f, &cfg);
	for (uint32_t a = 0; a < 576; a += 5)
		for (uint32_t b = 0; b < 576; b++) {
			n = a == b ? 0 : switches_on_route(&f, a, b);
			most = n > most ? n : most;
			T_TRUE(a == b || n + 1 >= net_fat_hops(&f, a, b));
		}
	T_IS(most, 3);
	largest(&cfg);
	net_fat_init(&f, &cfg);
	for (uint32_t i = 1, a = 1; i < 20000; i++) {
		uint32_t b = (a * 69069 + i) % 262144;

		n = a == b ? 0 : switches_on_route(&f, a, b);
		most = n > most ? n : most;
		a = b;
	}
	T_IS(most, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(two_level_table_equals_flat_table),
		T_CASE(packets_use_the_table_entry),
		T_CASE(invalid_entries_are_refused),
		T_CASE(entry_of_a_supernode_is_valid_for_all_its_nodes),
		T_CASE(two_level_table_size_matches_the_paper),
		T_CASE(no_route_passes_more_than_seven_chips),
	};
	return T_RUN(tests);
}
