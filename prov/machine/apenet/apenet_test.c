/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts and gets, events at both ends, the engines and their queue, damaged
 * packets, and invalid input.
 */
#include "test/support/apenet_pair.h"
#include "src/base/rng.h"

static const uint64_t sizes[] = { 1,	15,    16,     4095,	  4096,
				  4097, 12288, 100003, PAIR_BYTES };

/* ---- puts and their events (APE-01, APE-10) ---- */

static void a_put_moves_bytes_of_any_length(void **state)
{
	struct pair p;

	pair_open(&p);
	for (unsigned i = 0; i < WEFT_COUNT_OF(sizes); i++) {
		struct weft_apenet_cmd c = pair_cmd(&p, HOST, HOST, sizes[i]);
		uint64_t odd = sizes[i] < PAIR_BYTES ? 3 : 0;

		pair_fill(&p.s[0], HOST, i);
		memset(p.s[1].mem[HOST], 0, PAIR_BYTES);
		c.remote += odd;
		T_OK(weft_apenet_put(p.s[0].a, &c));
		T_IS(pair_event(&p, 1).bytes, sizes[i]);
		T_TRUE(pair_same(p.s[0].mem[HOST], p.s[1].mem[HOST] + odd,
				 sizes[i]));
		if (odd)
			T_IS(p.s[1].mem[HOST][odd + sizes[i]], 0);
		T_IS(pair_event(&p, 0).what, WEFT_APENET_SENT);
	}
	pair_close(&p);
}

static void events_at_both_ends(void **state)
{
	struct weft_apenet_event ev;
	struct weft_apenet_cmd c;
	struct pair p;

	pair_open(&p);
	c = pair_cmd(&p, HOST, HOST, 9000);
	T_OK(weft_apenet_put(p.s[0].a, &c));
	ev = pair_event(&p, 0);
	T_IS(ev.what, WEFT_APENET_SENT);
	T_IS(ev.status, WEFT_APENET_OK);
	T_IS(ev.cookie, c.cookie);
	T_IS(ev.bytes, 9000);
	ev = pair_event(&p, 1);
	T_IS(ev.what, WEFT_APENET_RECEIVED);
	T_IS(ev.node, 0);
	T_IS(ev.address, c.remote);
	T_IS(ev.bytes, 9000);
	T_IS(ev.data, c.data);
	/* no event, because none is requested */
	c.flags = 0;
	T_OK(weft_apenet_put(p.s[0].a, &c));
	pair_silent(&p, 0);
	pair_silent(&p, 1);
	T_IS(pair_stats(&p, 1).packets_in, 6);
	pair_close(&p);
}

static void events_follow_all_data_in_order(void **state)
{
	struct weft_apenet_event ev;
	struct pair p;
	uint64_t next = 0;

	pair_open(&p);
	for (uint64_t i = 0; i < 40; i++) {
		struct weft_apenet_cmd c = pair_cmd(&p, HOST, HOST, 8192);

		p.s[0].mem[HOST][8192 * i + 8191] = (char)(i + 1);
		c.local += 8192 * i;
		c.remote += 8192 * i;
		c.data = i;
		T_OK(weft_apenet_put(p.s[0].a, &c));
	}
	for (int i = 0; i < 100000 && next < 40; i++) {
		pair_run(&p, 1);
		if (weft_apenet_event(p.s[1].a, &ev))
			continue;
		T_IS(ev.data, next);
		T_IS(p.s[1].mem[HOST][8192 * next + 8191], next + 1);
		next++;
	}
	T_IS(next, 40);
	pair_close(&p);
}

static void a_board_sends_to_itself(void **state)
{
	struct weft_apenet_cmd c;
	struct pair p;

	pair_open(&p);
	pair_fill(&p.s[0], HOST, 5);
	c = pair_cmd(&p, HOST, HOST, 10000);
	c.node = 0;
	c.remote = (uintptr_t)p.s[0].mem[DEVICE];
	T_OK(weft_apenet_put(p.s[0].a, &c));
	pair_event(&p, 0);
	pair_event(&p, 0);
	T_TRUE(pair_same(p.s[0].mem[HOST], p.s[0].mem[DEVICE], 10000));
	pair_close(&p);
}

/* ---- gets ---- */

