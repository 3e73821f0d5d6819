/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hardware broadcast of the Elan4 interface: copies to a range, merged
 * acknowledgements, network conditional, barrier. The test has five units in
 * one process; virtual process 100 is the range 1 to 4, 101 is all units.
 */
#include "prov/machine/qsnet2/qsnet2_dev.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>

#define WORLD 5
#define BYTES 65536
#define ELAN  (UINT64_C(5) << 60)
#define LAST  WEFT_QSNET2_T_LAST
#define END   WEFT_QSNET2_T_END

struct node {
	struct weft_qsnet2 *s;
	unsigned char *mem; /* memory, mapped at ELAN in context 3 */
	unsigned q;
};

static struct node w[WORLD];
static uint64_t word[512];
static struct weft_qsnet2_stream st;

static void stream_reset(void)
{
	st = (struct weft_qsnet2_stream){ .word = word, .max = 512 };
}

static uint64_t *word_at(uint32_t i, size_t off)
{
	return (uint64_t *)(void *)(w[i].mem + off);
}

static struct weft_qsnet2_event *event_at(uint32_t i, size_t off)
{
	return (struct weft_qsnet2_event *)(void *)(w[i].mem + off);
}

static void world_open(const char *faults)
{
	struct weft_qsnet2_attr a = { .place = { .carrier = "loop",
						 .faults = faults } };
	struct sockaddr_in name;

	for (uint32_t i = 0; i < WORLD; i++) {
		T_OK(weft_qsnet2_open(&a, &w[i].s));
		w[i].mem = aligned_alloc(64, BYTES);
		memset(w[i].mem, 0, BYTES);
		T_OK(weft_qsnet2_map_at(w[i].s, 3, ELAN, w[i].mem, BYTES,
					WEFT_QSNET2_ALL));
		T_OK(weft_qsnet2_filter(w[i].s, 3, WEFT_QSNET2_ACCEPT));
		T_OK(weft_qsnet2_queue_open(w[i].s, 3, 8192, 255, 0, &w[i].q));
	}
	for (uint32_t i = 0; i < WORLD; i++) {
		weft_qsnet2_name(w[i].s, &name);
		for (uint32_t k = 0; k < WORLD; k++)
			T_OK(weft_qsnet2_route_set(w[k].s, i, &name, 3));
	}
	T_OK(weft_qsnet2_range_set(w[0].s, 100, 1, 4));
	T_OK(weft_qsnet2_range_set(w[0].s, 101, 0, 4));
	stream_reset();
}

static void world_close(void)
{
	for (uint32_t i = 0; i < WORLD; i++) {
		weft_qsnet2_close(w[i].s);
		free(w[i].mem);
	}
	memset(w, 0, sizeof(w));
}

static void world_run(int polls)
{
	for (int i = 0; i < polls; i++)
		for (uint32_t k = 0; k < WORLD; k++)
			if (w[k].s)
				weft_qsnet2_poll(w[k].s, 16);
}

static struct weft_qsnet2_queue_state state_of(uint32_t i)
{
	struct weft_qsnet2_queue_state qs;

	T_OK(weft_qsnet2_queue_state(w[i].s, w[i].q, &qs));
	return qs;
}

static void post_and_run(void)
{
	T_OK(weft_qsnet2_queue_write(w[0].s, w[0].q, word, st.count));
	stream_reset();
	world_run(200);
}

static void a_range_needs_a_route_per_member(void **state)
{
	world_open("");
	T_IS(weft_qsnet2_range_set(w[0].s, 102, 3, 5), -EINVAL);
	T_IS(weft_qsnet2_range_set(w[0].s, 102, 3, 2), -EINVAL);
	T_IS(weft_qsnet2_range_set(w[0].s, 2, 1, 4), -EINVAL);
	T_IS(weft_qsnet2_range_set(w[0].s, 102, 99, 100), -EINVAL);
	T_OK(weft_qsnet2_range_set(w[0].s, 102, 3, 3));
	world_close();
}

/* Only units in the range get a copy, of a packet and of a DMA. */
static void a_broadcast_reaches_its_range(void **state)
{
	struct weft_qsnet2_dma d = {
		.bytes = 5001,
		.vproc = 101,
		.src = ELAN + 8192,
		.dst = ELAN + 16384,
		.src_event = ELAN + 64,
		.dst_event = ELAN + 128,
	};
	uint64_t v = 42;

	world_open("");
	weft_qsnet2_open_packet(&st, 0, 100, 3);
	weft_qsnet2_transaction(&st, WEFT_QSNET2_T_WRITE | LAST, ELAN, &v, 8);
	post_and_run();
	T_IS(state_of(0).ack[0], WEFT_QSNET2_ACK_OK);
	for (uint32_t i = 0; i < WORLD; i++)
		T_IS(*word_at(i, 0), i ? 42 : 0);
	t_fill(w[0].mem + 8192, 5001, 1);
	weft_qsnet2_run_dma(&st, &d);
	post_and_run();
	T_IS(event_at(0, 64)->count, 1);
	for (uint32_t i = 0; i < WORLD; i++) {
		T_IS(t_differs(w[i].mem + 16384, 5001, 1), -1);
		T_IS(event_at(i, 128)->count, 1);
	}
	world_close();
}

