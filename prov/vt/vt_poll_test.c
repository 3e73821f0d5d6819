/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Polling in virtual time: a poll returns regardless of what other ranks do,
 * has the cost described in vt_wait.c, and counts as waiting only in a polling
 * loop.
 */
#include "test/support/vt_fixture.h"
#include "test/t.h"

#define POLLS	 1000u /* number of polls without result */
#define MANY	 250000u
#define STEP_PS	 50000u	     /* cost of a poll on bgq */
#define SEND_PS	 3000000000u /* 3 ms of virtual time, ps */
#define FREE	 2u	     /* consecutive polls without cost */
/* the n-th consecutive poll takes n / JUMP steps */
#define JUMP	 16u
/* maximum number of polls in a second of virtual time */
#define SECOND_N 100000u

/*
 * Ranks 1 and 2 send each other packets until rank 0 has sent a packet to each.
 */
static int exchange(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_peer *other = rank_peer(p, e, 3 - rank);
	uint64_t n = 0;
	int ret = rank == 1 ? send_waiting(e, other, n++, 8) : 0;

	while (!ret && !e->got_from[0]) {
		uint64_t got = e->got;

		ret = wait_got(e, got + 1);
		/* packets of rank 0 are not answered */
		if (!ret && !e->got_from[0])
			ret = send_waiting(e, other, n++, 8);
	}
	return ret;
}

static int end_exchange(struct play *p, struct end *e)
{
	int ret = send_waiting(e, rank_peer(p, e, 1), 0, 8);

	return ret ? ret : send_waiting(e, rank_peer(p, e, 2), 0, 8);
}

/* ---- polls while other ranks communicate --------------------------------- */

static int poll_series(struct play *p, struct end *e, uint32_t rank)
{
	if (rank)
		return exchange(p, e, rank);
	for (uint32_t i = 0; i < POLLS; i++)
		e->c->ops->poll(e->c, 1);
	p->found->value[0] = now(e);
	return end_exchange(p, e);
}

/* Returns the steps that the first n polls of a series take. */
static uint64_t series_steps(uint32_t n)
{
	uint64_t steps = 0;

	for (uint32_t i = FREE; i < n; i++)
		steps += i < JUMP ? 1 : (i + 1) / JUMP;
	return steps;
}

static void polls_return_while_others_communicate(void **state)
{
	struct play p = { .ranks = 3, .body = poll_series };
	struct found a, b;

	(void)state;
	play(&p, &a);
	T_IS(a.value[0], series_steps(POLLS) * STEP_PS);
	p.one_core = true;
	play(&p, &b);
	T_MEM(a.clock, b.clock, sizeof(a.clock));
	T_IS(a.count.hash, b.count.hash);
}

/*
 * Each poll belongs to a call that completes, like a receive whose message has
 * already arrived: it takes one step.
 */
static int complete_during_traffic(struct play *p, struct end *e, uint32_t rank)
{
	if (rank)
		return exchange(p, e, rank);
	for (uint32_t i = 0; i < POLLS; i++) {
		e->c->ops->poll(e->c, 1);
		e->c->ops->backend->completed(e->c);
	}
	p->found->value[0] = now(e);
	return end_exchange(p, e);
}

static void polls_of_completing_calls_take_one_step(void **state)
{
	struct play p = { .ranks = 3, .body = complete_during_traffic };
	struct found f;

	(void)state;
	play(&p, &f);
	T_IS(f.value[0], (POLLS - FREE) * STEP_PS);
}

/* ---- polls while nothing is in flight ------------------------------------ */

static int poll_alone(struct play *p, struct end *e, uint32_t rank)
{
	if (rank)
		return wait_got(e, 1);
	for (uint32_t i = 0; i < 10 * POLLS; i++)
		e->c->ops->poll(e->c, 1);
	p->found->value[0] = now(e);
	return send_waiting(e, rank_peer(p, e, 1), 0, 8);
}

static void a_poll_is_one_step_when_nothing_is_in_flight(void **state)
{
	struct play p = { .ranks = 2, .body = poll_alone };
	struct found f;

	(void)state;
	play(&p, &f);
	T_IS(f.value[0], (10 * POLLS - FREE) * STEP_PS);
}

