/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares every row of the table with a naive result: for 1 to 17 and 33 ranks
 * and for pairs of groups, with random counts, roots, forms and types, as a
 * nonblocking, persistent and (in threads) blocking operation.
 */
#include "test/t.h"

#include "test/support/coll_case.h"
#include "coll/coll_hosts.h"
#include "test/support/coll_guard.h"
#include "coll/coll_select.h"
#include "src/msg/msg_req.h"

#include <stdio.h>
#include <string.h>

static struct case_elem plain, gappy;
static struct weft_op *compose, *add_pairs;
static struct weft_rng rng;
static int given_count; /* number of elements; 0: random */

/* ---- elements and operations ---- */

/*
 * Elements are maps x -> a x + b. Their composition is associative but not
 * commutative.
 */
static void fold_compose(const int *l, int *r)
{
	unsigned a = (unsigned)l[0], b = (unsigned)l[1];

	r[1] = (int)(a * (unsigned)r[1] + b);
	r[0] = (int)(a * (unsigned)r[0]);
}

static void fold_add(const int *l, int *r)
{
	r[0] = (int)((unsigned)l[0] + (unsigned)r[0]);
	r[1] = (int)((unsigned)l[1] + (unsigned)r[1]);
}

typedef void (*fold_fn)(const int *left, int *right);

static void apply_fold(const char *in, char *io, int n, fold_fn f)
{
	MPI_Count ext = gappy.dt->extent;
	int i, k, l[2], r[2];

	for (i = 0; i < n; i++, in += ext, io += ext) {
		for (k = 0; k < 2; k++) {
			memcpy(&l[k], in + gappy.off[k], sizeof(int));
			memcpy(&r[k], io + gappy.off[k], sizeof(int));
		}
		f(l, r);
		for (k = 0; k < 2; k++)
			memcpy(io + gappy.off[k], &r[k], sizeof(int));
	}
}

static void user_compose(void *in, void *io, int *n, MPI_Datatype *type)
{
	T_PTR(*type, weft_dt_handle(gappy.dt));
	apply_fold(in, io, *n, fold_compose);
}

static void user_add(void *in, void *io, int *n, MPI_Datatype *type)
{
	apply_fold(in, io, *n, fold_add);
}

static void set_up(void)
{
	if (plain.dt)
		return;
	case_elems(&plain, &gappy);
	T_OK(weft_op_open(user_compose, NULL, false, &compose));
	T_OK(weft_op_open(user_add, NULL, true, &add_pairs));
	weft_rng_init(&rng, 4711, 0);
}

static bool combines(enum weft_coll_kind k)
{
	return k == WEFT_COLL_REDUCE || k == WEFT_COLL_ALLREDUCE ||
	       k == WEFT_COLL_REDUCE_SCATTER || k == WEFT_COLL_SCAN ||
	       k == WEFT_COLL_EXSCAN;
}

static void draw_op(const struct coll_algo *row, struct case_what *w)
{
	uint64_t which = weft_rng_below(&rng, 3);

	w->el = weft_rng_below(&rng, 2) ? &plain : &gappy;
	if (!combines(row->kind))
		return;
	w->el = &gappy;
	w->op = compose;
	w->fold = fold_compose;
	if (which == 0 || row->need & COLL_COMMUTE) {
		w->op = add_pairs;
		w->fold = fold_add;
	}
	if (which == 1) {
		w->el = &plain;
		w->op = weft_op_of(MPI_SUM);
		w->fold = fold_add;
	}
}

static bool has_forms(enum weft_coll_kind k)
{
	return k >= WEFT_COLL_GATHER && k <= WEFT_COLL_REDUCE_SCATTER;
}

static struct case_what draw_case(const struct coll_algo *row,
				  const struct mock *m)
{
	static const int counts[] = { 0, 1, 2, 3, 7, 16, 17, 65, 300 };
	struct case_what w = { .kind = row->kind };

	draw_op(row, &w);
	w.count = counts[weft_rng_below(&rng, WEFT_COUNT_OF(counts))];
	if (given_count)
		w.count = given_count;
	w.root = (int)weft_rng_below(&rng, (uint64_t)(m->p + m->q));
	w.in_place = !m->q && !(row->need & COLL_OUT) &&
		     row->kind != WEFT_COLL_BCAST && weft_rng_below(&rng, 2);
	if (has_forms(row->kind) && !(row->need & COLL_EVEN))
		w.form = (enum case_form)weft_rng_below(
			&rng, row->kind == WEFT_COLL_ALLTOALL ? 3 : 2);
	if (row->need & COLL_IN)
		w.in_place = true;
	return w;
}

/* ---- blocking, nonblocking, persistent ---- */

static void run_started(struct case_job *j)
{
	struct weft_req *req[CASE_PROCS];
	int i;

	for (i = 0; i < j->n; i++)
		T_OK(weft_coll_start(&j->proc[i].a, &req[i]));
	mock_settle(j->mock);
	for (i = 0; i < j->n; i++)
		T_OK(weft_req_collect(&req[i], MPI_STATUS_IGNORE));
	case_check(j);
}