/* The channel stays in use until every copy is acknowledged. */
static void the_merged_ack_waits_for_all_members(void **state)
{
	uint64_t v = 1;

	world_open("");
	weft_qsnet2_open_packet(&st, 0, 100, 3);
	weft_qsnet2_transaction(&st, WEFT_QSNET2_T_WRITE | LAST, ELAN, &v, 8);
	T_OK(weft_qsnet2_queue_write(w[0].s, w[0].q, word, st.count));
	for (int i = 0; i < 50; i++)
		for (uint32_t k = 0; k < WORLD; k++)
			if (k != 3)
				weft_qsnet2_poll(w[k].s, 16);
	T_IS(*word_at(4, 0), 1);
	T_IS(state_of(0).ack[0], 0);
	world_run(50);
	T_IS(state_of(0).ack[0], WEFT_QSNET2_ACK_OK);
	world_close();
}

/* Tests on words of the members, and the expected merged acknowledgement. */
static void acknowledgements_are_merged(void **state)
{
	static const struct {
		unsigned test;
		uint64_t word[WORLD - 1];
		unsigned ack;
	} rows[] = {
		{ WEFT_QSNET2_T_TEST_EQ, { 5, 5, 5, 5 }, WEFT_QSNET2_ACK_OK },
		{ WEFT_QSNET2_T_TEST_EQ,
		  { 5, 5, 4, 5 },
		  WEFT_QSNET2_ACK_TESTFAIL },
		{ WEFT_QSNET2_T_TEST_EQ,
		  { 0, 0, 0, 0 },
		  WEFT_QSNET2_ACK_TESTFAIL },
		{ WEFT_QSNET2_T_TEST_GE, { 9, 5, 6, 5 }, WEFT_QSNET2_ACK_OK },
		{ WEFT_QSNET2_T_TEST_LT,
		  { 4, 3, 2, 5 },
		  WEFT_QSNET2_ACK_TESTFAIL },
		{ WEFT_QSNET2_T_WAIT_EQ,
		  { 5, 5, 5, 4 },
		  WEFT_QSNET2_ACK_DISCARD },
	};
	uint64_t v = 5;

	for (unsigned i = 0; i < WEFT_COUNT_OF(rows); i++) {
		world_open("");
		for (uint32_t k = 1; k < WORLD; k++)
			*word_at(k, 0) = rows[i].word[k - 1];
		weft_qsnet2_open_packet(&st, 0, 100, 2);
		weft_qsnet2_transaction(&st, rows[i].test | LAST, ELAN, &v, 8);
		post_and_run();
		if (rows[i].ack == WEFT_QSNET2_ACK_DISCARD) {
			T_IS(state_of(0).trap, WEFT_QSNET2_TRAP_FAIL_COUNT);
			T_IS(state_of(0).restarts, 2);
		} else {
			T_IS(state_of(0).ack[0], rows[i].ack);
		}
		world_close();
	}
}

static void broadcast_error_of_one_member_is_returned(void **state)
{
	uint64_t v = 1;

	world_open("");
	T_OK(weft_qsnet2_filter(w[3].s, 3, WEFT_QSNET2_CLOSED));
	weft_qsnet2_open_packet(&st, 0, 100, 2);
	weft_qsnet2_transaction(&st, WEFT_QSNET2_T_TEST_EQ | LAST, ELAN, &v, 8);
	post_and_run();
	T_IS(state_of(0).ack[0], WEFT_QSNET2_ACK_ERROR);
	T_IS(state_of(0).trap, WEFT_QSNET2_TRAP_ACK_ERROR);
	world_close();
}

/* The action is performed at all members or at none. */
static void a_conditional_acts_at_all_or_none(void **state)
{
	uint64_t five = 5;
	uint64_t one = 1;

	for (uint32_t bad = 1; bad <= WORLD; bad++) {
		world_open("");
		for (uint32_t k = 1; k < WORLD; k++)
			*word_at(k, 0) = k == bad ? 4 : 5;
		weft_qsnet2_open_packet(&st, 0, 100, 2);
		weft_qsnet2_transaction(&st, WEFT_QSNET2_T_TEST_EQ, ELAN, &five,
					8);
		weft_qsnet2_transaction(&st, WEFT_QSNET2_T_ADD_WORD | END,
					ELAN + 8, &one, 8);
		weft_qsnet2_transaction(&st, WEFT_QSNET2_T_SET_EVENT | LAST,
					ELAN + 64, NULL, 0);
		post_and_run();
		T_IS(state_of(0).ack[0], bad == WORLD
						 ? WEFT_QSNET2_ACK_OK
						 : WEFT_QSNET2_ACK_TESTFAIL);
		for (uint32_t k = 1; k < WORLD; k++) {
			T_IS(*word_at(k, 8), bad == WORLD);
			T_IS(event_at(k, 64)->count, bad == WORLD);
			T_TRUE(weft_list_empty(&w[k].s->deferred));
		}
		world_close();
	}
}

