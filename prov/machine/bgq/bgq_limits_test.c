/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limits, priorities, interrupts, full FIFOs and protection of the Message
 * Unit.
 */
#include "test/support/bgq_pair.h"

static void priority_order_system_high_normal(void **state)
{
	static const unsigned flags[] = { 0, WEFT_BGQ_HIGH, WEFT_BGQ_SYSTEM };
	static const char *const want = "222111000";
	struct weft_bgq_desc ring[3][4];
	struct weft_bgq_desc d;
	char soft[WEFT_BGQ_SOFT_BYTES] = "";
	struct pair p;
	struct weft_bgq_msg m = { .node = 1, .vc = WEFT_BGQ_VC_ORDERED };

	pair_open(&p, "");
	pair_ring(&p.a, 2, ring, sizeof(ring));
	for (unsigned i = 0; i < 3; i++) {
		T_OK(weft_bgq_inj_open(p.a.mu, 10 + i, ring[i], 4, flags[i]));
		soft[0] = (char)('0' + i);
		weft_bgq_desc_fifo(&d, &m, 0, soft);
		for (int k = 0; k < 3; k++)
			T_OK(weft_bgq_inj_post(p.a.mu, 10 + i, &d, NULL));
	}
	pair_until_packets(&p, 9);
	T_STR(p.b.order, want);
	pair_close(&p);
}

/* Long messages in two FIFOs progress concurrently. */
static void fifos_of_a_class_alternate_by_packet(void **state)
{
	struct weft_bgq_desc ring[4];
	struct weft_bgq_desc d;
	struct pair p;

	pair_open(&p, "");
	pair_ring(&p.a, 2, ring, sizeof(ring));
	T_OK(weft_bgq_inj_open(p.a.mu, 300, ring, 4, 0));
	pair_fifo_desc(&p, &d, p.a.mem, 512 * 40);
	T_OK(weft_bgq_inj_post(p.a.mu, 0, &d, NULL));
	T_OK(weft_bgq_inj_post(p.a.mu, 300, &d, NULL));
	T_IS(bgq_tx_run(p.a.mu, 40), 40);
	T_IS(p.a.mu->inj[0].sent + p.a.mu->inj[300].sent, 512 * 40);
	/* half each, but for the packet in progress */
	T_TRUE(abs((int)p.a.mu->inj[0].sent / 512 - 20) <= 1);
	pair_close(&p);
}

static void a_full_reception_fifo_loses_no_packet(void **s)
{
	struct pair p;
	int sent = 0;

	pair_open_rec(&p, "", 1024);
	for (int k = 0; k < 200; k++) {
		struct weft_bgq_desc d;

		pair_fifo_desc(&p, &d, p.a.mem, 200);
		if (weft_bgq_inj_post(p.a.mu, 0, &d, NULL) == 0)
			sent++;
		weft_bgq_poll(p.a.mu, 16);
		weft_bgq_poll(p.b.mu, 16);
	}
	T_TRUE(weft_bgq_load(p.b.mu, WEFT_BGQ_REC_FREE, 0) < 8);
	T_IS(weft_bgq_load(p.b.mu, WEFT_BGQ_ERR_COUNT, 0), 0);
	pair_until_packets(&p, sent);
	pair_close(&p);
}

static void the_mask_filters_interrupts(void **state)
{
	struct weft_bgq_msg m = { .node = 1, .flags = WEFT_BGQ_INTERRUPT };
	struct weft_bgq_desc d;
	struct pair p;

	pair_open(&p, "");
	m.payload = p.a.mem;
	m.bytes = 2000;
	weft_bgq_desc_fifo(&d, &m, 0, NULL);
	T_OK(weft_bgq_inj_post(p.a.mu, 0, &d, NULL));
	pair_until_packets(&p, 4);
	T_IS(p.b.irqs[WEFT_BGQ_IRQ_ARRIVAL], 0);
	T_IS(weft_bgq_load(p.b.mu, WEFT_BGQ_IRQ_PENDING, 0),
	     1 << WEFT_BGQ_IRQ_ARRIVAL);
	T_OK(weft_bgq_store(p.b.mu, WEFT_BGQ_IRQ_PENDING, 0, ~0ull));
	T_OK(weft_bgq_store(p.b.mu, WEFT_BGQ_IRQ_MASK, 0, ~0ull));
	T_OK(weft_bgq_inj_post(p.a.mu, 0, &d, NULL));
	pair_until_packets(&p, 8);
	T_IS(p.b.irqs[WEFT_BGQ_IRQ_ARRIVAL], 1);
	T_IS(weft_bgq_store(p.b.mu, WEFT_BGQ_INJ_HEAD, 0, 1), -EPERM);
	pair_close(&p);
}

