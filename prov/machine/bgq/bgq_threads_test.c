/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rings of the Message Unit under concurrent threads: sixteen reception engines
 * store packets in one FIFO, and a thread posts while another one polls.
 */
#include "test/support/bgq_pair.h"

#include <pthread.h>
#include <sched.h>

static void packets_commit_in_reservation_order(void **state)
{
	unsigned char mem[1024];
	struct bgq_rec r = { .base = mem, .chunks = 32 };
	struct bgq_reservation p[BGQ_RMES + 1];

	for (int i = 0; i < 3; i++)
		T_OK(bgq_rec_reserve(&r, 4, &p[i]));
	bgq_rec_commit(&r, &p[2]);
	bgq_rec_commit(&r, &p[1]);
	T_IS(bgq_rec_tail(&r), 0);
	bgq_rec_commit(&r, &p[0]);
	T_IS(bgq_rec_tail(&r), 12);
	T_IS(bgq_rec_free(&r), 20);
	T_AGAIN(bgq_rec_reserve(&r, 21, &p[0]));
	for (int i = 0; i < BGQ_RMES; i++)
		T_OK(bgq_rec_reserve(&r, 1, &p[i]));
	T_AGAIN(bgq_rec_reserve(&r, 1, &p[BGQ_RMES]));
}

struct rme {
	struct bgq_rec *r;
	uint64_t stored;
	int n;
};

static void *rme_run(void *arg)
{
	struct rme *m = arg;
	uint64_t chunk[4] = { 0 };
	struct bgq_reservation p;

	for (int i = 0; i < m->n; i++) {
		while (bgq_rec_reserve(m->r, 1 + (unsigned)i % 3, &p))
			sched_yield();
		for (uint64_t at = p.first; at != p.end; at++) {
			chunk[0] = at + 1;
			bgq_rec_copy_in(m->r, at, chunk, sizeof(chunk));
		}
		bgq_rec_commit(m->r, &p);
	}
	return NULL;
}

/*
 * Checks that every chunk before the tail contains its own number, since the
 * tail passes complete packets only.
 */
static void *rme_watch(void *arg)
{
	struct rme *m = arg;
	uint64_t chunk[4];
	uint64_t head = 0;

	while (head < m->stored) {
		uint64_t tail = bgq_rec_tail(m->r);

		for (; head < tail; head++) {
			bgq_rec_copy_out(m->r, head, chunk, sizeof(chunk));
			T_IS(chunk[0], head + 1);
		}
		nic_space_return(&m->r->head, head);
		sched_yield();
	}
	return NULL;
}

static void engines_store_concurrently(void **state)
{
	int n = t_scale(20000);
	struct bgq_rec *r = aligned_alloc(64, sizeof(*r));
	struct rme m[4];
	pthread_t th;
	uint64_t chunks = 0;

	memset(r, 0, sizeof(*r));
	r->chunks = 64;
	r->base = aligned_alloc(64, 64 * WEFT_BGQ_CHUNK);
	for (int i = 0; i < n; i++)
		chunks += 1 + (unsigned)i % 3;
	for (int i = 0; i < 4; i++)
		m[i] = (struct rme){ .r = r, .stored = chunks * 3, .n = n };
	T_OK(pthread_create(&th, NULL, rme_watch, &m[3]));
	t_threads(3, rme_run, m, sizeof(m[0]));
	T_OK(pthread_join(th, NULL));
	T_IS(bgq_rec_tail(r), chunks * 3);
	free(r->base);
	free(r);
}

/* A producer thread posts while the test runs the unit. */
struct producer {
	struct weft_bgq *mu;
	struct weft_bgq_desc d;
	int n;
};

static void *produce(void *arg)
{
	struct producer *q = arg;

	for (int i = 0; i < q->n; i++)
		while (weft_bgq_inj_post(q->mu, 0, &q->d, NULL))
			sched_yield();
	return NULL;
}

static void a_thread_posts_while_another_polls(void **state)
{
	struct producer q = { .n = t_scale(20000) };
	struct pair p;
	pthread_t th;

	pair_open(&p, "");
	pair_fifo_desc(&p, &q.d, p.a.mem, 40);
	q.mu = p.a.mu;
	T_OK(pthread_create(&th, NULL, produce, &q));
	while (p.b.count < q.n) {
		pair_poll(&p);
		sched_yield();
	}
	T_OK(pthread_join(th, NULL));
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_INJ_COUNT, 0), q.n);
	pair_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(packets_commit_in_reservation_order),
		T_CASE(engines_store_concurrently),
		T_CASE(a_thread_posts_while_another_polls),
	};

	return T_RUN(tests);
}
