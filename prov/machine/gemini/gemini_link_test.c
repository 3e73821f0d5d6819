/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links, timeouts and message queue of the Gemini interface: the link of a
 * packet and the resulting order, requests without response, the shared message
 * queue. The test provides the clock.
 */
#include "test/support/gemini_pair.h"

#define MS	 UINT64_C(1000000)
#define LINES	 64
#define COUNT	 300
#define A_WINDOW 0

static uint64_t now_ns;

static uint64_t test_clock(void)
{
	return now_ns;
}

#define CREDITS 16 /* credits of a link */

/* ---- links ---- */

static void open_linked(struct pair *p, unsigned delivery)
{
	const struct weft_gemini_attr attr = { .ptag = 3, .links = 8 };
	struct weft_gemini_window w = { .pe = 1,
					.delivery = (uint8_t)delivery };

	pair_open_attr(p, &attr, &attr);
	w.mdh = (uint16_t)p->b.mdh;
	w.cq = (uint16_t)p->a.cq;
	T_OK(weft_gemini_window_set(p->a.f, A_WINDOW, &w));
}

static uint64_t word_at(const struct pair *p, unsigned line)
{
	uint64_t v;

	memcpy(&v, p->b.mem + 64 * line, sizeof(v));
	return v;
}

/*
 * Delivers at most one packet. Returns how often a newer value is visible
 * before an older one.
 */
static unsigned poll_reordered(struct pair *p, unsigned lines, uint64_t *last)
{
	unsigned overtaken = 0;

	weft_gemini_poll(p->a.f, 4);
	weft_gemini_poll(p->b.f, 1);
	for (unsigned i = 0; i < lines; i++) {
		uint64_t v = word_at(p, i);

		overtaken += v < last[i];
		last[i] = v;
	}
	/* each round writes the lines in ascending order */
	for (unsigned i = 1; i < lines; i++)
		overtaken += last[i] > last[i - 1];
	return overtaken;
}

/*
 * Writes increasing numbers to `lines` cache lines in turn. Returns the number
 * of reorderings.
 */
static unsigned overtaken(unsigned delivery, unsigned lines)
{
	uint64_t last[LINES] = { 0 };
	struct pair p;
	unsigned n = 0;

	open_linked(&p, delivery);
	for (uint64_t i = 0; i < COUNT; i++) {
		uint64_t v = i / lines + 1;

		while (weft_gemini_store(p.a.f, A_WINDOW, i % lines * 64, &v,
					 8))
			n += poll_reordered(&p, lines, last);
		n += poll_reordered(&p, lines, last);
	}
	T_OK(pair_sync(&p, 1).status);
	pair_close(&p);
	return n;
}

static void the_delivery_mode_determines_the_order(void **state)
{
	T_TRUE(overtaken(WEFT_GEMINI_PERFORMANCE, 1) > 0);
	T_TRUE(overtaken(WEFT_GEMINI_NO_HASH, 1) > 0);
	T_IS(overtaken(WEFT_GEMINI_NO_ADAPT, 1), 0);
	T_TRUE(overtaken(WEFT_GEMINI_NO_ADAPT, 8) > 0);
	T_IS(overtaken(WEFT_GEMINI_IN_ORDER, 8), 0);
}

/* Returns the number of links used; *least_p: smallest packet count. */
static unsigned links_used(unsigned delivery, uint64_t *least_p)
{
	struct weft_gemini_stats st;
	struct pair p;
	uint64_t v = 1;
	unsigned used = 0;

	open_linked(&p, delivery);
	for (unsigned i = 0; i < 800; i++)
		while (weft_gemini_store(p.a.f, A_WINDOW, i % 512 * 64, &v, 8))
			pair_run(&p, 1);
	T_OK(pair_sync(&p, 1).status);
	weft_gemini_stats(p.a.f, &st);
	*least_p = st.link[0];
	for (unsigned i = 0; i < WEFT_GEMINI_LINKS; i++) {
		used += st.link[i] > 0;
		*least_p = st.link[i] < *least_p ? st.link[i] : *least_p;
	}
	pair_close(&p);
	return used;
}

