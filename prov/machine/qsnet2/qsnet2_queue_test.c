/* SPDX-License-Identifier: BSD-3-Clause */
/* Command queues of the Elan4 interface: order, errors, protection. */
#include "test/support/qsnet2_pair.h"
#include "src/base/rng.h"

static void words_stored_out_of_order_are_sorted(void **state)
{
	struct pair p;

	pair_open(&p, "");
	weft_qsnet2_write_word(&p.a.st, qsnet2_at(&p.a, 0), 1);
	weft_qsnet2_write_word(&p.a.st, qsnet2_at(&p.a, 8), 2);
	for (unsigned i = 6; i-- > 1;)
		T_OK(weft_qsnet2_queue_store(p.a.s, p.a.q, i * 8, &p.a.word[i],
					     8));
	pair_run(&p, 10);
	T_IS(*qsnet2_word_at(&p.a, 8), 0);
	T_OK(weft_qsnet2_queue_store(p.a.s, p.a.q, 0, &p.a.word[0], 8));
	pair_run(&p, 10);
	T_IS(*qsnet2_word_at(&p.a, 0), 1);
	T_IS(*qsnet2_word_at(&p.a, 8), 2);
	pair_close(&p);
}

static void command_port_wraps_around(void **state)
{
	uint64_t nop = WEFT_QSNET2_NOP;
	struct pair p;

	pair_open(&p, "");
	for (uint32_t i = 0; i < 5000; i++) {
		T_OK(weft_qsnet2_queue_store(
			p.a.s, p.a.q, i * 8 % WEFT_QSNET2_PAGE, &nop, 8));
		weft_qsnet2_poll(p.a.s, 16);
	}
	T_IS(pair_state(&p.a).words, 0);
	pair_close(&p);
}

/* A second queue of a gets an error; the first queue continues. */
static void expect_trap(struct pair *p, unsigned perm, unsigned trap)
{
	unsigned good = p->a.q;
	unsigned bad;

	T_OK(weft_qsnet2_queue_open(p->a.s, 5, 1024, perm, 0, &bad));
	p->a.q = bad;
	pair_post_run(p);
	T_IS(pair_state(&p->a).trap, trap);
	T_IS(weft_qsnet2_queue_write(p->a.s, bad, p->a.word, 1), -EIO);
	p->a.q = good;
	*qsnet2_word_at(&p->a, 0) = 0;
	weft_qsnet2_write_word(&p->a.st, qsnet2_at(&p->a, 0), 3);
	pair_post_run(p);
	T_IS(*qsnet2_word_at(&p->a, 0), 3);
	T_OK(weft_qsnet2_queue_clear(p->a.s, bad));
	p->a.q = bad;
	*qsnet2_word_at(&p->a, 0) = 0;
	if (perm & WEFT_QSNET2_MAY_WRITE)
		weft_qsnet2_write_word(&p->a.st, qsnet2_at(&p->a, 0), 4);
	pair_post_run(p);
	T_IS(*qsnet2_word_at(&p->a, 0), perm & WEFT_QSNET2_MAY_WRITE ? 4 : 0);
	T_OK(weft_qsnet2_queue_close(p->a.s, bad));
	p->a.q = good;
}

static void a_bad_command_stops_its_own_queue_only(void **state)
{
	const unsigned all = WEFT_QSNET2_MAY_ALL;
	struct weft_qsnet2_dma d = { .bytes = 8, .vproc = 1 };
	struct pair p;
	uint64_t v = 0;

	pair_open(&p, "");
	weft_qsnet2_word(&p.a.st, 0xff);
	expect_trap(&p, all, WEFT_QSNET2_TRAP_COMMAND);
	weft_qsnet2_write_word(&p.a.st, 8, 1);
	expect_trap(&p, all, WEFT_QSNET2_TRAP_MEMORY);
	weft_qsnet2_write_word(&p.a.st, qsnet2_at(&p.a, 4), 1);
	expect_trap(&p, all, WEFT_QSNET2_TRAP_ALIGNMENT);
	weft_qsnet2_open_packet(&p.a.st, 0, 9, 1);
	expect_trap(&p, all, WEFT_QSNET2_TRAP_ROUTE);
	weft_qsnet2_open_packet(&p.a.st, 2, 1, 1);
	expect_trap(&p, all, WEFT_QSNET2_TRAP_CHANNEL);
	weft_qsnet2_open_packet(&p.a.st, 0, 1, 1);
	weft_qsnet2_word(&p.a.st, WEFT_QSNET2_NOP);
	weft_qsnet2_word(&p.a.st, WEFT_QSNET2_NOP);
	expect_trap(&p, all, WEFT_QSNET2_TRAP_TRANSACTION);
	d.src = qsnet2_at(&p.b, 0);
	weft_qsnet2_run_dma(&p.a.st, &d);
	expect_trap(&p, all, WEFT_QSNET2_TRAP_MEMORY);
	weft_qsnet2_open_packet(&p.a.st, 0, 1, 1);
	weft_qsnet2_transaction(&p.a.st,
				WEFT_QSNET2_T_WRITE | WEFT_QSNET2_T_LAST,
				qsnet2_at(&p.a, 0), &v, 8);
	expect_trap(&p, all, WEFT_QSNET2_TRAP_ACK_ERROR);
	pair_close(&p);
}

