/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups in plain memory: members are threads (so that ThreadSanitizer sees
 * every access) or processes. All execute the same seeded program of operations
 * and check each result by a naive computation.
 */
#include "test/t.h"
#include "test/support/cunit_fixture.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROUTE 1

static int pending;

/* The first call for a segment returns -EAGAIN. */
static int find_segment(void *arg, int member, void **segment_p)
{
	struct member *m = arg;
	bool again = m->reach_called[member];

	m->reach_called[member] = true;
	*segment_p = cunit_segment(m->job->area[member], &geo, ROUTE);
	return again ? 0 : -EAGAIN;
}

static struct weft_cunit_group *member_open(struct member *m, int k)
{
	struct job *j = m->job;
	struct weft_cunit_group_attr a = { .geo = &geo,
					   .n = j->n,
					   .me = m->me,
					   .route = ROUTE,
					   .generation = 1,
					   .area = j->lazy ? NULL : j->area,
					   .reach = find_segment,
					   .arg = m,
					   .oversubscribed = j->oversubscribed,
					   .form = j->form };
	struct weft_cunit_group *g;
	struct weft_tree t;
	int ret;

	weft_tree_kary(&t, j->n, k);
	a.tree = &t;
	a.flat = j->flat;
	while ((ret = weft_cunit_group_open(&a, &g)) == -EAGAIN)
		continue;
	if (ret)
		abort();
	weft_tree_fini(&t);
	weft_add32(j->opened, 1);
	while (weft_load32(j->opened) < (uint32_t)j->n)
		sched_yield();
	return g;
}

#define IN_FLIGHT 5

static void wait_for(struct weft_cunit_group *g, const struct flight *f)
{
	while (!f->done) {
		weft_cunit_poll(g);
		sched_yield();
	}
}

/*
 * Starts an operation: posted, as a single packet, or as a barrier without a
 * struct weft_coll_call.
 */
static void start_operation(struct weft_cunit_group *g, struct flight *f,
			    struct weft_rng *r)
{
	unsigned polls = (unsigned)weft_rng_below(r, 300);
	int method = (int)weft_rng_below(r, 3);
	int rc = -EAGAIN;

	if (method == 1 && f->call.kind == WEFT_COLL_BARRIER) {
		rc = weft_cunit_sync(g, polls);
		if (rc == -EINPROGRESS)
			weft_cunit_sync_adopt(g, &f->call);
	} else if (method > 0) {
		f->call.bytes = f->call.count * weft_cunit_bytes(f->call.type);
		rc = weft_cunit_single(g, &f->call, polls);
	}
	if (rc == -EAGAIN) {
		weft_cunit_post(g, &f->call);
	} else if (rc != -EINPROGRESS) {
		f->call.err = rc;
		f->done = true;
	}
}

static void *member_run(void *arg)
{
	struct member *m = arg;
	struct job *j = m->job;
	struct weft_cunit_group *g = member_open(m, 4);
	struct flight *f = calloc(IN_FLIGHT, sizeof(*f));
	struct weft_rng skew;

	weft_rng_init(&skew, j->seed, 1000000u + (uint64_t)m->me);
	for (int r = 0; r < j->rounds + IN_FLIGHT; r++) {
		struct flight *s = &f[r % IN_FLIGHT];

		if (r >= IN_FLIGHT) {
			wait_for(g, s);
			m->wrong += flight_check(j, s, m->me, r - IN_FLIGHT);
		}
		if (r >= j->rounds)
			continue;
		for (uint64_t i = weft_rng_below(&skew, 4); i > 0; i--)
			sched_yield();
		/*
		 * first complete other operations: a single packet needs an
		 * idle group
		 */
		for (int k = 1; r >= IN_FLIGHT && k < IN_FLIGHT &&
				weft_rng_below(&skew, 4);
		     k++)
			wait_for(g, &f[(r + k) % IN_FLIGHT]);
		flight_set(j, s, m->me, r);
		start_operation(g, s, &skew);
	}
	free(f);
	weft_cunit_group_close(g);
	return NULL;
}

static void *shared_alloc(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	T_TRUE(p != MAP_FAILED);
	return p;
}

