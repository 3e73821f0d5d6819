/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of shapes and maps against results computed by hand. */
#include "prov/net/file/net_map.h"
#include "test/t.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct net_config bgq(const char *shape)
{
	struct net_config c = {
		.name = "bgq",
		.dims = 5,
		.ranks_per_node = 1,
		.midplane = { 4, 4, 4, 4, 2 },
		.full = { 16, 16, 16, 12, 2 },
	};
	uint16_t *n = c.size;

	if (shape)
		T_IS(sscanf(shape, "%hux%hux%hux%hux%hu", &n[0], &n[1], &n[2],
			    &n[3], &n[4]),
		     5);
	return c;
}

static void blocks_double_from_the_last_dimension(void **state)
{
	static const struct {
		uint32_t nodes;
		const char *want;
	} row[] = {
		{ 1, "1x1x1x1x1" },	    { 2, "1x1x1x1x2" },
		{ 3, "1x1x1x2x2" },	    { 5, "1x1x2x2x2" },
		{ 32, "2x2x2x2x2" },	    { 33, "2x2x2x4x2" },
		{ 64, "2x2x2x4x2" },	    { 500, "4x4x4x4x2" },
		{ 1024, "4x4x4x8x2" },	    { 4096, "4x8x8x8x2" },
		{ 8192, "8x8x8x8x2" },	    { 8193, "8x8x8x12x2" },
		{ 12289, "8x8x16x12x2" },   { 49153, "16x16x16x12x2" },
		{ 98304, "16x16x16x12x2" },
	};
	struct net_config c = bgq(NULL);
	char why[NET_MAP_WHY], text[64];

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		T_OK(net_shape_fit(&c, row[i].nodes, why));
		T_STR(net_shape_text(&c, text, sizeof(text)), row[i].want);
	}
	T_IS(net_shape_fit(&c, 98305, why), -EINVAL);
	T_NOT_NULL(strstr(why, "bgq has at most 98304"));
}

static void all_dimensions_grow_without_a_full_machine(void **state)
{
	struct net_config c = { .name = "cube", .dims = 3 };
	char why[NET_MAP_WHY], text[64];

	T_OK(net_shape_fit(&c, 100, why));
	T_STR(net_shape_text(&c, text, sizeof(text)), "4x4x8");
	T_IS(net_shape_fit(&c, NET_MAP_NODES_MAX + 1, why), -EINVAL);
}

static void nodes_and_coordinates_are_inverse(void **state)
{
	struct net_config c = bgq("2x3x4x5x2");
	uint16_t at[NET_DIMS_MAX];

	for (uint32_t n = 0; n < net_shape_nodes(&c); n++) {
		net_node_coords(&c, n, at);
		T_IS(net_node_at(&c, at), n);
	}
	net_node_coords(&c, 1, at);
	T_IS(at[4], 1);
}

/* Checks the coordinates and the slot of a rank; want: one digit for each. */
static void check_place(const struct net_map_args *a, uint32_t rank,
			const char *want)
{
	struct net_place *p = calloc(a->ranks, sizeof(*p));
	char why[NET_MAP_WHY], got[40];
	uint16_t at[NET_DIMS_MAX];

	assert_non_null(p);
	T_OK(net_map_fill(a, p, why));
	net_node_coords(a->cfg, p[rank].node, at);
	snprintf(got, sizeof(got), "%u%u%u%u%u%u", at[0], at[1], at[2], at[3],
		 at[4], p[rank].slot);
	T_STR(got, want);
	free(p);
}

static void last_letter_varies_fastest(void **state)
{
	struct net_config c = bgq("4x4x4x4x2");
	struct net_map_args a = { .cfg = &c, .ppn = 2, .ranks = 1024 };

	check_place(&a, 1, "000001");
	check_place(&a, 2, "000010");
	check_place(&a, 4, "000100");
	check_place(&a, 1023, "333311");
	a.order = "TABCDE";
	check_place(&a, 1, "000010");
	check_place(&a, 512, "000001");
	a.order = "tedcba";
	check_place(&a, 1, "100000");
	check_place(&a, 6, "210000");
	a.ppn = 0;
	a.ranks = 512;
	a.order = NULL;
	check_place(&a, 511, "333310");
}

static void every_node_and_slot_is_used_once(void **state)
{
	struct net_config c = bgq("2x3x2x1x2");
	struct net_map_args a = {
		.cfg = &c, .ppn = 3, .ranks = 72, .order = "CTAEBD"
	};
	struct net_place p[72];
	char why[NET_MAP_WHY], seen[72] = "";

	T_OK(net_map_fill(&a, p, why));
	for (int i = 0; i < 72; i++) {
		T_TRUE(p[i].node < 24 && p[i].slot < 3);
		T_IS(seen[p[i].node * 3 + p[i].slot]++, 0);
	}
}

