/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the placement of ranks, on synthetic topologies. */
#include "src/tools/run/run_bind.h"
#include "test/t.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * 2 packages with 3 cores of 2 threads each: core k has processors 2k and 2k+1.
 */
#define TWELVE "pack:2 l3:1 core:3 pu:2"

/* Writes the processors of each rank, in order: "0-1;2-3"; "-": not bound. */
static void write_places(const struct run_place *p, int n, int cpus, char *out)
{
	struct run_bind *b = NULL;
	const struct run_cpuset *c;
	int i, k;

	T_OK(run_bind_open(p, n, cpus, TWELVE, &b));
	out[0] = '\0';
	for (i = 0; i < n; i++) {
		c = run_bind_of(b, i);
		if (!c)
			strcat(out, "-");
		for (k = 0; c && k < 12; k++)
			if (CPU_ISSET_S(k, c->size, c->set))
				sprintf(out + strlen(out), "%x", k);
		strcat(out, i + 1 < n ? ";" : "");
	}
	run_bind_close(b);
}

static void ranks_are_placed_by_the_options(void **state)
{
	static const struct {
		struct run_place p;
		int n, cpus;
		const char *want;
	} row[] = {
		{ { 0 }, 3, 12, "01;23;45" },
		{ { 0 }, 8, 12, "0;1;2;3;4;5;6;7" },
		{ { 0 }, 13, 12, "-;-;-;-;-;-;-;-;-;-;-;-;-" },
		{ { 0 }, 3, 2, "-;-;-" },
		{ { .bind = RUN_UNIT_NONE }, 2, 12, "-;-" },
		{ { .bind = RUN_UNIT_HWTHREAD }, 3, 12, "0;1;2" },
		{ { .bind = RUN_UNIT_PACKAGE }, 2, 12, "012345;012345" },
		{ { .bind = RUN_UNIT_L3, .map = RUN_UNIT_PACKAGE },
		  2,
		  12,
		  "012345;6789ab" },
		{ { .map = RUN_UNIT_PACKAGE }, 4, 12, "01;67;23;89" },
		{ { .map = RUN_UNIT_PACKAGE, .ppr = 3 }, 4, 12, "01;23;45;67" },
		{ { .pe = 2 }, 3, 12, "0123;4567;89ab" },
		{ { .bind = RUN_UNIT_CORE, .bind_count = 2 },
		  2,
		  12,
		  "0123;4567" },
		{ { .bind = RUN_UNIT_CORE }, 7, 2, "01;23;45;67;89;ab;01" },
		{ { .cpu_set = "4-7" }, 2, 12, "45;67" },
		{ { .bind = RUN_UNIT_NUMA }, 1, 12, "0123456789ab" },
	};
	char got[256];
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		write_places(&row[i].p, row[i].n, row[i].cpus, got);
		T_STR(got, row[i].want);
	}
}

static void unusable_processors_are_refused(void **state)
{
	static const char *const set[] = { "99",   "",	 "two", "0x1",
					   "1,,2", "1,", "-2",	"1;2" };
	struct run_bind *b = NULL;

	for (size_t i = 0; i < sizeof(set) / sizeof(set[0]); i++) {
		struct run_place p = { .cpu_set = set[i] };

		T_IS(run_bind_open(&p, 1, 1, TWELVE, &b), -EINVAL);
	}
}

static void topology_is_exported_as_xml(void **state)
{
	struct run_place p = { 0 };
	struct run_bind *b = NULL;
	char buf[64] = "";
	int fd;

	T_OK(run_bind_open(&p, 1, 1, TWELVE, &b));
	fd = run_bind_xml(b);
	T_TRUE(fd >= 0);
	T_TRUE(pread(fd, buf, sizeof(buf) - 1, 0) > 0);
	T_NOT_NULL(strstr(buf, "<?xml"));
	close(fd);
	run_bind_close(b);
}

static void l2_cache_size_from_topology(void **state)
{
	static const struct {
		const char *host;
		size_t bytes;
	} rows[] = {
		{ TWELVE, 0 },
		{ "pack:1 l3:1(size=33554432) l2:2(size=1048576) core:1 pu:1",
		  1048576 },
	};
	struct run_place p = { 0 };

	for (int i = 0; i < 2; i++) {
		struct run_bind *b = NULL;

		T_OK(run_bind_open(&p, 1, 1, rows[i].host, &b));
		T_IS(run_bind_cache(b), rows[i].bytes);
		run_bind_close(b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(ranks_are_placed_by_the_options),
		T_CASE(unusable_processors_are_refused),
		T_CASE(topology_is_exported_as_xml),
		T_CASE(l2_cache_size_from_topology),
	};

	return T_RUN(tests);
}
