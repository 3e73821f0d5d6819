/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets, acknowledgements, restarts, events, DMA and input queues of the
 * Elan4 interface. qsnet2_queue_test.c tests command queues and protection.
 */
#include "test/support/qsnet2_pair.h"

#define LAST WEFT_QSNET2_T_LAST

static void post_one(struct pair *p, unsigned type, uint64_t at,
		     const void *data, unsigned bytes)
{
	weft_qsnet2_open_packet(&p->a.st, 0, 1, 3);
	weft_qsnet2_transaction(&p->a.st, type | LAST, at, data, bytes);
	pair_post_run(p);
}

static uint8_t ack(struct pair *p)
{
	return pair_state(&p->a).ack[0];
}

static void a_packet_writes_1_to_128_bytes(void **state)
{
	unsigned char buf[128];
	struct pair p;

	pair_open(&p, "");
	for (unsigned n = 1; n <= 128; n++) {
		t_fill(buf, n, n);
		post_one(&p, WEFT_QSNET2_T_WRITE, qsnet2_at(&p.b, n * 200 + 1),
			 buf, n);
		T_IS(ack(&p), WEFT_QSNET2_ACK_OK);
		T_IS(t_differs(p.b.mem + n * 200 + 1, n, n), -1);
		T_IS(p.b.mem[n * 200 + 1 + n], 0);
	}
	pair_close(&p);
}

static void a_packet_holds_several_transactions(void **state)
{
	unsigned char buf[128 * 10];
	struct pair p;
	uint64_t v = 5;

	pair_open(&p, "");
	t_fill(buf, sizeof(buf), 1);
	weft_qsnet2_open_packet(&p.a.st, 1, 1, 3);
	for (unsigned i = 0; i < 10; i++)
		weft_qsnet2_transaction(&p.a.st, WEFT_QSNET2_T_WRITE,
					qsnet2_at(&p.b, i * 128), buf + i * 128,
					128);
	weft_qsnet2_transaction(&p.a.st, WEFT_QSNET2_T_ADD_WORD | LAST,
				qsnet2_at(&p.b, 4096), &v, 8);
	pair_post_run(&p);
	T_IS(pair_state(&p.a).ack[1], WEFT_QSNET2_ACK_OK);
	T_IS(t_differs(p.b.mem, sizeof(buf), 1), -1);
	T_IS(*qsnet2_word_at(&p.b, 4096), 5);
	pair_close(&p);
}

static void tests_fail_or_discard_by_kind(void **state)
{
	struct pair p;
	uint64_t v = 10;

	pair_open(&p, "");
	*qsnet2_word_at(&p.b, 0) = 10;
	post_one(&p, WEFT_QSNET2_T_TEST_GE, qsnet2_at(&p.b, 0), &v, 8);
	T_IS(ack(&p), WEFT_QSNET2_ACK_OK);
	post_one(&p, WEFT_QSNET2_T_TEST_LT, qsnet2_at(&p.b, 0), &v, 8);
	T_IS(ack(&p), WEFT_QSNET2_ACK_TESTFAIL);
	post_one(&p, WEFT_QSNET2_T_TEST_EQ, qsnet2_at(&p.b, 0), &v, 8);
	T_IS(ack(&p), WEFT_QSNET2_ACK_OK);
	post_one(&p, WEFT_QSNET2_T_TEST_NE, qsnet2_at(&p.b, 0), &v, 8);
	T_IS(ack(&p), WEFT_QSNET2_ACK_TESTFAIL);
	*(int64_t *)qsnet2_word_at(&p.b, 0) = -1;
	post_one(&p, WEFT_QSNET2_T_TEST_LT, qsnet2_at(&p.b, 0), &v, 8);
	T_IS(ack(&p), WEFT_QSNET2_ACK_OK);
	post_one(&p, WEFT_QSNET2_T_TEST_GE, qsnet2_at(&p.b, 0), &v, 8);
	T_IS(ack(&p), WEFT_QSNET2_ACK_TESTFAIL);
	*qsnet2_word_at(&p.b, 0) = 10;
	post_one(&p, WEFT_QSNET2_T_WAIT_NE, qsnet2_at(&p.b, 0), &v, 8);
	T_IS(pair_state(&p.a).trap, WEFT_QSNET2_TRAP_FAIL_COUNT);
	T_IS(pair_state(&p.a).restarts, 3);
	pair_close(&p);
}