static void crossing_a_threshold_interrupts(void **state)
{
	struct pair p;

	pair_open(&p, "");
	T_OK(weft_bgq_store(p.a.mu, WEFT_BGQ_IRQ_MASK, 0, ~0ull));
	T_OK(weft_bgq_store(p.b.mu, WEFT_BGQ_IRQ_MASK, 0, ~0ull));
	T_OK(weft_bgq_store(p.a.mu, WEFT_BGQ_INJ_THRESHOLD, 0, 6));
	T_OK(weft_bgq_store(p.b.mu, WEFT_BGQ_REC_THRESHOLD, 0,
			    weft_bgq_load(p.b.mu, WEFT_BGQ_REC_FREE, 0) - 1));
	for (int i = 0; i < 4; i++)
		pair_send(&p, 0, p.a.mem, 64);
	while (weft_bgq_load(p.a.mu, WEFT_BGQ_INJ_COUNT, 0) < 4)
		weft_bgq_poll(p.a.mu, 16);
	while (weft_bgq_load(p.b.mu, WEFT_BGQ_NET_RECEIVED, 0) < 4)
		weft_bgq_poll(p.b.mu, 16);
	T_IS(p.a.irqs[WEFT_BGQ_IRQ_INJ_SPACE], 1);
	T_IS(p.b.irqs[WEFT_BGQ_IRQ_REC_SPACE], 1);
	pair_close(&p);
}

/*
 * The interrupt is raised if fewer chunks than the threshold are free, not if
 * exactly the threshold is free. A packet of 64 bytes takes three chunks; the
 * FIFO has threshold or threshold + 3 free chunks before.
 */
static void no_interrupt_at_the_chunk_threshold(void **state)
{
	for (unsigned more = 0; more <= 3; more += 3) {
		struct pair p;

		pair_open(&p, "");
		T_OK(weft_bgq_store(p.b.mu, WEFT_BGQ_IRQ_MASK, 0, ~0ull));
		T_OK(weft_bgq_store(
			p.b.mu, WEFT_BGQ_REC_THRESHOLD, 0,
			weft_bgq_load(p.b.mu, WEFT_BGQ_REC_FREE, 0) - more));
		pair_send(&p, 0, p.a.mem, 64);
		while (!weft_bgq_load(p.b.mu, WEFT_BGQ_NET_RECEIVED, 0)) {
			weft_bgq_poll(p.a.mu, 16);
			weft_bgq_poll(p.b.mu, 16);
		}
		T_IS(p.b.irqs[WEFT_BGQ_IRQ_REC_SPACE], !more);
		pair_close(&p);
	}
}

/* The threshold counts slots of a remote get FIFO; a packet takes two slots. */
static void no_interrupt_at_the_slot_threshold(void **state)
{
	for (unsigned more = 0; more <= 2; more += 2) {
		struct weft_bgq_msg m = { .node = 1, .bytes = 128 };
		struct weft_bgq_put t = { .bat = 1, .ctr_bat = 2 };
		struct weft_bgq_msg back = { .node = 0, .bytes = 8 };
		struct weft_bgq_desc *two, d;
		struct pair p;

		pair_open(&p, "");
		T_OK(weft_bgq_store(p.b.mu, WEFT_BGQ_IRQ_MASK, 0, ~0ull));
		T_OK(weft_bgq_store(
			p.b.mu, WEFT_BGQ_INJ_THRESHOLD, PAIR_RGET,
			weft_bgq_load(p.b.mu, WEFT_BGQ_INJ_FREE, PAIR_RGET) -
				more));
		back.payload = p.b.mem;
		m.payload = two = (struct weft_bgq_desc *)(void *)p.a.mem;
		weft_bgq_desc_put(&two[0], &back, &t);
		weft_bgq_desc_put(&two[1], &back, &t);
		weft_bgq_desc_get(&d, &m, PAIR_RGET);
		T_OK(weft_bgq_inj_post(p.a.mu, 0, &d, NULL));
		while (!weft_bgq_load(p.b.mu, WEFT_BGQ_NET_RECEIVED, 0)) {
			weft_bgq_poll(p.a.mu, 16);
			weft_bgq_poll(p.b.mu, 16);
		}
		T_IS(p.b.irqs[WEFT_BGQ_IRQ_RGET_SPACE], !more);
		pair_close(&p);
	}
}