static void packets_are_spread_over_the_links(void **state)
{
	uint64_t least;

	T_IS(links_used(WEFT_GEMINI_PERFORMANCE, &least), 8);
	T_TRUE(least >= 80); /* the expected mean is 100 */
	T_IS(links_used(WEFT_GEMINI_NO_ADAPT, &least), 8);
	T_IS(links_used(WEFT_GEMINI_IN_ORDER, &least), 1);
}

/* One link is full of ordered packets; adaptive packets use the other links. */
static void adaptive_packets_avoid_full_link(void **state)
{
	struct weft_gemini_window w = { .pe = 1,
					.delivery = WEFT_GEMINI_IN_ORDER };
	struct pair p;
	unsigned n = 0;
	uint64_t v = 1;

	open_linked(&p, WEFT_GEMINI_PERFORMANCE);
	w.mdh = (uint16_t)p.b.mdh;
	w.cq = (uint16_t)p.a.cq;
	T_OK(weft_gemini_window_set(p.a.f, 1, &w));
	while (!weft_gemini_store(p.a.f, 1, n * 64, &v, 8))
		n++;
	T_IS(n, CREDITS);
	while (!weft_gemini_store(p.a.f, A_WINDOW, n * 64, &v, 8))
		n++;
	T_IS(n, WEFT_GEMINI_LINKS * CREDITS);
	pair_close(&p);
}

/* A block whose packets use any link is complete when its event arrives. */
static void blocks_complete_over_any_links(void **state)
{
	struct weft_gemini_bte d = { .type = WEFT_GEMINI_BTE_PUT, .pe = 1 };
	struct pair p;

	open_linked(&p, WEFT_GEMINI_PERFORMANCE);
	t_fill(p.a.mem, 100000, 5);
	d.cq = (uint16_t)p.a.cq;
	d.local.mdh = (uint16_t)p.a.mdh;
	d.remote.mdh = (uint16_t)p.b.mdh;
	d.bytes = 100000;
	d.delivery = WEFT_GEMINI_IN_ORDER + 1;
	T_IS(weft_gemini_bte_post(p.a.f, 0, &d), -EINVAL);
	d.delivery = WEFT_GEMINI_PERFORMANCE;
	T_OK(weft_gemini_bte_post(p.a.f, 0, &d));
	T_OK(pair_event(&p, p.a.f, p.a.cq).status);
	T_IS(t_differs(p.b.mem, 100000, 5), -1);
	pair_close(&p);
}

/* ---- waiting ---- */

/*
 * A response may be delayed, to be sent with others to the same PE, but not
 * while its unit waits.
 */
static void a_wait_sends_pending_responses(void **state)
{
	const struct weft_gemini_attr attr = { .ptag = 3 };
	struct weft_gemini_window w = { .pe = 1 };
	struct sockaddr_in name;
	struct pair p;
	uint64_t v = 1;

	pair_open_attr(&p, &attr, &attr);
	weft_gemini_name(p.b.f, &name);
	T_OK(weft_gemini_node_set(p.a.f, 1, &name));
	w.mdh = (uint16_t)p.b.mdh;
	w.cq = (uint16_t)p.a.cq;
	T_OK(weft_gemini_window_set(p.a.f, A_WINDOW, &w));
	T_OK(weft_gemini_store(p.a.f, A_WINDOW, 0, &v, 8));
	weft_gemini_poll(p.a.f, 16);
	T_TRUE(weft_gemini_poll(p.b.f, 16) > 0);
	T_TRUE(weft_responses_pending(&p.b.f->responses));
	T_IS(p.a.f->orb_used, 1);
	weft_gemini_wait(p.b.f, 0);
	T_FALSE(weft_responses_pending(&p.b.f->responses));
	weft_gemini_poll(p.a.f, 16);
	T_IS(p.a.f->orb_used, 0);
	pair_close(&p);
}

/* ---- a torus of chips ---- */