/* Test and write: the write is executed only if the test succeeds. */
static void write_after_failed_test_is_skipped(void **state)
{
	struct pair p;
	uint64_t v = 1;

	pair_open(&p, "");
	weft_qsnet2_open_packet(&p.a.st, 0, 1, 3);
	weft_qsnet2_transaction(&p.a.st, WEFT_QSNET2_T_TEST_EQ,
				qsnet2_at(&p.b, 0), &v, 8);
	weft_qsnet2_transaction(&p.a.st, WEFT_QSNET2_T_WRITE | LAST,
				qsnet2_at(&p.b, 64), &v, 8);
	pair_post_run(&p);
	T_IS(ack(&p), WEFT_QSNET2_ACK_TESTFAIL);
	T_IS(*qsnet2_word_at(&p.b, 64), 0);
	post_one(&p, WEFT_QSNET2_T_TEST_AND_WRITE, qsnet2_at(&p.b, 64), &v, 8);
	T_IS(ack(&p), WEFT_QSNET2_ACK_OK);
	post_one(&p, WEFT_QSNET2_T_TEST_AND_WRITE, qsnet2_at(&p.b, 64), &v, 8);
	T_IS(ack(&p), WEFT_QSNET2_ACK_TESTFAIL);
	T_IS(*qsnet2_word_at(&p.b, 64), 1);
	pair_close(&p);
}

static void a_discarded_packet_is_retransmitted(void **state)
{
	struct pair p;
	uint64_t v = 1;

	pair_open(&p, "");
	weft_qsnet2_open_packet(&p.a.st, 0, 1, 255);
	weft_qsnet2_transaction(&p.a.st, WEFT_QSNET2_T_WAIT_EQ,
				qsnet2_at(&p.b, 0), &v, 8);
	weft_qsnet2_transaction(&p.a.st, WEFT_QSNET2_T_ADD_WORD | LAST,
				qsnet2_at(&p.b, 64), &v, 8);
	pair_post_run(&p);
	T_IS(*qsnet2_word_at(&p.b, 64), 0);
	T_TRUE(pair_state(&p.a).restarts > 5);
	*qsnet2_word_at(&p.b, 0) = 1;
	pair_run(&p, 100);
	T_IS(ack(&p), WEFT_QSNET2_ACK_OK);
	T_IS(*qsnet2_word_at(&p.b, 64), 1);
	pair_close(&p);
}

/*
 * Two packets are in flight, and the first is discarded several times. The
 * second, which is acknowledged, is not retransmitted; commands without a guard
 * are repeated.
 */
static void a_restart_repeats_commands_but_not_packets(void **state)
{
	struct pair p;
	uint64_t v = 1;

	pair_open(&p, "");
	weft_qsnet2_open_packet(&p.a.st, 0, 1, 255);
	weft_qsnet2_transaction(&p.a.st, WEFT_QSNET2_T_WAIT_EQ | LAST,
				qsnet2_at(&p.b, 0), &v, 8);
	weft_qsnet2_open_packet(&p.a.st, 1, 1, 255);
	weft_qsnet2_transaction(&p.a.st, WEFT_QSNET2_T_ADD_WORD | LAST,
				qsnet2_at(&p.b, 64), &v, 8);
	weft_qsnet2_add_word(&p.a.st, qsnet2_at(&p.a, 0), 1);
	weft_qsnet2_guard(&p.a.st, 0, WEFT_QSNET2_ACK_OK);
	weft_qsnet2_add_word(&p.a.st, qsnet2_at(&p.a, 8), 1);
	pair_post_run(&p);
	*qsnet2_word_at(&p.b, 0) = 1;
	pair_run(&p, 100);
	T_IS(*qsnet2_word_at(&p.b, 64), 1);
	T_TRUE(*qsnet2_word_at(&p.a, 0) > 1);
	T_IS(*qsnet2_word_at(&p.a, 8), 1);
	T_IS(pair_state(&p.a).words, 0);
	pair_close(&p);
}