static void permission_bits_are_checked_for_each_command(void **state)
{
	struct weft_qsnet2_event e = { 0 };
	struct weft_qsnet2_dma d = { .vproc = 1 };
	const uint64_t regs[6] = { 0 };
	struct pair p;

	pair_open(&p, "");
	weft_qsnet2_open_packet(&p.a.st, 0, 1, 1);
	expect_trap(&p, 255 & ~WEFT_QSNET2_MAY_STEN,
		    WEFT_QSNET2_TRAP_PERMISSION);
	weft_qsnet2_write_word(&p.a.st, qsnet2_at(&p.a, 0), 1);
	expect_trap(&p, 255 & ~WEFT_QSNET2_MAY_WRITE,
		    WEFT_QSNET2_TRAP_PERMISSION);
	weft_qsnet2_add_word(&p.a.st, qsnet2_at(&p.a, 0), 1);
	expect_trap(&p, 255 & ~WEFT_QSNET2_MAY_MODIFY,
		    WEFT_QSNET2_TRAP_PERMISSION);
	weft_qsnet2_set_event(&p.a.st, qsnet2_at(&p.a, 0), 1);
	expect_trap(&p, 255 & ~WEFT_QSNET2_MAY_EVENT,
		    WEFT_QSNET2_TRAP_PERMISSION);
	weft_qsnet2_wait_event(&p.a.st, qsnet2_at(&p.a, 0), 1, &e);
	expect_trap(&p, 255 & ~WEFT_QSNET2_MAY_WAIT,
		    WEFT_QSNET2_TRAP_PERMISSION);
	weft_qsnet2_run_dma(&p.a.st, &d);
	expect_trap(&p, 255 & ~WEFT_QSNET2_MAY_DMA,
		    WEFT_QSNET2_TRAP_PERMISSION);
	weft_qsnet2_run_thread(&p.a.st, regs);
	expect_trap(&p, 255 & ~WEFT_QSNET2_MAY_THREAD,
		    WEFT_QSNET2_TRAP_PERMISSION);
	weft_qsnet2_interrupt(&p.a.st, 1);
	expect_trap(&p, 255 & ~WEFT_QSNET2_MAY_INTR,
		    WEFT_QSNET2_TRAP_PERMISSION);
	pair_close(&p);
}

static void invalid_stores_trap_the_queue(void **state)
{
	uint64_t w[8] = { WEFT_QSNET2_NOP };
	struct weft_qsnet2_queue_state st;
	struct pair p;
	unsigned q;

	pair_open(&p, "");
	T_OK(weft_qsnet2_queue_open(p.a.s, 5, 1024, 255, 0, &q));
	T_IS(weft_qsnet2_queue_store(p.a.s, q, 0, w, 12), -EIO);
	T_OK(weft_qsnet2_queue_state(p.a.s, q, &st));
	T_IS(st.trap, WEFT_QSNET2_TRAP_WRITE_SIZE);
	T_IS(st.address, 0);
	T_OK(weft_qsnet2_queue_clear(p.a.s, q));
	T_OK(weft_qsnet2_queue_store(p.a.s, q, 16, w, 8));
	T_IS(weft_qsnet2_queue_store(p.a.s, q, 16, w, 8), -EIO);
	T_OK(weft_qsnet2_queue_state(p.a.s, q, &st));
	T_IS(st.trap, WEFT_QSNET2_TRAP_WRITE_ORDER);
	T_IS(st.address, 16);
	T_OK(weft_qsnet2_queue_clear(p.a.s, q));
	/*
	 * after the error is cleared, the port begins with word 0 at the tail
	 */
	T_OK(weft_qsnet2_queue_store(p.a.s, q, 1024 - 8, w, 8));
	T_IS(weft_qsnet2_queue_store(p.a.s, q, 1024, w, 8), -EIO);
	T_OK(weft_qsnet2_queue_state(p.a.s, q, &st));
	T_IS(st.trap, WEFT_QSNET2_TRAP_OVERFLOW);
	T_IS(st.address, 1024);
	/* half of the port is before the tail, half after it */
	T_OK(weft_qsnet2_queue_store(p.a.s, p.a.q, 4096 - 8, w, 8));
	T_IS(weft_qsnet2_queue_store(p.a.s, p.a.q, 4096, w, 8), -EIO);
	T_IS(pair_state(&p.a).trap, WEFT_QSNET2_TRAP_WRITE_ORDER);
	T_IS(pair_state(&p.a).address, 4096);
	pair_close(&p);
}