/*
 * Unit a is PE 0 of 3x3x3 chips, b is PE `pe`. Returns the number of links
 * used. *inside_p: packets inside the chip.
 */
static unsigned torus_links(uint32_t pe, uint64_t *inside_p)
{
	const struct weft_gemini_attr attr = { .ptag = 3,
					       .links = 8,
					       .torus = { 3, 3, 3 } };
	struct weft_gemini_window w = { .pe = pe };
	struct sockaddr_in name;
	struct weft_gemini_stats st;
	struct pair p;
	unsigned used = 0;
	uint64_t v = 1;

	pair_open_attr(&p, &attr, &attr);
	weft_gemini_name(p.b.f, &name);
	T_OK(weft_gemini_node_set(p.a.f, pe, &name));
	w.mdh = (uint16_t)p.b.mdh;
	w.cq = (uint16_t)p.a.cq;
	T_OK(weft_gemini_window_set(p.a.f, A_WINDOW, &w));
	for (unsigned i = 0; i < 100; i++)
		while (weft_gemini_store(p.a.f, A_WINDOW, i * 64, &v, 8))
			pair_run(&p, 1);
	T_OK(pair_sync(&p, 1).status);
	weft_gemini_stats(p.a.f, &st);
	for (unsigned i = 0; i < WEFT_GEMINI_LINKS; i++)
		used += st.link[i] > 0;
	*inside_p = st.inside;
	pair_close(&p);
	return used;
}

static void units_of_one_chip_use_no_link(void **state)
{
	uint64_t inside;

	T_IS(torus_links(1, &inside), 0);
	T_TRUE(inside >= 100);
}

static void neighbours_have_8_4_and_8_links(void **state)
{
	/*
	 * chips +x, -x, +y, -y, +z, -z, one that differs in all dimensions,
	 * and one beyond the torus, whose coordinates are those of chip 0
	 */
	static const struct {
		uint32_t chip;
		unsigned links;
	} to[] = { { 1, 8 }, { 2, 8 },	{ 3, 4 },  { 6, 4 },
		   { 9, 8 }, { 18, 8 }, { 13, 8 }, { 27, 8 } };
	uint64_t inside;

	for (size_t i = 0; i < WEFT_COUNT_OF(to); i++) {
		T_IS(torus_links(2 * to[i].chip, &inside), to[i].links);
		T_IS(inside, 0);
	}
}

/* Neighbours in both directions of a dimension do not share links. */
static void each_neighbour_has_separate_links(void **state)
{
	const struct weft_gemini_attr attr = { .ptag = 3,
					       .links = 8,
					       .torus = { 3, 3, 3 } };
	static const uint32_t chip[] = { 1, 2, 3, 6, 9, 18 };
	static const unsigned links[] = { 8, 8, 4, 4, 8, 8 };
	struct sockaddr_in name;
	struct pair p;
	uint64_t v = 1;

	pair_open_attr(&p, &attr, &attr);
	weft_gemini_name(p.b.f, &name);
	for (unsigned i = 0; i < WEFT_COUNT_OF(chip); i++) {
		struct weft_gemini_window w = { .pe = 2 * chip[i],
						.mdh = (uint16_t)p.b.mdh,
						.cq = (uint16_t)p.a.cq };

		unsigned n = 0;

		T_OK(weft_gemini_node_set(p.a.f, w.pe, &name));
		T_OK(weft_gemini_window_set(p.a.f, i + 1, &w));
		while (!weft_gemini_store(p.a.f, i + 1, n * 64, &v, 8))
			n++;
		T_IS(n, links[i] * CREDITS);
	}
	pair_close(&p);
}

/*
 * Requests and responses have separate channels: a response passes although the
 * links hold as many requests as there are credits.
 */