/* The interrupt is raised only when more slots than the threshold are free. */
static void one_slot_above_threshold_interrupts(void **state)
{
	struct pair p;

	pair_open(&p, "");
	T_OK(weft_bgq_store(p.a.mu, WEFT_BGQ_IRQ_MASK, 0, ~0ull));
	T_OK(weft_bgq_store(p.a.mu, WEFT_BGQ_INJ_THRESHOLD, 0, 6));
	for (int i = 0; i < 4; i++)
		pair_send(&p, 0, p.a.mem, 64);
	while (weft_bgq_load(p.a.mu, WEFT_BGQ_INJ_FREE, 0) < 6) {
		T_IS(p.a.irqs[WEFT_BGQ_IRQ_INJ_SPACE], 0);
		T_IS(bgq_tx_run(p.a.mu, 1), 1);
	}
	T_IS(p.a.irqs[WEFT_BGQ_IRQ_INJ_SPACE], 0);
	T_IS(bgq_tx_run(p.a.mu, 1), 1);
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_INJ_FREE, 0), 7);
	T_IS(p.a.irqs[WEFT_BGQ_IRQ_INJ_SPACE], 1);
	pair_close(&p);
}

/* The atomic load of a packet is performed once, even if it is retried. */
static void a_retried_packet_repeats_no_atomic_load(void **state)
{
	struct weft_bgq_msg m = { .node = 1, .load_op = WEFT_BGQ_LOAD_INC };
	struct weft_bgq_put t = { .bat = 1, .ctr_bat = 2 };
	struct weft_bgq_desc ring[4], full, d;
	struct pair p;
	uint64_t *word, sent = 0;

	pair_open(&p, "");
	pair_ring(&p.a, 2, ring, sizeof(ring));
	T_OK(weft_bgq_inj_open(p.a.mu, 1, ring, 4, 0));
	pair_fifo_desc(&p, &full, p.a.mem, 512 * 40);
	word = (uint64_t *)(void *)p.a.mem;
	*word = 7;
	/* post until the network is full */
	do {
		sent = weft_bgq_load(p.a.mu, WEFT_BGQ_INJ_COUNT, 0);
		weft_bgq_inj_post(p.a.mu, 0, &full, NULL);
	} while (bgq_tx_run(p.a.mu, 1000));
	m.payload = word;
	m.bytes = 8;
	weft_bgq_desc_put(&d, &m, &t);
	T_OK(weft_bgq_inj_post(p.a.mu, 1, &d, NULL));
	for (int i = 0; i < 10; i++)
		bgq_tx_run(p.a.mu, 1000);
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_INJ_COUNT, 1), 0);
	T_IS(*word, 8);
	while (!weft_bgq_load(p.a.mu, WEFT_BGQ_INJ_COUNT, 1) ||
	       p.b.counter != 0ull - 8)
		pair_poll(&p);
	T_TRUE(sent > 0);
	T_IS(*word, 8);
	T_IS(*(uint64_t *)(void *)p.b.mem, 7);
	pair_close(&p);
}

/* Posts a bad descriptor to FIFO 1 and a good one to FIFO 0. */
static void expect_error(const struct weft_bgq_desc *bad, unsigned code)
{
	struct weft_bgq_desc ring[4];
	struct pair p;

	pair_open(&p, "");
	pair_ring(&p.a, 2, ring, sizeof(ring));
	T_OK(weft_bgq_inj_open(p.a.mu, 1, ring, 4, 0));
	T_OK(weft_bgq_inj_post(p.a.mu, 1, bad, NULL));
	pair_send(&p, 0, p.a.mem, 10);
	pair_until_packets(&p, 1);
	for (int i = 0; i < 10; i++)
		pair_poll(&p);
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_INJ_ERROR, 1), code);
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_ERR_CODE, 0), code);
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_ERR_ID, 0), 1);
	T_IS(weft_bgq_inj_post(p.a.mu, 1, bad, NULL), -EIO);
	pair_send(&p, 0, p.a.mem, 10);
	pair_until_packets(&p, 2);
	T_OK(weft_bgq_inj_clear(p.a.mu, 1));
	pair_send(&p, 1, p.a.mem, 10);
	pair_until_packets(&p, 3);
	pair_close(&p);
}