static void a_get_is_a_put_of_the_other_board(void **state)
{
	struct pair p;

	pair_open(&p);
	for (unsigned i = 0; i < WEFT_COUNT_OF(sizes); i++) {
		struct weft_apenet_cmd c = pair_cmd(&p, HOST, HOST, sizes[i]);
		struct weft_apenet_event ev;

		pair_fill(&p.s[1], HOST, i + 100);
		memset(p.s[0].mem[HOST], 0, PAIR_BYTES);
		T_OK(weft_apenet_get(p.s[0].a, &c));
		ev = pair_event(&p, 0);
		T_IS(ev.what, WEFT_APENET_GOT);
		T_IS(ev.status, WEFT_APENET_OK);
		T_IS(ev.cookie, c.cookie);
		T_TRUE(pair_same(p.s[0].mem[HOST], p.s[1].mem[HOST], sizes[i]));
	}
	T_IS(pair_stats(&p, 1).served, WEFT_COUNT_OF(sizes));
	T_TRUE(pair_stats(&p, 1).walks >= WEFT_COUNT_OF(sizes));
	pair_close(&p);
}

static void a_get_without_rights_reports_an_error(void **state)
{
	struct weft_apenet_event ev;
	struct weft_apenet_cmd c;
	struct pair p;
	unsigned buf;
	char secret[64];

	pair_open(&p);
	T_OK(weft_apenet_buf_open(p.s[1].a, secret, sizeof(secret),
				  WEFT_APENET_MAY_WRITE, &buf));
	c = pair_cmd(&p, HOST, HOST, sizeof(secret));
	c.remote = (uintptr_t)secret;
	T_OK(weft_apenet_get(p.s[0].a, &c));
	ev = pair_event(&p, 0);
	T_IS(ev.what, WEFT_APENET_GOT);
	T_IS(ev.status, WEFT_APENET_ADDRESS);
	ev = pair_event(&p, 1);
	T_IS(ev.what, WEFT_APENET_ERROR);
	T_IS(ev.address, c.remote);
	T_TRUE(pair_is_zero(p.s[0].mem[HOST], sizeof(secret)));
	pair_close(&p);
}

static void gets_of_both_sides_do_not_deadlock(void **state)
{
	struct pair p;
	int got[2] = { 0, 0 };

	pair_open(&p);
	for (int i = 0; i < 200; i++) {
		struct weft_apenet_cmd c = pair_cmd(&p, HOST, HOST, 16384);

		T_OK(weft_apenet_get(p.s[0].a, &c));
		c.node = 0;
		c.local = (uintptr_t)p.s[1].mem[HOST];
		c.remote = (uintptr_t)p.s[0].mem[HOST];
		T_OK(weft_apenet_get(p.s[1].a, &c));
	}
	for (int i = 0; i < 400; i++)
		got[i & 1] += pair_event(&p, i & 1).status == WEFT_APENET_OK;
	T_IS(got[0], 200);
	T_IS(got[1], 200);
	pair_close(&p);
}

/* ---- registered buffers (APE-05) ---- */

static void untranslated_address_drops_packet_and_reports_error(void **state)
{
	struct weft_apenet_event ev;
	struct weft_apenet_cmd c;
	struct pair p;

	pair_open(&p);
	pair_fill(&p.s[0], HOST, 3);
	/* two pages are mapped, three are not */
	c = pair_cmd(&p, HOST, HOST, 5 * 4096);
	c.remote += PAIR_BYTES - 2 * 4096;
	T_OK(weft_apenet_put(p.s[0].a, &c));
	ev = pair_event(&p, 1);
	T_IS(ev.what, WEFT_APENET_ERROR);
	T_IS(ev.status, WEFT_APENET_ADDRESS);
	T_IS(ev.address, c.remote + 2 * 4096);
	T_IS(ev.node, 0);
	T_IS(pair_stats(&p, 1).dropped, 3);
	/* the source may nevertheless reuse its memory */
	T_IS(pair_event(&p, 0).status, WEFT_APENET_OK);
	pair_close(&p);
}

static void puts_need_a_writable_buffer(void **state)
{
	struct weft_apenet_cmd c;
	struct pair p;
	static char readable[4096], writable[4096];
	unsigned r, w;

	pair_open(&p);
	memset(p.s[0].mem[HOST], 7, 4096);
	T_OK(weft_apenet_buf_open(p.s[1].a, readable, sizeof(readable),
				  WEFT_APENET_MAY_READ, &r));
	T_OK(weft_apenet_buf_open(p.s[1].a, writable, sizeof(writable),
				  WEFT_APENET_MAY_WRITE, &w));
	c = pair_cmd(&p, HOST, HOST, 100);
	c.remote = (uintptr_t)readable;
	T_OK(weft_apenet_put(p.s[0].a, &c));
	T_IS(pair_event(&p, 1).status, WEFT_APENET_ADDRESS);
	T_IS(readable[0], 0);
	c.remote = (uintptr_t)writable;
	T_OK(weft_apenet_put(p.s[0].a, &c));
	T_IS(pair_event(&p, 1).what, WEFT_APENET_RECEIVED);
	T_IS(writable[99], 7);
	pair_close(&p);
}

