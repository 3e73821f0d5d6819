/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives as documented in fi_collective(3), fi_av_set(3) and fi_cm(3) of
 * libfabric 1.17: sets and their members, joins and their events, results of
 * queries, wrong arguments, the order of closing.
 */
#include "test/prov/prov_job.h"

#include "test/t.h"

#include <complex.h>
#include <rdma/fi_collective.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(struct job *j, long got, long want, const char *what)
{
	if (got != want)
		fprintf(stderr, "rank %d: %s: %ld, not %ld\n", j->rank, what,
			got, want);
	job_check(j, got == want, what, got);
}

/* ---- sets ---------------------------------------------------------------- */

static struct fid_av_set *empty_set(struct job *j)
{
	struct fi_av_set_attr attr = { .start_addr = FI_ADDR_NOTAVAIL,
				       .end_addr = FI_ADDR_NOTAVAIL };
	struct fid_av_set *set;

	expect(j, fi_av_set(j->av, &attr, &set, j), 0, "fi_av_set");
	job_check(j, set->fid.context == j, "context of a set", 0);
	return set;
}

/* Returns a set of ranks first, first + step ... last of the job. */
static struct fid_av_set *set_of_ranks(struct job *j, int first, int last,
				       int step)
{
	struct fid_av_set *set = empty_set(j);

	for (int r = first; r <= last; r += step)
		expect(j, fi_av_set_insert(set, j->addr[r]), 0, "insert");
	return set;
}

static void close_set(struct job *j, struct fid_av_set *set)
{
	expect(j, fi_close(&set->fid), 0, "close a set");
}

/* Checks that the set has exactly the ranks in the mask; empties the set. */
static void expect_members(struct job *j, struct fid_av_set *set, unsigned bits)
{
	for (int r = 0; r < j->size; r++)
		expect(j, fi_av_set_remove(set, j->addr[r]),
		       bits >> r & 1 ? 0 : -FI_EINVAL, "member");
	close_set(j, set);
}

static void body_sets(struct job *j)
{
	struct fid_av_set *a = set_of_ranks(j, 0, 4, 1),
			  *b = set_of_ranks(j, 3, 6, 1);

	expect(j, fi_av_set_insert(a, j->addr[0]), -FI_EINVAL,
	       "a member twice");
	expect(j, fi_av_set_insert(a, 1000), -FI_EINVAL, "no address");
	expect(j, fi_av_set_insert(a, FI_ADDR_UNSPEC), -FI_EINVAL,
	       "FI_ADDR_UNSPEC");
	expect(j, fi_av_set_remove(a, j->addr[6]), -FI_EINVAL, "no member");
	expect(j, fi_av_set_union(a, b), 0, "union");
	expect(j, fi_av_set_union(a, a), 0, "union with itself");
	expect_members(j, a, 0x7f);
	a = set_of_ranks(j, 0, 4, 1);
	expect(j, fi_av_set_intersect(a, b), 0, "intersect");
	expect(j, fi_av_set_intersect(a, a), 0, "intersect with itself");
	expect_members(j, a, 0x18);
	a = set_of_ranks(j, 0, 4, 1);
	expect(j, fi_av_set_diff(a, b), 0, "diff");
	expect_members(j, a, 0x07);
	a = set_of_ranks(j, 0, 4, 1);
	expect(j, fi_av_set_diff(a, a), 0, "diff with itself");
	expect_members(j, a, 0);
	expect_members(j, b, 0x78);
}

/*
 * Arguments and expected result of fi_av_set, and the set's members as a bit
 * mask.
 */
struct range {
	struct fi_av_set_attr attr;
	int err;
	unsigned members;
};

static void try_ranges(struct job *j, const struct range *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct fi_av_set_attr attr = r[i].attr;
		struct fid_av_set *set = NULL;

		expect(j, fi_av_set(j->av, &attr, &set, NULL), r[i].err,
		       "set of a range");
		if (set)
			expect_members(j, set, r[i].members);
	}
}