static void a_full_queue_refuses_words_until_it_runs(void **state)
{
	uint64_t w[128];
	struct pair p;
	unsigned q;

	for (int i = 0; i < 128; i++)
		w[i] = WEFT_QSNET2_NOP;
	pair_open(&p, "");
	T_IS(weft_qsnet2_queue_open(p.a.s, 5, 2048, 255, 0, &q), -EINVAL);
	T_OK(weft_qsnet2_queue_open(p.a.s, 5, 1024, 255, 0, &q));
	T_OK(weft_qsnet2_queue_write(p.a.s, q, w, 128));
	T_AGAIN(weft_qsnet2_queue_write(p.a.s, q, w, 1));
	weft_qsnet2_poll(p.a.s, 16);
	T_OK(weft_qsnet2_queue_write(p.a.s, q, w, 128));
	pair_close(&p);
}

/* Executed words that a restart may need are not overwritten. */
static void words_for_a_restart_stay_in_the_queue(void **state)
{
	uint64_t w[128], v = 1;
	struct weft_qsnet2_stream st = { .word = w, .max = 128 };
	struct pair p;
	unsigned q;

	pair_open(&p, "");
	T_OK(weft_qsnet2_queue_open(p.a.s, 5, 1024, 255, 0, &q));
	weft_qsnet2_open_packet(&st, 0, 1, 255);
	weft_qsnet2_transaction(&st, WEFT_QSNET2_T_WAIT_EQ | WEFT_QSNET2_T_LAST,
				qsnet2_at(&p.b, 0), &v, 8);
	while (st.count < 128)
		weft_qsnet2_word(&st, WEFT_QSNET2_NOP);
	T_OK(weft_qsnet2_queue_write(p.a.s, q, w, 128));
	weft_qsnet2_poll(p.a.s, 1000);
	T_AGAIN(weft_qsnet2_queue_write(p.a.s, q, w, 1));
	*qsnet2_word_at(&p.b, 0) = 1;
	pair_run(&p, 100);
	T_OK(weft_qsnet2_queue_write(p.a.s, q, w, 128));
	pair_close(&p);
}

static void a_high_priority_queue_runs_first(void **state)
{
	uint64_t w[3];
	struct weft_qsnet2_stream st = { .word = w, .max = 3 };
	struct pair p;
	unsigned q;

	pair_open(&p, "");
	T_OK(weft_qsnet2_queue_open(p.a.s, 5, 1024, 255, WEFT_QSNET2_HIGH, &q));
	weft_qsnet2_write_word(&st, qsnet2_at(&p.a, 0), 1);
	T_OK(weft_qsnet2_queue_write(p.a.s, p.a.q, w, 3));
	w[2] = 2;
	T_OK(weft_qsnet2_queue_write(p.a.s, q, w, 3));
	weft_qsnet2_poll(p.a.s, 16);
	T_IS(*qsnet2_word_at(&p.a, 0), 1);
	pair_close(&p);
}

