/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups over plain memory: members are threads (so that ThreadSanitizer sees
 * every access) or processes. All run the same seeded program of operations
 * and compare each result with the naive one.
 */
#include "test/t.h"
#include "prov/nic/cu/cu.h"
#include "src/base/attr.h"
#include "src/base/list.h"
#include "src/base/rng.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_MEMBERS 40
#define MAX_ELEMS   700 /* of a contribution or a result */

static const struct weft_cu_geo geo = { .routes = 2, .inputs = 8,
					.packet_bytes = 48 + 7 * 64,
					.board = MAX_MEMBERS };

struct job {
	void *area[MAX_MEMBERS];
	int n;
	int rounds;
	uint64_t seed;
	bool processes;
	bool crowd;
	bool flat;
	weft_au32 *opened;
};

struct member {
	struct job *job;
	int me;
	int wrong;
};

static int pending;

/* One operation in flight with its buffers. */
struct flight {
	struct weft_cu_call call;
	int64_t in[MAX_ELEMS], out[MAX_ELEMS];
	bool done;
};

static void flight_done(struct weft_cu_call *call)
{
	weft_container_of(call, struct flight, call)->done = true;
}

static int64_t value(int member, int round, size_t i)
{
	return (int64_t)(member * 1000 + round * 7 + (int)i % 13);
}

/* Elements of what a member hands in and gets, n members. */
static size_t elems_in(const struct weft_cu_call *c, int n)
{
	bool blocks = c->kind == WEFT_CU_REDUCE_SCATTER ||
		      c->kind == WEFT_CU_SCATTER ||
		      c->kind == WEFT_CU_ALLTOALL;

	return blocks ? c->count * (size_t)n : c->count;
}

static size_t elems_out(const struct weft_cu_call *c, int n)
{
	bool blocks = c->kind == WEFT_CU_GATHER ||
		      c->kind == WEFT_CU_ALLGATHER ||
		      c->kind == WEFT_CU_ALLTOALL;

	return blocks ? c->count * (size_t)n : c->count;
}

/* What the operation of this round must give me at element i. */
static int64_t expected(const struct job *j, const struct weft_cu_call *c,
			int me, int round, size_t i)
{
	int64_t acc;

	if (c->kind == WEFT_CU_BCAST)
		return value(c->root, round, i);
	if (c->kind == WEFT_CU_SCATTER)
		return value(c->root, round, (size_t)me * c->count + i);
	if (c->kind == WEFT_CU_GATHER || c->kind == WEFT_CU_ALLGATHER)
		return value((int)(i / c->count), round, i % c->count);
	if (c->kind == WEFT_CU_ALLTOALL)
		return value((int)(i / c->count), round,
			     (size_t)me * c->count + i % c->count);
	if (c->kind == WEFT_CU_REDUCE_SCATTER)
		i += (size_t)me * c->count;
	acc = value(0, round, i);
	for (int m = 1; m < j->n; m++) {
		int64_t v = value(m, round, i);

		if (c->op == WEFT_CU_SUM)
			acc += v;
		else if (c->op == WEFT_CU_MIN)
			acc = v < acc ? v : acc;
		else if (c->op == WEFT_CU_MAX)
			acc = v > acc ? v : acc;
		else
			acc ^= v;
	}
	return acc;
}

/* The same program on every member: round r does the same everywhere. */
static void flight_set(const struct job *j, struct flight *f, int me, int round)
{
	static const uint8_t ops[] = { WEFT_CU_SUM, WEFT_CU_MIN, WEFT_CU_MAX,
				       WEFT_CU_XOR };
	struct weft_rng r;

	weft_rng_init(&r, j->seed, (uint64_t)round);
	memset(&f->call, 0, sizeof(f->call));
	f->done = false;
	f->call.kind = (uint8_t)weft_rng_below(&r, WEFT_CU_KINDS);
	f->call.op = ops[weft_rng_below(&r, 4)];
	f->call.type = WEFT_CU_INT64;
	f->call.root = (int)weft_rng_below(&r, (uint64_t)j->n);
	f->call.count = weft_rng_below(&r, 8) ? weft_rng_below(&r, 20) :
						weft_rng_below(&r, MAX_ELEMS);
	if (f->call.kind == WEFT_CU_BARRIER)
		f->call.count = 0;
	if (f->call.count * (size_t)j->n > MAX_ELEMS &&
	    elems_in(&f->call, 2) + elems_out(&f->call, 2) > 2 * f->call.count)
		f->call.count = MAX_ELEMS / (size_t)j->n;
	for (size_t i = 0; i < MAX_ELEMS; i++) {
		f->in[i] = value(me, round, i);
		f->out[i] = f->call.kind == WEFT_CU_BCAST ? f->in[i] : -1;
	}
	f->call.in = f->in;
	f->call.out = f->out;
	f->call.done = flight_done;
}

