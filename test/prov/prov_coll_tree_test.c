/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups with a second tree, given in descriptors (sunway). */
#include "test/prov/prov_group.h"

#include "test/t.h"

#include <stdlib.h>
#include <string.h>

#define DESCRIBED 12

/*
 * Runs two reductions: of integers, and of doubles in the order of the binomial
 * tree.
 */
static void both_sums(struct job *j, struct group *g)
{
	double x = j->rank ? 1 : 0x1p53, d = 0;
	uint32_t in = 1u << j->rank, out = 0;

	finish(j,
	       fi_allreduce(j->ep, &in, 1, NULL, &out, NULL, g->addr, FI_UINT32,
			    FI_SUM, 0, &j->entry),
	       "sum of integers");
	job_check(j, out == (1u << g->n) - 1, "sum", out);
	finish(j,
	       fi_allreduce(j->ep, &x, 1, NULL, &d, NULL, g->addr, FI_DOUBLE,
			    FI_SUM, 0, &j->entry),
	       "sum of doubles");
	/*
	 * ((0 + 1) + (2 + 3)) + ...: a one added to 2^53 is lost, a sum of ones
	 * is not
	 */
	job_check(j, d == 0x1p53 + 10, "sum of pairs", (long)(d - 0x1p53));
}

/*
 * Barriers and integer sums use the second tree on sunway, other sums do not.
 */
static void body_described(struct job *j)
{
	const char *machine = getenv("FI_WEFT_MACHINE");
	bool has = machine && !strcmp(machine, "sunway");
	struct fi_weft_route before, r;
	struct group g;

	group_open(j, &g, 0, j->size - 1, 1);
	before = group_route(j, &g);
	job_check(j, before.levels == (has ? 2 : 0), "levels", before.levels);
	both_sums(j, &g);
	r = group_route(j, &g);
	job_check(j, r.described - before.described == has, "by descriptors",
		  (long)(r.described - before.described));
	finish(j, fi_barrier(j->ep, g.addr, &j->entry), "barrier");
	r = group_route(j, &g);
	job_check(j, r.described - before.described == 2u * has,
		  "barriers by descriptors",
		  (long)(r.described - before.described));
	for (int k = 0; k < 20; k++)
		both_sums(j, &g);
	job_barrier(j);
	group_close(j, &g);
	job_barrier(j);
}

static void order_independent_sums_use_the_descriptor_tree(void **state)
{
	const char *machine = getenv("FI_WEFT_MACHINE");

	/* skipped on bgq, whose trees follow its torus */
	if (getenv("FI_WEFT_ARITY") || (machine && !strcmp(machine, "bgq")))
		skip();
	job_run(DESCRIBED, body_described, NULL);
	if (machine)
		return;
	setenv("FI_WEFT_MACHINE", "sunway", 1);
	job_run(DESCRIBED, body_described, NULL);
	unsetenv("FI_WEFT_MACHINE");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(order_independent_sums_use_the_descriptor_tree),
	};

	return T_RUN(tests);
}
