/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives between processes: groups, all calls, routes. */
#include "test/prov/prov_calls.h"

#include "src/base/rng.h"
#include "test/t.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- every call against a naive result ----------------------------------- */

static void body_world(struct job *j)
{
	struct group g;

	group_open(j, &g, 0, j->size - 1, 1);
	all_calls(j, &g);
	job_barrier(j);
	group_close(j, &g);
}

static void every_call_matches_the_naive_result(void **state)
{
	static const int sizes[] = { 1, 2, 3, 8, 9, 16, 20 };
	const struct job_opts o = { 0 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		job_run(sizes[i], body_world, &o);
}

/*
 * Opens groups of odd and even ranks at the same time, of all ranks, and of one
 * rank.
 */
static void body_subsets(struct job *j)
{
	struct group all, half, one;

	group_open(j, &all, 0, j->size - 1, 1);
	group_open(j, &half, j->rank % 2, j->size - 1, 2);
	group_open(j, &one, j->rank, j->rank, 1);
	for (int i = 0; i < 3; i++) {
		all_calls(j, &half);
		all_calls(j, &one);
		all_calls(j, &all);
	}
	job_barrier(j);
	group_close(j, &one);
	group_close(j, &half);
	group_close(j, &all);
}

static void concurrent_groups_are_independent(void **state)
{
	const struct job_opts o = { 0 };

	job_run(6, body_subsets, &o);
}

/* ---- many operations, without synchronisation ---------------------------- */

#define MANY 300

static void body_many(struct job *j)
{
	static int64_t in[MANY], out[MANY];
	struct group g;
	struct weft_rng r;

	weft_rng_init(&r, 3, (uint64_t)j->rank);
	group_open(j, &g, 0, j->size - 1, 1);
	for (int i = 0; i < MANY; i++) {
		in[i] = j->rank + i;
		job_check(j,
			  !fi_allreduce(j->ep, &in[i], 1, NULL, &out[i], NULL,
					g.addr, FI_INT64, FI_MAX, 0, &j->entry),
			  "post", i);
		if (!weft_rng_below(&r, 20))
			usleep((useconds_t)weft_rng_below(&r, 500));
	}
	job_wait_any(j, MANY);
	for (int i = 0; i < MANY; i++)
		job_check(j, out[i] == j->size - 1 + i, "max", i);
	job_barrier(j);
	group_close(j, &g);
}

static void hundreds_of_operations_may_be_in_flight(void **state)
{
	const struct job_opts o = { 0 };

	job_run(2, body_many, &o);
	job_run(12, body_many, &o);
}

/* ---- no progress of other members is needed ------------------------------ */

static void body_absent(struct job *j)
{
	double in = 1, out = 0;
	struct t_limit limit;
	struct group g;

	group_open(j, &g, 0, j->size - 1, 1);
	finish(j, fi_barrier(j->ep, g.addr, &j->entry), "barrier");
	t_limit_set(&limit, 20);
	job_check(j,
		  !fi_allreduce(j->ep, &in, 1, NULL, &out, NULL, g.addr,
				FI_DOUBLE, FI_SUM, 0, &j->entry),
		  "post", 0);
	if (j->rank == 0) {
		/*
		 * make no call until all other members have reported completion
		 */
		while (weft_load64(&j->all->word[0]) < (uint64_t)j->size - 1) {
			job_check(j, !t_limit_expired(&limit),
				  "others wait for an absent member", 0);
			usleep(100);
		}
	}
	job_wait(j, &j->entry);
	job_check(j, out == j->size, "sum", (long)out);
	if (j->rank)
		weft_add64(&j->all->word[0], 1);
	job_barrier(j);
	group_close(j, &g);
}

static void a_member_need_not_poll_after_its_contribution(void **state)
{
	const struct job_opts o = { 0 };

	if (group_no_routes())
		/*
		 * without routes, messages are forwarded only by members that
		 * poll
		 */
		skip();
	job_run(4, body_absent, &o);
	job_run(16, body_absent, &o);
}

/* ---- arithmetic ---------------------------------------------------------- */

static void body_alu(struct job *j)
{
	double big[3] = { 1e300, 1, -1e300 }, x, sum = 0;
	uint8_t small = 200;
	int32_t i32 = j->rank, got = 0;
	struct group g;

	group_open(j, &g, 0, j->size - 1, 1);
	x = j->rank < 3 ? big[j->rank] : 0;
	finish(j,
	       fi_allreduce(j->ep, &x, 1, NULL, &sum, NULL, g.addr, FI_DOUBLE,
			    FI_SUM, FI_WEFT_EXACT, &j->entry),
	       "exact");
	job_check(j, sum == 1, "exact sum", (long)sum);
	finish(j,
	       fi_allreduce(j->ep, &small, 1, NULL, &small, NULL, g.addr,
			    FI_UINT8, FI_SUM, 0, &j->entry),
	       "overflow");
	job_check(j, j->entry.data == FI_WEFT_OVERFLOW, "overflow flag",
		  (long)j->entry.data);
	x = j->rank == 1 ? 0.0 / (x - x) : 1;
	finish(j,
	       fi_allreduce(j->ep, &x, 1, NULL, &sum, NULL, g.addr, FI_DOUBLE,
			    FI_MAX, 0, &j->entry),
	       "nan");
	job_check(j, j->entry.data == FI_WEFT_NAN, "nan flag",
		  (long)j->entry.data);
	finish(j,
	       fi_allreduce(j->ep, &i32, 1, NULL, &got, NULL, g.addr, FI_INT32,
			    FI_BOR, 0, &j->entry),
	       "or");
	job_check(j, got == 3, "or", got);
	job_check(j,
		  fi_allreduce(j->ep, &x, 1, NULL, &sum, NULL, g.addr,
			       FI_DOUBLE, FI_BXOR, 0,
			       &j->entry) == -FI_EOPNOTSUPP,
		  "xor of doubles", 0);
	job_barrier(j);
	group_close(j, &g);
}

static void arithmetic_flags_are_returned_and_exact_sums_are_exact(void **state)
{
	const struct job_opts o = { 0 };

	job_run(4, body_alu, &o);
}

/* ---- sums are deterministic ---------------------------------------------- */

#define ORDERS 1000

/*
 * Returns a number; the sum of these numbers depends on the order of addition.
 */
static double odd_value(int member)
{
	return ldexp(1 + 0.37 * member, member * 5 % 40 - 20) *
	       (member % 3 ? 1 : -1);
}

/*
 * Returns the position of this member in a random order that is the same at all
 * members.
 */
static int position_of(struct weft_rng *r, int n, int me)
{
	int order[32], at = 0;

	weft_rng_shuffle(r, order, n);
	while (order[at] != me)
		at++;
	return at;
}

static void body_orders(struct job *j)
{
	double in = odd_value(j->rank), out, first = 0;
	weft_au64 *next = &j->all->word[0];
	struct weft_rng r;
	struct group g;

	weft_rng_init(&r, 11, 0);
	group_open(j, &g, 0, j->size - 1, 1);
	for (uint64_t i = 0; i < ORDERS; i++) {
		uint64_t mine = i * (uint64_t)j->size +
				(uint64_t)position_of(&r, j->size, j->rank);
		struct t_limit limit = { 0 };

		while (weft_load64(next) < mine)
			job_backoff(j, &limit);
		job_check(j,
			  !fi_allreduce(j->ep, &in, 1, NULL, &out, NULL, g.addr,
					FI_DOUBLE, FI_SUM, 0, &j->entry),
			  "post", (long)i);
		weft_add64(next, 1);
		job_wait(j, &j->entry);
		if (!i)
			first = out;
		job_check(j, !memcmp(&first, &out, sizeof(out)), "bits",
			  (long)i);
	}
	job_barrier(j);
	group_close(j, &g);
}

static void sums_do_not_depend_on_arrival_order(void **state)
{
	const struct job_opts o = { 0 };

	job_run(2, body_orders, &o);
	job_run(10, body_orders, &o);
}

/* ---- the order of additions ---------------------------------------------- */

/* Returns the result of recursive doubling over n ranks. */
static double recursive_doubling(int n)
{
	double acc[32], other[32];
	int m = 1, left = 0;

	while (2 * m <= n)
		m *= 2;
	for (int i = 0; i < m; i++) {
		acc[i] = odd_value(left++);
		if (i < n - m)
			acc[i] += odd_value(left++);
	}
	for (int bit = 1; bit < m; bit *= 2) {
		memcpy(other, acc, sizeof(acc));
		for (int i = 0; i < m; i++)
			acc[i] = i & bit ? other[i ^ bit] + other[i]
					 : other[i] + other[i ^ bit];
	}
	return acc[m - 1];
}

/* number of elements: too many for packets, not divisible into equal slices */
#define LONG_SUM 10007

static void body_sums(struct job *j)
{
	static double in[LONG_SUM], out[LONG_SUM];
	static const size_t sizes[] = { 1, 6, 7, 900, LONG_SUM };
	double want = recursive_doubling(j->size);
	struct group g;

	group_open(j, &g, 0, j->size - 1, 1);
	for (int s = 0; s < 5; s++) {
		size_t n = sizes[s];

		for (size_t i = 0; i < n; i++)
			in[i] = odd_value(j->rank);
		finish(j,
		       fi_allreduce(j->ep, in, n, NULL, out, NULL, g.addr,
				    FI_DOUBLE, FI_SUM, 0, &j->entry),
		       "allreduce");
		if (!s && !has_pairs())
			want = out[0];
		for (size_t i = 0; i < n; i++)
			job_check(j, out[i] == want, "allreduce", (long)n);
		/* in place; only the root's result is defined */
		for (int root = 0; root < j->size; root++) {
			finish(j,
			       fi_reduce(j->ep, in, n, NULL, in, NULL, g.addr,
					 j->addr[root], FI_DOUBLE, FI_SUM, 0,
					 &j->entry),
			       "reduce");
			for (size_t i = 0; root == j->rank && i < n; i++) {
				job_check(j, in[i] == want, "reduce", (long)n);
				in[i] = odd_value(j->rank);
			}
		}
	}
	job_barrier(j);
	group_close(j, &g);
}

static void sums_equal_recursive_doubling(void **state)
{
	static const int sizes[] = { 2, 3, 4, 7, 8, 12, 16 };
	const struct job_opts o = { 0 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		job_run(sizes[i], body_sums, &o);
}

/*
 * Binds even ranks to one package of a synthetic host, odd ranks to the other.
 */
static void bind_to(struct job *j, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	setenv("HWLOC_SYNTHETIC", "pack:2 core:1 pu:1", 1);
	job_check(j, !sched_setaffinity(0, sizeof(set), &set), "bind", cpu);
}

#define BOUND 12

static void body_bound(struct job *j)
{
	double in = odd_value(j->rank), out, want, odd = 0;
	struct group g;

	bind_to(j, j->rank % 2);
	group_open(j, &g, 0, j->size - 1, 1);
	finish(j,
	       fi_allreduce(j->ep, &in, 1, NULL, &out, NULL, g.addr, FI_DOUBLE,
			    FI_SUM, 0, &j->entry),
	       "allreduce");
	/*
	 * rank 1 is the root of the other package, and the first child of rank
	 * 0
	 */
	for (int r = 1; r < BOUND; r += 2)
		odd = r == 1 ? odd_value(1) : odd + odd_value(r);
	want = odd_value(0) + odd;
	for (int r = 2; r < BOUND; r += 2)
		want += odd_value(r);
	job_check(j, out == want, "order of the sum", 0);
	job_barrier(j);
	group_close(j, &g);
}

static void trees_follow_the_binding_of_members(void **state)
{
	const struct job_opts o = { 0 };
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	/* skipped on bgq, whose trees follow its torus */
	if (!CPU_ISSET(0, &set) || !CPU_ISSET(1, &set) || !has_pairs())
		skip();
	setenv("FI_WEFT_ARITY", "8", 1);
	job_run(BOUND, body_bound, &o);
	unsetenv("FI_WEFT_ARITY");
}

/* ---- routes are exhausted and released ----------------------------------- */

#define GROUPS 40

static void body_routes(struct job *j)
{
	struct group g[GROUPS];
	int hardware = 0, again = 0, barriers = 0;

	for (int round = 0; round < 3; round++) {
		again = barriers = 0;
		for (int i = 0; i < GROUPS; i++) {
			struct fi_weft_route r;

			group_open(j, &g[i], 0, j->size - 1, 1);
			r = group_route(j, &g[i]);
			again += r.id >= 0;
			barriers += r.barrier >= 0;
		}
		/* machines without barrier classes use the class route */
		job_check(j, !barriers || barriers == again, "barrier classes",
			  barriers);
		for (int i = 0; i < GROUPS; i++)
			all_calls(j, &g[i]);
		job_check(j, again > 8 && again < GROUPS, "routes", again);
		job_check(j, !round || again == hardware, "leak", again);
		hardware = again;
		job_barrier(j);
		for (int i = 0; i < GROUPS; i++)
			group_close(j, &g[i]);
		/*
		 * a route is free when all members have left: poll until their
		 * notices have arrived
		 */
		job_barrier(j);
		for (int i = 0; i < 100; i++) {
			fi_cq_read(j->cq, NULL, 0);
			usleep(100);
		}
		job_barrier(j);
	}
}

static void exhausted_routes_are_released(void **state)
{
	const struct job_opts o = { 0 };

	if (group_no_routes())
		skip();
	job_run(2, body_routes, &o);
}

/* ---- cost of a large group per member ------------------------------------ */

static uint64_t packets_sent(struct job *j)
{
	return job_counters(j).packets_sent;
}

/* Returns the number of mappings of endpoints' memory. */
static int regions_mapped(struct job *j)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];
	int n = 0;

	job_check(j, f != NULL, "/proc/self/maps", 0);
	while (fgets(line, sizeof(line), f))
		n += strstr(line, "memfd:weft-shm") != NULL;
	fclose(f);
	return n;
}