static void run_persistent(struct case_job *j)
{
	struct weft_req *req[CASE_PROCS];
	int i, round;

	for (i = 0; i < j->n; i++)
		T_OK(weft_coll_init(&j->proc[i].a, &req[i]));
	for (round = 0; round < (j->w.in_place ? 1 : 3); round++) {
		case_reset(j);
		for (i = 0; i < j->n; i++)
			T_OK(req[i]->ops->start(req[i]));
		mock_settle(j->mock);
		for (i = 0; i < j->n; i++)
			T_OK(weft_req_collect(&req[i], MPI_STATUS_IGNORE));
		case_check(j);
	}
	for (i = 0; i < j->n; i++)
		req[i]->ops->free(req[i]);
}

static void run_one(int i, void *arg)
{
	struct case_job *j = arg;

	T_OK(weft_coll_run(&j->proc[i].a));
}

static void run_blocking(struct case_job *j)
{
	mock_each(j->mock, run_one, j);
	case_check(j);
}

/* Selects a random message that arrives with an error. */
static int draw_break(const struct case_job *j)
{
	int at = (int)weft_rng_below(&rng, (uint64_t)j->n);

	mock_break(at, 1 + (int)weft_rng_below(&rng, 4),
		   weft_rng_below(&rng, 2) ? -EIO : -ECONNRESET);
	return at;
}

static int broken_runs; /* runs with a message that arrived with an error */
static int end_notices; /* ranks that were notified that a process has ended */
/*
 * ranks whose barrier failed although another rank got the message with the
 * error
 */
static int barrier_failures;

/*
 * Checks that a rank without an error has the right result, and that the rank
 * that got the broken message reports an error.
 */
static void check_broken(struct case_job *j, int at, const int *rc)
{
	bool broke = mock_broke();

	mock_break(0, 0, 0);
	broken_runs += broke;
	T_TRUE(!broke || rc[at]);
	for (int i = 0; i < j->n; i++) {
		if (!rc[i])
			case_check_rank(j, i);
		else
			T_TRUE(broke);
		end_notices += rc[i] == -ECONNRESET && i != at;
		T_TRUE(rc[i] != -ECONNRESET || rc[at] == -ECONNRESET);
		barrier_failures +=
			rc[i] && i != at && j->w.kind == WEFT_COLL_BARRIER;
	}
}

static void run_started_broken(struct case_job *j)
{
	struct weft_req *req[CASE_PROCS];
	int i, rc[CASE_PROCS], at = draw_break(j);

	for (i = 0; i < j->n; i++)
		T_OK(weft_coll_start(&j->proc[i].a, &req[i]));
	mock_settle(j->mock);
	for (i = 0; i < j->n; i++)
		rc[i] = weft_req_collect(&req[i], MPI_STATUS_IGNORE);
	check_broken(j, at, rc);
}

struct broken_run {
	struct case_job *job;
	int rc[CASE_PROCS];
};

static void run_one_broken(int i, void *arg)
{
	struct broken_run *b = arg;

	b->rc[i] = weft_coll_run(&b->job->proc[i].a);
}

static void run_blocking_broken(struct case_job *j)
{
	struct broken_run b = { .job = j };
	int at = draw_break(j);

	mock_each(j->mock, run_one_broken, &b);
	check_broken(j, at, b.rc);
}

typedef void (*run_fn)(struct case_job *j);

static void try_row(const struct coll_algo *row, struct mock *m, run_fn run)
{
	static struct case_job job;
	struct case_what w = draw_case(row, m);

	case_open(&job, m, &w, &rng);
	coll_select_force(row->kind, row);
	T_TRUE(coll_algo_supports(row, &job.proc[0].a));
	run(&job);
	coll_select_force(row->kind, NULL);
	case_close(&job);
}

/*
 * Returns whether the row is tested with this job: rows for several hosts only
 * with several hosts, others only with one.
 */
static bool fits_host_count(const struct coll_algo *row, struct mock *m)
{
	bool several = !m->q && coll_hosts(m->comm[0]);

	return several == !!(row->need & COLL_HOSTS);
}

static uint32_t first_seq; /* number of the first collective */

/*
 * Tests every row that supports p ranks (and q ranks in a second group) with
 * `draws` random inputs.
 */
static void try_rows(int p, int q, int draws, run_fn run)
{
	const struct coll_algo *row;
	struct mock *m;
	unsigned i;
	int k, d;

	m = mock_open(p, q, (uint64_t)(p * 64 + q));
	for (k = 0; k < p + q; k++)
		weft_store32(&m->comm[k]->coll_seq, first_seq);
	for (k = 0; k < WEFT_COLL_NEIGHBOR_ALLGATHER; k++)
		for (i = 0; (row = coll_algo_at((enum weft_coll_kind)k, i));
		     i++) {
			if (row->need & (q ? COLL_INTRA : COLL_INTER))
				continue;
			if ((row->need & COLL_POW2) && (p & (p - 1)))
				continue;
			/*
			 * the collective unit is tested in test/mpi, shared
			 * memory in coll_shared_test
			 */
			if (row->need &
				    (COLL_ROUTE | COLL_EXACT | COLL_SHARED) ||
			    !fits_host_count(row, m))
				continue;
			for (d = 0; d < draws; d++)
				try_row(row, m, run);
		}
	mock_close(m);
}