static int flight_check(const struct job *j, struct flight *f, int me,
			int round)
{
	if (f->call.err)
		return 1;
	if (f->call.root != me && (f->call.kind == WEFT_CU_REDUCE ||
				   f->call.kind == WEFT_CU_GATHER))
		return f->out[0] != -1;
	for (size_t i = 0; i < elems_out(&f->call, j->n); i++) {
		if (f->out[i] != expected(j, &f->call, me, round, i))
			return 1;
	}
	return 0;
}

static struct weft_cu_group *member_open(struct job *j, int me, int k)
{
	struct weft_cu_group_attr a = { .geo = &geo, .n = j->n, .me = me,
					.route = 1, .generation = 1,
					.area = j->area, .crowd = j->crowd };
	struct weft_cu_group *g;
	struct weft_cu_tree t;

	weft_cu_tree_kary(&t, j->n, k);
	a.tree = &t;
	a.flat = j->flat;
	if (weft_cu_group_open(&a, &g))
		abort();
	weft_cu_tree_fini(&t);
	weft_add32(j->opened, 1);
	while (weft_load32(j->opened) < (uint32_t)j->n)
		sched_yield();
	return g;
}

#define IN_FLIGHT 5

static void wait_for(struct weft_cu_group *g, const struct flight *f)
{
	while (!f->done) {
		if (!weft_cu_poll(g))
			sched_yield();
	}
}

/* By the long way, by the short one, or as a barrier without an operation. */
static void hand_in(struct weft_cu_group *g, struct flight *f,
		    struct weft_rng *r)
{
	unsigned turns = (unsigned)weft_rng_below(r, 300);
	int way = (int)weft_rng_below(r, 3);
	int rc = -EAGAIN;

	if (way == 1 && f->call.kind == WEFT_CU_BARRIER) {
		rc = weft_cu_sync(g, turns);
		if (rc == -EINPROGRESS)
			weft_cu_sync_later(g, &f->call);
	} else if (way > 0) {
		rc = weft_cu_quick(g, &f->call, turns);
	}
	if (rc == -EAGAIN) {
		weft_cu_post(g, &f->call);
	} else if (rc != -EINPROGRESS) {
		f->call.err = rc;
		f->done = true;
	}
}

static void *member_run(void *arg)
{
	struct member *m = arg;
	struct job *j = m->job;
	struct weft_cu_group *g = member_open(j, m->me, 4);
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
		/* the short way needs a group that is idle */
		for (int k = 1; r >= IN_FLIGHT && k < IN_FLIGHT &&
				weft_rng_below(&skew, 4);
		     k++)
			wait_for(g, &f[(r + k) % IN_FLIGHT]);
		flight_set(j, s, m->me, r);
		hand_in(g, s, &skew);
	}
	free(f);
	weft_cu_group_close(g);
	return NULL;
}

static void *shared(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	T_TRUE(p != MAP_FAILED);
	return p;
}

static void job_open(struct job *j, int n, int rounds, bool crowd)
{
	*j = (struct job){ .n = n, .rounds = rounds, .crowd = crowd,
			   .flat = n <= WEFT_CU_FLAT && !crowd,
			   .seed = (uint64_t)n * 77 };
	j->opened = shared(4096);
	for (int i = 0; i < n; i++)
		j->area[i] = shared(weft_cu_area_bytes(&geo));
}

static void job_close(struct job *j)
{
	for (int i = 0; i < j->n; i++)
		munmap(j->area[i], weft_cu_area_bytes(&geo));
	munmap(j->opened, 4096);
}

static void run_threads(int n, int rounds, bool crowd)
{
	struct member m[MAX_MEMBERS];
	struct job j;

	job_open(&j, n, rounds, crowd);
	for (int i = 0; i < n; i++)
		m[i] = (struct member){ &j, i, 0 };
	t_threads(n, member_run, m, sizeof(m[0]));
	for (int i = 0; i < n; i++)
		T_IS(m[i].wrong, 0);
	job_close(&j);
}