static void a_guard_runs_or_skips_the_next_command(void **state)
{
	struct pair p;
	uint64_t v = 1;

	pair_open(&p, "");
	weft_qsnet2_open_packet(&p.a.st, 0, 1, 3);
	weft_qsnet2_transaction(&p.a.st, WEFT_QSNET2_T_TEST_EQ | LAST,
				qsnet2_at(&p.b, 0), &v, 8);
	weft_qsnet2_guard(&p.a.st, 0, WEFT_QSNET2_ACK_OK);
	weft_qsnet2_write_word(&p.a.st, qsnet2_at(&p.a, 0), 7);
	weft_qsnet2_guard(&p.a.st, 0, WEFT_QSNET2_ACK_TESTFAIL);
	weft_qsnet2_write_word(&p.a.st, qsnet2_at(&p.a, 8), 8);
	pair_post_run(&p);
	T_IS(*qsnet2_word_at(&p.a, 0), 0);
	T_IS(*qsnet2_word_at(&p.a, 8), 8);
	pair_close(&p);
}

/* ---- events ---- */

static const struct weft_qsnet2_event *event_at(const struct side *s,
						unsigned off)
{
	return (const struct weft_qsnet2_event *)(const void *)(s->mem + off);
}

/* An event fires once: a set at count 0 or more only increments the count. */
static void an_event_fires_when_its_count_is_reached(void **state)
{
	struct weft_qsnet2_event e = {
		.type = WEFT_QSNET2_EVENT_WRITE,
		.from = 77,
	};
	struct pair p;

	pair_open(&p, "");
	e.to = qsnet2_at(&p.a, 1024);
	weft_qsnet2_wait_event(&p.a.st, qsnet2_at(&p.a, 64), 3, &e);
	weft_qsnet2_set_event(&p.a.st, qsnet2_at(&p.a, 64), 1);
	weft_qsnet2_set_event(&p.a.st, qsnet2_at(&p.a, 64), 1);
	pair_post_run(&p);
	T_IS(*qsnet2_word_at(&p.a, 1024), 0);
	weft_qsnet2_set_event(&p.a.st, qsnet2_at(&p.a, 64), 1);
	pair_post_run(&p);
	T_IS(*qsnet2_word_at(&p.a, 1024), 77);
	weft_qsnet2_set_event(&p.a.st, qsnet2_at(&p.a, 64), 2);
	pair_post_run(&p);
	T_IS(event_at(&p.a, 64)->count, 2);
	T_IS(event_at(&p.a, 64)->fired, 1);
	e.from = 78;
	weft_qsnet2_wait_event(&p.a.st, qsnet2_at(&p.a, 64), 2, &e);
	pair_post_run(&p);
	T_IS(*qsnet2_word_at(&p.a, 1024), 78);
	T_IS(event_at(&p.a, 64)->fired, 2);
	pair_close(&p);
}

static void an_overflowing_event_count_traps(void **state)
{
	struct weft_qsnet2_event *e;
	struct pair p;

	pair_open(&p, "");
	e = (struct weft_qsnet2_event *)(void *)(p.a.mem + 64);
	e->count = INT32_MAX - 1;
	weft_qsnet2_set_event(&p.a.st, qsnet2_at(&p.a, 64), 1);
	pair_post_run(&p);
	T_IS(e->count, INT32_MAX);
	weft_qsnet2_set_event(&p.a.st, qsnet2_at(&p.a, 64), 1);
	pair_post_run(&p);
	T_IS(pair_state(&p.a).trap, WEFT_QSNET2_TRAP_OVERFLOW);
	T_IS(e->count, INT32_MAX);
	T_IS(e->fired, 0);
	pair_close(&p);
}

