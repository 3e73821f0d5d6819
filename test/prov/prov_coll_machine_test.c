/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How each machine implements collectives: forms of barriers, atomics,
 * messages.
 */
#include "test/prov/prov_calls.h"

#include "test/t.h"

/* ---- kinds of barriers --------------------------------------------------- */

/* maximum number of members that read each other's contributions */
#define WEFT_FEW 8
#define COUNTED	 10

/* Returns the expected form of this machine's barriers; `form` on qsnet2. */
static int expected_form(int form)
{
	const char *machine = getenv("FI_WEFT_MACHINE");

	if (machine && !strcmp(machine, "gemini"))
		return 3;
	return machine && !strcmp(machine, "qsnet2") ? form : 0;
}

/*
 * Opens groups of qsnet2 on contiguous nodes, and on nodes with a gap between
 * them.
 */
static void body_forms(struct job *j)
{
	static const struct {
		int first, last, step, form;
	} rows[] = {
		{ 0, 5, 1, 1 }, { 1, 4, 1, 1 }, { 0, 4, 2, 2 },
		{ 1, 5, 2, 2 }, { 0, 5, 5, 2 },
	};
	struct group g;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool in = j->rank >= rows[i].first && j->rank <= rows[i].last &&
			  (j->rank - rows[i].first) % rows[i].step == 0;

		if (in) {
			group_open(j, &g, rows[i].first, rows[i].last,
				   rows[i].step);
			job_check(j,
				  group_route(j, &g).form ==
					  expected_form(rows[i].form),
				  "form", group_route(j, &g).form);
			for (int k = 0; k < 20; k++)
				all_calls(j, &g);
		}
		job_barrier(j);
		if (in)
			group_close(j, &g);
		job_barrier(j);
	}
}

/*
 * Opens a group with members on every second node: the nodes are not
 * contiguous.
 */
static void body_gaps(struct job *j)
{
	struct group g;

	group_open(j, &g, 0, j->size - 1, 1);
	job_check(j, group_route(j, &g).form == expected_form(2),
		  "form of gaps", group_route(j, &g).form);
	all_calls(j, &g);
	job_barrier(j);
	group_close(j, &g);
	job_barrier(j);
}

/*
 * The group has more members than may read each other's contributions: a
 * barrier and a short reduction use one atomic per member.
 */
static void body_atomics(struct job *j)
{
	uint64_t in = 1, out = 0, before;
	struct group g;

	group_open(j, &g, 0, j->size - 1, 1);
	before = group_route(j, &g).atomics;
	for (int i = 0; i < COUNTED; i++)
		finish(j, fi_barrier(j->ep, g.addr, &j->entry), "barrier");
	job_check(j,
		  expected_form(0) != 3 ||
			  group_route(j, &g).atomics - before == COUNTED,
		  "atomics", (long)(group_route(j, &g).atomics - before));
	before = group_route(j, &g).atomics;
	finish(j,
	       fi_allreduce(j->ep, &in, 1, NULL, &out, NULL, g.addr, FI_UINT64,
			    FI_SUM, 0, &j->entry),
	       "allreduce");
	job_check(j,
		  out == (uint64_t)j->size &&
			  (expected_form(0) != 3 ||
			   group_route(j, &g).atomics > before),
		  "sum by atomics", (long)out);
	job_barrier(j);
	group_close(j, &g);
}

static void members_arrive_by_atomics(void **state)
{
	const struct job_opts o = { 0 };

	job_run(WEFT_FEW + 4, body_atomics, &o);
}

static void the_nodes_of_a_group_select_its_barriers(void **state)
{
	struct job_opts o = { .nodes_apart = 1 };

	(void)state;
	job_run(6, body_forms, &o);
	o.nodes_apart = 2;
	job_run(4, body_gaps, &o);
}

/* ---- machines with and without routes ------------------------------------ */

static void body_routes(struct job *j)
{
	struct group g;

	group_open(j, &g, 0, j->size - 1, 1);
	job_check(j, (group_route(j, &g).id < 0) == group_no_routes(),
		  "a route", group_route(j, &g).id);
	all_calls(j, &g);
	job_barrier(j);
	group_close(j, &g);
}

static void a_machine_has_routes_or_sends_messages(void **state)
{
	const struct job_opts o = { 0 };

	job_run(4, body_routes, &o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(the_nodes_of_a_group_select_its_barriers),
		T_CASE(members_arrive_by_atomics),
		T_CASE(a_machine_has_routes_or_sends_messages),
	};

	return T_RUN(tests);
}