static void threads_agree_with_the_naive_result(void **state)
{
	static const int sizes[] = { 1, 2, 3, 5, 8, 9, 12, 17, 33 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		run_threads(sizes[i], t_scale(600), false);
}

static void a_crowd_agrees_with_the_naive_result(void **state)
{
	static const int sizes[] = { 2, 3, 8, 9, 17, 33 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		run_threads(sizes[i], t_scale(600), true);
}

static void *meeting_run(void *arg)
{
	struct member *m = arg;
	struct job *j = m->job;
	struct weft_cu_group *g = member_open(j, m->me, 4);
	struct weft_cu_watch w;
	uint64_t point = 0;

	for (int r = 0; r < j->rounds; r++) {
		uint64_t words[CU_WORDS] = { (uint64_t)m->me, (uint64_t)r };

		weft_cu_meet_say(g, words);
		weft_cu_meet_arrive(g, 1);
		for (point++; !weft_cu_meet_over(g, point, &w);)
			sched_yield();
		for (int i = 0; i < j->n; i++) {
			weft_cu_meet_hear(g, i, words);
			m->wrong += words[0] != (uint64_t)i ||
				    words[1] != (uint64_t)r;
		}
		/* two points at once, of which the second is waited for */
		weft_cu_meet_arrive(g, 2);
		for (point += 2; !weft_cu_meet_over(g, point, &w);)
			sched_yield();
	}
	weft_cu_group_close(g);
	return NULL;
}

static void what_is_said_before_a_meeting_is_heard_after_it(void **state)
{
	static const int sizes[] = { 1, 2, 3, 9 };

	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		struct member m[MAX_MEMBERS];
		struct job j;

		job_open(&j, sizes[s], t_scale(500), s % 2);
		for (int i = 0; i < j.n; i++)
			m[i] = (struct member){ &j, i, 0 };
		t_threads(j.n, meeting_run, m, sizeof(m[0]));
		for (int i = 0; i < j.n; i++)
			T_IS(m[i].wrong, 0);
		job_close(&j);
	}
}

static int process_run(int i, void *arg)
{
	struct member m = { arg, i, 0 };

	member_run(&m);
	return m.wrong ? 1 : 0;
}

static void processes_agree_with_the_naive_result(void **state)
{
	static const int sizes[] = { 2, 4, 16, 16 };
	struct job j;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		job_open(&j, sizes[i], t_scale(2000), i == 3);
		t_processes(sizes[i], process_run, &j, 60);
		job_close(&j);
	}
}

/* ---- one thread plays all members --------------------------------------- */

struct stage {
	struct job job;
	struct weft_cu_group *g[MAX_MEMBERS];
	struct weft_cu_call call[MAX_MEMBERS];
	double in[MAX_MEMBERS], out[MAX_MEMBERS];
};

static void stage_done(struct weft_cu_call *call)
{
	(void)call;
	pending--;
}

static void stage_open(struct stage *s, int n, int k, bool crowd)
{
	job_open(&s->job, n, 0, crowd);
	for (int i = 0; i < n; i++) {
		weft_store32(s->job.opened, (uint32_t)n);
		s->g[i] = member_open(&s->job, i, k);
	}
}

static void stage_close(struct stage *s)
{
	for (int i = 0; i < s->job.n; i++)
		weft_cu_group_close(s->g[i]);
	job_close(&s->job);
}

static void stage_set(struct stage *s, int i, unsigned kind)
{
	s->call[i] = (struct weft_cu_call){
		.kind = (uint8_t)kind, .op = WEFT_CU_SUM,
		.type = WEFT_CU_DOUBLE, .in = &s->in[i], .out = &s->out[i],
		.count = kind == WEFT_CU_BARRIER ? 0 : 1, .done = stage_done,
	};
	pending++;
}

static void stage_post(struct stage *s, int i, unsigned kind)
{
	stage_set(s, i, kind);
	weft_cu_post(s->g[i], &s->call[i]);
}

static void stage_poll(struct stage *s)
{
	for (int i = 0; i < s->job.n; i++)
		weft_cu_poll(s->g[i]);
}

static void shuffle(int *order, int n, struct weft_rng *r)
{
	for (int i = 0; i < n; i++)
		order[i] = i;
	for (int i = n - 1; i > 0; i--) {
		int k = (int)weft_rng_below(r, (uint64_t)i + 1);
		int t = order[i];

		order[i] = order[k];
		order[k] = t;
	}
}