/* A packet from a sets b's event, which copies a command that sends a reply. */
static void an_event_starts_the_next_operation(void **state)
{
	uint64_t words[32];
	struct weft_qsnet2_stream st = { .word = words, .max = 32 };
	struct weft_qsnet2_event *e;
	struct pair p;
	uint64_t v = 99;

	pair_open(&p, "");
	weft_qsnet2_open_packet(&st, 0, 0, 3);
	weft_qsnet2_transaction(&st, WEFT_QSNET2_T_WRITE | LAST,
				qsnet2_at(&p.a, 512), &v, 8);
	memcpy(p.b.mem + 2048, words, st.count * 8);
	e = (struct weft_qsnet2_event *)(void *)(p.b.mem + 64);
	e->count = -1;
	e->type = WEFT_QSNET2_EVENT_COPY;
	e->words = (uint8_t)st.count;
	e->from = qsnet2_at(&p.b, 2048);
	e->to = WEFT_QSNET2_QUEUE_ADDRESS(p.b.q);
	post_one(&p, WEFT_QSNET2_T_SET_EVENT, qsnet2_at(&p.b, 64), NULL, 0);
	T_IS(*qsnet2_word_at(&p.a, 512), 99);
	T_IS(e->fired, 1);
	pair_close(&p);
}

/*
 * The event copies 255 words, to memory and as commands; the last three
 * commands show that all were executed.
 */
static void an_event_copies_2040_bytes(void **state)
{
	enum { WORDS = WEFT_QSNET2_COPY / 8 };
	struct weft_qsnet2_event e = {
		.type = WEFT_QSNET2_EVENT_COPY,
		.words = WORDS,
	};
	uint64_t words[WORDS];
	struct weft_qsnet2_stream st = { .word = words, .max = WORDS };
	struct pair p;

	pair_open(&p, "");
	while (st.count < WORDS - 3)
		weft_qsnet2_word(&st, WEFT_QSNET2_NOP);
	weft_qsnet2_write_word(&st, qsnet2_at(&p.a, 512), 44);
	memcpy(p.a.mem + 4096, words, sizeof(words));
	memset(p.a.mem + 8192, 0xee, 4096);
	e.from = qsnet2_at(&p.a, 4096);
	e.to = qsnet2_at(&p.a, 8192);
	weft_qsnet2_wait_event(&p.a.st, qsnet2_at(&p.a, 64), 1, &e);
	weft_qsnet2_set_event(&p.a.st, qsnet2_at(&p.a, 64), 1);
	e.to = WEFT_QSNET2_QUEUE_ADDRESS(p.a.q);
	weft_qsnet2_wait_event(&p.a.st, qsnet2_at(&p.a, 96), 1, &e);
	weft_qsnet2_set_event(&p.a.st, qsnet2_at(&p.a, 96), 1);
	pair_post_run(&p);
	T_MEM(p.a.mem + 8192, words, sizeof(words));
	T_IS(p.a.mem[8192 + WEFT_QSNET2_COPY], 0xee);
	T_IS(*qsnet2_word_at(&p.a, 512), 44);
	T_IS(pair_state(&p.a).trap, WEFT_QSNET2_TRAP_NONE);
	T_IS(pair_state(&p.a).words, 0);
	pair_close(&p);
}

/* ---- DMA ---- */

