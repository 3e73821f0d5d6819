/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes of several jobs: lists, runs of free nodes, random nodes, errors. */
#include "test/t.h"

#include "src/job/job_place.h"

#define NODES 16u
#define RANKS 40u

static const struct weft_place_machine machine = { .nodes = NODES, .ppn = 2 };

/* Fails unless each node has at most ppn ranks, all of one job. */
static void check_nodes(const struct weft_place_job *job, unsigned jobs,
			const uint32_t *node_of)
{
	unsigned owner[NODES] = { 0 }, used[NODES] = { 0 };

	for (unsigned i = 0; i < jobs; i++)
		for (uint32_t k = 0; k < job[i].ranks; k++) {
			uint32_t node = *node_of++;

			T_TRUE(node < NODES);
			T_TRUE(!owner[node] || owner[node] == i + 1);
			owner[node] = i + 1;
			T_TRUE(++used[node] <= machine.ppn);
		}
}

static void lists_come_first(void **state)
{
	struct weft_place_job job[] = { { "a", NULL, 5, 0 },
					{ "b", "1-2,7", 5, 0 },
					{ "c", "contiguous", 4, 0 } };
	uint32_t node[RANKS];
	char why[WEFT_PLACE_WHY];

	T_OK(weft_place_jobs(&machine, job, 3, node, why));
	check_nodes(job, 3, node);
	/* three consecutive nodes are free from node 3 on */
	T_IS(job[0].nodes, 3);
	T_IS(node[0], 3);
	T_IS(node[1], 3);
	T_IS(node[4], 5);
	T_IS(node[5], 1);
	T_IS(node[8], 2);
	T_IS(node[9], 7);
	T_IS(job[2].nodes, 2);
	T_IS(node[10], 8);
	T_IS(node[13], 9);
}

static void a_seed_gives_the_same_nodes(void **state)
{
	struct weft_place_job job[] = { { "a", "random=3", 8, 0 },
					{ "b", "random", 24, 0 } };
	uint32_t first[RANKS], second[RANKS], other[RANKS];
	char why[WEFT_PLACE_WHY];
	unsigned differ = 0;

	T_OK(weft_place_jobs(&machine, job, 2, first, why));
	check_nodes(job, 2, first);
	T_OK(weft_place_jobs(&machine, job, 2, second, why));
	T_MEM(first, second, 32 * sizeof(*first));
	job[0].place = "random=4";
	T_OK(weft_place_jobs(&machine, job, 2, other, why));
	check_nodes(job, 2, other);
	for (unsigned i = 0; i < 8; i++)
		differ += first[i] != other[i];
	T_TRUE(differ > 0);
}

static void errors_name_the_option(void **state)
{
	static const struct {
		const char *place, *why;
		uint32_t ranks;
	} row[] = {
		{ "16", "--place 16: the machine has 16 nodes, 0 to 15", 1 },
		{ "3-4,4", "--place 3-4,4: node 4 is in use", 6 },
		{ "3-x", "--place 3-x: expected nodes such as 0-31,64", 9 },
		{ "4-3", "--place 4-3: expected nodes such as 0-31,64", 9 },
		{ "1,2",
		  "--place 1,2: 5 ranks, 2 on a node, need 3 nodes; the list "
		  "has 2",
		  5 },
		{ "0--1", "--place 0--1: expected nodes such as 0-31,64", 2 },
		{ "0,-1", "--place 0,-1: expected nodes such as 0-31,64", 4 },
		{ "0, 1", "--place 0, 1: expected nodes such as 0-31,64", 4 },
		{ "0-3,x", "--place 0-3,x: expected nodes such as 0-31,64", 2 },
		{ "random=",
		  "--place random=: expected random, or random=SEED with a "
		  "whole number",
		  1 },
		{ "random=-1",
		  "--place random=-1: expected random, or random=SEED with a "
		  "whole number",
		  1 },
		{ "random=18446744073709551616",
		  "--place random=18446744073709551616: expected random, or "
		  "random=SEED with a whole number",
		  1 },
		{ "randomly",
		  "--place randomly: expected random, or random=SEED with a "
		  "whole number",
		  1 },
		{ "nowhere",
		  "--place nowhere: expected contiguous, random, random=SEED, "
		  "or nodes such as 0-31,64",
		  1 },
		{ "random=1", "a: 16 nodes are free, 17 are needed", 33 },
		{ NULL,
		  "a: no 17 consecutive nodes are free; use --place "
		  "random or a larger shape",
		  33 },
	};
	uint32_t node[RANKS];
	char why[WEFT_PLACE_WHY];

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct weft_place_job job = { "a", row[i].place, row[i].ranks,
					      0 };

		T_IS(weft_place_jobs(&machine, &job, 1, node, why), -EINVAL);
		T_STR(why, row[i].why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(lists_come_first),
		T_CASE(a_seed_gives_the_same_nodes),
		T_CASE(errors_name_the_option),
	};

	return T_RUN(tests);
}
