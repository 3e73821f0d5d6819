/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Races between a thread that starts to block and the event that ends its wait,
 * for all carriers. test/prov/prov_unbounded.sh runs this test without slices
 * (src/os/waiter.h), so that a lost wake-up causes a hang.
 */
#include "src/base/attr.h"
#include "src/base/clock.h"
#include "test/support/carrier_fixture.h"
#include "test/t.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define LONG_NS UINT64_C(1000000000000)
#define ROUNDS	t_scale(400)

struct race {
	const struct weft_carrier_ops *ops;
	struct end *e; /* endpoint of the waiting thread */
	/* polls, and returns whether the event of round n has occurred */
	bool (*check)(struct race *r, uint64_t n);
	weft_au64 event; /* last round whose event has occurred */
	weft_au64 ended; /* last round that the waiting thread has completed */
};

static const struct weft_carrier_ops *const carrier[] = {
	&weft_carrier_shm,
	&weft_carrier_sock,
	&weft_carrier_hybrid,
	&weft_carrier_loop,
};

static void *waiting_thread(void *arg)
{
	struct race *r = arg;

	for (uint64_t n = 1; n <= (uint64_t)ROUNDS; n++) {
		while (!r->check(r, n))
			r->e->c->ops->wait(r->e->c, LONG_NS);
		weft_store64(&r->ended, n);
	}
	return NULL;
}

/* Delays the event, so that it occurs in every state of the thread's wait. */
static void random_delay(uint64_t n)
{
	uint64_t end = weft_now_ns() + n * 7919 % 1000 * 1000;

	while (weft_now_ns() < end)
		sched_yield();
}

static void race(struct race *r, void (*make)(struct race *r, uint64_t n))
{
	pthread_t t;

	T_OK(pthread_create(&t, NULL, waiting_thread, r));
	for (uint64_t n = 1; n <= (uint64_t)ROUNDS; n++) {
		random_delay(n);
		make(r, n);
		while (weft_load64(&r->ended) < n)
			sched_yield();
	}
	T_OK(pthread_join(t, NULL));
	end_close(r->e);
	free(r->e);
}

static struct race race_open(const struct weft_carrier_ops *ops,
			     bool (*check)(struct race *r, uint64_t n))
{
	static const struct weft_carrier_attr no_spin = { .spin_ns = 1 };
	struct race r = { ops, calloc(1, sizeof(struct end)), check, 0, 0 };

	T_OK(end_open(r.e, ops, 1, &no_spin));
	return r;
}

static bool event_occurred(struct race *r, uint64_t n)
{
	r->e->c->ops->poll(r->e->c, 16);
	return weft_load64(&r->event) >= n;
}

static void wake_waiter(struct race *r, uint64_t n)
{
	weft_store64(&r->event, n);
	r->e->c->ops->wake(r->e->c);
}

static void wake_ends_a_wait(void **state)
{
	for (size_t i = 0; i < WEFT_COUNT_OF(carrier); i++) {
		struct race r = race_open(carrier[i], event_occurred);

		race(&r, wake_waiter);
	}
}

static bool packet_arrived(struct race *r, uint64_t n)
{
	r->e->c->ops->poll(r->e->c, 16);
	return r->e->got >= n;
}

static struct end *sender;

static void send_packet(struct race *r, uint64_t n)
{
	T_OK(end_send_all(sender, end_peer(sender, r->e), n - 1, 8, 20));
}

static void a_packet_ends_a_wait(void **state)
{
	for (size_t i = 0; i < WEFT_COUNT_OF(carrier); i++) {
		struct race r = race_open(carrier[i], packet_arrived);

		sender = calloc(1, sizeof(*sender));
		T_OK(end_open(sender, carrier[i], 2, NULL));
		race(&r, send_packet);
		end_close(sender);
		free(sender);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(wake_ends_a_wait),
		T_CASE(a_packet_ends_a_wait),
	};

	return T_RUN(tests);
}