static void a_bad_descriptor_stops_its_own_fifo_only(void **state)
{
	alignas(64) unsigned char outside[64];
	struct weft_bgq_msg m = { .node = 1, .payload = outside, .bytes = 64 };
	struct weft_bgq_put t = { .bat = 1, .ctr_bat = 2 };
	struct weft_bgq_desc d;

	weft_bgq_desc_fifo(&d, &m, 0, NULL);
	expect_error(&d, WEFT_BGQ_ERR_RANGE);
	d.word[4] ^= 1; /* packet kind other than point to point */
	expect_error(&d, WEFT_BGQ_ERR_DESC);
	m.bytes = 0;
	weft_bgq_desc_put(&d, &m, &t);
	expect_error(&d, WEFT_BGQ_ERR_LENGTH);
	m.bytes = 65;
	weft_bgq_desc_get(&d, &m, 0);
	expect_error(&d, WEFT_BGQ_ERR_LENGTH);
	m.bytes = 16;
	m.load_op = WEFT_BGQ_LOAD_INC;
	weft_bgq_desc_put(&d, &m, &t);
	expect_error(&d, WEFT_BGQ_ERR_ATOMIC);
	m.bytes = 8;
	m.payload = outside + 4;
	weft_bgq_desc_put(&d, &m, &t);
	expect_error(&d, WEFT_BGQ_ERR_ATOMIC);
	m = (struct weft_bgq_msg){ .node = 77 };
	weft_bgq_desc_fifo(&d, &m, 0, NULL);
	expect_error(&d, WEFT_BGQ_ERR_NODE);
}

static void user_fifos_cannot_use_system_resources(void **state)
{
	struct weft_bgq_msg m = { .node = 1, .net_map = WEFT_BGQ_NET_SYS };
	struct weft_bgq_desc d;

	weft_bgq_desc_fifo(&d, &m, 0, NULL);
	expect_error(&d, WEFT_BGQ_ERR_MAP);
	m.net_map = 0;
	m.vc = WEFT_BGQ_VC_SYSTEM;
	weft_bgq_desc_fifo(&d, &m, 0, NULL);
	expect_error(&d, WEFT_BGQ_ERR_SYSTEM);
	m.net_map = WEFT_BGQ_NET_LOCAL | WEFT_BGQ_NET_TORUS;
	m.vc = 0;
	weft_bgq_desc_fifo(&d, &m, 0, NULL);
	expect_error(&d, WEFT_BGQ_ERR_MAP);
}

/*
 * Opens FIFO 1 with these flags, and returns its error code for a descriptor
 * whose memory is in the ranges of unit a.
 */
static uint64_t error_of(struct pair *p, const struct weft_bgq_desc *d,
			 unsigned flags)
{
	struct weft_bgq_desc ring[4];
	uint64_t e;

	pair_ring(&p->a, 2, ring, sizeof(ring));
	T_OK(weft_bgq_inj_open(p->a.mu, 1, ring, 4, flags));
	T_OK(weft_bgq_inj_post(p->a.mu, 1, d, NULL));
	for (int i = 0; i < 100; i++)
		pair_poll(p);
	e = weft_bgq_load(p->a.mu, WEFT_BGQ_INJ_ERROR, 1);
	T_OK(weft_bgq_inj_close(p->a.mu, 1));
	return e;
}

static void system_ranges_are_for_system_fifos(void **state)
{
	unsigned char outside[64] = { 0 };
	struct weft_bgq_msg m = { .node = 1, .payload = outside, .bytes = 64 };
	struct weft_bgq_desc d;
	struct pair p;

	pair_open(&p, "");
	T_OK(weft_bgq_range_set(p.a.mu, WEFT_BGQ_USER_RANGES, outside,
				sizeof(outside), 0));
	weft_bgq_desc_fifo(&d, &m, 0, NULL);
	T_IS(error_of(&p, &d, 0), WEFT_BGQ_ERR_RANGE);
	T_IS(error_of(&p, &d, WEFT_BGQ_SYSTEM), WEFT_BGQ_OK);
	pair_close(&p);
}