static void nobody_leaves_a_barrier_early(void **state)
{
	struct weft_cu_watch w;
	struct stage s;

	(void)state;
	for (int n = 2; n <= 20; n += 6) {
		stage_open(&s, n, 3, n % 4 == 0);
		for (int i = 0; i < n - 1; i++)
			stage_post(&s, i, WEFT_CU_BARRIER);
		stage_poll(&s);
		T_IS(pending, n - 1);
		T_FALSE(weft_cu_ready(s.g[0], &w));
		T_TRUE(weft_load64(w.word) < w.want);
		stage_post(&s, n - 1, WEFT_CU_BARRIER);
		T_TRUE(weft_load64(w.word) >= w.want);
		T_TRUE(weft_cu_ready(s.g[0], &w));
		stage_poll(&s);
		T_IS(pending, 0);
		stage_close(&s);
	}
}

/* Everybody posts, one of them another thing; all hear the same. */
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
	const unsigned sum = WEFT_CU_ALLREDUCE, barrier = WEFT_CU_BARRIER;
	struct stage s;

	(void)state;
	for (int k = 0; k < 12; k++) {
		int n = 2 + k / 4 * 9, odd = k & 1 ? n - 1 : 0;

		stage_open(&s, n, 3, k & 2);
		stage_round(&s, odd, barrier, sum, -EPROTO);
		stage_round(&s, odd, sum, sum, 0);
		stage_round(&s, odd, sum, barrier, -EPROTO);
		/* the slots are used again and again */
		for (int i = 0; i < 40; i++)
			stage_round(&s, odd, barrier, barrier, 0);
		stage_close(&s);
	}
}

/* Nobody waits for anybody when two are roots: what comes next tells. */
static void different_roots_are_told_by_the_next_operation(void **state)
{
	static const unsigned next[] = { WEFT_CU_BARRIER, WEFT_CU_ALLREDUCE };
	struct stage s;

	(void)state;
	for (int k = 0; k < 12; k++) {
		int n = 2 + k / 4 * 9;

		stage_open(&s, n, 3, k & 2);
		stage_round(&s, 0, WEFT_CU_ALLREDUCE, WEFT_CU_ALLREDUCE, 0);
		for (int i = 0; i < n; i++) {
			stage_set(&s, i, WEFT_CU_BCAST);
			s.call[i].root = i == n - 1 ? i : 0;
			weft_cu_post(s.g[i], &s.call[i]);
		}
		stage_poll(&s);
		T_IS(pending, 0);
		stage_round(&s, 0, next[k & 1], next[k & 1], -EPROTO);
		stage_close(&s);
	}
}

static void a_dead_member_fails_what_is_pending(void **state)
{
	struct stage s;

	(void)state;
	stage_open(&s, 12, 3, true);
	for (int i = 0; i < 11; i++)
		stage_post(&s, i, WEFT_CU_ALLREDUCE);
	for (int i = 0; i < 11; i++)
		weft_cu_group_fail(s.g[i], -ECONNRESET);
	T_IS(pending, 0);
	T_IS(s.call[3].err, -ECONNRESET);
	stage_post(&s, 3, WEFT_CU_ALLREDUCE);
	T_IS(pending, 0);
	T_IS(s.call[3].err, -ECONNRESET);
	stage_close(&s);
}

/* ---- members without common memory -------------------------------------- */

struct letter {
	struct weft_cu_msg m;
	uint8_t payload[512];
	struct weft_list link;
};

struct post {
	struct weft_list box[MAX_MEMBERS][MAX_MEMBERS]; /* from, to */
	struct weft_cu_group *g[MAX_MEMBERS];
	struct weft_rng rng;
	int n;
	int letters;
};

struct sender {
	struct post *post;
	int me;
};

static void letter_send(void *arg, int member, const struct weft_cu_msg *m,
			const void *payload)
{
	struct sender *s = arg;
	struct letter *l = calloc(1, sizeof(*l));

	T_TRUE(m->bytes <= sizeof(l->payload));
	l->m = *m;
	if (m->bytes)
		memcpy(l->payload, payload, m->bytes);
	weft_list_push_back(&s->post->box[s->me][member], &l->link);
	s->post->letters++;
}

/* Delivers one letter of a pair chosen at random. */
static void letter_deliver(struct post *p)
{
	int start = (int)weft_rng_below(&p->rng, (uint64_t)(p->n * p->n));

	for (int i = 0; i < p->n * p->n; i++) {
		int at = (start + i) % (p->n * p->n);
		struct weft_list *l =
			weft_list_pop_front(&p->box[at / p->n][at % p->n]);
		struct letter *le;

		if (!l)
			continue;
		le = weft_container_of(l, struct letter, link);
		T_TRUE(weft_cu_receive(p->g[at % p->n], &le->m, le->payload));
		free(le);
		p->letters--;
		return;
	}
}