static void responses_bypass_blocked_requests(void **state)
{
	struct weft_gemini_window w = { .pe = 0 };
	struct weft_gemini_stats st;
	struct pair p;
	unsigned n = 0;
	uint64_t v = 1, sum = 0;

	open_linked(&p, WEFT_GEMINI_PERFORMANCE);
	while (!weft_gemini_store(p.a.f, A_WINDOW, n * 64, &v, 8))
		n++;
	T_IS(n, WEFT_GEMINI_LINKS * CREDITS);
	w.mdh = (uint16_t)p.a.mdh;
	w.cq = (uint16_t)p.b.cq;
	T_OK(weft_gemini_window_set(p.b.f, 1, &w));
	T_OK(weft_gemini_store(p.b.f, 1, 0, &v, 8));
	T_OK(weft_gemini_sync(p.b.f, 1, 7));
	for (unsigned i = 0; i < 1000; i++) {
		struct weft_carrier *c = p.a.f->port.carrier;
		struct weft_gemini_event e;

		weft_gemini_poll(p.b.f, 8);
		c->ops->poll(c, 8); /* receives packets; no link sends */
		weft_responses_flush(&p.a.f->responses, true);
		if (!weft_gemini_cq_read(p.b.f, p.b.cq, &e))
			break;
		T_TRUE(i < 999);
	}
	weft_gemini_stats(p.a.f, &st);
	for (unsigned i = 0; i < WEFT_GEMINI_LINKS; i++)
		sum += st.link[i];
	T_IS(sum, 0);
	T_IS(weft_gemini_store(p.a.f, A_WINDOW, 0, &v, 8), -EAGAIN);
	T_OK(pair_sync(&p, 1).status);
	pair_close(&p);
}

static void too_many_links_are_refused(void **state)
{
	const struct weft_gemini_attr attr = { .place.carrier = "loop",
					       .links = 9 };
	struct weft_gemini_window w = { .delivery = WEFT_GEMINI_IN_ORDER + 1 };
	struct weft_gemini *f;
	struct pair p;

	T_IS(weft_gemini_open(&attr, &f), -EINVAL);
	pair_open(&p);
	T_IS(weft_gemini_window_set(p.a.f, 1, &w), -EINVAL);
	pair_close(&p);
}

/* ---- transactions and phits ---- */

static void there_are_255_transactions(void **state)
{
	struct pair p;
	uint64_t v = 1;

	pair_open(&p);
	for (int i = 0; i < WEFT_GEMINI_SSIDS; i++)
		T_IS(gemini_txn_open(p.a.f, p.a.cq), i);
	T_AGAIN(weft_gemini_store(p.a.f, 0, 0, &v, 8));
	gemini_txn_close(p.a.f, 200, 7);
	T_IS(pair_event(&p, p.a.f, p.a.cq).data, 7);
	T_OK(weft_gemini_store(p.a.f, 0, 0, &v, 8));
	T_OK(pair_sync(&p, 0).status);
	T_IS(p.b.mem[0], 1);
	pair_close(&p);
}

/* Both units count the phits that they send; 64 of 102 bytes are data. */
static void phits_are_counted_at_both_ends(void **state)
{
	struct weft_gemini_stats a, b;
	struct pair p;

	pair_open(&p);
	for (int i = 0; i < 100; i++)
		while (weft_gemini_store(p.a.f, 0, 0, p.a.mem, 64))
			pair_run(&p, 1);
	for (int i = 0; i < 1000; i++)
		pair_run(&p, 1);
	weft_gemini_stats(p.a.f, &a);
	weft_gemini_stats(p.b.f, &b);
	T_IS(a.phits, 100 * 32);
	T_IS(b.phits, 100 * 2);
	T_IS(100 * 100 * 64 / (3 * (a.phits + b.phits)), 62);
	pair_close(&p);
}

/* ---- timeouts ---- */

static void open_timed(struct pair *p)
{
	const struct weft_gemini_attr attr = { .ptag = 3,
					       .scrub_ns =
						       WEFT_GEMINI_SCRUB_NS };

	pair_open_attr(p, &attr, &attr);
	p->a.f->clock = test_clock;
	p->b.f->clock = test_clock;
	now_ns = 0;
}

/*
 * Polls only unit a, at the given time; returns the result of reading an event.
 */