static void a_copy_needs_whole_lines(void **state)
{
	static const unsigned at[][2] = { { 64, 136 }, { 72, 128 } };
	struct pair p;

	pair_open(&p, "");
	for (unsigned i = 0; i < 2; i++) {
		weft_qsnet2_copy64(&p.a.st, qsnet2_at(&p.a, at[i][0]),
				   qsnet2_at(&p.a, at[i][1]));
		expect_trap(&p, 255, WEFT_QSNET2_TRAP_ALIGNMENT);
	}
	t_fill(p.a.mem + 64, 64, 1);
	weft_qsnet2_copy64(&p.a.st, qsnet2_at(&p.a, 64), qsnet2_at(&p.a, 128));
	pair_post_run(&p);
	T_IS(t_differs(p.a.mem + 128, 64, 1), -1);
	pair_close(&p);
}

static uint8_t ack_of_write(struct pair *p, uint64_t at)
{
	uint64_t v = 1;
	uint8_t ack;

	weft_qsnet2_open_packet(&p->a.st, 0, 1, 1);
	weft_qsnet2_transaction(
		&p->a.st, WEFT_QSNET2_T_WRITE | WEFT_QSNET2_T_LAST, at, &v, 8);
	pair_post_run(p);
	ack = pair_state(&p->a).ack[0];
	if (pair_state(&p->a).trap)
		T_OK(weft_qsnet2_queue_clear(p->a.s, p->a.q));
	return ack;
}

static void a_context_accesses_its_own_memory_only(void **state)
{
	unsigned char ro[64];
	struct pair p;

	pair_open(&p, "");
	T_OK(weft_qsnet2_map(p.b.s, 6, ro, sizeof(ro),
			     WEFT_QSNET2_REMOTE_READ |
				     WEFT_QSNET2_LOCAL_WRITE));
	T_OK(weft_qsnet2_map(p.b.s, 7, &p, sizeof(p), WEFT_QSNET2_ALL));
	T_IS(ack_of_write(&p, qsnet2_at(&p.b, 0)), WEFT_QSNET2_ACK_OK);
	T_IS(ack_of_write(&p, (uintptr_t)ro), WEFT_QSNET2_ACK_ERROR);
	T_IS(ack_of_write(&p, (uintptr_t)&p), WEFT_QSNET2_ACK_ERROR);
	T_IS(ack_of_write(&p, qsnet2_at(&p.b, PAIR_BYTES - 7)),
	     WEFT_QSNET2_ACK_ERROR);
	T_OK(weft_qsnet2_unmap(p.b.s, 6, p.b.mem));
	T_IS(ack_of_write(&p, qsnet2_at(&p.b, 0)), WEFT_QSNET2_ACK_ERROR);
	pair_close(&p);
}

/* Sends the descriptor of a get from a to b. Returns the acknowledgement. */
static uint8_t ack_of_get(struct pair *p, const void *src)
{
	const struct weft_qsnet2_dma d = {
		.bytes = 64,
		.vproc = 0,
		.src = (uintptr_t)src,
		.dst = qsnet2_at(&p->a, 0),
	};
	uint64_t w[7];
	uint8_t ack;

	weft_qsnet2_dma_words(&d, w);
	weft_qsnet2_open_packet(&p->a.st, 0, 1, 1);
	weft_qsnet2_transaction(&p->a.st,
				WEFT_QSNET2_T_REMOTE_DMA | WEFT_QSNET2_T_LAST,
				0, w, sizeof(w));
	pair_post_run(p);
	ack = pair_state(&p->a).ack[0];
	if (pair_state(&p->a).trap)
		T_OK(weft_qsnet2_queue_clear(p->a.s, p->a.q));
	return ack;
}

/* Peers cannot read the memory that b can read, unless b permits it. */
static void a_get_needs_remote_read_permission(void **state)
{
	unsigned char secret[64], open[64];
	struct pair p;

	t_fill(secret, sizeof(secret), 1);
	t_fill(open, sizeof(open), 2);
	pair_open(&p, "");
	T_OK(weft_qsnet2_map(p.b.s, 6, secret, sizeof(secret),
			     WEFT_QSNET2_ALL & ~WEFT_QSNET2_REMOTE_READ));
	T_OK(weft_qsnet2_map(p.b.s, 6, open, sizeof(open),
			     WEFT_QSNET2_LOCAL_READ | WEFT_QSNET2_REMOTE_READ));
	T_IS(ack_of_get(&p, secret), WEFT_QSNET2_ACK_ERROR);
	T_IS(*qsnet2_word_at(&p.a, 0), 0);
	T_IS(ack_of_get(&p, open), WEFT_QSNET2_ACK_OK);
	T_IS(t_differs(p.a.mem, sizeof(open), 2), -1);
	pair_close(&p);
}

