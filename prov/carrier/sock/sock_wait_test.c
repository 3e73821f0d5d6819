/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * If the time of the next required poll is changed while a thread starts to
 * block, the wait of that thread ends (other events:
 * prov/carrier/carrier_wait_test.c).
 */
#include "prov/carrier/sock/sock.h"
#include "src/base/clock.h"
#include "src/os/wait_fd.h"
#include "test/support/carrier_fixture.h"
#include "test/t.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>

#define LONG_NS UINT64_C(1000000000000)
#define ROUNDS	t_scale(1000)

struct race {
	struct end e;
	weft_au64 event; /* last round whose time was set */
	weft_au64 ended; /* last round that the waiting thread has completed */
};

static void *waiting_thread(void *arg)
{
	struct race *r = arg;

	for (uint64_t n = 1; n <= (uint64_t)ROUNDS; n++) {
		while (weft_load64(&r->event) < n) {
			r->e.c->ops->wait(r->e.c, LONG_NS);
			r->e.c->ops->poll(r->e.c, 16);
		}
		weft_store64(&r->ended, n);
	}
	return NULL;
}

/* Requests a poll in 10 us, as a send by another thread does. */
static void set_due(struct race *r, uint64_t n)
{
	struct sock *s = sock_of(r->e.c);

	weft_store64(&r->event, n);
	pthread_mutex_lock(&s->progress.lock);
	sock_wait_due_earlier(s, weft_now_ns() + 10000);
	pthread_mutex_unlock(&s->progress.lock);
}

static void an_earlier_due_time_ends_a_wait(void **state)
{
	static const struct weft_carrier_attr no_spin = { .spin_ns = 1 };
	static struct race r;
	uint64_t end;
	pthread_t t;

	T_OK(end_open(&r.e, &weft_carrier_sock, 1, &no_spin));
	T_OK(pthread_create(&t, NULL, waiting_thread, &r));
	for (uint64_t n = 1; n <= (uint64_t)ROUNDS; n++) {
		end = weft_now_ns() + n * 7919 % 200 * 1000;
		while (weft_now_ns() < end)
			sched_yield();
		set_due(&r, n);
		while (weft_load64(&r.ended) < n)
			sched_yield();
	}
	T_OK(pthread_join(t, NULL));
	end_close(&r.e);
}

/* An event ends a wait, which consumes it: the next wait blocks again. */
static void an_event_ends_one_wait(void **state)
{
	static const struct weft_carrier_attr no_spin = { .spin_ns = 1 };
	static struct end e;
	struct pollfd fd = { .events = POLLIN };
	struct t_limit limit;

	t_limit_set(&limit, 60);
	T_OK(end_open(&e, &weft_carrier_sock, 1, &no_spin));
	fd.fd = sock_of(e.c)->waiter.event;
	for (int i = 0; i < 3; i++) {
		weft_event_fd_set(fd.fd);
		while (poll(&fd, 1, 0) == 1 && !t_limit_expired(&limit)) {
			e.c->ops->poll(e.c, 16);
			e.c->ops->wait(e.c, LONG_NS);
		}
		T_FALSE(t_limit_expired(&limit));
	}
	end_close(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(an_earlier_due_time_ends_a_wait),
		T_CASE(an_event_ends_one_wait),
	};

	return T_RUN(tests);
}