static int event_of_a(struct pair *p, uint64_t ms, struct weft_gemini_event *e)
{
	now_ns = ms * MS;
	weft_gemini_poll(p->a.f, 16);
	return weft_gemini_cq_read(p->a.f, p->a.cq, e);
}

static void requests_time_out_after_1_to_2_seconds(void **state)
{
	struct weft_gemini_stats st;
	struct weft_gemini_event e;
	struct pair p;
	uint64_t v = 1;

	open_timed(&p);
	now_ns = 10 * MS;
	T_OK(weft_gemini_store(p.a.f, 0, 0, &v, 8));
	T_OK(weft_gemini_sync(p.a.f, 0, 77));
	T_AGAIN(event_of_a(&p, 999, &e));
	T_AGAIN(event_of_a(&p, 1000, &e));
	T_AGAIN(event_of_a(&p, 1999, &e));
	T_OK(event_of_a(&p, 2000, &e));
	T_IS(e.status, WEFT_GEMINI_TIMEOUT);
	T_IS(e.data, 77);
	weft_gemini_stats(p.a.f, &st);
	T_IS(st.outstanding, 0);
	T_IS(st.errors,
	     2); /* the store, and the put that requests a prompt response */
	/* late responses are ignored */
	for (int i = 0; i < 100; i++)
		pair_run(&p, 1);
	T_IS(p.b.mem[0], 1);
	T_AGAIN(weft_gemini_cq_read(p.a.f, p.a.cq, &e));
	/* a response before the timeout is no error */
	T_OK(weft_gemini_store(p.a.f, 0, 0, &v, 8));
	T_OK(pair_sync(&p, 0).status);
	now_ns = 5000 * MS;
	pair_run(&p, 1);
	T_AGAIN(weft_gemini_cq_read(p.a.f, p.a.cq, &e));
	pair_close(&p);
}

/* Delivers n bytes at offset `at` of a 128-byte send in transaction ssid. */
static enum weft_gemini_status arrive(struct pair *p, unsigned ssid,
				      unsigned at, unsigned n)
{
	unsigned char data[128];
	struct weft_pkt k = { .type = GEMINI_PKT,
			      .flags = GEMINI_SEND,
			      .len = (uint16_t)n,
			      .unit = gemini_unit(1, 3, 0),
			      .tag = gemini_tag(at, ssid),
			      .data = 128 };

	t_fill(data, 128, 9);
	return gemini_bte_arrive(p->b.f, gemini_peer(p->b.f, 0), &k, data + at);
}

static void buffer_for_send(struct pair *p, uint64_t offset, uint64_t data)
{
	struct weft_gemini_local to = { .mdh = (uint16_t)p->b.mdh,
					.offset = offset };

	T_OK(weft_gemini_bte_recv(p->b.f, 1, &to, 128, p->b.rcq, data));
}

static void parts_of_a_send_may_be_reordered(void **state)
{
	struct weft_gemini_event e;
	struct pair p;

	pair_open(&p);
	buffer_for_send(&p, 0, 4);
	T_IS(arrive(&p, 2, 96, 32), WEFT_GEMINI_OK);
	T_IS(arrive(&p, 2, 32, 64), WEFT_GEMINI_OK);
	T_AGAIN(weft_gemini_cq_read(p.b.f, p.b.rcq, &e));
	T_IS(arrive(&p, 2, 0, 32), WEFT_GEMINI_OK);
	T_OK(weft_gemini_cq_read(p.b.f, p.b.rcq, &e));
	T_IS(e.data, 4);
	T_IS(t_differs(p.b.mem, 128, 9), -1);
	pair_close(&p);
}