static void the_filter_applies_per_context(void **state)
{
	struct pair p;

	pair_open(&p, "");
	T_OK(weft_qsnet2_filter(p.b.s, 6, WEFT_QSNET2_CLOSED));
	T_IS(ack_of_write(&p, qsnet2_at(&p.b, 0)), WEFT_QSNET2_ACK_ERROR);
	T_OK(weft_qsnet2_filter(p.b.s, 6, WEFT_QSNET2_ACK_ALL));
	T_IS(ack_of_write(&p, qsnet2_at(&p.b, 0)), WEFT_QSNET2_ACK_OK);
	T_IS(*qsnet2_word_at(&p.b, 0), 0);
	T_OK(weft_qsnet2_filter(p.b.s, 6, WEFT_QSNET2_DISCARD_ALL));
	ack_of_write(&p, qsnet2_at(&p.b, 0));
	T_IS(pair_state(&p.a).restarts, 1);
	pair_close(&p);
}

static void an_event_cannot_write_into_another_queue(void **state)
{
	struct weft_qsnet2_event e = {
		.type = WEFT_QSNET2_EVENT_WRITE,
		.from = WEFT_QSNET2_NOP,
	};
	struct pair p;
	unsigned q;

	pair_open(&p, "");
	T_OK(weft_qsnet2_queue_open(p.a.s, 9, 1024, 255, 0, &q));
	e.to = WEFT_QSNET2_QUEUE_ADDRESS(q);
	weft_qsnet2_wait_event(&p.a.st, qsnet2_at(&p.a, 64), 1, &e);
	weft_qsnet2_set_event(&p.a.st, qsnet2_at(&p.a, 64), 1);
	pair_post_run(&p);
	T_IS(pair_state(&p.a).trap, WEFT_QSNET2_TRAP_PERMISSION);
	pair_close(&p);
}

/* Sends random transactions to memory that contains events and queues. */
static void random_packets_are_refused(void **state)
{
	unsigned char payload[1024];
	struct weft_qsnet2_stats st;
	struct weft_peer *src;
	struct qsnet2_trans t;
	struct weft_rng r;
	struct weft_pkt k;
	struct pair p;

	pair_open(&p, "");
	weft_rng_init(&r, 6, 0);
	weft_rng_fill(&r, p.b.mem, PAIR_BYTES);
	src = qsnet2_route(p.b.s, 0)->peer;
	for (int i = 0; i < t_scale(100000); i++) {
		weft_rng_fill(&r, &k, sizeof(k));
		weft_rng_fill(&r, payload, sizeof(payload));
		k.type = QSNET2_PKT;
		k.flags = (uint8_t)weft_rng_below(&r, 2);
		k.unit = (uint32_t)weft_rng_below(&r, 9);
		k.len = (uint16_t)weft_rng_below(&r, sizeof(payload));
		for (unsigned at = 0; at + 64 < sizeof(payload); at += 64) {
			t.type = (uint16_t)weft_rng_below(&r, 20);
			t.bytes = 48;
			t.address = qsnet2_at(
				&p.b, weft_rng_below(&r, PAIR_BYTES) & ~63ull);
			memcpy(payload + at, &t, sizeof(t));
		}
		qsnet2_rx_deliver(p.b.s, src, &k, payload);
		pair_run(&p, 1);
	}
	weft_qsnet2_stats(p.b.s, &st);
	T_TRUE(st.refused > 100);
	pair_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(words_stored_out_of_order_are_sorted),
		T_CASE(command_port_wraps_around),
		T_CASE(a_bad_command_stops_its_own_queue_only),
		T_CASE(permission_bits_are_checked_for_each_command),
		T_CASE(invalid_stores_trap_the_queue),
		T_CASE(a_full_queue_refuses_words_until_it_runs),
		T_CASE(words_for_a_restart_stay_in_the_queue),
		T_CASE(a_high_priority_queue_runs_first),
		T_CASE(a_copy_needs_whole_lines),
		T_CASE(a_context_accesses_its_own_memory_only),
		T_CASE(a_get_needs_remote_read_permission),
		T_CASE(the_filter_applies_per_context),
		T_CASE(an_event_cannot_write_into_another_queue),
		T_CASE(random_packets_are_refused),
	};

	return T_RUN(tests);
}
