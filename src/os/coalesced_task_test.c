/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests that a coalesced task loses no request. */
#include "src/base/clock.h"
#include "src/os/coalesced_task.h"
#include "test/t.h"

#include <pthread.h>
#include <sched.h>
#include <stdalign.h>

#define THREADS 2
#define ROUNDS	300000
#define LIMIT_S 5 /* maximum test time, s; a slow test runs fewer rounds */

struct shared {
	struct weft_coalesced_task task;
	/* number of the last request of each thread */
	alignas(64) weft_au32 requests[THREADS];
	/* number of each thread's last request that job() has seen */
	alignas(64) uint32_t done[THREADS];
	alignas(64) weft_au32 barrier;
	uint32_t lost;
	/* number of the last round; the first thread may lower it */
	weft_au32 last;
	int rounds;
	int inside; /* not atomic: only one thread at a time runs job() */
};

struct requester {
	struct shared *o;
	int me;
	uint64_t end_ns;
};

static int job(void *arg)
{
	struct shared *o = arg;

	T_IS(o->inside++, 0);
	for (int i = 0; i < THREADS; i++)
		o->done[i] = weft_load32(&o->requests[i]);
	o->inside--;
	return 1;
}

/* Barrier of all threads; spins, since the race takes nanoseconds. */
static void barrier_wait(struct shared *o, uint32_t times)
{
	unsigned polls = 0;

	weft_add32(&o->barrier, 1);
	while (weft_load32(&o->barrier) < times * THREADS) {
		if (++polls % 4096 == 0)
			sched_yield();
	}
}

/* Makes requests. When all threads have returned, no request may be pending. */
static void *requester(void *arg)
{
	struct requester *c = arg;
	struct shared *o = c->o;

	for (int r = 1; r <= (int)weft_load32(&o->last); r++) {
		if (!c->me && r % 256 == 0 && weft_now_ns() > c->end_ns)
			weft_store32(&o->last, (uint32_t)r);
		barrier_wait(o, (uint32_t)(2 * r - 1));
		weft_store32(&o->requests[c->me], (uint32_t)r);
		weft_coalesced_task_run(&o->task, job, o);
		barrier_wait(o, (uint32_t)(2 * r));
		for (int i = 0; i < THREADS && !c->me; i++)
			o->lost += o->done[i] != (uint32_t)r;
	}
	return NULL;
}

static void every_request_is_served_before_all_threads_return(void **state)
{
	static struct shared o;
	struct requester c[THREADS];
	uint64_t end = weft_now_ns() + LIMIT_S * 1000000000ull;
	pthread_t t[THREADS];

	weft_store32(&o.last, (uint32_t)t_scale(ROUNDS));
	for (int i = 0; i < THREADS; i++) {
		c[i] = (struct requester){ &o, i, end };
		T_OK(pthread_create(&t[i], NULL, requester, &c[i]));
	}
	for (int i = 0; i < THREADS; i++)
		T_OK(pthread_join(t[i], NULL));
	T_IS(o.lost, 0);
}

static int request_again(void *arg)
{
	struct shared *o = arg;

	if (++o->rounds < 2)
		weft_coalesced_task_run(&o->task, request_again, o);
	return 1;
}

static void request_from_within_task_runs_another_round(void **state)
{
	struct shared o = { .rounds = 0 };

	T_IS(weft_coalesced_task_run(&o.task, request_again, &o), 2);
	T_IS(o.rounds, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(request_from_within_task_runs_another_round),
		T_CASE(every_request_is_served_before_all_threads_return),
	};

	return T_RUN(tests);
}