static void a_closed_buffer_is_inaccessible(void **state)
{
	struct weft_apenet_cmd c;
	struct pair p;

	pair_open(&p);
	c = pair_cmd(&p, HOST, HOST, 64);
	T_OK(weft_apenet_put(p.s[0].a, &c));
	T_IS(pair_event(&p, 1).what, WEFT_APENET_RECEIVED);
	T_OK(weft_apenet_buf_close(p.s[1].a, p.s[1].buf[HOST]));
	T_IS(weft_apenet_buf_close(p.s[1].a, p.s[1].buf[HOST]), -EINVAL);
	T_OK(weft_apenet_put(p.s[0].a, &c));
	T_IS(pair_event(&p, 1).status, WEFT_APENET_ADDRESS);
	pair_close(&p);
}

static void unregistering_during_a_send_cuts_the_message(void **state)
{
	struct weft_apenet_event ev;
	struct weft_apenet_cmd c;
	struct pair p;

	pair_open(&p);
	c = pair_cmd(&p, HOST, HOST, PAIR_BYTES);
	T_OK(weft_apenet_put(p.s[0].a, &c));
	weft_apenet_poll(p.s[0].a, 20);
	T_TRUE(pair_stats(&p, 0).packets_out > 0);
	T_OK(weft_apenet_buf_close(p.s[0].a, p.s[0].buf[HOST]));
	ev = pair_event(&p, 0);
	T_IS(ev.what, WEFT_APENET_SENT);
	T_IS(ev.status, WEFT_APENET_CLOSED);
	ev = pair_event(&p, 1);
	T_IS(ev.what, WEFT_APENET_ERROR);
	T_IS(ev.status, WEFT_APENET_CUT);
	pair_silent(&p, 1);
	pair_close(&p);
}

/* ---- engines and their queue (APE-07) ---- */

#define PACKETS 64

/* Sends PACKETS packets in `puts` puts. Returns the source's statistics. */
static struct weft_apenet_stats run_puts(unsigned dmas, int puts)
{
	const struct weft_apenet_attr attr = { .dmas = dmas };
	struct weft_apenet_stats st;
	struct pair p;

	pair_open_as(&p, &attr);
	for (int i = 0; i < puts; i++) {
		struct weft_apenet_cmd c =
			pair_cmd(&p, HOST, HOST, PACKETS * 4096 / puts);

		c.flags = WEFT_APENET_RECEIVE;
		T_OK(weft_apenet_put(p.s[0].a, &c));
	}
	for (int i = 0; i < puts; i++)
		T_IS(pair_event(&p, 1).status, WEFT_APENET_OK);
	st = pair_stats(&p, 0);
	T_IS(st.packets_out, PACKETS);
	pair_close(&p);
	return st;
}

static void two_engines_saturate_the_bus(void **state)
{
	struct weft_apenet_stats one = run_puts(1, 1);
	struct weft_apenet_stats two = run_puts(2, 1);

	T_TRUE(one.active_steps >= 2 * PACKETS);
	T_IS(one.overlapped, 0);
	T_TRUE(two.active_steps <= PACKETS + 4);
	T_TRUE(two.overlapped >= PACKETS - 4);
}

/* Each put is one packet, so the engines need a new command per packet. */
static void commands_are_prefetched(void **state)
{
	struct weft_apenet_stats st = run_puts(2, PACKETS);

	T_TRUE(st.active_steps <= PACKETS + 4);
	T_TRUE(st.prefetched >= PACKETS - 4);
}

static void the_command_queue_holds_256(void **state)
{
	struct weft_apenet_cmd c;
	struct pair p;

	pair_open(&p);
	c = pair_cmd(&p, HOST, HOST, 8);
	for (int i = 0; i < WEFT_APENET_COMMANDS; i++)
		T_OK(weft_apenet_put(p.s[0].a, &c));
	T_IS(weft_apenet_put(p.s[0].a, &c), -EAGAIN);
	for (int i = 0; i < WEFT_APENET_COMMANDS; i++)
		T_IS(pair_event(&p, 0).status, WEFT_APENET_OK);
	T_OK(weft_apenet_put(p.s[0].a, &c));
	pair_close(&p);
}

