/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups that lose a member: errors, and release of their routes. */
#include "test/prov/prov_group.h"

#include "test/t.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* ---- death of a member --------------------------------------------------- */

static void body_death(struct job *j)
{
	struct group g;
	int ret;

	group_open(j, &g, 0, j->size - 1, 1);
	finish(j, fi_barrier(j->ep, g.addr, &j->entry), "barrier");
	job_barrier(j);
	if (j->rank == j->size - 1) {
		/* the job's last barrier must not wait for the dead rank */
		weft_add32(&j->all->arrived, 1);
		raise(SIGKILL);
	}
	job_check(j, !fi_barrier(j->ep, g.addr, &j->entry), "post", 0);
	ret = job_next(j);
	job_check(j, ret == -FI_EAVAIL, "an error", ret);
	ret = (int)fi_barrier(j->ep, g.addr, &j->entry);
	if (!ret)
		ret = job_next(j);
	job_check(j, ret != 1, "the next operation fails, too", ret);
	group_close(j, &g);
}

static void death_of_a_member_is_reported_as_an_error(void **state)
{
	struct job_opts o = { 0 };

	(void)state;
	o.may_die = 4;
	job_run(4, body_death, &o);
	o.may_die = 11;
	job_run(11, body_death, &o);
	/* most members do not communicate with the rank that dies */
	o.may_die = 40;
	job_run(40, body_death, &o);
}

/* ---- routes of a large group that lost a member -------------------------- */

#define GROUPS 70 /* number of groups: more than any machine has routes */

/* Opens groups until no route is available. Returns the number of routes. */
static int exhaust_routes(struct job *j, struct group *g)
{
	int n = 0;

	do {
		group_open(j, &g[n], 0, j->size - 1, 1);
	} while (group_route(j, &g[n++]).id >= 0 && n < GROUPS);
	job_check(j, n > 1 && n < GROUPS, "routes", n);
	return n;
}

/* Checks that the ranks from first to last get a route again. */
static void route_again(struct job *j, int first, int last)
{
	struct t_limit limit;
	struct group g;
	bool real;

	t_limit_set(&limit, 20);
	do {
		job_check(j, !t_limit_expired(&limit),
			  "routes are not released", 0);
		group_open(j, &g, first, last, 1);
		real = group_route(j, &g).id >= 0;
		group_close(j, &g);
	} while (!real);
}

static void expect_failure(struct job *j, struct group *g)
{
	int ret = (int)fi_barrier(j->ep, g->addr, &j->entry);

	if (!ret)
		ret = job_next(j);
	job_check(j, ret != 1, "barrier with a dead member", ret);
}

static int dead_rank; /* rank that dies: the first or the last */

/* Arrives at the job's last barrier, which must not wait for the dead rank. */
static void barrier_skip_dead(struct job *j)
{
	weft_add32(&j->all->arrived, 1);
}

static void body_member_dies(struct job *j)
{
	static struct group g[GROUPS];
	int n = exhaust_routes(j, g);

	job_barrier(j);
	if (j->rank == dead_rank) {
		barrier_skip_dead(j);
		raise(SIGKILL);
	}
	for (int i = 0; i < n; i++)
		expect_failure(j, &g[i]);
	for (int i = 0; i < n; i++)
		group_close(j, &g[i]);
	route_again(j, !dead_rank, dead_rank ? dead_rank - 1 : j->size - 1);
}

static void wait_word(struct job *j, int i, uint64_t n)
{
	struct t_limit limit = { 0 };

	while (weft_load64(&j->all->word[i]) < n) {
		if (j->rank != dead_rank)
			fi_cq_read(j->cq, NULL, 0);
		job_backoff(j, &limit);
	}
}

/* One rank closes its endpoint before the others, and stays alive. */
static void body_member_closes(struct job *j)
{
	static struct group g[GROUPS];
	int n = exhaust_routes(j, g);

	job_barrier(j);
	if (j->rank != dead_rank)
		wait_word(j, 0, 1);
	for (int i = 0; i < n; i++)
		group_close(j, &g[i]);
	if (j->rank == dead_rank) {
		barrier_skip_dead(j);
		job_check(j, !fi_close(&j->ep->fid), "close ep", 0);
		weft_store64(&j->all->word[0], 1);
		wait_word(j, 1, (uint64_t)j->size - 1);
		raise(SIGKILL);
	}
	route_again(j, !dead_rank, dead_rank ? dead_rank - 1 : j->size - 1);
	weft_add64(&j->all->word[1], 1);
}

static void run_lost_member(int victim, void (*body)(struct job *j))
{
	const char *machine = getenv("FI_WEFT_MACHINE");
	const struct job_opts o = { .may_die = victim + 1 };

	/* on bgq the surviving ranks would not form a rectangle */
	if ((machine && !strcmp(machine, "bgq")) || group_no_routes())
		skip();
	dead_rank = victim;
	job_run(20, body, &o);
}

static void death_of_a_member_releases_the_route(void **state)
{
	(void)state;
	run_lost_member(19, body_member_dies);
	run_lost_member(0, body_member_dies); /* rank 0: the root of the tree */
}

static void early_close_of_a_member_releases_the_route(void **state)
{
	(void)state;
	run_lost_member(19, body_member_closes);
	run_lost_member(0, body_member_closes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(death_of_a_member_is_reported_as_an_error),
		T_CASE(death_of_a_member_releases_the_route),
		T_CASE(early_close_of_a_member_releases_the_route),
	};

	return T_RUN(tests);
}