static void a_dma_moves_any_size_and_alignment_with_events(void **state)
{
	static const uint32_t sizes[] = { 0, 1, 63, 2047, 2048, 2049, 100001 };
	struct weft_qsnet2_event *ea;
	struct weft_qsnet2_event *eb;
	struct pair p;

	pair_open(&p, "");
	ea = (struct weft_qsnet2_event *)(void *)(p.a.mem + 64);
	eb = (struct weft_qsnet2_event *)(void *)(p.b.mem + 64);
	for (unsigned i = 0; i < WEFT_COUNT_OF(sizes); i++) {
		struct weft_qsnet2_dma d = {
			.bytes = sizes[i],
			.vproc = 1,
			.src = qsnet2_at(&p.a, 1003),
			.dst = qsnet2_at(&p.b, 2001 + i),
			.src_event = (uintptr_t)ea,
			.dst_event = (uintptr_t)eb,
		};

		t_fill(p.a.mem + 1003, sizes[i], i);
		ea->count = -1;
		eb->count = -1;
		weft_qsnet2_run_dma(&p.a.st, &d);
		pair_post_run(&p);
		T_IS(ea->count, 0);
		T_IS(eb->count, 0);
		T_IS(t_differs(p.b.mem + 2001 + i, sizes[i], i), -1);
	}
	T_IS(ea->fired, WEFT_COUNT_OF(sizes));
	T_IS(eb->fired, WEFT_COUNT_OF(sizes));
	pair_close(&p);
}

static void a_remote_dma_is_a_get(void **state)
{
	struct weft_qsnet2_event *e;
	struct pair p;
	struct weft_qsnet2_dma d = {
		.bytes = 30000,
		.flags = WEFT_QSNET2_DMA_REMOTE,
		.vproc = 1,
		.back = 0,
	};

	pair_open(&p, "");
	e = (struct weft_qsnet2_event *)(void *)(p.a.mem + 64);
	e->count = -1;
	t_fill(p.b.mem + 100, 30000, 5);
	d.src = qsnet2_at(&p.b, 100);
	d.dst = qsnet2_at(&p.a, 1001);
	d.dst_event = (uintptr_t)e;
	weft_qsnet2_run_dma(&p.a.st, &d);
	pair_post_run(&p);
	T_IS(e->fired, 1);
	T_IS(t_differs(p.a.mem + 1001, 30000, 5), -1);
	pair_close(&p);
}

static void dmas_share_the_engine_round_robin(void **state)
{
	struct pair p;
	struct weft_qsnet2_dma d = { .bytes = 40000, .vproc = 1 };

	pair_open(&p, "");
	for (unsigned i = 0; i < 3; i++) {
		t_fill(p.a.mem + i * 40000, 40000, i);
		d.src = qsnet2_at(&p.a, i * 40000);
		d.dst = qsnet2_at(&p.b, i * 40000);
		weft_qsnet2_run_dma(&p.a.st, &d);
	}
	T_OK(weft_qsnet2_queue_write(p.a.s, p.a.q, p.a.word, p.a.st.count));
	weft_qsnet2_poll(p.a.s, 16);
	T_IS(p.a.s->in_flight, QSNET2_ASSEMBLERS);
	pair_run(&p, 500);
	for (unsigned i = 0; i < 3; i++)
		T_IS(t_differs(p.b.mem + i * 40000, 40000, i), -1);
	pair_close(&p);
}

/* The target discards a packet more often than a restart count can hold. */
static void unlimited_restarts_outlast_discards(void **state)
{
	struct weft_qsnet2_dma d = { .bytes = 100,
				     .restarts = 255,
				     .vproc = 1 };
	struct weft_qsnet2_stats st;
	struct pair p;

	pair_open(&p, "");
	t_fill(p.a.mem, 100, 1);
	d.src = qsnet2_at(&p.a, 0);
	d.dst = qsnet2_at(&p.b, 0);
	T_OK(weft_qsnet2_filter(p.b.s, 6, WEFT_QSNET2_DISCARD_ALL));
	weft_qsnet2_run_dma(&p.a.st, &d);
	pair_post_run(&p);
	do {
		pair_run(&p, 100);
		weft_qsnet2_stats(p.a.s, &st);
		T_IS(st.trap, WEFT_QSNET2_TRAP_NONE);
	} while (st.restarts < 300);
	T_OK(weft_qsnet2_filter(p.b.s, 6, WEFT_QSNET2_ACCEPT));
	pair_run(&p, 100);
	T_IS(t_differs(p.b.mem, 100, 1), -1);
	pair_close(&p);
}