/* Runs a hundred puts while both sides read events rarely, one at a time. */
static void slow_readers(unsigned flags)
{
	const struct weft_apenet_attr attr = { .events = 16 };
	int posted = 0, received = 0, sent = 0;
	struct weft_apenet_event ev;
	struct weft_apenet_cmd c;
	struct pair p;

	pair_open_as(&p, &attr);
	c = pair_cmd(&p, HOST, HOST, 8);
	c.flags = flags;
	for (int i = 0; i < 200000 && received < 100; i++) {
		c.cookie = c.data = (uint64_t)posted;
		if (posted < 100 && !weft_apenet_put(p.s[0].a, &c))
			posted++;
		pair_run(&p, 1);
		if (i % 50 == 0 && !weft_apenet_event(p.s[1].a, &ev))
			T_IS(ev.data, received++);
		if (i % 50 == 25 && !weft_apenet_event(p.s[0].a, &ev))
			T_IS(ev.cookie, sent++);
	}
	T_IS(received, 100);
	while (!weft_apenet_event(p.s[0].a, &ev))
		T_IS(ev.cookie, sent++);
	T_IS(sent, flags & WEFT_APENET_EVENT ? 100 : 0);
	pair_close(&p);
}

static void slow_readers_lose_no_event(void **state)
{
	slow_readers(WEFT_APENET_EVENT | WEFT_APENET_RECEIVE);
	slow_readers(WEFT_APENET_RECEIVE);
}

/* ---- damage on the link (APE-22) ---- */

static int noise_countdown; /* number of packets before the damaged one */
/*
 * index of the damaged bit, counted through struct weft_pkt and then through
 * the data
 */
static size_t noise_bit;

static void noise(struct weft_pkt *pkt, unsigned char *data)
{
	size_t at = noise_bit / 8;
	unsigned char *byte = at < sizeof(*pkt) ? (unsigned char *)pkt + at
						: data + at - sizeof(*pkt);

	if (noise_countdown-- == 0)
		*byte ^= (unsigned char)(1u << noise_bit % 8);
}

/* Runs a put of five packets, one of them with a wrong bit. */
static void damage(struct pair *p, int packet, size_t bit)
{
	struct weft_apenet_cmd c = pair_cmd(p, HOST, HOST, 5 * 4096);
	uint64_t before = pair_stats(p, 1).crc_errors;
	struct weft_apenet_event ev;

	noise_countdown = packet;
	noise_bit = bit;
	memset(p->s[1].mem[HOST], 0, PAIR_BYTES);
	p->s[0].a->noise = noise;
	T_OK(weft_apenet_put(p->s[0].a, &c));
	ev = pair_event(p, 1);
	T_IS(ev.what, WEFT_APENET_ERROR);
	T_IS(ev.status, WEFT_APENET_CRC);
	T_IS(ev.node, 0);
	T_IS(pair_stats(p, 1).crc_errors, before + 1);
	pair_event(p, 0);
	/* no data of the packet is stored, and the message fails */
	pair_run(p, 100);
	T_TRUE(pair_is_zero(p->s[1].mem[HOST] + 4096 * packet, 4096));
	while (!weft_apenet_event(p->s[1].a, &ev))
		T_TRUE(ev.what == WEFT_APENET_ERROR &&
		       ev.status == WEFT_APENET_CUT);
	/* the next message succeeds */
	c.bytes = 4096;
	T_OK(weft_apenet_put(p->s[0].a, &c));
	do {
		ev = pair_event(p, 1);
	} while (ev.what == WEFT_APENET_ERROR && ev.status == WEFT_APENET_CUT);
	T_IS(ev.what, WEFT_APENET_RECEIVED);
	pair_event(p, 0);
	T_TRUE(pair_same(p->s[0].mem[HOST], p->s[1].mem[HOST], 4096));
}