/* A bounded operation also reads the next word, which must be in the range. */
static void the_bound_of_an_atomic_is_range_checked(void **state)
{
	struct weft_bgq_msg m = { .node = 1, .bytes = 8 };
	struct weft_bgq_put t = { .bat = 1, .ctr_bat = 2 };
	struct weft_bgq_desc d;
	struct pair p;

	pair_open(&p, "");
	m.payload = p.a.mem;
	m.load_op = WEFT_BGQ_LOAD_DEC_BOUNDED;
	weft_bgq_desc_put(&d, &m, &t);
	T_IS(error_of(&p, &d, 0), WEFT_BGQ_ERR_RANGE);
	m.load_op = WEFT_BGQ_LOAD_INC_BOUNDED;
	weft_bgq_desc_put(&d, &m, &t);
	T_IS(error_of(&p, &d, 0), WEFT_BGQ_OK);
	m.payload = p.a.mem + PAIR_BYTES - 8;
	weft_bgq_desc_put(&d, &m, &t);
	T_IS(error_of(&p, &d, 0), WEFT_BGQ_ERR_RANGE);
	m.load_op = WEFT_BGQ_LOAD_DEC_BOUNDED;
	weft_bgq_desc_put(&d, &m, &t);
	T_IS(error_of(&p, &d, 0), WEFT_BGQ_OK);
	pair_close(&p);
}

/* Sends one packet from a to b that b must reject without storing anything. */
static void expect_reject(struct pair *p, const struct weft_bgq_desc *d,
			  unsigned code)
{
	uint64_t n = weft_bgq_load(p->b.mu, WEFT_BGQ_ERR_COUNT, 0);

	T_OK(weft_bgq_inj_post(p->a.mu, 0, d, NULL));
	for (int i = 0; i < 1000; i++)
		pair_poll(p);
	T_IS(weft_bgq_load(p->b.mu, WEFT_BGQ_ERR_COUNT, 0), n + 1);
	T_IS(weft_bgq_load(p->b.mu, WEFT_BGQ_ERR_CODE, 0), code);
	T_IS(weft_bgq_load(p->a.mu, WEFT_BGQ_INJ_ERROR, 0), 0);
}

static void arriving_packets_are_checked(void **state)
{
	struct weft_bgq_msg m = { .node = 1, .bytes = 64 };
	struct weft_bgq_put t = { .bat = 1, .ctr_bat = 2 };
	struct weft_bgq_desc d;
	struct pair p;

	pair_open(&p, "");
	m.payload = p.a.mem;
	weft_bgq_desc_fifo(&d, &m, 272, NULL);
	expect_reject(&p, &d, WEFT_BGQ_ERR_REC_ID);
	weft_bgq_desc_fifo(&d, &m, 9, NULL);
	expect_reject(&p, &d, WEFT_BGQ_ERR_REC_ID);
	weft_bgq_desc_get(&d, &m, 544);
	expect_reject(&p, &d, WEFT_BGQ_ERR_INJ_ID);
	weft_bgq_desc_get(&d, &m, 0); /* not a remote get FIFO */
	expect_reject(&p, &d, WEFT_BGQ_ERR_INJ_ID);
	t.bat = 544;
	weft_bgq_desc_put(&d, &m, &t);
	expect_reject(&p, &d, WEFT_BGQ_ERR_BAT_ID);
	t.bat = 1;
	t.offset = PAIR_BYTES - 63;
	weft_bgq_desc_put(&d, &m, &t);
	expect_reject(&p, &d, WEFT_BGQ_ERR_RANGE);
	t.offset = 0;
	t.ctr_offset = 8;
	weft_bgq_desc_put(&d, &m, &t);
	expect_reject(&p, &d, WEFT_BGQ_ERR_RANGE);
	T_OK(weft_bgq_bat_set(p.b.mu, 1, p.b.mem, WEFT_BGQ_SYSTEM));
	t.ctr_offset = 0;
	weft_bgq_desc_put(&d, &m, &t);
	expect_reject(&p, &d, WEFT_BGQ_ERR_SYSTEM);
	T_OK(weft_bgq_bat_set(p.b.mu, 1, p.b.mem, 0));
	m.bytes = 8;
	t.offset = 4;
	t.store_op = WEFT_BGQ_STORE_ADD;
	weft_bgq_desc_put(&d, &m, &t);
	expect_reject(&p, &d, WEFT_BGQ_ERR_ATOMIC);
	pair_close(&p);
}