/*
 * Packets of a join: eight children and one parent; two steps each, in both
 * directions.
 */
#define JOIN_PACKETS (4 * 9)
/*
 * Mappings: one region and one segment of each child, and of each member on the
 * path to the root.
 */
#define JOIN_REGIONS (2 * (1 + 8 + 3))

static void body_large(struct job *j)
{
	const char *machine = getenv("FI_WEFT_MACHINE");
	uint64_t sent = packets_sent(j);
	double in = 1, out = 0;
	struct group g;
	int mapped;

	group_open(j, &g, 0, j->size - 1, 1);
	sent = packets_sent(j) - sent;
	job_check(j, sent <= JOIN_PACKETS, "packets of a join", (long)sent);
	for (int i = 0; i < 20; i++) {
		finish(j, fi_barrier(j->ep, g.addr, &j->entry), "barrier");
		finish(j,
		       fi_allreduce(j->ep, &in, 1, NULL, &out, NULL, g.addr,
				    FI_DOUBLE, FI_SUM, 0, &j->entry),
		       "allreduce");
		job_check(j, out == j->size, "sum", (long)out);
		out = j->rank == i ? 7 : 0;
		finish(j,
		       fi_broadcast(j->ep, &out, 1, NULL, g.addr, j->addr[i],
				    FI_DOUBLE, 0, &j->entry),
		       "broadcast");
		job_check(j, out == 7, "broadcast", (long)out);
	}
	mapped = regions_mapped(j);
	/*
	 * bgq has deeper trees, and no tree for a set that is not a rectangle
	 */
	if (!machine || strcmp(machine, "bgq"))
		job_check(j, mapped <= JOIN_REGIONS, "regions", mapped);
	job_barrier(j);
	sent = packets_sent(j);
	group_close(j, &g);
	job_barrier(j);
	sent = packets_sent(j) - sent;
	job_check(j, sent <= JOIN_PACKETS, "packets of a leave", (long)sent);
}