static void a_damaged_packet_is_counted_and_not_delivered(void **state)
{
	/* type, flags, CRC, message, address, event data, data */
	static const size_t bits[] = { 0,   12,	 64,  95,  96,	  127,
				       128, 190, 192, 255, 20000, 33000 };
	struct pair p;

	pair_open(&p);
	pair_fill(&p.s[0], HOST, 8);
	for (int packet = 0; packet < 5; packet++) {
		for (unsigned i = 0; i < WEFT_COUNT_OF(bits); i++)
			damage(&p, packet, bits[i]);
	}
	pair_close(&p);
}

/* ---- invalid input ---- */

static void invalid_commands_are_refused_at_post(void **state)
{
	struct weft_apenet_attr bad = { .dmas = 3 };
	struct weft_apenet_cmd good, c;
	struct weft_apenet *a;
	struct pair p;
	unsigned buf;

	T_IS(weft_apenet_open(&bad, &a), -EINVAL);
	bad = (struct weft_apenet_attr){ .events = 48 };
	T_IS(weft_apenet_open(&bad, &a), -EINVAL);
	pair_open(&p);
	good = pair_cmd(&p, HOST, HOST, 64);
	c = good;
	c.node = 9;
	T_IS(weft_apenet_put(p.s[0].a, &c), -EHOSTUNREACH);
	c = good;
	c.local = 4096;
	T_IS(weft_apenet_put(p.s[0].a, &c), -EFAULT);
	c = good;
	c.bytes = (uint64_t)PAIR_BYTES + 1;
	T_IS(weft_apenet_get(p.s[0].a, &c), -EFAULT);
	c.bytes = 0;
	T_IS(weft_apenet_put(p.s[0].a, &c), -EINVAL);
	c = good;
	c.flags = 0x80;
	T_IS(weft_apenet_put(p.s[0].a, &c), -EINVAL);
	c = good;
	c.remote = UINT64_MAX - 3;
	T_IS(weft_apenet_put(p.s[0].a, &c), -EINVAL);
	T_IS(weft_apenet_buf_open(p.s[0].a, &c, 0, 0, &buf), -EINVAL);
	T_IS(weft_apenet_buf_open(p.s[0].a, &c, 8, 8, &buf), -EINVAL);
	T_IS(weft_apenet_buf_open(p.s[0].a, &c, UINT64_MAX, 0, &buf), -EINVAL);
	T_IS(weft_apenet_buf_open(p.s[0].a, p.s[0].mem[DEVICE] - 8, 16, 0,
				  &buf),
	     -EINVAL);
	pair_close(&p);
}

static void a_reply_stays_within_its_get(void **state)
{
	struct apenet_header h = {
		.bytes = 64,
		.op = APENET_REPLY,
		.flags = APENET_FIRST | APENET_LAST,
	};
	struct weft_apenet_cmd c;
	struct pair p;
	char bytes[64];

	pair_open(&p);
	memset(bytes, 1, sizeof(bytes));
	c = pair_cmd(&p, HOST, HOST, 64);
	T_OK(weft_apenet_get(p.s[0].a, &c));
	/* a reply to a get that does not exist */
	h.address = c.local;
	pair_forge(&p, &h, bytes, 77);
	T_TRUE(pair_is_zero(p.s[0].mem[HOST], 4096));
	/* a reply to an address other than the requested one */
	h.address = c.local + 64;
	pair_forge(&p, &h, bytes, 0);
	T_IS(pair_event(&p, 0).status, WEFT_APENET_ADDRESS);
	T_TRUE(pair_is_zero(p.s[0].mem[HOST], 4096));
	/* the number of the previous get */
	T_OK(weft_apenet_get(p.s[0].a, &c));
	h.address = c.local;
	pair_forge(&p, &h, bytes, 0);
	T_TRUE(pair_is_zero(p.s[0].mem[HOST], 4096));
	/* more data than requested */
	h.flags = APENET_FIRST;
	pair_forge(&p, &h, bytes, UINT64_C(1) << 16);
	h.address += 64;
	h.flags = APENET_LAST;
	pair_forge(&p, &h, bytes, UINT64_C(1) << 16);
	T_IS(pair_event(&p, 0).status, WEFT_APENET_ADDRESS);
	T_TRUE(pair_is_zero(p.s[0].mem[HOST] + 64, 4096));
	pair_close(&p);
}

