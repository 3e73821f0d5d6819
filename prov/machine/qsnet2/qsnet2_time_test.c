/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timeouts and packets in flight: two packets per queue, restarts after a
 * missing acknowledgement, incomplete packets. The test provides the clock.
 */
#include "test/support/qsnet2_pair.h"

#define LAST WEFT_QSNET2_T_LAST

static uint64_t now_ns;

static uint64_t test_clock(void)
{
	return now_ns;
}

static void pair_timed(struct pair *p, const char *faults)
{
	pair_open(p, faults);
	now_ns = 1000;
	p->a.s->clock = test_clock;
	p->b.s->clock = test_clock;
}

static uint64_t packet_count(const struct side *s)
{
	struct weft_qsnet2_stats st;

	weft_qsnet2_stats(s->s, &st);
	return st.packets;
}

static uint64_t late_count(const struct side *s)
{
	struct weft_qsnet2_stats st;

	weft_qsnet2_stats(s->s, &st);
	return st.late;
}

static void add_packet(struct pair *p, unsigned channel, uint8_t restarts)
{
	uint64_t v = 1;

	weft_qsnet2_open_packet(&p->a.st, channel, 1, restarts);
	weft_qsnet2_transaction(&p->a.st, WEFT_QSNET2_T_ADD_WORD | LAST,
				qsnet2_at(&p->b, 0), &v, 8);
}

static void post_without_run(struct pair *p)
{
	T_OK(weft_qsnet2_queue_write(p->a.s, p->a.q, p->a.word, p->a.st.count));
	pair_begin(p);
}

/* A third packet waits for a free channel. */
static void a_queue_has_two_packets_in_flight(void **state)
{
	struct pair p;

	for (unsigned third = 0; third < 2; third++) {
		pair_open(&p, "");
		add_packet(&p, 0, 3);
		add_packet(&p, 1, 3);
		add_packet(&p, third, 3);
		post_without_run(&p);
		for (int i = 0; i < 20; i++)
			weft_qsnet2_poll(p.a.s, 16);
		T_IS(packet_count(&p.a), 2);
		pair_run(&p, 100);
		T_IS(packet_count(&p.a), 3);
		T_IS(*qsnet2_word_at(&p.b, 0), 3);
		pair_close(&p);
	}
}

/* The second packet on a channel waits for the first acknowledgement. */
static void a_channel_has_one_packet_in_flight(void **state)
{
	struct pair p;

	pair_open(&p, "");
	add_packet(&p, 0, 3);
	add_packet(&p, 0, 3);
	post_without_run(&p);
	for (int i = 0; i < 20; i++)
		weft_qsnet2_poll(p.a.s, 16);
	T_IS(packet_count(&p.a), 1);
	pair_run(&p, 100);
	T_IS(*qsnet2_word_at(&p.b, 0), 2);
	pair_close(&p);
}

static void a_missing_ack_restarts_the_packet(void **state)
{
	struct pair p;

	pair_timed(&p, "");
	weft_qsnet2_timeouts(p.a.s, 5000, 0);
	add_packet(&p, 0, 2);
	post_without_run(&p);
	weft_qsnet2_poll(p.a.s, 16);
	now_ns += 4999;
	weft_qsnet2_poll(p.a.s, 16);
	T_IS(late_count(&p.a), 0);
	now_ns++;
	weft_qsnet2_poll(p.a.s, 16);
	weft_qsnet2_poll(p.a.s, 16);
	T_IS(late_count(&p.a), 1);
	T_IS(packet_count(&p.a), 2);
	T_IS(pair_state(&p.a).restarts, 1);
	pair_run(&p, 100);
	T_IS(pair_state(&p.a).ack[0], WEFT_QSNET2_ACK_OK);
	T_IS(pair_state(&p.a).trap, WEFT_QSNET2_TRAP_NONE);
	pair_close(&p);
}

static void timeouts_use_up_restarts_then_trap(void **state)
{
	struct pair p;

	pair_timed(&p, "");
	weft_qsnet2_timeouts(p.a.s, 5000, 0);
	add_packet(&p, 0, 200);
	post_without_run(&p);
	for (int i = 0; i < 201; i++) {
		T_IS(pair_state(&p.a).trap, WEFT_QSNET2_TRAP_NONE);
		weft_qsnet2_poll(p.a.s, 16);
		now_ns += 5000;
		weft_qsnet2_poll(p.a.s, 16);
		if (i % 16 == 0) /* frees slots, but sends no acknowledgement */
			p.b.s->port.carrier->ops->poll(p.b.s->port.carrier, 64);
	}
	T_IS(pair_state(&p.a).trap, WEFT_QSNET2_TRAP_FAIL_COUNT);
	T_IS(pair_state(&p.a).restarts, 200);
	T_IS(late_count(&p.a), 201);
	pair_close(&p);
}

