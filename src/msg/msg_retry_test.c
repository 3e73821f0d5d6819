/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the retry queue: order inside a lane, independence between lanes. */
#include "src/msg/msg_retry.h"
#include "src/msg/msg_progress.h"

#include "test/t.h"

#include <string.h>

struct weft_core weft_core;

static int hurried;

void weft_progress_recheck(void)
{
	hurried++;
}

#define LANES 2

static struct weft_proc lane[LANES];
static int room[LANES]; /* number of operations that the provider accepts */
static int went[32], went_n, failed_n;

struct op {
	struct weft_retry pend;
	int number;
	int result; /* result of a post when the provider is not full */
};

static int post(struct weft_retry *e)
{
	struct op *o = weft_container_of(e, struct op, pend);
	int *left = &room[e->lane - lane];

	if (!*left)
		return -EAGAIN;
	--*left;
	if (!o->result)
		went[went_n++] = o->number;
	return o->result;
}

/*
 * Overwrites the entry, as an owner may free it: the queue must not access it
 * any more.
 */
static void op_left(struct weft_retry *e, int rc)
{
	if (rc)
		failed_n++;
	memset(e, 0xee, sizeof(*e));
}

static struct op make(int on, int number)
{
	return (struct op){
		.pend = { .lane = &lane[on], .post = post, .left = op_left },
		.number = number
	};
}

static void reset(void)
{
	int i;

	weft_retry_init();
	for (i = 0; i < LANES; i++) {
		lane[i] = (struct weft_proc){ .addr = (fi_addr_t)i,
					      .real = (fi_addr_t)i };
		room[i] = 0;
	}
	weft_core.pending = 0;
	went_n = 0;
	failed_n = 0;
}

static void with_room_it_goes_at_once(void **state)
{
	struct op o = make(0, 1);

	reset();
	room[0] = 1;
	T_OK(weft_retry_post(&o.pend));
	T_IS(went_n, 1);
	T_IS(weft_core.pending, 0);
}

static void a_lane_keeps_its_order(void **state)
{
	struct op o[3] = { make(0, 1), make(0, 2), make(0, 3) };
	int i;

	reset();
	T_OK(weft_retry_post(&o[0].pend));
	room[0] = 1; /* the second operation must not overtake the first */
	T_OK(weft_retry_post(&o[1].pend));
	T_OK(weft_retry_post(&o[2].pend));
	T_IS(went_n, 0);
	T_TRUE(lane[0].addr == FI_ADDR_NOTAVAIL);
	T_IS(weft_retry_run(), 1);
	T_IS(weft_retry_run(), 0);
	room[0] = 5;
	T_IS(weft_retry_run(), 2);
	for (i = 0; i < 3; i++)
		T_IS(went[i], i + 1);
	T_TRUE(lane[0].addr == 0);
	T_IS(weft_core.pending, 0);
}

static void a_full_lane_does_not_hold_another(void **state)
{
	struct op a = make(0, 1), b = make(1, 2), c = make(1, 3);

	reset();
	T_OK(weft_retry_post(&a.pend));
	T_OK(weft_retry_post(&b.pend));
	T_OK(weft_retry_post(&c.pend));
	room[1] = 2;
	T_IS(weft_retry_run(), 2);
	T_IS(went[0], 2);
	T_IS(went[1], 3);
	T_IS(weft_core.pending, 1);
}

static void failure_is_told_and_the_next_goes_on(void **state)
{
	struct op a = make(0, 1), b = make(0, 2);

	reset();
	a.result = -EIO;
	T_OK(weft_retry_post(&a.pend));
	T_OK(weft_retry_post(&b.pend));
	room[0] = 2;
	T_IS(weft_retry_run(), 2);
	T_IS(failed_n, 1);
	T_IS(went[0], 2);
}

static void what_waits_can_be_taken_out(void **state)
{
	struct op a = make(0, 1), b = make(0, 2);

	reset();
	T_OK(weft_retry_post(&a.pend));
	T_OK(weft_retry_post(&b.pend));
	T_TRUE(weft_retry_remove(&a.pend));
	T_FALSE(weft_retry_remove(&a.pend));
	room[0] = 2;
	T_IS(weft_retry_run(), 1);
	T_IS(went[0], 2);
}

/*
 * A thread that blocks without timeout must be notified of the first queued
 * entry.
 */
static void the_first_to_wait_hurries_those_who_sleep(void **state)
{
	struct op a = make(0, 1), b = make(1, 2);

	reset();
	weft_core.pending = hurried = 0;
	T_OK(weft_retry_post(&a.pend));
	T_IS(hurried, 1);
	T_OK(weft_retry_post(&b.pend));
	T_IS(hurried, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(with_room_it_goes_at_once),
		T_CASE(a_lane_keeps_its_order),
		T_CASE(a_full_lane_does_not_hold_another),
		T_CASE(failure_is_told_and_the_next_goes_on),
		T_CASE(what_waits_can_be_taken_out),
		T_CASE(the_first_to_wait_hurries_those_who_sleep),
	};

	return T_RUN(tests);
}