/* The vector is a table; the addresses are those returned by fi_av_insert. */
static void body_ranges(struct job *j)
{
	fi_addr_t lo = j->addr[0], hi = j->addr[6], none = FI_ADDR_NOTAVAIL;
	uint8_t key[5] = "key";
	const struct range r[] = {
		{ { .start_addr = lo, .end_addr = hi }, 0, 0x7f },
		{ { .start_addr = lo, .end_addr = hi, .stride = 3 }, 0, 0x49 },
		{ { .count = 7, .start_addr = lo, .end_addr = hi, .stride = 1 },
		  0,
		  0x7f },
		{ { .start_addr = hi, .end_addr = hi, .stride = UINT64_MAX },
		  0,
		  0x40 },
		{ { .count = 6, .start_addr = lo, .end_addr = hi },
		  -FI_EINVAL,
		  0 },
		{ { .start_addr = hi, .end_addr = lo }, -FI_EINVAL, 0 },
		{ { .start_addr = lo, .end_addr = none }, -FI_EINVAL, 0 },
		{ { .start_addr = none, .end_addr = hi }, -FI_EINVAL, 0 },
		{ { .start_addr = lo, .end_addr = 5000 }, -FI_EINVAL, 0 },
		{ { .start_addr = none,
		    .end_addr = none,
		    .comm_key = key,
		    .comm_key_size = 5 },
		  0,
		  0 },
	};

	try_ranges(j, r, sizeof(r) / sizeof(*r));
}

/* Sets of all addresses in the vector, after some were removed. */
static void body_removed(struct job *j)
{
	fi_addr_t lo = j->addr[0], hi = j->addr[6], none = FI_ADDR_NOTAVAIL;
	const struct range r[] = {
		{ { .start_addr = none,
		    .end_addr = none,
		    .flags = FI_UNIVERSE | FI_BARRIER_SET },
		  0,
		  0x7b },
		{ { .start_addr = lo, .end_addr = hi }, 0, 0x7b },
	};
	struct fid_av_set *set;

	expect(j, fi_av_remove(j->av, &j->addr[2], 1, 0), 0, "fi_av_remove");
	try_ranges(j, r, sizeof(r) / sizeof(*r));
	set = empty_set(j);
	expect(j, fi_av_set_insert(set, j->addr[2]), -FI_EINVAL, "one removed");
	close_set(j, set);
}

static void sets_hold_the_inserted_members(void **state)
{
	const struct job_opts o = { .av_type = FI_AV_TABLE };

	job_run(7, body_sets, &o);
	job_run(7, body_ranges, &o);
	job_run(7, body_removed, &o);
}

/* ---- joining ------------------------------------------------------------- */

static struct fid_mc *join(struct job *j, struct fid_av_set *set, void *context)
{
	struct fi_eq_entry e = { 0 };
	struct fid_mc *mc = NULL;
	fi_addr_t addr;
	uint32_t event;
	ssize_t n;

	expect(j, fi_av_set_addr(set, &addr), 0, "fi_av_set_addr");
	expect(j, fi_join_collective(j->ep, addr, set, 0, &mc, context), 0,
	       "fi_join_collective");
	do {
		fi_cq_read(j->cq, NULL, 0);
		n = fi_eq_read(j->eq, &event, &e, sizeof(e), 0);
	} while (n == -FI_EAGAIN);
	expect(j, n, sizeof(e), "an event");
	expect(j, event, FI_JOIN_COMPLETE, "type of the event");
	job_check(j, e.fid == &mc->fid && e.context == context,
		  "fid and context of the event", 0);
	job_check(j, fi_mc_addr(mc) != FI_ADDR_NOTAVAIL, "an address", 0);
	expect(j, mc->fid.fclass, FI_CLASS_MC, "class");
	return mc;
}

static void wait_for(struct job *j, ssize_t ret, const char *what)
{
	expect(j, ret, 0, what);
	job_wait(j, &j->entry);
	job_check(j, j->entry.flags & FI_COLLECTIVE, what, 0);
}

/* Checks the order of the set by an allgather of the members' numbers. */
static void order_is(struct job *j, struct fid_mc *mc, const int *ranks, int n)
{
	uint64_t mine = 100 + (uint64_t)j->rank, all[16];

	wait_for(j,
		 fi_allgather(j->ep, &mine, 1, NULL, all, NULL, fi_mc_addr(mc),
			      FI_UINT64, 0, &j->entry),
		 "allgather");
	for (int i = 0; i < n; i++)
		expect(j, (long)all[i], 100 + ranks[i], "order of the set");
}