static void join_cost_depends_on_tree_neighbours_only(void **state)
{
	const struct job_opts o = { 0 };

	if (getenv("FI_WEFT_ARITY") || group_no_routes())
		skip();
	job_run(60, body_large, &o);
}

/*
 * Number of joins: more than any machine has routes. A route is released
 * although no member notifies all other members.
 */
#define AGAIN 40

static void body_routes_reused(struct job *j)
{
	int hardware = 0, tries = 0;

	/* the last notices of a group may arrive during the next join */
	while (hardware < AGAIN && ++tries < 4 * AGAIN) {
		struct group g;

		group_open(j, &g, 0, j->size - 1, 1);
		hardware += group_route(j, &g).id >= 0;
		finish(j, fi_barrier(j->ep, g.addr, &j->entry), "barrier");
		group_close(j, &g);
	}
	job_check(j, hardware == AGAIN, "routes", hardware);
	job_barrier(j);
}

static void routes_of_large_groups_are_released(void **state)
{
	const char *machine = getenv("FI_WEFT_MACHINE");
	const struct job_opts o = { 0 };

	if (group_no_routes())
		skip();
	/* the ranks must form a rectangle on bgq */
	job_run(machine && !strcmp(machine, "bgq") ? 32 : 18,
		body_routes_reused, &o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(every_call_matches_the_naive_result),
		T_CASE(concurrent_groups_are_independent),
		T_CASE(hundreds_of_operations_may_be_in_flight),
		T_CASE(a_member_need_not_poll_after_its_contribution),
		T_CASE(arithmetic_flags_are_returned_and_exact_sums_are_exact),
		T_CASE(sums_do_not_depend_on_arrival_order),
		T_CASE(sums_equal_recursive_doubling),
		T_CASE(trees_follow_the_binding_of_members),
		T_CASE(exhausted_routes_are_released),
		T_CASE(join_cost_depends_on_tree_neighbours_only),
		T_CASE(routes_of_large_groups_are_released),
	};

	return T_RUN(tests);
}