static void forge_any(struct pair *p, struct weft_rng *rng)
{
	uint64_t local_addr = (uintptr_t)p->s[0].mem[weft_rng_below(rng, 2)];
	struct apenet_header h = {
		.address =
			weft_rng_below(rng, 4) ? local_addr : weft_rng_u64(rng),
		.bytes = (uint16_t)weft_rng_below(rng, 4097),
		.op = (uint8_t)weft_rng_below(rng, APENET_OPS + 2),
		.flags = (uint8_t)weft_rng_below(rng, 16),
		.message = (uint32_t)weft_rng_below(rng, 3),
	};
	unsigned char data[APENET_PAYLOAD];

	for (size_t i = 0; i < sizeof(data); i += 8) {
		uint64_t v =
			weft_rng_below(rng, 2) ? local_addr : weft_rng_u64(rng);

		memcpy(data + i, &v, 8);
	}
	if (h.op == APENET_GET)
		h.bytes = APENET_DESC;
	pair_forge(p, &h, data,
		   weft_rng_below(rng, 1024) << weft_rng_below(rng, 9));
}

static void random_packets_do_no_damage(void **state)
{
	struct weft_apenet_event ev;
	struct pair p;
	struct weft_rng rng;
	struct weft_apenet_cmd c;
	const struct weft_pkt unknown = { .type = APENET_PKT + APENET_OPS };

	weft_rng_init(&rng, 19, 0);
	pair_open(&p);
	T_OK(apenet_rx_packet(p.s[0].a, 1, true, &unknown, &unknown));
	for (int i = 0; i < 3000; i++) {
		c = pair_cmd(&p, i & 1, HOST, 1 + weft_rng_below(&rng, 9000));
		weft_apenet_get(p.s[0].a, &c);
		forge_any(&p, &rng);
		while (!weft_apenet_event(p.s[0].a, &ev) ||
		       !weft_apenet_event(p.s[1].a, &ev))
			;
		weft_apenet_poll(p.s[0].a, 2);
		pair_run(&p, i % 64 == 0);
	}
	T_TRUE(pair_stats(&p, 0).refused > 0);
	for (int i = 0; i < 3000; i++) {
		pair_run(&p, 1);
		while (!weft_apenet_event(p.s[0].a, &ev) ||
		       !weft_apenet_event(p.s[1].a, &ev))
			;
	}
	c = pair_cmd(&p, HOST, HOST, 4096);
	T_OK(weft_apenet_put(p.s[0].a, &c));
	T_IS(pair_event(&p, 0).status, WEFT_APENET_OK);
	pair_close(&p);
}

static void a_lost_node_ends_its_operations(void **state)
{
	struct weft_apenet_event ev;
	struct weft_apenet_cmd c;
	struct pair p;
	int ends = 0;

	pair_open(&p);
	c = pair_cmd(&p, HOST, HOST, PAIR_BYTES);
	T_OK(weft_apenet_put(p.s[0].a, &c));
	T_OK(weft_apenet_get(p.s[0].a, &c));
	T_OK(weft_apenet_put(p.s[0].a, &c));
	weft_apenet_poll(p.s[0].a, 40);
	side_close(&p.s[1]);
	for (int i = 0; i < 100000 && ends < 3; i++) {
		weft_apenet_poll(p.s[0].a, 4);
		if (weft_apenet_event(p.s[0].a, &ev))
			continue;
		T_IS(ev.status, WEFT_APENET_GONE);
		ends++;
	}
	T_IS(ends, 3);
	T_IS(weft_apenet_put(p.s[0].a, &c), -ECONNRESET);
	side_close(&p.s[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_put_moves_bytes_of_any_length),
		T_CASE(events_at_both_ends),
		T_CASE(events_follow_all_data_in_order),
		T_CASE(a_board_sends_to_itself),
		T_CASE(a_get_is_a_put_of_the_other_board),
		T_CASE(a_get_without_rights_reports_an_error),
		T_CASE(gets_of_both_sides_do_not_deadlock),
		T_CASE(untranslated_address_drops_packet_and_reports_error),
		T_CASE(puts_need_a_writable_buffer),
		T_CASE(a_closed_buffer_is_inaccessible),
		T_CASE(unregistering_during_a_send_cuts_the_message),
		T_CASE(two_engines_saturate_the_bus),
		T_CASE(commands_are_prefetched),
		T_CASE(the_command_queue_holds_256),
		T_CASE(slow_readers_lose_no_event),
		T_CASE(a_damaged_packet_is_counted_and_not_delivered),
		T_CASE(invalid_commands_are_refused_at_post),
		T_CASE(a_reply_stays_within_its_get),
		T_CASE(random_packets_do_no_damage),
		T_CASE(a_lost_node_ends_its_operations),
	};

	return T_RUN(tests);
}