static void body_order(struct job *j)
{
	struct fid_av_set *set = empty_set(j), *more = set_of_ranks(j, 0, 3, 1);
	struct fid_mc *mc, *again;

	expect(j, fi_av_set_insert(set, j->addr[3]), 0, "insert");
	expect(j, fi_av_set_insert(set, j->addr[1]), 0, "insert");
	/* union appends new members; removal keeps the order */
	expect(j, fi_av_set_union(set, more), 0, "union");
	mc = join(j, set, &more);
	order_is(j, mc, (int[]){ 3, 1, 0, 2 }, 4);
	/* joining the set again creates another group */
	again = join(j, set, NULL);
	job_check(j, fi_mc_addr(again) != fi_mc_addr(mc), "the same group", 0);
	order_is(j, again, (int[]){ 3, 1, 0, 2 }, 4);
	expect(j, fi_close(&again->fid), 0, "close");
	expect(j, fi_av_set_remove(set, j->addr[1]), 0, "remove");
	if (j->rank != 1) {
		again = join(j, set, NULL);
		order_is(j, again, (int[]){ 3, 0, 2 }, 3);
		expect(j, fi_close(&again->fid), 0, "close");
	}
	/* the set may be closed first: a group keeps its members */
	close_set(j, set);
	close_set(j, more);
	order_is(j, mc, (int[]){ 3, 1, 0, 2 }, 4);
	job_barrier(j);
	expect(j, fi_close(&mc->fid), 0, "close");
}

static void groups_have_the_order_of_their_set(void **state)
{
	const struct job_opts o = { 0 };

	job_run(4, body_order, &o);
}

static void body_wrong(struct job *j)
{
	struct fid_av_set *all = set_of_ranks(j, 0, j->size - 1, 1);
	struct fid_av_set *others = empty_set(j), *no_member = empty_set(j);
	fi_addr_t addr, none = FI_ADDR_NOTAVAIL;
	struct fid_mc *mc = NULL;
	struct fid_ep *unbound;
	int x = 1, y = 0;

	expect(j, fi_av_set_insert(others, j->addr[(j->rank + 1) % j->size]), 0,
	       "insert");
	fi_av_set_addr(others, &addr);
	expect(j, fi_join_collective(j->ep, addr, others, 0, &mc, NULL),
	       -FI_EINVAL, "join without being a member");
	fi_av_set_addr(no_member, &addr);
	expect(j, fi_join_collective(j->ep, addr, no_member, 0, &mc, NULL),
	       -FI_EINVAL, "join of an empty set");
	expect(j, fi_join_collective(j->ep, addr, NULL, 0, &mc, NULL),
	       -FI_EINVAL, "join without a set");
	/* an endpoint that has no event queue and is not enabled */
	expect(j, fi_endpoint(j->domain, j->info, &unbound, NULL), 0,
	       "endpoint");
	fi_av_set_addr(all, &addr);
	job_check(j, fi_join_collective(unbound, addr, all, 0, &mc, NULL) < 0,
		  "join without an event queue", 0);
	expect(j, fi_close(&unbound->fid), 0, "close");

	expect(j, fi_barrier(j->ep, none, NULL), -FI_EINVAL, "no group");
	expect(j,
	       fi_broadcast(j->ep, &x, 1, NULL, none, j->addr[0], FI_INT32, 0,
			    NULL),
	       -FI_EINVAL, "no group");
	expect(j,
	       fi_gather(j->ep, &x, 1, NULL, &y, NULL, none, j->addr[0],
			 FI_INT32, 0, NULL),
	       -FI_EINVAL, "no group");
	mc = join(j, all, NULL);
	expect(j,
	       fi_broadcast(j->ep, &x, 1, NULL, fi_mc_addr(mc), 4711, FI_INT32,
			    0, NULL),
	       -FI_EINVAL, "no member");
	expect(j,
	       fi_reduce(j->ep, &x, 1, NULL, &y, NULL, fi_mc_addr(mc), none,
			 FI_INT32, FI_SUM, 0, NULL),
	       -FI_EINVAL, "no member");
	expect(j,
	       fi_allreduce(j->ep, &x, 1, NULL, &y, NULL, fi_mc_addr(mc),
			    FI_VOID, FI_SUM, 0, NULL),
	       -FI_EOPNOTSUPP, "void");
	/* the refused calls had no effect on the group */
	wait_for(j,
		 fi_allreduce(j->ep, &x, 1, NULL, &y, NULL, fi_mc_addr(mc),
			      FI_INT32, FI_SUM, 0, &j->entry),
		 "allreduce");
	expect(j, y, j->size, "sum");
	job_barrier(j);
	expect(j, fi_close(&mc->fid), 0, "close");
	close_set(j, all);
	close_set(j, others);
	close_set(j, no_member);
}