/*
 * Sends a packet through the system FIFO and channel. Returns the number of
 * errors that b recorded.
 */
static uint64_t system_packet(struct pair *p, const struct weft_bgq_desc *d)
{
	struct weft_bgq_desc ring[4];
	uint64_t n = weft_bgq_load(p->b.mu, WEFT_BGQ_NET_RECEIVED, 0);
	uint64_t bad = weft_bgq_load(p->b.mu, WEFT_BGQ_ERR_COUNT, 0);

	pair_ring(&p->a, 2, ring, sizeof(ring));
	T_OK(weft_bgq_inj_open(p->a.mu, 1, ring, 4, WEFT_BGQ_SYSTEM));
	T_OK(weft_bgq_inj_post(p->a.mu, 1, d, NULL));
	for (int i = 0; i < 1000; i++)
		pair_poll(p);
	T_IS(weft_bgq_load(p->a.mu, WEFT_BGQ_INJ_ERROR, 1), 0);
	T_OK(weft_bgq_inj_close(p->a.mu, 1));
	T_IS(weft_bgq_load(p->b.mu, WEFT_BGQ_NET_RECEIVED, 0), n + 1);
	return weft_bgq_load(p->b.mu, WEFT_BGQ_ERR_COUNT, 0) - bad;
}

static void a_closed_reception_fifo_can_be_opened_again(void **state)
{
	struct pair p;
	void *rec = aligned_alloc(64, 4096);

	pair_open(&p, "");
	T_IS(weft_bgq_rec_close(p.b.mu, 1), -EINVAL);
	T_OK(weft_bgq_rec_open(p.b.mu, 1, rec, 4096, 0));
	T_IS(weft_bgq_rec_open(p.b.mu, 1, rec, 4096, 0), -EBUSY);
	T_OK(weft_bgq_rec_close(p.b.mu, 1));
	T_OK(weft_bgq_rec_open(p.b.mu, 1, rec, 4096, 0));
	pair_close(&p);
	free(rec);
}

/* User packets enter user FIFOs only; system packets enter both kinds. */
static void system_fifos_accept_system_packets_only(void **state)
{
	struct weft_bgq_msg m = { .node = 1, .bytes = 64 };
	struct weft_bgq_desc get[4];
	struct weft_bgq_desc d;
	struct pair p;
	void *rec = aligned_alloc(64, 4096);

	pair_open(&p, "");
	pair_ring(&p.b, 2, rec, 4096);
	pair_ring(&p.b, 3, get, sizeof(get));
	T_OK(weft_bgq_rec_open(p.b.mu, 1, rec, 4096, WEFT_BGQ_SYSTEM));
	T_OK(weft_bgq_inj_open(p.b.mu, 6, get, 4,
			       WEFT_BGQ_SYSTEM | WEFT_BGQ_RGET));
	m.payload = p.a.mem;
	weft_bgq_desc_fifo(&d, &m, 1, NULL);
	expect_reject(&p, &d, WEFT_BGQ_ERR_SYSTEM);
	T_IS(weft_bgq_load(p.b.mu, WEFT_BGQ_REC_TAIL, 1), 0);
	weft_bgq_desc_get(&d, &m, 6);
	expect_reject(&p, &d, WEFT_BGQ_ERR_SYSTEM);
	T_IS(weft_bgq_load(p.b.mu, WEFT_BGQ_INJ_TAIL, 6), 0);
	m.vc = WEFT_BGQ_VC_SYSTEM;
	m.net_map = WEFT_BGQ_NET_SYS;
	weft_bgq_desc_fifo(&d, &m, 1, NULL);
	T_IS(system_packet(&p, &d), 0);
	T_IS(weft_bgq_load(p.b.mu, WEFT_BGQ_REC_TAIL, 1), 96);
	weft_bgq_desc_get(&d, &m, 6);
	system_packet(&p, &d);
	T_IS(weft_bgq_load(p.b.mu, WEFT_BGQ_INJ_TAIL, 6), 1);
	pair_close(&p);
	free(rec);
}