/* One member discards a packet; the others execute it only once. */
static void deferred_transactions_execute_once(void **state)
{
	uint64_t one = 1;

	world_open("");
	weft_qsnet2_all_set(&st, 0, 100, WEFT_QSNET2_T_WAIT_EQ, ELAN, 1,
			    ELAN + 64);
	for (uint32_t k = 1; k < WORLD - 1; k++)
		*word_at(k, 0) = 1;
	post_and_run();
	T_TRUE(state_of(0).restarts > 3);
	for (uint32_t k = 1; k < WORLD; k++)
		T_IS(event_at(k, 64)->count, 0);
	*word_at(4, 0) = one;
	world_run(100);
	T_IS(state_of(0).ack[0], WEFT_QSNET2_ACK_OK);
	for (uint32_t k = 1; k < WORLD; k++)
		T_IS(event_at(k, 64)->count, 1);
	world_close();
}

static void a_lost_member_is_an_error(void **state)
{
	uint64_t v = 1;

	world_open("");
	weft_qsnet2_open_packet(&st, 0, 100, 255);
	weft_qsnet2_transaction(&st, WEFT_QSNET2_T_TEST_EQ, ELAN, &v, 8);
	weft_qsnet2_transaction(&st, WEFT_QSNET2_T_WRITE | END | LAST, ELAN, &v,
				8);
	T_OK(weft_qsnet2_queue_write(w[0].s, w[0].q, word, st.count));
	for (int i = 0; i < 10; i++)
		weft_qsnet2_poll(w[0].s, 16);
	weft_qsnet2_close(w[2].s);
	w[2].s = NULL;
	world_run(3000);
	T_IS(state_of(0).trap, WEFT_QSNET2_TRAP_ACK_ERROR);
	T_TRUE(weft_list_empty(&w[0].s->broadcasts));
	world_close();
}

/* ---- a barrier ---- */

#define ROUNDS 30

/* A member increments its word, then waits for the event. */
struct walker {
	uint64_t arrived;
	uint64_t left;
};

static void walker_step(struct walker *m, uint32_t i, int late)
{
	struct weft_qsnet2_event *e = event_at(i, 64);

	if (m->arrived == m->left) {
		if (m->arrived == ROUNDS || late)
			return;
		e->count = -1;
		m->arrived++;
		*word_at(i, 0) = m->arrived;
		if (i)
			return;
		weft_qsnet2_all_set(&st, m->arrived & 1, 101,
				    WEFT_QSNET2_T_WAIT_GE, ELAN, m->arrived,
				    ELAN + 64);
		T_OK(weft_qsnet2_queue_write(w[0].s, w[0].q, word, st.count));
		stream_reset();
	} else if (!e->count) {
		m->left++;
	}
}

static void barriers(const char *faults)
{
	struct walker m[WORLD] = { { 0 } };
	uint64_t least;

	world_open(faults);
	for (int round = 0; round < 100000 && m[WORLD - 1].left < ROUNDS;
	     round++) {
		for (uint32_t i = 0; i < WORLD; i++)
			walker_step(&m[i], i, (round + (int)i * 7) % 50 > 5);
		least = m[0].arrived;
		for (uint32_t i = 1; i < WORLD; i++)
			least = m[i].arrived < least ? m[i].arrived : least;
		for (uint32_t i = 0; i < WORLD; i++)
			T_TRUE(m[i].left <= least);
		world_run(1);
	}
	world_run(100);
	for (uint32_t i = 0; i < WORLD; i++) {
		walker_step(&m[i], i, 1);
		T_IS(m[i].left, ROUNDS);
		T_IS(event_at(i, 64)->fired, ROUNDS);
	}
	world_close();
}

static void barrier_waits_for_last_member(void **state)
{
	barriers("");
	barriers("seed=4; delay=0.2 by 2 ms; loss=0.1; duplicate=0.1; "
		 "reorder=0.2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_range_needs_a_route_per_member),
		T_CASE(a_broadcast_reaches_its_range),
		T_CASE(the_merged_ack_waits_for_all_members),
		T_CASE(acknowledgements_are_merged),
		T_CASE(broadcast_error_of_one_member_is_returned),
		T_CASE(a_conditional_acts_at_all_or_none),
		T_CASE(deferred_transactions_execute_once),
		T_CASE(a_lost_member_is_an_error),
		T_CASE(barrier_waits_for_last_member),
	};

	return T_RUN(tests);
}