static void far_open(struct post *p, struct sender *s, int n)
{
	struct weft_cu_group_attr a = { .geo = &geo, .n = n, .generation = 1,
					.send = letter_send };
	struct weft_cu_tree t;

	memset(p, 0, sizeof(*p));
	p->n = n;
	weft_rng_init(&p->rng, (uint64_t)n, 9);
	weft_cu_tree_pairs(&t, n);
	for (int i = 0; i < n; i++) {
		s[i] = (struct sender){ p, i };
		for (int k = 0; k < n; k++)
			weft_list_init(&p->box[i][k]);
		a.me = i;
		a.arg = &s[i];
		a.tree = &t;
		a.flat = n <= WEFT_CU_FLAT;
		T_OK(weft_cu_group_open(&a, &p->g[i]));
	}
	weft_cu_tree_fini(&t);
}

/* Posts in random order with letters in between; then waits for all. */
static void far_round(struct post *p, struct job *j, struct flight *f, int r)
{
	int order[MAX_MEMBERS];
	bool done;

	shuffle(order, p->n, &p->rng);
	for (int i = 0; i < p->n; i++) {
		struct flight *mine = &f[order[i]];

		flight_set(j, mine, order[i], r);
		weft_cu_post(p->g[order[i]], &mine->call);
		if (p->letters && weft_rng_below(&p->rng, 2))
			letter_deliver(p);
	}
	do {
		done = true;
		if (p->letters)
			letter_deliver(p);
		for (int i = 0; i < p->n; i++) {
			weft_cu_poll(p->g[i]);
			done &= f[i].done;
		}
	} while (!done);
	for (int i = 0; i < p->n; i++)
		T_IS(flight_check(j, &f[i], i, r), 0);
}

static void the_tree_runs_by_messages(void **state)
{
	static const int sizes[] = { 1, 2, 5, 9, 20 };
	struct post *p = malloc(sizeof(*p));
	struct sender s[MAX_MEMBERS];
	struct flight *f = calloc(MAX_MEMBERS, sizeof(*f));

	(void)state;
	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		struct job j = { .n = sizes[k], .seed = 99 };

		far_open(p, s, sizes[k]);
		for (int r = 0; r < t_scale(400) + 40; r++)
			far_round(p, &j, f, r);
		while (p->letters)
			letter_deliver(p);
		for (int i = 0; i < sizes[k]; i++)
			weft_cu_group_close(p->g[i]);
	}
	free(f);
	free(p);
}

static void letters_that_make_no_sense_are_ignored(void **state)
{
	struct post *p = malloc(sizeof(*p));
	struct sender s[MAX_MEMBERS];
	unsigned char junk[512];
	struct weft_rng r;

	(void)state;
	weft_rng_init(&r, 4, 4);
	far_open(p, s, 9);
	for (int i = 0; i < 20000; i++) {
		struct weft_cu_msg m;

		weft_rng_fill(&r, &m, sizeof(m));
		weft_rng_fill(&r, junk, sizeof(junk));
		m.what %= 4;
		m.type %= WEFT_CU_TYPES + 1;
		m.kind %= WEFT_CU_KINDS + 1;
		m.op %= WEFT_CU_OPS + 1;
		m.input %= 8;
		m.bytes %= 600;
		m.origin %= 12;
		m.root %= 12;
		weft_cu_receive(p->g[i % 9], &m, junk);
		while (p->letters)
			letter_deliver(p);
	}
	for (int i = 0; i < 9; i++)
		weft_cu_group_close(p->g[i]);
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(threads_agree_with_the_naive_result),
		T_CASE(a_crowd_agrees_with_the_naive_result),
		T_CASE(what_is_said_before_a_meeting_is_heard_after_it),
		T_CASE(processes_agree_with_the_naive_result),
		T_CASE(nobody_leaves_a_barrier_early),
		T_CASE(different_operations_are_an_error),
		T_CASE(different_roots_are_told_by_the_next_operation),
		T_CASE(a_dead_member_fails_what_is_pending),
		T_CASE(the_tree_runs_by_messages),
		T_CASE(letters_that_make_no_sense_are_ignored),
	};

	return T_RUN(tests);
}