/* A word of value 2 is 0 after the second addition of -1. */
static void an_addition_that_gives_zero_interrupts(void **state)
{
	struct weft_bgq_msg m = { .node = 1, .bytes = 8 };
	struct weft_bgq_put t = { .bat = 1,
				  .ctr_bat = 2,
				  .store_op = WEFT_BGQ_STORE_ADD_ZERO };
	struct weft_bgq_desc d;
	struct pair p;

	pair_open(&p, "");
	T_OK(weft_bgq_store(p.b.mu, WEFT_BGQ_IRQ_MASK, 0, ~0ull));
	memset(p.a.mem, 0xff, 8);
	*(uint64_t *)(void *)p.b.mem = 2;
	m.payload = p.a.mem;
	weft_bgq_desc_put(&d, &m, &t);
	for (uint64_t i = 1; i <= 2; i++) {
		T_OK(weft_bgq_inj_post(p.a.mu, 0, &d, NULL));
		pair_until_counter(&p, 0 - 8 * i);
		T_IS(p.b.irqs[WEFT_BGQ_IRQ_ZERO], i == 2);
	}
	pair_close(&p);
}

static void injection_only_ranges_refuse_stores(void **state)
{
	struct weft_bgq_msg m = { .node = 1, .bytes = 64 };
	struct weft_bgq_put t = { .bat = 1, .ctr_bat = 2 };
	struct weft_bgq_desc d;
	struct pair p;

	pair_open(&p, "");
	m.payload = p.a.mem;
	T_OK(weft_bgq_range_set(p.b.mu, 0, p.b.mem, PAIR_BYTES,
				WEFT_BGQ_RANGE_INJ_ONLY));
	weft_bgq_desc_put(&d, &m, &t);
	expect_reject(&p, &d, WEFT_BGQ_ERR_RANGE);
	T_IS(weft_bgq_range_set(p.b.mu, WEFT_BGQ_RANGES, p.b.mem, 1, 0),
	     -EINVAL);
	pair_close(&p);
}

/* Makes the range of a ring of the pair end after `bytes`. */
static void ring_limit(struct side *s, bool rec, uint64_t bytes, unsigned flags)
{
	T_OK(weft_bgq_range_set(s->mu, WEFT_BGQ_USER_RANGES + 1 + rec,
				rec ? (void *)s->rec : s->ring, bytes, flags));
}

/* A descriptor is fetched only from slots in a range. */
static void descriptors_are_fetched_from_ranges(void **state)
{
	struct pair p;

	pair_open(&p, "");
	ring_limit(&p.a, false, 64, 0);
	pair_send(&p, 0, p.a.mem, 32);
	pair_send(&p, 0, p.a.mem, 32);
	pair_until_packets(&p, 1);
	pair_run(&p, 100);
	T_IS(p.b.count, 1);
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_INJ_ERROR, 0), WEFT_BGQ_ERR_RANGE);
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_ERR_ADDRESS, 0),
	     (uintptr_t)(p.a.ring + 1));
	ring_limit(&p.a, false, 128, WEFT_BGQ_RANGE_INJ_ONLY);
	T_OK(weft_bgq_inj_clear(p.a.mu, 0));
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_INJ_COUNT, 0), 2);
	pair_close(&p);
}

/* The unit stores packets and descriptors of remote gets only in ranges. */
static void received_packets_are_stored_in_ranges(void **state)
{
	struct weft_bgq_msg m = { .node = 1, .bytes = 64 };
	struct weft_bgq_desc d;
	struct pair p;

	pair_open(&p, "");
	pair_send(&p, 0, p.a.mem, 32); /* a header and one chunk */
	pair_until_packets(&p, 1);
	ring_limit(&p.b, true, 64, 0);
	pair_fifo_desc(&p, &d, p.a.mem, 32);
	expect_reject(&p, &d, WEFT_BGQ_ERR_RANGE);
	ring_limit(&p.b, true, 64 * 1024, WEFT_BGQ_RANGE_INJ_ONLY);
	expect_reject(&p, &d, WEFT_BGQ_ERR_RANGE);
	m.payload = p.a.mem;
	weft_bgq_desc_get(&d, &m, PAIR_RGET);
	ring_limit(&p.b, false, PAIR_SLOTS * 64, 0);
	expect_reject(&p, &d, WEFT_BGQ_ERR_RANGE);
	T_IS(weft_bgq_load(p.b.mu, WEFT_BGQ_INJ_TAIL, PAIR_RGET), 0);
	pair_close(&p);
}

