/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests of the lock in shared memory: exclusive or shared, in the order of
 * requests; with threads, so that ThreadSanitizer checks the ordering, and with
 * processes, which block and are woken.
 */
#include "src/win/win_rwlock.h"

#include "src/diag/diag_peer_failure.h"
#include "src/msg/msg_progress.h"
#include "src/core/core_state.h"
#include "src/os/waiter.h"
#include "test/t.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

struct weft_core weft_core;
static bool member_died;

int weft_progress(void)
{
	return 0;
}

bool weft_failure_in(const struct weft_comm *c)
{
	return member_died;
}

#define ROUNDS 2000

/* Data protected by a lock: two numbers that are equal while it is free. */
struct guarded {
	struct win_rwlock lock;
	long a, b;	   /* written exclusively, read with the shared lock */
	weft_au32 holders; /* current holders of the shared lock */
	weft_au32 max_holders;
};

static void write_one(struct guarded *r)
{
	T_OK(win_rwlock_acquire(&r->lock, true, NULL));
	T_IS(weft_load32(&r->holders), 0);
	T_IS(r->a, r->b);
	r->a++;
	r->b++;
	win_rwlock_release(&r->lock, true);
}

static void read_one(struct guarded *r)
{
	uint32_t n;

	T_OK(win_rwlock_acquire(&r->lock, false, NULL));
	n = weft_add32(&r->holders, 1) + 1;
	if (n > weft_load32(&r->max_holders))
		weft_store32(&r->max_holders, n);
	T_IS(r->a, r->b);
	weft_add32(&r->holders, (uint32_t)-1);
	win_rwlock_release(&r->lock, false);
}

static void *write_and_read(void *arg)
{
	struct guarded *r = arg;

	for (int i = 0; i < t_scale(ROUNDS); i++) {
		write_one(r);
		read_one(r);
	}
	return NULL;
}

static void writers_are_exclusive(void **state)
{
	struct guarded r = { 0 };

	t_threads(4, write_and_read, &r, 0);
	T_IS(r.a, 4 * t_scale(ROUNDS));
	T_IS(r.b, r.a);
	T_IS(weft_load32(&r.lock.waiters), 0);
}

/* Two threads hold the shared lock before either releases it. */
static void *hold_shared(void *arg)
{
	struct guarded *r = arg;

	T_OK(win_rwlock_acquire(&r->lock, false, NULL));
	weft_add32(&r->holders, 1);
	while (weft_load32(&r->holders) < 2)
		sched_yield();
	win_rwlock_release(&r->lock, false);
	return NULL;
}

static void readers_share_the_lock(void **state)
{
	struct guarded r = { 0 };

	t_threads(2, hold_shared, &r, 0);
	T_IS(weft_load32(&r.lock.write), 2);
}

/* Numbered requests, and the order in which they got the lock. */
struct queue {
	struct win_rwlock lock;
	pthread_t th[6];
	int order[6], n;
};

struct requester {
	struct queue *q;
	int number;
	bool exclusive;
};

static void *request_lock(void *arg)
{
	struct requester *a = arg;

	T_OK(win_rwlock_acquire(&a->q->lock, a->exclusive, NULL));
	if (a->exclusive)
		a->q->order[a->q->n++] = a->number;
	win_rwlock_release(&a->q->lock, a->exclusive);
	return NULL;
}

static void requests_are_granted_in_order(void **state)
{
	struct queue q = { .n = 0 };
	struct requester a[6];

	T_OK(win_rwlock_acquire(&q.lock, true, NULL));
	for (int i = 0; i < 6; i++) {
		a[i] = (struct requester){ &q, i, i != 2 && i != 3 };
		T_OK(pthread_create(&q.th[i], NULL, request_lock, &a[i]));
		/* this thread has its ticket before the next thread starts */
		while (weft_load32(&q.lock.users) != (uint32_t)i + 2)
			sched_yield();
	}
	T_IS(q.n, 0);
	win_rwlock_release(&q.lock, true);
	for (int i = 0; i < 6; i++)
		T_OK(pthread_join(q.th[i], NULL));
	T_IS(q.n, 4);
	T_IS(q.order[0], 0);
	T_IS(q.order[1], 1);
	T_IS(q.order[2], 4);
	T_IS(q.order[3], 5);
}

static int increment_in_process(int i, void *arg)
{
	struct guarded *r = arg;

	for (int k = 0; k < t_scale(ROUNDS); k++) {
		win_rwlock_acquire(&r->lock, true, NULL);
		r->a++;
		r->b++;
		win_rwlock_release(&r->lock, true);
	}
	return 0;
}

static void processes_share_the_lock(void **state)
{
	struct guarded *r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	T_TRUE(r != MAP_FAILED);
	t_processes(4, increment_in_process, r, 60);
	T_IS(r->a, 4 * t_scale(ROUNDS));
	T_IS(r->b, r->a);
	munmap(r, sizeof(*r));
}

static void death_of_a_member_ends_the_wait(void **state)
{
	struct win_rwlock g = { 0 };

	if (weft_wait_is_unbounded())
		skip();
	T_OK(win_rwlock_acquire(&g, true, NULL));
	member_died = true;
	T_IS(win_rwlock_acquire(&g, true, NULL), -ECONNRESET);
	member_died = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(writers_are_exclusive),
		T_CASE(readers_share_the_lock),
		T_CASE(requests_are_granted_in_order),
		T_CASE(processes_share_the_lock),
		T_CASE(death_of_a_member_ends_the_wait),
	};

	return T_RUN(tests);
}
