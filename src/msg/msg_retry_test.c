/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the retry queue: order inside a lane, independence between lanes. */
#include "src/msg/msg_retry.h"
#include "src/msg/msg_progress.h"

#include "test/t.h"

#include <string.h>

struct weft_core weft_core;

static int rechecks;

void weft_progress_recheck(void)
{
	rechecks++;
}

#define LANES 2

static struct weft_proc lane[LANES];
static int accepts[LANES]; /* number of operations that the provider accepts */
static int posted[32], posted_n, failed_n;

struct op {
	struct weft_retry pend;
	int number;
	int result; /* result of a post when the provider is not full */
};

static int post(struct weft_retry *e)
{
	struct op *o = weft_container_of(e, struct op, pend);
	int *left = &accepts[e->lane - lane];

	if (!*left)
		return -EAGAIN;
	--*left;
	if (!o->result)
		posted[posted_n++] = o->number;
	return o->result;
}

/*
 * Overwrites the entry, since its owner may free it here: the queue must not
 * access the entry afterwards.
 */
static void op_left(struct weft_retry *e, int rc)
{
	if (rc)
		failed_n++;
	memset(e, 0xee, sizeof(*e));
}

static struct op make_op(int lane_index, int number)
{
	return (struct op){ .pend = { .lane = &lane[lane_index],
				      .post = post,
				      .left = op_left },
			    .number = number };
}

static void reset(void)
{
	int i;

	weft_retry_init();
	for (i = 0; i < LANES; i++) {
		lane[i] = (struct weft_proc){ .addr = (fi_addr_t)i,
					      .real = (fi_addr_t)i };
		accepts[i] = 0;
	}
	weft_core.pending = 0;
	posted_n = 0;
	failed_n = 0;
}

static void post_without_backpressure_is_immediate(void **state)
{
	struct op o = make_op(0, 1);

	reset();
	accepts[0] = 1;
	T_OK(weft_retry_post(&o.pend));
	T_IS(posted_n, 1);
	T_IS(weft_core.pending, 0);
}

static void a_lane_keeps_its_order(void **state)
{
	struct op o[3] = { make_op(0, 1), make_op(0, 2), make_op(0, 3) };
	int i;

	reset();
	T_OK(weft_retry_post(&o[0].pend));
	accepts[0] = 1; /* the second operation must not overtake the first */
	T_OK(weft_retry_post(&o[1].pend));
	T_OK(weft_retry_post(&o[2].pend));
	T_IS(posted_n, 0);
	T_TRUE(lane[0].addr == FI_ADDR_NOTAVAIL);
	T_IS(weft_retry_run(), 1);
	T_IS(weft_retry_run(), 0);
	accepts[0] = 5;
	T_IS(weft_retry_run(), 2);
	for (i = 0; i < 3; i++)
		T_IS(posted[i], i + 1);
	T_TRUE(lane[0].addr == 0);
	T_IS(weft_core.pending, 0);
}

static void full_retry_queue_does_not_block_other_queues(void **state)
{
	struct op a = make_op(0, 1), b = make_op(1, 2), c = make_op(1, 3);

	reset();
	T_OK(weft_retry_post(&a.pend));
	T_OK(weft_retry_post(&b.pend));
	T_OK(weft_retry_post(&c.pend));
	accepts[1] = 2;
	T_IS(weft_retry_run(), 2);
	T_IS(posted[0], 2);
	T_IS(posted[1], 3);
	T_IS(weft_core.pending, 1);
}

static void failed_retry_is_reported_and_next_is_posted(void **state)
{
	struct op a = make_op(0, 1), b = make_op(0, 2);

	reset();
	a.result = -EIO;
	T_OK(weft_retry_post(&a.pend));
	T_OK(weft_retry_post(&b.pend));
	accepts[0] = 2;
	T_IS(weft_retry_run(), 2);
	T_IS(failed_n, 1);
	T_IS(posted[0], 2);
}

static void queued_operation_can_be_removed(void **state)
{
	struct op a = make_op(0, 1), b = make_op(0, 2);

	reset();
	T_OK(weft_retry_post(&a.pend));
	T_OK(weft_retry_post(&b.pend));
	T_TRUE(weft_retry_remove(&a.pend));
	T_FALSE(weft_retry_remove(&a.pend));
	accepts[0] = 2;
	T_IS(weft_retry_run(), 1);
	T_IS(posted[0], 2);
}

/* A thread blocked without timeout must be notified of the first entry. */
static void first_queued_operation_wakes_blocked_thread(void **state)
{
	struct op a = make_op(0, 1), b = make_op(1, 2);

	reset();
	weft_core.pending = rechecks = 0;
	T_OK(weft_retry_post(&a.pend));
	T_IS(rechecks, 1);
	T_OK(weft_retry_post(&b.pend));
	T_IS(rechecks, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(post_without_backpressure_is_immediate),
		T_CASE(a_lane_keeps_its_order),
		T_CASE(full_retry_queue_does_not_block_other_queues),
		T_CASE(failed_retry_is_reported_and_next_is_posted),
		T_CASE(queued_operation_can_be_removed),
		T_CASE(first_queued_operation_wakes_blocked_thread),
	};

	return T_RUN(tests);
}