static void wrong_arguments_are_refused(void **state)
{
	const struct job_opts o = { 0 };

	job_run(3, body_wrong, &o);
}

/* ---- results of queries -------------------------------------------------- */

static const struct {
	enum fi_datatype type;
	size_t bytes;
} types[] = {
	{ FI_INT8, 1 },
	{ FI_UINT8, 1 },
	{ FI_INT16, 2 },
	{ FI_UINT16, 2 },
	{ FI_INT32, 4 },
	{ FI_UINT32, 4 },
	{ FI_INT64, 8 },
	{ FI_UINT64, 8 },
	{ FI_FLOAT, 4 },
	{ FI_DOUBLE, 8 },
	{ FI_FLOAT_COMPLEX, 8 },
	{ FI_DOUBLE_COMPLEX, 16 },
	{ FI_LONG_DOUBLE, sizeof(long double) },
	{ FI_LONG_DOUBLE_COMPLEX, sizeof(complex long double) },
};

static const enum fi_op ops[] = { FI_MIN,  FI_MAX, FI_SUM,  FI_PROD, FI_LOR,
				  FI_LAND, FI_BOR, FI_BAND, FI_LXOR, FI_BXOR };

static int query(struct job *j, enum fi_collective_op coll, enum fi_op op,
		 int t, struct fi_collective_attr *attr)
{
	int ret;

	*attr = (struct fi_collective_attr){ .op = op,
					     .datatype = types[t].type };
	ret = fi_query_collective(j->domain, coll, attr, 0);
	if (ret) {
		expect(j, ret, -FI_EOPNOTSUPP, "query");
		return ret;
	}
	expect(j, (long)attr->datatype_attr.size, (long)types[t].bytes, "size");
	job_check(j, attr->datatype_attr.count >= 64, "count", 0);
	job_check(j, attr->max_members >= (size_t)j->size, "members", 0);
	expect(j, (long)attr->mode, 0, "mode");
	return 0;
}

/*
 * Checks that the calls support every use of a reduction that the query reports
 * as supported.
 */
static void try_reduction(struct job *j, fi_addr_t g, enum fi_op op, int t)
{
	static _Alignas(16) char in[256 * 32], out[256 * 32];
	struct fi_collective_attr attr;
	enum fi_datatype type = types[t].type;
	int all = query(j, FI_ALLREDUCE, op, t, &attr);
	ssize_t ret;

	expect(j, query(j, FI_REDUCE, op, t, &attr), all,
	       "reduce as allreduce");
	expect(j, query(j, FI_REDUCE_SCATTER, op, t, &attr), all,
	       "reduce_scatter as allreduce");
	memset(in, 0, sizeof(in));
	ret = fi_allreduce(j->ep, in, 64, NULL, out, NULL, g, type, op, 0,
			   &j->entry);
	expect(j, ret, all, "allreduce as the query reports");
	if (!ret)
		wait_for(j, ret, "allreduce");
	ret = fi_reduce(j->ep, in, 64, NULL, out, NULL, g, j->addr[1], type, op,
			0, &j->entry);
	expect(j, ret, all, "reduce as the query reports");
	if (!ret)
		wait_for(j, ret, "reduce");
	ret = fi_reduce_scatter(j->ep, in, 5, NULL, out, NULL, g, type, op, 0,
				&j->entry);
	expect(j, ret, all, "reduce_scatter as the query reports");
	if (!ret)
		wait_for(j, ret, "reduce_scatter");
}