static void a_stalled_send_ends_after_500_ms(void **state)
{
	struct weft_gemini_event e;
	struct pair p;

	open_timed(&p);
	buffer_for_send(&p, 0, 4);
	T_IS(arrive(&p, 2, 0, 32), WEFT_GEMINI_OK);
	now_ns = 400 * MS;
	T_IS(arrive(&p, 2, 32, 32), WEFT_GEMINI_OK);
	now_ns = 899 * MS;
	weft_gemini_poll(p.b.f, 1);
	T_AGAIN(weft_gemini_cq_read(p.b.f, p.b.rcq, &e));
	now_ns = 900 * MS;
	weft_gemini_poll(p.b.f, 1);
	T_OK(weft_gemini_cq_read(p.b.f, p.b.rcq, &e));
	T_IS(e.status, WEFT_GEMINI_TIMEOUT);
	T_IS(e.data, 4);
	/* packets of a refused send do not use a new buffer */
	buffer_for_send(&p, 1024, 5);
	T_IS(arrive(&p, 2, 64, 32), WEFT_GEMINI_SEQ_TERMINATE);
	T_IS(p.b.mem[1024], 0);
	/* after the sender's timeout the number denotes a new send */
	now_ns = 3900 * MS;
	weft_gemini_poll(p.b.f, 1);
	T_IS(arrive(&p, 2, 0, 128), WEFT_GEMINI_OK);
	T_OK(weft_gemini_cq_read(p.b.f, p.b.rcq, &e));
	T_IS(e.data, 5);
	T_IS(e.status, WEFT_GEMINI_OK);
	pair_close(&p);
}

/* ---- the shared message queue ---- */

#define UNITS 3

struct queues {
	struct weft_gemini *f[UNITS];
	struct weft_gemini_msgq *q[UNITS];
	uint32_t next[UNITS]; /* next expected number of each sender */
	unsigned received;
};

static void on_message(void *arg, uint32_t pe, const void *buf, uint32_t bytes)
{
	struct queues *x = arg;
	uint32_t n;

	T_TRUE(pe < UNITS);
	n = x->next[pe]++;
	T_IS(bytes, n % (WEFT_GEMINI_MSGQ_BYTES + 1));
	T_IS(t_differs(buf, bytes, n + pe), -1);
	x->received++;
}

static void queues_open(struct queues *x, uint16_t slots)
{
	const struct weft_gemini_attr attr = { .place.carrier = "loop" };
	const struct weft_gemini_msgq_attr q = {
		.w = 3, .slots = slots, .message = on_message, .arg = x
	};
	struct sockaddr_in name;

	memset(x, 0, sizeof(*x));
	for (unsigned i = 0; i < UNITS; i++)
		T_OK(weft_gemini_open(&attr, &x->f[i]));
	for (unsigned i = 0; i < UNITS; i++) {
		weft_gemini_name(x->f[i], &name);
		for (unsigned k = 0; k < UNITS; k++)
			T_OK(weft_gemini_node_set(x->f[k], i, &name));
		T_OK(weft_gemini_msgq_open(x->f[i], &q, &x->q[i]));
	}
	T_IS(weft_gemini_msgq_open(x->f[0], &q, &x->q[0]), -EBUSY);
}

static void queues_poll(struct queues *x)
{
	for (unsigned i = 0; i < UNITS; i++)
		weft_gemini_poll(x->f[i], 16);
}

static void queues_close(struct queues *x)
{
	for (unsigned i = 0; i < UNITS; i++) {
		weft_gemini_msgq_close(x->q[i]);
		weft_gemini_close(x->f[i]);
	}
}

/* Three units, including the receiver, send to unit 0 without connecting. */
static void all_senders_share_one_queue(void **state)
{
	unsigned char buf[WEFT_GEMINI_MSGQ_BYTES];
	uint32_t sent[UNITS] = { 0 };
	struct queues x;

	queues_open(&x, 8);
	for (unsigned polls = 0; x.received < UNITS * 400; polls++) {
		T_TRUE(polls < 1000000);
		for (unsigned i = 0; i < UNITS; i++) {
			uint32_t n = sent[i];

			t_fill(buf, n % 129, n + i);
			if (n < 400 &&
			    weft_gemini_msgq_send(x.q[i], 0, buf, n % 129) == 0)
				sent[i]++;
		}
		queues_poll(&x);
		weft_gemini_msgq_progress(x.q[0], 2);
	}
	T_IS(weft_gemini_msgq_send(x.q[1], 0, buf, 129), -EMSGSIZE);
	T_IS(weft_gemini_msgq_send(x.q[1], 9, buf, 1), -EHOSTUNREACH);
	queues_close(&x);
}