static int complete(struct play *p, struct end *e, uint32_t rank)
{
	if (rank)
		return wait_got(e, 1);
	for (uint32_t i = 0; i < MANY; i++) {
		e->c->ops->poll(e->c, 1);
		e->c->ops->backend->completed(e->c);
	}
	p->found->value[0] = now(e);
	return send_waiting(e, rank_peer(p, e, 1), 0, 8);
}

static void completing_operations_are_no_deadlock(void **state)
{
	struct play p = { .ranks = 2, .body = complete };
	struct found f;

	(void)state;
	play(&p, &f);
	T_IS(f.value[0], (uint64_t)(MANY - FREE) * STEP_PS);
}

/* A loop that ends at a given time and rarely reads the clock. */
static int read_clock_rarely(struct play *p, struct end *e, uint32_t rank)
{
	if (rank)
		return wait_got(e, 1);
	for (uint32_t i = 0; i < MANY; i++) {
		e->c->ops->poll(e->c, 1);
		if (i % POLLS == 0)
			e->c->ops->backend->now_ps(e->c, true);
	}
	return send_waiting(e, rank_peer(p, e, 1), 0, 8);
}

static void a_loop_that_reads_the_clock_is_no_deadlock(void **state)
{
	struct play p = { .ranks = 2, .body = read_clock_rarely };
	struct found f;

	(void)state;
	play(&p, &f);
}

/* ---- polls and the clock ------------------------------------------------- */

/* Rank 1 sends at 3 ms; rank 0 polls until it finds the packet. */
static int poll_until_arrival(struct play *p, struct end *e, uint32_t rank)
{
	uint64_t n = 0;

	if (rank) {
		e->c->ops->backend->compute(e->c, SEND_PS);
		return send_waiting(e, rank_peer(p, e, 0), 0, 8);
	}
	for (; !e->got; n++) {
		e->c->ops->backend->now_ps(e->c, true);
		e->c->ops->poll(e->c, 1);
	}
	p->found->value[0] = n;
	return 0;
}

static void a_loop_that_reads_the_clock_stops_at_an_arrival(void **state)
{
	struct play p = { .ranks = 2, .body = poll_until_arrival };
	struct net_config cfg;
	uint64_t arrival_ps = SEND_PS + unloaded_latency(&cfg, 8) + cfg.send_ps;
	struct found f;

	(void)state;
	play(&p, &f);
	assert_in_range(f.value[0], 1000, 20000);
	assert_in_range(f.clock[0], arrival_ps,
			arrival_ps + STEP_PS + cfg.wtime_ps + cfg.recv_ps);
}

/*
 * Rank 0 polls until the clock shows one second, then sends a packet to rank 1.
 * The loop needs few polls and ends at most a thousandth late.
 */
static int poll_one_second(struct play *p, struct end *e, uint32_t rank)
{
	uint64_t n = 0;

	if (rank)
		return wait_got(e, 1);
	for (; e->c->ops->backend->now_ps(e->c, true) < 1000000000000; n++)
		e->c->ops->poll(e->c, 1);
	p->found->value[0] = n;
	p->found->value[1] = now(e);
	return send_waiting(e, rank_peer(p, e, 1), 0, 8);
}

static void a_second_of_polling_takes_few_polls(void **state)
{
	struct play p = { .ranks = 2, .body = poll_one_second };
	struct found f;

	(void)state;
	play(&p, &f);
	assert_in_range(f.value[0], 1000, SECOND_N);
	assert_in_range(f.value[1], 1000000000000, 1001000000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(polls_return_while_others_communicate),
		T_CASE(polls_of_completing_calls_take_one_step),
		T_CASE(a_poll_is_one_step_when_nothing_is_in_flight),
		T_CASE(completing_operations_are_no_deadlock),
		T_CASE(a_loop_that_reads_the_clock_is_no_deadlock),
		T_CASE(a_loop_that_reads_the_clock_stops_at_an_arrival),
		T_CASE(a_second_of_polling_takes_few_polls),
	};

	return T_RUN(tests);
}