static void job_open(struct job *j, int n, int rounds, bool oversubscribed)
{
	*j = (struct job){ .n = n,
			   .rounds = rounds,
			   .oversubscribed = oversubscribed,
			   .flat = n <= WEFT_CUNIT_FLAT && !oversubscribed,
			   .seed = (uint64_t)n * 77 };
	j->opened = shared_alloc(4096);
	for (int i = 0; i < n; i++)
		j->area[i] = shared_alloc(weft_cunit_area_bytes(&geo));
}

static void job_close(struct job *j)
{
	for (int i = 0; i < j->n; i++)
		munmap(j->area[i], weft_cunit_area_bytes(&geo));
	munmap(j->opened, 4096);
}

static void run_form(int n, int rounds, bool oversubscribed, bool lazy,
		     unsigned form)
{
	struct member m[MAX_MEMBERS];
	struct job j;

	job_open(&j, n, rounds, oversubscribed);
	j.form = (uint8_t)form;
	j.lazy = lazy;
	for (int i = 0; i < n; i++)
		m[i] = (struct member){ .job = &j, .me = i };
	t_threads(n, member_run, m, sizeof(m[0]));
	for (int i = 0; i < n; i++)
		T_IS(m[i].wrong, 0);
	job_close(&j);
}

static void run_threads(int n, int rounds, bool oversubscribed, bool lazy)
{
	run_form(n, rounds, oversubscribed, lazy, WEFT_CUNIT_AUTO);
}

