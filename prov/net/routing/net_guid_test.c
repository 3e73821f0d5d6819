/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two-level tables of the prototype's switch and of the largest machine: they
 * give the same routes as tables with one entry per node, and no route passes
 * more switches than the paper states.
 */
#include "prov/net/routing/net_guid.h"

#include "test/t.h"

#include <stdlib.h>
#include <string.h>

static void shape(struct net_fat *f, const uint16_t *m, const uint16_t *w,
		  uint8_t levels, uint8_t super)
{
	struct net_config cfg;

	net_config_bgq(&cfg);
	cfg.topology = NET_GEN_FAT_TREE;
	cfg.dims = levels;
	cfg.rails = 2;
	cfg.siblings = 4;
	cfg.supernode = super;
	memcpy(cfg.size, m, levels * sizeof(*m));
	memcpy(cfg.parents, w, levels * sizeof(*w));
	net_fat_init(f, &cfg);
}

/* The prototype: a supernode is a switch of 576 ports. */
static void prototype(struct net_fat *f)
{
	shape(f, (uint16_t[]){ 18, 32 }, (uint16_t[]){ 1, 18 }, 2, 2);
}

/* The largest machine of chips with 40 ports: 1,024 supernodes of 256 nodes. */
static void largest(struct net_fat *f)
{
	shape(f, (uint16_t[]){ 16, 16, 32, 32 }, (uint16_t[]){ 1, 16, 16, 8 },
	      4, 2);
}

static void check_table(const struct net_fat *f, uint32_t node, unsigned hops,
			uint32_t step)
{
	struct net_fat_route *entry =
		calloc(net_table_entries(f), sizeof(*entry));
	const struct net_fat_route *got;
	struct net_fat_route want;
	struct net_table t;
	uint32_t dst;

	T_TRUE(entry != NULL);
	net_table_fill(f, node, hops, &t, entry);
	for (dst = 0; dst < f->first[1]; dst += step) {
		net_fat_route(f, node, dst, hops, 0, &want);
		got = net_table_find(&t, net_guid_of(f, dst));
		T_IS(got->ports, want.ports);
		T_IS(got->detour, want.detour);
		T_IS(got->first, want.first);
	}
	free(entry);
}

static void two_level_table_equals_flat_table(void **state)
{
	struct net_fat f;
	uint32_t level, node;

	prototype(&f);
	for (node = f.first[1]; node < f.nodes; node++)
		for (unsigned hops = 1; hops <= 3; hops++)
			check_table(&f, node, hops, 1);
	largest(&f);
	T_IS(f.first[1], 262144);
	T_TRUE(f.ports <= 40);
	for (level = 1; level <= 4; level++)
		for (unsigned i = 0; i < 3; i++) {
			uint32_t count = f.first[level + 1] - f.first[level];

			node = f.first[level] + i * (count - 1) / 2;
			check_table(&f, node, level, 1);
			check_table(&f, node, 8 - level, 7);
		}
}

static void two_level_table_size_matches_the_paper(void **state)
{
	struct net_fat f;
	size_t entries;

	largest(&f);
	entries = net_table_entries(&f);
	T_IS(entries, 256 + 1024);
	T_TRUE(1000 - 1000 * entries / f.first[1] == 996);
	prototype(&f);
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
	struct net_fat f;
	unsigned most = 0, n;

	prototype(&f);
	for (uint32_t a = 0; a < 576; a += 5)
		for (uint32_t b = 0; b < 576; b++) {
			n = a == b ? 0 : switches_on_route(&f, a, b);
			most = n > most ? n : most;
			T_TRUE(a == b || n + 1 >= net_fat_hops(&f, a, b));
		}
	T_IS(most, 3);
	largest(&f);
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
		T_CASE(two_level_table_size_matches_the_paper),
		T_CASE(no_route_passes_more_than_seven_chips),
	};
	return T_RUN(tests);
}
