/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of traffic patterns: destinations, and the load of the busiest cut. */
#include "src/tools/sim/sim_traffic.h"
#include "prov/net/file/net_file.h"
#include "prov/net/file/net_map.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>

static struct net_config cfg;
static struct sim_traffic t;

static void traffic(const char *machine, enum sim_pattern pattern)
{
	struct net_error_text why;

	T_OK(net_file_load(machine, 0, &cfg, &why));
	T_OK(sim_traffic_open(&t, &cfg, pattern, 0.05, 7));
}

static void no_node_sends_to_itself(void **state)
{
	for (int p = 0; p < SIM_PATTERNS; p++) {
		if (p == SIM_TRANSPOSE) /* diagonal nodes send to themselves */
			continue;
		if (p == SIM_GROUP) /* sim_new_test.c */
			continue;
		if (p == SIM_IO) /* targets are not compute nodes */
			continue;
		traffic("bgq:4x2x3mx1x2", (enum sim_pattern)p);
		for (uint32_t n = 0; n < t.nodes; n++)
			for (int k = 0; k < 100; k++) {
				uint32_t d = sim_traffic_next(&t, n);

				T_TRUE(d < t.nodes);
				/*
				 * the middle node of an odd dimension is its
				 * own opposite, so complement is not checked
				 */
				if (p != SIM_COMPLEMENT)
					T_TRUE(d != n);
			}
		sim_traffic_close(&t);
	}
}

static void alltoall_sends_to_every_other_node_once_per_round(void **state)
{
	uint8_t seen[96];

	traffic("bgq:4x4x3x1x2", SIM_ALLTOALL);
	T_IS(t.nodes, 96);
	for (uint32_t n = 0; n < t.nodes; n++) {
		memset(seen, 0, sizeof(seen));
		for (uint32_t k = 0; k < t.nodes - 1; k++)
			T_IS(seen[sim_traffic_next(&t, n)]++, 0);
		T_IS(seen[n], 0);
	}
	sim_traffic_close(&t);
}

static void permutation_traffic_is_bijective(void **state)
{
	uint8_t seen[512] = { 0 };

	traffic("bgq", SIM_PERMUTATION);
	for (uint32_t n = 0; n < t.nodes; n++)
		T_IS(seen[sim_traffic_next(&t, n)]++, 0);
	sim_traffic_close(&t);
}

static void load_is(const char *machine, enum sim_pattern p, double want)
{
	double got;

	traffic(machine, p);
	got = sim_traffic_load(&t);
	if (got < 0.999 * want || got > 1.001 * want)
		fail_msg("%s %s: %g, not %g", machine, sim_pattern_name(p), got,
			 want);
	sim_traffic_close(&t);
}

/* Textbook values: length / 8 on a ring, length / 4 on a line, per message. */
static void torus_cut_load_matches_the_textbook(void **state)
{
	load_is("bgq:4x4x4x4x2", SIM_UNIFORM, 0.5 * 512 / 511);
	load_is("bgq:16x8tx8tx8t", SIM_ALLTOALL, 2.0 * 8192 / 8191);
	load_is("bgq:8mx8t", SIM_UNIFORM, 2.0 * 64 / 63);
	load_is("bgq:4x4x4x4x2", SIM_NEIGHBOUR, 0.1);
	load_is("bgq:8m", SIM_COMPLEMENT, 4);
}

/*
 * A full tree carries all traffic of its nodes. With half of the upward links
 * at each of two levels, the tree carries a quarter of the traffic through the
 * top.
 */
static void tree_cuts_are_around_subtrees(void **state)
{
	load_is("qsnet2:4x4x4", SIM_UNIFORM, 1);
	load_is("qsnet2:4x4x4", SIM_COMPLEMENT, 1);
	load_is("qsnet2:4x4x4", SIM_PERMUTATION, 1);
	load_is("qsnet2@slim:4x4x4", SIM_COMPLEMENT, 4);
	load_is("qsnet2@slim:4x4x4", SIM_ALLTOALL, 4 * 48.0 / 63);
	load_is("qsnet2:4x4x4", SIM_HOTSPOT, 0.05 * 64);
	load_is("gemini:16x16x16", SIM_HOTSPOT, 0.05 * 8192 * 2.34375 / 19.2);
	traffic("qsnet2:4x4x4", SIM_UNIFORM);
	sim_traffic_close(&t);
	T_NOT_NULL(sim_pattern_missing(SIM_NEIGHBOUR, &cfg));
	T_NULL(sim_pattern_missing(SIM_COMPLEMENT, &cfg));
}

/* 32 of the 64 compute nodes write to each of two I/O nodes. */
static void every_node_writes_to_its_io_node(void **state)
{
	traffic("bgq@io:4x4x4", SIM_IO);
	T_NULL(sim_pattern_missing(SIM_IO, &cfg));
	for (uint32_t n = 0; n < 64; n++)
		T_IS(sim_traffic_next(&t, n), 64 + n / 32);
	/* 32 nodes share two links */
	T_TRUE(sim_traffic_load(&t) == 16);
	sim_traffic_close(&t);
	traffic("bgq:4x4x4", SIM_UNIFORM);
	T_NOT_NULL(sim_pattern_missing(SIM_IO, &cfg));
	sim_traffic_close(&t);
}

static void traffic_stays_in_its_partition(void **state)
{
	traffic("bgq@two:4x4", SIM_UNIFORM);
	for (uint32_t n = 0; n < 32; n++)
		for (int k = 0; k < 20; k++)
			T_IS(sim_traffic_next(&t, n) / 16, n / 16);
	sim_traffic_close(&t);
}

static void transpose_traffic_is_symmetric(void **state)
{
	uint32_t own = 0, n, d;

	traffic("gemini:8x8x8", SIM_TRANSPOSE);
	T_NULL(sim_pattern_missing(SIM_TRANSPOSE, &cfg));
	for (n = 0; n < 1024; n++) {
		d = sim_traffic_next(&t, n);
		T_IS(sim_traffic_next(&t, d), n);
		own += d == n;
	}
	T_IS(own, 32);
	T_IS(sim_traffic_next(&t, 5 * 32 + 7), 7 * 32 + 5);
	sim_traffic_close(&t);
	traffic("bgq", SIM_UNIFORM);
	T_NOT_NULL(sim_pattern_missing(SIM_TRANSPOSE, &cfg));
	sim_traffic_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(no_node_sends_to_itself),
		T_CASE(alltoall_sends_to_every_other_node_once_per_round),
		T_CASE(permutation_traffic_is_bijective),
		T_CASE(torus_cut_load_matches_the_textbook),
		T_CASE(tree_cuts_are_around_subtrees),
		T_CASE(transpose_traffic_is_symmetric),
		T_CASE(every_node_writes_to_its_io_node),
		T_CASE(traffic_stays_in_its_partition),
	};

	return T_RUN(tests);
}