static void every_form_agrees_with_the_naive_result(void **state)
{
	static const int sizes[] = { 2, 5, 8, 9, 17 };

	(void)state;
	for (unsigned form = WEFT_CUNIT_RANGE; form <= WEFT_CUNIT_COUNTS;
	     form++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
			for (int oversubscribed = 0; oversubscribed < 2;
			     oversubscribed++)
				run_form(sizes[i], t_scale(800), oversubscribed,
					 i & 1, form);
}

static void threads_agree_with_the_naive_result(void **state)
{
	static const int sizes[] = { 1, 2, 3, 5, 8, 9, 12, 17, 33 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		run_threads(sizes[i], t_scale(600), false, false);
}

static void oversubscribed_group_agrees_with_the_naive_result(void **state)
{
	static const int sizes[] = { 2, 3, 8, 9, 17, 33 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		run_threads(sizes[i], t_scale(600), true, false);
}

static void late_mapping_does_not_change_results(void **state)
{
	for (int n = 2; n <= 32; n *= 2)
		run_threads(n, t_scale(300), n % 3 == 2, true);
}

static void *syncpoint_run(void *arg)
{
	struct member *m = arg;
	struct job *j = m->job;
	struct weft_cunit_group *g = member_open(m, 4);
	struct weft_cunit_watch w;
	uint64_t point = 0;

	for (int r = 0; r < j->rounds; r++) {
		uint64_t words[CUNIT_SYNCPOINT_WORDS] = { (uint64_t)m->me,
							  (uint64_t)r };

		weft_cunit_syncpoint_write(g, words);
		weft_cunit_syncpoint_arrive(g, 1);
		for (point++; !weft_cunit_syncpoint_reached(g, point, &w);)
			sched_yield();
		for (int i = 0; i < j->n; i++) {
			weft_cunit_syncpoint_read(g, i, words);
			m->wrong += words[0] != (uint64_t)i ||
				    words[1] != (uint64_t)r;
		}
		/* arrive at two points and wait for the second */
		weft_cunit_syncpoint_arrive(g, 2);
		for (point += 2; !weft_cunit_syncpoint_reached(g, point, &w);)
			sched_yield();
	}
	weft_cunit_group_close(g);
	return NULL;
}

static void words_before_a_sync_point_are_readable_after(void **state)
{
	static const int sizes[] = { 1, 2, 3, 9 };

	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		struct member m[MAX_MEMBERS];
		struct job j;

		job_open(&j, sizes[s], t_scale(500), s % 2);
		for (int i = 0; i < j.n; i++)
			m[i] = (struct member){ .job = &j, .me = i };
		t_threads(j.n, syncpoint_run, m, sizeof(m[0]));
		for (int i = 0; i < j.n; i++)
			T_IS(m[i].wrong, 0);
		job_close(&j);
	}
}

static int process_run(int i, void *arg)
{
	struct member m = { .job = arg, .me = i };

	member_run(&m);
	return m.wrong ? 1 : 0;
}

static void processes_agree_with_the_naive_result(void **state)
{
	static const int sizes[] = { 2, 4, 16, 16 };
	struct job j;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		job_open(&j, sizes[i], t_scale(2000), i == 3);
		t_processes(sizes[i], process_run, &j, 60);
		job_close(&j);
	}
}

/* ---- one thread acts for all members ---- */

struct stage {
	struct job job;
	struct member member[MAX_MEMBERS];
	int root;
	struct weft_cunit_group *g[MAX_MEMBERS];
	struct weft_coll_call call[MAX_MEMBERS];
	double in[MAX_MEMBERS], out[MAX_MEMBERS];
	uint8_t type;
};

static void stage_done(struct weft_coll_call *call)
{
	pending--;
}

static void stage_fill(struct stage *s, int k)
{
	s->type = WEFT_NUM_F64;
	for (int i = 0; i < s->job.n; i++) {
		weft_store32(s->job.opened, (uint32_t)s->job.n);
		s->member[i] = (struct member){ .job = &s->job, .me = i };
		s->g[i] = member_open(&s->member[i], k);
	}
}

static void stage_open(struct stage *s, int n, int k, bool oversubscribed)
{
	s->root = 0;
	job_open(&s->job, n, 0, oversubscribed);
	stage_fill(s, k);
}

static void stage_close(struct stage *s)
{
	for (int i = 0; i < s->job.n; i++)
		weft_cunit_group_close(s->g[i]);
	job_close(&s->job);
}

static void stage_set(struct stage *s, int i, unsigned kind)
{
	s->call[i] = (struct weft_coll_call){
		.kind = (uint8_t)kind,
		.op = WEFT_NUM_SUM,
		.type = s->type,
		.in = &s->in[i],
		.out = &s->out[i],
		.count = kind == WEFT_COLL_BARRIER ? 0 : 1,
		.done = stage_done,
		.root = s->root,
	};
	pending++;
}

static void stage_post(struct stage *s, int i, unsigned kind)
{
	stage_set(s, i, kind);
	weft_cunit_post(s->g[i], &s->call[i]);
}

static void stage_poll(struct stage *s)
{
	for (int i = 0; i < s->job.n; i++)
		weft_cunit_poll(s->g[i]);
}

/* Runs all kinds of operations that use the tree, with every root. */
static void stage_all_kinds(struct stage *s)
{
	for (unsigned k = WEFT_COLL_BARRIER; k <= WEFT_COLL_ALLREDUCE; k++) {
		for (int i = 0; i < s->job.n; i++)
			stage_post(s, i, k);
		while (pending)
			stage_poll(s);
		for (int i = 0; i < s->job.n; i++)
			T_OK(s->call[i].err);
	}
}

static void a_member_maps_segments_of_ancestors_only(void **state)
{
	struct stage s;

	job_open(&s.job, 33, 0, false);
	s.job.lazy = true;
	stage_fill(&s, 3);
	for (s.root = 0; s.root < s.job.n; s.root++)
		stage_all_kinds(&s);
	for (int i = 0; i < s.job.n; i++) {
		for (int k = i; k >= 0; k = k ? (k - 1) / 3 : -1)
			s.member[i].reach_called[k] ^= true;
		for (int k = 0; k < s.job.n; k++)
			T_FALSE(s.member[i].reach_called[k]);
	}
	stage_close(&s);
}

/* All members add bytes, in random order; checks the flags that they get. */
static void add_bytes(struct stage *s, struct weft_rng *r, unsigned flags)
{
	int order[MAX_MEMBERS];
	uint8_t sum = 0;

	weft_rng_shuffle(r, order, s->job.n);
	for (int k = 0; k < s->job.n; k++) {
		sum = (uint8_t)(sum + *(uint8_t *)&s->in[order[k]]);
		stage_post(s, order[k], WEFT_COLL_ALLREDUCE);
	}
	stage_poll(s);
	T_IS(pending, 0);
	for (int i = 0; i < s->job.n; i++) {
		T_IS(*(uint8_t *)&s->out[i], sum);
		T_IS(s->call[i].flags, flags);
	}
}

/*
 * The overflow occurs where a member and its parent are combined, up to three
 * levels deep, and at no node above.
 */
static void overflow_at_any_node_is_reported_to_all(void **state)
{
	struct weft_tree t;
	struct weft_rng r;
	struct stage s;

	weft_rng_init(&r, 8, 0);
	for (int oversubscribed = 0; oversubscribed < 2; oversubscribed++) {
		stage_open(&s, MAX_MEMBERS, 3, oversubscribed);
		s.type = WEFT_NUM_U8;
		weft_tree_kary(&t, MAX_MEMBERS, 3);
		for (int i = 0; i < MAX_MEMBERS; i++) {
			memset(s.in, 0, sizeof(s.in));
			*(uint8_t *)&s.in[i] = 200;
			add_bytes(&s, &r, 0);
			if (t.parent[i] < 0)
				continue;
			*(uint8_t *)&s.in[t.parent[i]] = 200;
			for (int k = 0; k < 4; k++)
				add_bytes(&s, &r, WEFT_NUM_OVERFLOW);
		}
		weft_tree_fini(&t);
		stage_close(&s);
	}
}

static void barrier_waits_for_last_member(void **state)
{
	struct weft_cunit_watch w;
	struct stage s;

	for (int n = 2; n <= 20; n += 6) {
		stage_open(&s, n, 3, n % 4 == 0);
		for (int i = 0; i < n - 1; i++)
			stage_post(&s, i, WEFT_COLL_BARRIER);
		stage_poll(&s);
		T_IS(pending, n - 1);
		T_FALSE(weft_cunit_ready(s.g[0], &w));
		T_TRUE(weft_load64(w.word) < w.want);
		stage_post(&s, n - 1, WEFT_COLL_BARRIER);
		T_TRUE(weft_load64(w.word) >= w.want);
		T_TRUE(weft_cunit_ready(s.g[0], &w));
		stage_poll(&s);
		T_IS(pending, 0);
		stage_close(&s);
	}
}

/* Returns the sum of the arrival counters of all nodes and slots. */
static uint64_t arrivals_counted(const struct stage *s)
{
	uint64_t n = 0;

	for (int i = 0; i < s->job.n; i++)
		for (unsigned k = 0; k < CUNIT_SLOTS; k++)
			n += weft_load64(
				&cunit_count_of(cunit_segment(s->job.area[i],
							      &geo, ROUTE),
						&geo, k)
					 ->arrived);
	return n;
}

/*
 * The form selects one arrival counter, or counters at the nodes of the tree.
 */
static void barrier_counters_match_the_form(void **state)
{
	static const struct {
		unsigned form;
		int n;
		bool oversubscribed;
		bool tree_combines;
	} rows[] = {
		{ WEFT_CUNIT_AUTO, 6, false, false },
		{ WEFT_CUNIT_AUTO, 12, false, true },
		{ WEFT_CUNIT_AUTO, 12, true, false },
		{ WEFT_CUNIT_RANGE, 6, false, false },
		{ WEFT_CUNIT_RANGE, 12, false, false },
		{ WEFT_CUNIT_RANGE, 12, true, false },
		{ WEFT_CUNIT_EVENTS, 6, false, true },
		{ WEFT_CUNIT_EVENTS, 12, false, true },
		{ WEFT_CUNIT_EVENTS, 12, true, true },
		{ WEFT_CUNIT_COUNTS, 6, false, false },
		{ WEFT_CUNIT_COUNTS, 12, false, false },
		{ WEFT_CUNIT_COUNTS, 12, true, false },
	};
	struct stage s;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		s.root = 0;
		job_open(&s.job, rows[i].n, 0, rows[i].oversubscribed);
		s.job.form = (uint8_t)rows[i].form;
		stage_fill(&s, 3);
		for (int k = 0; k < rows[i].n; k++) {
			if (rows[i].form == WEFT_CUNIT_EVENTS)
				T_IS(weft_cunit_sync(s.g[k], 0), -EAGAIN);
			T_IS(pending, k);
			stage_post(&s, k, WEFT_COLL_BARRIER);
		}
		stage_poll(&s);
		T_IS(pending, 0);
		T_IS(arrivals_counted(&s) > 0, rows[i].tree_combines);
		/* with one counter, each member does one atomic operation */
		for (int k = 0; k < rows[i].n; k++)
			if (rows[i].form == WEFT_CUNIT_COUNTS)
				T_IS(weft_cunit_atomics(s.g[k]), rows[i].n > 8);
		stage_close(&s);
	}
}