/* The network loses a fifth of the packets; cookies identify duplicates. */
static void lost_packets_delivered_once_in_order(void **state)
{
	struct weft_qsnet2_input *q;
	struct pair p;
	uint64_t v;

	pair_timed(&p, "seed=9; loss=0.2; duplicate=0.1; reorder=0.2; raw");
	weft_qsnet2_timeouts(p.a.s, 5000, 0);
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
	post_without_run(&p);
	for (int i = 0; i < 20000 && pair_state(&p.a).words; i++) {
		pair_run(&p, 1);
		now_ns += 100;
	}
	T_IS(q->back, 40);
	T_TRUE(late_count(&p.a) > 0);
	for (uint64_t i = 1; i <= 40; i++) {
		memcpy(&v, weft_qsnet2_input_peek(q), 8);
		T_IS(v, i);
		weft_qsnet2_input_release(q);
	}
	pair_close(&p);
}

/* Packets and acknowledgements are lost; the target's event is set once. */
static void a_dma_completes_despite_packet_loss(void **state)
{
	struct weft_qsnet2_dma d = {
		.bytes = 60000,
		.restarts = 255,
		.cookie = 1,
		.vproc = 1,
	};
	struct weft_qsnet2_event *ea;
	struct weft_qsnet2_event *eb;
	struct pair p;

	pair_timed(&p, "seed=11; loss=0.3; raw");
	weft_qsnet2_timeouts(p.a.s, 5000, 0);
	ea = (struct weft_qsnet2_event *)(void *)(p.a.mem + 64);
	eb = (struct weft_qsnet2_event *)(void *)(p.b.mem + 64);
	for (int round = 1; round <= 10; round++) {
		ea->count = -1;
		eb->count = -1;
		d.cookie = (uint64_t)round;
		d.src = qsnet2_at(&p.a, 1000);
		d.dst = qsnet2_at(&p.b, 2000);
		d.src_event = (uintptr_t)ea;
		d.dst_event = (uintptr_t)eb;
		t_fill(p.a.mem + 1000, d.bytes, (uint64_t)round);
		weft_qsnet2_run_dma(&p.a.st, &d);
		post_without_run(&p);
		for (int i = 0; i < 20000 && ea->count; i++) {
			pair_run(&p, 1);
			now_ns += 100;
		}
		T_IS(ea->count, 0);
		T_IS(eb->count, 0);
		T_IS(t_differs(p.b.mem + 2000, d.bytes, (uint64_t)round), -1);
	}
	T_TRUE(late_count(&p.a) > 0);
	pair_close(&p);
}

/* ---- incomplete packets ---- */

/*
 * A second queue sends a packet while an incomplete packet of the first queue
 * blocks the link.
 */
static void an_incomplete_packet_is_closed_by_timeout(void **state)
{
	struct weft_qsnet2_stats st;
	struct pair p;
	uint64_t half[8];
	unsigned first;
	unsigned count;

	pair_timed(&p, "");
	weft_qsnet2_timeouts(p.a.s, 0, 6200);
	first = p.a.q;
	add_packet(&p, 0, 3);
	count = p.a.st.count;
	memcpy(half, p.a.word, count * 8);
	T_OK(weft_qsnet2_queue_write(p.a.s, first, half, count - 1));
	pair_run(&p, 10);
	T_OK(weft_qsnet2_queue_open(p.a.s, 5, 1024, 255, 0, &p.a.q));
	post_without_run(&p);
	T_IS(pair_state(&p.a).ack[0], 0);
	T_OK(weft_qsnet2_queue_write(p.a.s, p.a.q, half, count));
	pair_run(&p, 50);
	T_IS(packet_count(&p.a), 0);
	now_ns += 6200;
	pair_run(&p, 50);
	T_IS(packet_count(&p.a), 2);
	T_IS(*qsnet2_word_at(&p.b, 0), 2);
	weft_qsnet2_stats(p.a.s, &st);
	T_IS(st.closed, 1);
	/* the first packet is completed, and sent once */
	T_OK(weft_qsnet2_queue_write(p.a.s, first, half + count - 1, 1));
	pair_run(&p, 50);
	T_IS(packet_count(&p.a), 3);
	T_IS(*qsnet2_word_at(&p.b, 0), 3);
	pair_close(&p);
}

static void closing_a_queue_releases_the_link(void **state)
{
	struct pair p;
	unsigned first;

	pair_timed(&p, "");
	weft_qsnet2_timeouts(p.a.s, 0, 6200);
	first = p.a.q;
	add_packet(&p, 0, 3);
	T_OK(weft_qsnet2_queue_write(p.a.s, first, p.a.word, p.a.st.count - 1));
	pair_run(&p, 10);
	T_OK(weft_qsnet2_queue_open(p.a.s, 5, 1024, 255, 0, &p.a.q));
	T_OK(weft_qsnet2_queue_close(p.a.s, first));
	pair_post_run(&p);
	T_IS(*qsnet2_word_at(&p.b, 0), 1);
	pair_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_queue_has_two_packets_in_flight),
		T_CASE(a_channel_has_one_packet_in_flight),
		T_CASE(a_missing_ack_restarts_the_packet),
		T_CASE(timeouts_use_up_restarts_then_trap),
		T_CASE(lost_packets_delivered_once_in_order),
		T_CASE(a_dma_completes_despite_packet_loss),
		T_CASE(an_incomplete_packet_is_closed_by_timeout),
		T_CASE(closing_a_queue_releases_the_link),
	};

	return T_RUN(tests);
}