/* Ranks fill A and B, then the slots of both nodes of the router. */
static void slots_are_numbered_through_a_shared_router(void **state)
{
	struct net_config c = { .dims = 2,
				.size = { 2, 3 },
				.router_nodes = 2 };
	struct net_map_args a = { .cfg = &c, .ppn = 3, .ranks = 36 };
	struct net_place p[36];
	char why[NET_MAP_WHY];
	uint16_t at[NET_DIMS_MAX];
	unsigned i;

	T_IS(net_shape_nodes(&c), 12);
	T_OK(net_map_fill(&a, p, why));
	for (i = 0; i < 36; i++) {
		T_IS(p[i].node, i / 3);
		T_IS(p[i].slot, i % 3);
	}
	a.order = "TAB";
	T_OK(net_map_fill(&a, p, why));
	T_IS(p[1].node, 2);
	T_IS(p[6 * 4].node, 1);
	T_IS(p[6 * 4].slot, 1);
	net_node_coords(&c, 11, at);
	T_IS(at[0], 1);
	T_IS(at[1], 2);
}

static void invalid_orders_are_refused(void **state)
{
	static const char *const bad[] = { "ABCDE",  "ABCDEF", "ABCDETT",
					   "ABCDTT", "XBCDET", "" };
	struct net_config c = bgq("2x2x2x2x2");
	struct net_map_args a = { .cfg = &c, .ranks = 4 };
	struct net_place p[4];
	char why[NET_MAP_WHY];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		a.order = bad[i];
		T_IS(net_map_fill(&a, p, why), -EINVAL);
		T_NOT_NULL(strstr(why, "A to E and T"));
	}
}

static void too_many_ranks_are_refused(void **state)
{
	struct net_config c = bgq("2x2x2x2x2");
	struct net_map_args a = { .cfg = &c, .ranks = 33 };
	struct net_place p[66];
	char why[NET_MAP_WHY];

	T_IS(net_map_fill(&a, p, why), -EINVAL);
	T_STR(why, "33 ranks do not fit on bgq:2x2x2x2x2: 32 nodes with 1 "
		   "ranks each; use a larger shape or --ppn");
	a.ppn = 2;
	T_OK(net_map_fill(&a, p, why));
}

static void table_gives_node_and_slot(void **state)
{
	struct net_config c = bgq("2x2x2x2x2");
	struct net_map_args a = { .cfg = &c, .ppn = 2, .ranks = 3 };

	a.table = "# two on a node\n1 0 0 0 1 0\n\n  1 0 0 0 1 1 # here\n"
		  "0,1,1,0,0,0\n9 9 9 9 9 9\n";
	check_place(&a, 0, "100010");
	check_place(&a, 1, "100011");
	check_place(&a, 2, "011000");
}

static void invalid_tables_are_refused(void **state)
{
	static const struct {
		const char *table;
		const char *expected;
	} row[] = {
		{ "0 0 0 0 0\n", "map, line 1: expected a coordinate" },
		{ "\n0 0 0 0 2 0\n", "map, line 2: 2 is out of range, 0 to 1" },
		{ "0 0 0 0 0 1\n", "map, line 1: 1 is out of range, 0 to 0" },
		{ "0 0 0 0 0 0 0\n", "map, line 1: more numbers" },
		{ "0 0 0 0 0 0\n0 0 0 0 0 0\n", "map, line 2: another rank" },
		{ "0 0 0 0 0 0\n", "the map has 1 lines for 2 ranks" },
		{ "", "the map has 0 lines for 2 ranks" },
	};
	struct net_config c = bgq("2x2x2x2x2");
	struct net_map_args a = { .cfg = &c, .ranks = 2 };
	struct net_place p[2];
	char why[NET_MAP_WHY];

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		a.table = row[i].table;
		T_IS(net_map_fill(&a, p, why), -EINVAL);
		T_TRUE(!strncmp(why, row[i].expected, strlen(row[i].expected)));
	}
}

static void letters_are_an_order_other_text_is_a_file(void **state)
{
	char why[NET_MAP_WHY], *text = NULL;

	T_TRUE(net_map_is_order("ABCDET"));
	T_TRUE(!net_map_is_order("./map"));
	T_TRUE(!net_map_is_order(""));
	T_IS(net_map_read("/nonexistent/map", &text, why), -ENOENT);
	T_NOT_NULL(strstr(why, "/nonexistent/map"));
	T_OK(net_map_read("/proc/self/comm", &text, why));
	T_TRUE(strlen(text) > 1);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(blocks_double_from_the_last_dimension),
		T_CASE(all_dimensions_grow_without_a_full_machine),
		T_CASE(nodes_and_coordinates_are_inverse),
		T_CASE(last_letter_varies_fastest),
		T_CASE(every_node_and_slot_is_used_once),
		T_CASE(slots_are_numbered_through_a_shared_router),
		T_CASE(invalid_orders_are_refused),
		T_CASE(too_many_ranks_are_refused),
		T_CASE(table_gives_node_and_slot),
		T_CASE(invalid_tables_are_refused),
		T_CASE(letters_are_an_order_other_text_is_a_file),
	};

	return T_RUN(tests);
}