/*
 * All members post the same operation, except member `odd`; checks that all
 * members get err.
 */
static void stage_round(struct stage *s, int odd, unsigned kind, unsigned rest,
			int err)
{
	for (int i = 0; i < s->job.n; i++)
		stage_post(s, i, i == odd ? kind : rest);
	stage_poll(s);
	T_IS(pending, 0);
	for (int i = 0; i < s->job.n; i++)
		T_IS(s->call[i].err, err);
}

static void different_operations_are_an_error(void **state)
{
	const unsigned sum = WEFT_COLL_ALLREDUCE, barrier = WEFT_COLL_BARRIER;
	struct stage s;

	for (int k = 0; k < 12; k++) {
		int n = 2 + k / 4 * 9, odd = k & 1 ? n - 1 : 0;

		stage_open(&s, n, 3, k & 2);
		stage_round(&s, odd, barrier, sum, -EPROTO);
		stage_round(&s, odd, sum, sum, 0);
		stage_round(&s, odd, sum, barrier, -EPROTO);
		/* reuse the slots many times */
		for (int i = 0; i < 40; i++)
			stage_round(&s, odd, barrier, barrier, 0);
		stage_close(&s);
	}
}

/*
 * A broadcast with two different roots completes at all members; the next
 * operation reports the mismatch.
 */