/* When a peer is lost, the DMA packets in flight to it end. */
static void a_lost_peer_frees_its_dma(void **state)
{
	struct weft_qsnet2_dma d = { .bytes = 100, .vproc = 1 };
	struct pair p;

	pair_open(&p, "");
	d.src = qsnet2_at(&p.a, 0);
	d.dst = qsnet2_at(&p.b, 0);
	for (unsigned i = 0; i < QSNET2_ASSEMBLERS; i++)
		weft_qsnet2_run_dma(&p.a.st, &d);
	T_OK(weft_qsnet2_queue_write(p.a.s, p.a.q, p.a.word, p.a.st.count));
	weft_qsnet2_poll(p.a.s, 16);
	T_IS(p.a.s->in_flight, QSNET2_ASSEMBLERS);
	qsnet2_dma_lost(p.a.s, qsnet2_route(p.a.s, 1)->peer);
	T_IS(p.a.s->in_flight, 0);
	T_TRUE(weft_list_empty(&p.a.s->dma_run));
	pair_close(&p);
}

/* ---- input queues ---- */

static void put_in_queue(struct pair *p, unsigned channel, uint64_t q,
			 uint64_t v)
{
	weft_qsnet2_open_packet(&p->a.st, channel, 1, 255);
	weft_qsnet2_transaction(&p->a.st, WEFT_QSNET2_T_GET_INDEX, q, NULL, 0);
	weft_qsnet2_transaction(&p->a.st, WEFT_QSNET2_T_WRITE, 0, &v, 8);
	weft_qsnet2_transaction(&p->a.st, WEFT_QSNET2_T_COMMIT | LAST, q, NULL,
				0);
}

static void an_input_queue_fills_slots_and_discards_when_full(void **state)
{
	struct weft_qsnet2_input *q;
	struct weft_qsnet2_event *e;
	struct pair p;
	const void *slot;
	uint64_t v;

	pair_open(&p, "");
	q = (struct weft_qsnet2_input *)(void *)p.b.mem;
	e = (struct weft_qsnet2_event *)(void *)(p.b.mem + 256);
	e->count = -3;
	weft_qsnet2_input_init(q, p.b.mem + 4096, 64, 2, (uintptr_t)e);
	T_NULL(weft_qsnet2_input_peek(q));
	for (unsigned i = 0; i < 3; i++)
		put_in_queue(&p, i & 1, (uintptr_t)q, 100 + i);
	pair_post_run(&p);
	T_IS(q->back, 2);
	T_IS(e->fired, 0);
	for (unsigned i = 0; i < 3; i++) {
		slot = weft_qsnet2_input_peek(q);
		T_NOT_NULL(slot);
		memcpy(&v, slot, 8);
		T_IS(v, 100 + i);
		weft_qsnet2_input_release(q);
		pair_run(&p, 50);
	}
	T_IS(e->fired, 1);
	pair_close(&p);
}

static void a_write_beyond_its_slot_is_refused(void **state)
{
	struct weft_qsnet2_input *q;
	struct pair p;
	uint64_t v = ~0ull;

	pair_open(&p, "");
	q = (struct weft_qsnet2_input *)(void *)p.b.mem;
	weft_qsnet2_input_init(q, p.b.mem + 4096, 64, 2, 0);
	weft_qsnet2_open_packet(&p.a.st, 0, 1, 1);
	weft_qsnet2_transaction(&p.a.st, WEFT_QSNET2_T_GET_INDEX, (uintptr_t)q,
				NULL, 0);
	weft_qsnet2_transaction(&p.a.st, WEFT_QSNET2_T_WRITE, 60, &v, 8);
	weft_qsnet2_transaction(&p.a.st, WEFT_QSNET2_T_COMMIT | LAST,
				(uintptr_t)q, NULL, 0);
	pair_post_run(&p);
	T_IS(ack(&p), WEFT_QSNET2_ACK_ERROR);
	T_IS(q->back, 0);
	T_IS(*qsnet2_word_at(&p.b, 4096 + 64), 0);
	pair_close(&p);
}