static void a_full_queue_stalls_its_senders(void **state)
{
	struct queues x;
	unsigned sent = 0;

	queues_open(&x, 4);
	for (unsigned i = 0; i < 1000; i++) {
		if (sent < 5 && weft_gemini_msgq_send(x.q[1], 0, "", 0) == 0)
			sent++;
		queues_poll(&x);
	}
	T_IS(sent, 4);
	x.next[1] = 0;
	T_IS(x.received, 0);
	queues_close(&x);
}

/* Either side or both sides may start the connection. */
static void both_sides_may_connect_at_once(void **state)
{
	unsigned char buf[8];
	unsigned sent[2] = { 0, 0 };
	struct queues x;

	queues_open(&x, 4);
	t_fill(buf, 0, 0);
	for (unsigned i = 0; i < 10000 && x.received < 2; i++) {
		for (unsigned k = 0; k < 2; k++)
			if (!sent[k] &&
			    !weft_gemini_msgq_send(x.q[k], 1 - k, buf, 0))
				sent[k] = 1;
		queues_poll(&x);
		weft_gemini_msgq_progress(x.q[0], 1);
		weft_gemini_msgq_progress(x.q[1], 1);
	}
	T_IS(x.received, 2);
	queues_close(&x);
}

/* Units 0 and 1 send message n to each other, and receive it. */
static void queues_exchange(struct queues *x, uint32_t n)
{
	unsigned char buf[WEFT_GEMINI_MSGQ_BYTES];
	const unsigned before = x->received;
	bool sent[2] = { false, false };

	for (unsigned i = 0; i < 10000 && x->received < before + 2; i++) {
		for (unsigned k = 0; k < 2; k++) {
			t_fill(buf, n, n + k);
			if (!sent[k] &&
			    !weft_gemini_msgq_send(x->q[k], 1 - k, buf, n))
				sent[k] = true;
		}
		queues_poll(x);
		weft_gemini_msgq_progress(x->q[0], 1);
		weft_gemini_msgq_progress(x->q[1], 1);
	}
	T_IS(x->received, before + 2);
}

/*
 * A CONNECT of another length, and one from a unit that is already connected,
 * change nothing.
 */
static void forged_connects_are_ignored(void **state)
{
	struct weft_gemini_smsg_name name;
	struct weft_pkt pkt = { .type = GEMINI_PKT, .flags = GEMINI_CONNECT };
	struct queues x;

	memset(&name, 0xff, sizeof(name));
	queues_open(&x, 4);
	for (uint32_t n = 0; n < 6; n++) {
		pkt.len = n ? sizeof(name) : 0;
		gemini_msgq_arrive(x.q[0], gemini_peer(x.f[0], 1), &pkt,
				   n ? &name : NULL);
		queues_exchange(&x, n);
	}
	queues_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(the_delivery_mode_determines_the_order),
		T_CASE(packets_are_spread_over_the_links),
		T_CASE(adaptive_packets_avoid_full_link),
		T_CASE(blocks_complete_over_any_links),
		T_CASE(a_wait_sends_pending_responses),
		T_CASE(units_of_one_chip_use_no_link),
		T_CASE(neighbours_have_8_4_and_8_links),
		T_CASE(each_neighbour_has_separate_links),
		T_CASE(responses_bypass_blocked_requests),
		T_CASE(too_many_links_are_refused),
		T_CASE(there_are_255_transactions),
		T_CASE(phits_are_counted_at_both_ends),
		T_CASE(requests_time_out_after_1_to_2_seconds),
		T_CASE(parts_of_a_send_may_be_reordered),
		T_CASE(a_stalled_send_ends_after_500_ms),
		T_CASE(all_senders_share_one_queue),
		T_CASE(a_full_queue_stalls_its_senders),
		T_CASE(both_sides_may_connect_at_once),
		T_CASE(forged_connects_are_ignored),
	};

	return T_RUN(tests);
}