static void next_operation_reports_different_roots(void **state)
{
	static const unsigned next[] = { WEFT_COLL_BARRIER,
					 WEFT_COLL_ALLREDUCE };
	struct stage s;

	for (int k = 0; k < 12; k++) {
		int n = 2 + k / 4 * 9;

		stage_open(&s, n, 3, k & 2);
		stage_round(&s, 0, WEFT_COLL_ALLREDUCE, WEFT_COLL_ALLREDUCE, 0);
		for (int i = 0; i < n; i++) {
			stage_set(&s, i, WEFT_COLL_BCAST);
			s.call[i].root = i == n - 1 ? i : 0;
			weft_cunit_post(s.g[i], &s.call[i]);
		}
		stage_poll(&s);
		T_IS(pending, 0);
		stage_round(&s, 0, next[k & 1], next[k & 1], -EPROTO);
		stage_close(&s);
	}
}

static void a_dead_member_fails_pending_operations(void **state)
{
	struct stage s;

	stage_open(&s, 12, 3, true);
	for (int i = 0; i < 11; i++)
		stage_post(&s, i, WEFT_COLL_ALLREDUCE);
	for (int i = 0; i < 11; i++)
		weft_cunit_group_fail(s.g[i], -ECONNRESET);
	T_IS(pending, 0);
	T_IS(s.call[3].err, -ECONNRESET);
	stage_post(&s, 3, WEFT_COLL_ALLREDUCE);
	T_IS(pending, 0);
	T_IS(s.call[3].err, -ECONNRESET);
	stage_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(threads_agree_with_the_naive_result),
		T_CASE(oversubscribed_group_agrees_with_the_naive_result),
		T_CASE(every_form_agrees_with_the_naive_result),
		T_CASE(late_mapping_does_not_change_results),
		T_CASE(a_member_maps_segments_of_ancestors_only),
		T_CASE(words_before_a_sync_point_are_readable_after),
		T_CASE(processes_agree_with_the_naive_result),
		T_CASE(overflow_at_any_node_is_reported_to_all),
		T_CASE(barrier_waits_for_last_member),
		T_CASE(barrier_counters_match_the_form),
		T_CASE(different_operations_are_an_error),
		T_CASE(next_operation_reports_different_roots),
		T_CASE(a_dead_member_fails_pending_operations),
	};

	return T_RUN(tests);
}