/*
 * Cookies ensure delivery once and in order on a network that reorders and
 * duplicates packets.
 */
static void cookies_keep_order_despite_reordering(void **state)
{
	struct weft_qsnet2_input *q;
	struct pair p;
	uint64_t v;

	pair_open(&p,
		  "seed=8; delay=0.2 by 2 ms; duplicate=0.2; reorder=0.3; raw");
	q = (struct weft_qsnet2_input *)(void *)p.b.mem;
	weft_qsnet2_input_init(q, p.b.mem + 4096, 64, 64, 0);
	for (uint64_t i = 1; i <= 40; i++) {
		weft_qsnet2_open_packet(&p.a.st, i & 1, 1, 255);
		weft_qsnet2_transaction(&p.a.st, WEFT_QSNET2_T_IDENTIFY, i,
					NULL, 0);
		weft_qsnet2_transaction(&p.a.st, WEFT_QSNET2_T_GET_INDEX,
					(uintptr_t)q, NULL, 0);
		weft_qsnet2_transaction(&p.a.st, WEFT_QSNET2_T_WRITE, 0, &i, 8);
		weft_qsnet2_transaction(&p.a.st, WEFT_QSNET2_T_COMMIT | LAST,
					(uintptr_t)q, NULL, 0);
	}
	pair_post_run(&p);
	pair_run(&p, 5000);
	T_IS(q->back, 40);
	for (uint64_t i = 1; i <= 40; i++) {
		memcpy(&v, weft_qsnet2_input_peek(q), 8);
		T_IS(v, i);
		weft_qsnet2_input_release(q);
	}
	pair_close(&p);
}

static void interrupts_and_threads_start_from_the_queue(void **state)
{
	const uint64_t regs[6] = { 1, 2, 3, 4, 5, 6 };
	struct pair p;

	pair_open(&p, "");
	weft_qsnet2_interrupt(&p.a.st, 0xabc);
	weft_qsnet2_run_thread(&p.a.st, regs);
	pair_post_run(&p);
	T_IS(p.a.interrupts, 1);
	T_IS(p.a.cookie, 0xabc);
	T_MEM(p.a.regs, regs, sizeof(regs));
	pair_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_packet_writes_1_to_128_bytes),
		T_CASE(a_packet_holds_several_transactions),
		T_CASE(tests_fail_or_discard_by_kind),
		T_CASE(write_after_failed_test_is_skipped),
		T_CASE(a_discarded_packet_is_retransmitted),
		T_CASE(a_restart_repeats_commands_but_not_packets),
		T_CASE(a_guard_runs_or_skips_the_next_command),
		T_CASE(an_event_fires_when_its_count_is_reached),
		T_CASE(an_overflowing_event_count_traps),
		T_CASE(an_event_starts_the_next_operation),
		T_CASE(an_event_copies_2040_bytes),
		T_CASE(a_dma_moves_any_size_and_alignment_with_events),
		T_CASE(a_remote_dma_is_a_get),
		T_CASE(dmas_share_the_engine_round_robin),
		T_CASE(an_input_queue_fills_slots_and_discards_when_full),
		T_CASE(unlimited_restarts_outlast_discards),
		T_CASE(a_lost_peer_frees_its_dma),
		T_CASE(a_write_beyond_its_slot_is_refused),
		T_CASE(cookies_keep_order_despite_reordering),
		T_CASE(interrupts_and_threads_start_from_the_queue),
	};

	return T_RUN(tests);
}