/* An invalid descriptor of a remote get stops the remote get FIFO only. */
static void remote_get_descriptor_is_checked_at_target(void **state)
{
	unsigned char secret[64] = "not for you";
	struct weft_bgq_msg m = { .node = 0, .payload = secret, .bytes = 64 };
	struct weft_bgq_put t = { .bat = 1, .ctr_bat = 2 };
	struct weft_bgq_desc d;
	struct pair p;

	pair_open(&p, "");
	weft_bgq_desc_put((struct weft_bgq_desc *)(void *)p.a.mem, &m, &t);
	m = (struct weft_bgq_msg){ .node = 1, .payload = p.a.mem, .bytes = 64 };
	weft_bgq_desc_get(&d, &m, PAIR_RGET);
	T_OK(weft_bgq_inj_post(p.a.mu, 0, &d, NULL));
	for (int i = 0; i < 1000; i++)
		pair_poll(&p);
	T_IS(weft_bgq_load(p.b.mu, WEFT_BGQ_INJ_ERROR, PAIR_RGET),
	     WEFT_BGQ_ERR_RANGE);
	pair_send(&p, 0, p.a.mem, 64);
	pair_until_packets(&p, 1);
	T_IS(weft_bgq_inj_post(p.b.mu, PAIR_RGET, &d, NULL), -EPERM);
	pair_close(&p);
}

/*
 * Accesses by random packets to memory that peers may not access are refused
 * and recorded.
 */
static void random_packets_are_refused(void **state)
{
	unsigned char payload[WEFT_BGQ_PAYLOAD];
	struct weft_peer *src;
	struct weft_rng r;
	struct weft_pkt k;
	struct pair p;

	pair_open(&p, "");
	weft_rng_init(&r, 4, 0);
	src = weft_port_peer(&p.b.mu->port, 0);
	for (int i = 0; i < t_scale(100000); i++) {
		weft_rng_fill(&r, &k, sizeof(k));
		weft_rng_fill(&r, payload, sizeof(payload));
		k.type = BGQ_PT2PT;
		k.len = (uint16_t)(weft_rng_below(&r, 17) * 32);
		k.unit = (k.unit & 0x60ffffff) | k.len / 32u << 24;
		k.tag = bgq_sel((unsigned)weft_rng_below(&r, 8),
				weft_rng_below(&r, 2 * PAIR_BYTES));
		k.data = bgq_sel((unsigned)weft_rng_below(&r, 4), 0);
		bgq_rx_deliver(p.b.mu, src, &k, payload);
		if (weft_bgq_load(p.b.mu, WEFT_BGQ_INJ_ERROR, PAIR_RGET))
			weft_bgq_inj_clear(p.b.mu, PAIR_RGET);
		pair_poll(&p);
	}
	T_TRUE(weft_bgq_load(p.b.mu, WEFT_BGQ_ERR_COUNT, 0) > 100);
	pair_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(priority_order_system_high_normal),
		T_CASE(fifos_of_a_class_alternate_by_packet),
		T_CASE(a_full_reception_fifo_loses_no_packet),
		T_CASE(the_mask_filters_interrupts),
		T_CASE(crossing_a_threshold_interrupts),
		T_CASE(no_interrupt_at_the_chunk_threshold),
		T_CASE(no_interrupt_at_the_slot_threshold),
		T_CASE(one_slot_above_threshold_interrupts),
		T_CASE(a_retried_packet_repeats_no_atomic_load),
		T_CASE(a_bad_descriptor_stops_its_own_fifo_only),
		T_CASE(user_fifos_cannot_use_system_resources),
		T_CASE(system_ranges_are_for_system_fifos),
		T_CASE(the_bound_of_an_atomic_is_range_checked),
		T_CASE(arriving_packets_are_checked),
		T_CASE(a_closed_reception_fifo_can_be_opened_again),
		T_CASE(system_fifos_accept_system_packets_only),
		T_CASE(an_addition_that_gives_zero_interrupts),
		T_CASE(injection_only_ranges_refuse_stores),
		T_CASE(descriptors_are_fetched_from_ranges),
		T_CASE(received_packets_are_stored_in_ranges),
		T_CASE(remote_get_descriptor_is_checked_at_target),
		T_CASE(random_packets_are_refused),
	};

	return T_RUN(tests);
}