/*
 * Ranks on two or more hosts have a mapping of ranks to hosts; ranks on one
 * host have none.
 */
static void ranks_are_mapped_to_hosts(void **state)
{
	for (int hosts = 1; hosts <= 3; hosts++) {
		const struct coll_hosts *h;
		struct mock *m;

		mock_spread(-hosts);
		m = mock_open(6, 0, 1);
		h = coll_hosts(m->comm[5]);
		if (hosts == 1)
			T_NULL(h);
		else
			T_IS(h ? h->count : 0, hosts);
		mock_close(m);
	}
	mock_spread(0);
}

static void several_hosts_match_the_naive_result(void **state)
{
	static const int spread[] = { 1, 2, 3, 5, -2, -3, -4 };
	static const run_fn runs[] = { run_started, run_persistent,
				       run_blocking };

	set_up();
	for (size_t i = 0; i < sizeof(spread) / sizeof(*spread); i++) {
		mock_spread(spread[i]);
		for (int p = 2; p <= 17; p++)
			try_rows(p, 0, t_scale(10), runs[(size_t)p % 3]);
	}
	mock_spread(0);
}

static void every_row_matches_the_naive_result(void **state)
{
	int p;

	set_up();
	for (p = 1; p <= 17; p++)
		try_rows(p, 0, t_scale(40), run_started);
	try_rows(33, 0, t_scale(4), run_started);
}

/* Tags contain 31 bits of the number of the collective. */
static void numbers_of_collectives_wrap(void **state)
{
	static const uint32_t before[] = { INT32_MAX - 5, UINT32_MAX - 5 };

	set_up();
	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++) {
		first_seq = before[i];
		try_rows(5, 0, 2, run_started);
		try_rows(3, 2, 2, run_started);
	}
	first_seq = 0;
}

static void intercommunicators_match_the_naive_result(void **state)
{
	int p, q;

	set_up();
	for (p = 1; p <= 5; p++)
		for (q = 1; q <= 4; q++)
			try_rows(p, q, t_scale(20), run_started);
}

static void persistent_operations_restart(void **state)
{
	set_up();
	try_rows(1, 0, 3, run_persistent);
	try_rows(5, 0, t_scale(20), run_persistent);
	try_rows(8, 0, t_scale(20), run_persistent);
	try_rows(3, 2, t_scale(20), run_persistent);
}

static void blocking_operations_match_the_naive_result(void **state)
{
	set_up();
	try_rows(1, 0, 1, run_blocking);
	try_rows(3, 0, 2, run_blocking);
	try_rows(6, 0, 1, run_blocking);
	try_rows(2, 3, 1, run_blocking);
}

/* A rank that hangs is detected by mock_settle() and mock_close(). */
static void failures_reach_all_dependent_ranks(void **state)
{
	static const int spread[] = { 0, 2, -3 };

	set_up();
	broken_runs = barrier_failures = end_notices = 0;
	for (size_t i = 0; i < sizeof(spread) / sizeof(*spread); i++) {
		mock_spread(spread[i]);
		for (int p = 2; p <= 17; p++)
			try_rows(p, 0, t_scale(10), run_started_broken);
		try_rows(6, 0, 4, run_blocking_broken);
	}
	mock_spread(0);
	try_rows(3, 2, t_scale(20), run_started_broken);
	T_TRUE(broken_runs > 100);
	T_TRUE(barrier_failures > 10 && end_notices > 100);
}

/*
 * The parts have different sizes, and every buffer ends at an inaccessible
 * page, so that an overrun by one element is detected.
 */
static void temporary_buffers_are_large_enough(void **state)
{
	unsigned before = guard_count();
	int p;

	set_up();
	guard_set(true);
	for (p = 2; p <= 5; p++) {
		given_count = 400 * p + 1;
		try_rows(p, 0, 8, run_started);
	}
	try_rows(2, 3, 4, run_started);
	guard_set(false);
	given_count = 0;
	T_TRUE(guard_count() > before + 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE_ONE_THREAD(every_row_matches_the_naive_result),
		T_CASE_ONE_THREAD(numbers_of_collectives_wrap),
		T_CASE_ONE_THREAD(intercommunicators_match_the_naive_result),
		T_CASE_ONE_THREAD(persistent_operations_restart),
		T_CASE_ONE_THREAD(temporary_buffers_are_large_enough),
		T_CASE(ranks_are_mapped_to_hosts),
		T_CASE(several_hosts_match_the_naive_result),
		T_CASE(blocking_operations_match_the_naive_result),
		T_CASE(failures_reach_all_dependent_ranks),
	};

	return T_RUN(tests);
}
