/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that a fault plan ends: they run until the time in the plan, packets
 * that they send later are dropped, and the other ranks detect the end after
 * the machine's detection time.
 */
#include "prov/vt/vt_api.h"
#include "test/support/vt_fixture.h"
#include "test/t.h"

#include <errno.h>

#define US	  UINT64_C(1000000)
#define END_PS	  (3000 * US)
#define DETECT_PS (500 * US)
#define PLAN	  "dead-rank 1 at 3 ms; detect by 500 us"
#define FOREVER	  UINT64_MAX

static void compute(struct end *e, uint64_t ps)
{
	e->c->ops->backend->compute(e->c, ps);
}

/* Waits until this rank ends; returns 0 if it ends as planned. */
static int wait_end(struct end *e, uint64_t at)
{
	int ret = 0;

	while (!ret) {
		e->c->ops->poll(e->c, 8);
		ret = e->c->ops->wait(e->c, FOREVER);
	}
	return ret == -EHOSTDOWN && now(e) == at ? 0 : 10;
}

/*
 * Waits until this rank has detected the end of rank 1, and records the time.
 */
static int wait_known(struct play *p, struct end *e)
{
	struct weft_vt_failure f;

	while (weft_vt_failure(e->c, 0, &f)) {
		e->c->ops->poll(e->c, 8);
		if (weft_vt_failure(e->c, 0, &f) &&
		    e->c->ops->wait(e->c, FOREVER))
			return 20;
	}
	p->found->value[0] = f.failed_ps;
	p->found->value[1] = f.known_ps;
	p->found->value[2] = now(e);
	return f.rank == 1 && !f.has_left ? 0 : 21;
}

/* ---- times --------------------------------------------------------------- */

static int rank_ends(struct play *p, struct end *e, uint32_t rank)
{
	return rank == 1 ? wait_end(e, END_PS) : wait_known(p, e);
}

static void check_times(struct play *p)
{
	struct found found;

	p->faults = PLAN;
	play(p, &found);
	T_IS(found.value[0], END_PS);
	T_IS(found.value[1], END_PS + DETECT_PS);
	T_TRUE(found.value[2] >= END_PS + DETECT_PS);
	T_TRUE(found.value[2] < END_PS + DETECT_PS + US);
}

static void a_blocked_rank_ends_at_the_time_of_the_plan(void **state)
{
	struct play p = { .ranks = 3, .body = rank_ends };

	check_times(&p);
}

/* After a computation, the rank's clock is later than its planned end. */
static int computing_rank_ends(struct play *p, struct end *e, uint32_t rank)
{
	if (rank == 1)
		compute(e, 10000 * US);
	return rank_ends(p, e, rank);
}

static void a_computing_rank_ends_at_the_time_of_the_plan(void **state)
{
	struct play p = { .ranks = 3, .body = computing_rank_ends };

	check_times(&p);
}

static int rank_leaves_before(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_vt_failure f;

	if (rank == 1)
		return 0;
	compute(e, 5000 * US);
	e->c->ops->poll(e->c, 8);
	e->c->ops->poll(e->c, 8);
	e->c->ops->poll(e->c, 8);
	return weft_vt_failure(e->c, 0, &f) || f.has_left ? 0 : 30;
}

static void a_rank_that_has_left_does_not_fail(void **state)
{
	struct play p = { .ranks = 2,
			  .body = rank_leaves_before,
			  .faults = PLAN };
	struct found found;

	play(&p, &found);
}

/* ---- packets ------------------------------------------------------------- */

/* Rank 1 sends one packet before its end and one after it. */
static int send_around_end(struct play *p, struct end *e, uint32_t rank)
{
	int ret;

	if (rank != 1) {
		ret = wait_got(e, 1);
		ret = ret ? ret : wait_known(p, e);
		p->found->value[3] = e->got;
		return ret;
	}
	ret = end_send(e, rank_peer(p, e, 0), 0, 8);
	compute(e, 4000 * US);
	if (!ret)
		ret = end_send(e, rank_peer(p, e, 0), 1, 8);
	return ret ? ret : wait_end(e, END_PS);
}

static void packets_after_the_end_are_dropped(void **state)
{
	struct play p = { .ranks = 2, .body = send_around_end, .faults = PLAN };
	struct found found;

	play(&p, &found);
	T_IS(found.value[3], 1);
}

/* A rank that does not read gets more packets than it has buffers. */
static int flood(struct play *p, struct end *e, uint32_t rank)
{
	int ret = 0;

	if (rank == 1)
		return wait_end(e, END_PS);
	compute(e, 3100 * US);
	for (uint64_t i = 0; i < 1500 && !ret && !e->lost; i++)
		ret = send_waiting(e, rank_peer(p, e, 1), i, 8);
	return ret ? 40 : wait_known(p, e);
}

static void buffers_return_from_a_rank_that_has_ended(void **state)
{
	struct play p = { .ranks = 2, .body = flood, .faults = PLAN };
	struct found found;

	play(&p, &found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_blocked_rank_ends_at_the_time_of_the_plan),
		T_CASE(a_computing_rank_ends_at_the_time_of_the_plan),
		T_CASE(a_rank_that_has_left_does_not_fail),
		T_CASE(packets_after_the_end_are_dropped),
		T_CASE(buffers_return_from_a_rank_that_has_ended),
	};

	return T_RUN(tests);
}