static void try_carried(struct job *j, fi_addr_t g, int t)
{
	static const enum fi_collective_op colls[] = {
		FI_BROADCAST, FI_ALLTOALL, FI_ALLGATHER, FI_SCATTER, FI_GATHER
	};
	static _Alignas(16) char in[128 * 32], out[128 * 32];
	enum fi_datatype type = types[t].type;
	size_t n = types[t].bytes * 3;
	struct fi_collective_attr attr;

	for (size_t c = 0; c < sizeof(colls) / sizeof(colls[0]); c++)
		expect(j, query(j, colls[c], FI_NOOP, t, &attr), 0, "carried");
	memset(in, 1 + j->rank, sizeof(in));
	wait_for(j,
		 fi_gather(j->ep, in, 3, NULL, out, NULL, g, j->addr[2], type,
			   0, &j->entry),
		 "gather");
	for (int r = 0; j->rank == 2 && r < j->size; r++)
		expect(j, out[(size_t)r * n + n - 1], 1 + r, "gathered");
	wait_for(j,
		 fi_broadcast(j->ep, in, 3, NULL, g, j->addr[1], type, 0,
			      &j->entry),
		 "broadcast");
	expect(j, in[n - 1], 2, "broadcast");
	/* a count of 0 is allowed */
	wait_for(j,
		 fi_alltoall(j->ep, in, 0, NULL, out, NULL, g, type, 0,
			     &j->entry),
		 "alltoall with count 0");
	wait_for(j,
		 fi_scatter(j->ep, NULL, 0, NULL, NULL, NULL, g, j->addr[0],
			    type, 0, &j->entry),
		 "scatter with count 0");
}

static void body_query(struct job *j)
{
	struct fi_collective_attr attr = { .op = FI_NOOP, .datatype = FI_VOID };
	struct fid_av_set *set = set_of_ranks(j, 0, j->size - 1, 1);
	struct fid_mc *mc = join(j, set, NULL);
	fi_addr_t g = fi_mc_addr(mc);

	expect(j, fi_query_collective(j->domain, FI_BARRIER, &attr, 0), 0,
	       "barrier");
	expect(j, fi_query_collective(j->domain, FI_BROADCAST, &attr, 0),
	       -FI_EOPNOTSUPP, "broadcast of void");
	expect(j,
	       fi_query_collective(j->domain, (enum fi_collective_op)99, &attr,
				   0),
	       -FI_EOPNOTSUPP, "no such collective");
	wait_for(j, fi_barrier(j->ep, g, &j->entry), "barrier");
	wait_for(j, fi_barrier2(j->ep, g, FI_COMPLETION, &j->entry),
		 "barrier2");
	for (int t = 0; t < (int)(sizeof(types) / sizeof(types[0])); t++) {
		try_carried(j, g, t);
		for (size_t o = 0; o < sizeof(ops) / sizeof(ops[0]); o++)
			try_reduction(j, g, ops[o], t);
	}
	job_barrier(j);
	expect(j, fi_close(&mc->fid), 0, "close");
	close_set(j, set);
}

static void query_results_match_the_calls(void **state)
{
	const struct job_opts o = { 0 };

	job_run(3, body_query, &o);
	job_run(9, body_query, &o);
}

/* ---- completions --------------------------------------------------------- */

/* Only calls with FI_COMPLETION are reported, in the order of the calls. */
static void body_selective(struct job *j)
{
	struct fid_av_set *set = set_of_ranks(j, 0, j->size - 1, 1);
	struct fid_mc *mc = join(j, set, NULL);
	fi_addr_t g = fi_mc_addr(mc);
	int x = 1, y = 0, z = 0;

	expect(j, fi_barrier(j->ep, g, &x), 0, "unreported operation");
	expect(j,
	       fi_allreduce(j->ep, &x, 1, NULL, &y, NULL, g, FI_INT32, FI_SUM,
			    0, &y),
	       0, "unreported operation");
	wait_for(j,
		 fi_allreduce(j->ep, &x, 1, NULL, &z, NULL, g, FI_INT32, FI_SUM,
			      FI_COMPLETION, &j->entry),
		 "told");
	expect(j, y, j->size, "the unreported operation is complete");
	expect(j, z, j->size, "sum");
	job_barrier(j);
	expect(j, fi_cq_read(j->cq, &j->entry, 1), -FI_EAGAIN,
	       "no other entry");
	expect(j, fi_close(&mc->fid), 0, "close");
	close_set(j, set);
}

static void completions_are_selective(void **state)
{
	const struct job_opts o = { .cq_flags = FI_SELECTIVE_COMPLETION };

	job_run(2, body_selective, &o);
	job_run(5, body_selective, &o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(sets_hold_the_inserted_members),
		T_CASE(groups_have_the_order_of_their_set),
		T_CASE(wrong_arguments_are_refused),
		T_CASE(query_results_match_the_calls),
		T_CASE(completions_are_selective),
	};

	return T_RUN(tests);
}
