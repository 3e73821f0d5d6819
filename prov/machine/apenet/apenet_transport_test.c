/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The message engine uses the board: its counters show the commands, packets,
 * translations and events of messages. Damaged packets are retransmitted, and
 * packets that no ring expects are refused.
 */
#include "prov/machine/apenet/apenet_ring.h"
#include "prov/machine/apenet/apenet_transport.h"
#include "src/base/rng.h"
#include "test/support/nic_pair.h"

#include <errno.h>

/* ---- engines whose units the test accesses ---- */

static struct weft_unit *opened[2];
static unsigned opens;

static int unit_open(const struct weft_machine *m,
		     const struct weft_carrier_ops *carrier,
		     const struct weft_carrier_attr *attr,
		     struct weft_unit **u_p)
{
	int err = weft_unit_apenet.open(m, carrier, attr, u_p);

	opened[opens++ % 2] = err ? NULL : *u_p;
	return err;
}

/* Opens two endpoints: a has the first unit, b the second. */
static struct world *pair_open(bool no_dma)
{
	static struct weft_unit_ops ops;
	static struct weft_machine m;
	const struct grid g = { .own = &m, .no_dma = no_dma };

	ops = weft_unit_apenet;
	ops.open = unit_open;
	m = *weft_machine_find("apenet");
	m.unit = &ops;
	opens = 0;
	return world_open(&g);
}

static struct weft_unit *unit(const struct world *w, const struct side *s)
{
	return opened[s == &w->b];
}

static struct weft_apenet *board(const struct world *w, const struct side *s)
{
	return apenet_transport_board(unit(w, s));
}

static struct apenet_rings *rings(const struct world *w, const struct side *s)
{
	return apenet_transport_rings(unit(w, s));
}

static struct weft_apenet_stats stats(const struct world *w,
				      const struct side *s)
{
	struct weft_apenet_stats st;

	weft_apenet_stats(board(w, s), &st);
	return st;
}

static unsigned buffers(const struct world *w, const struct side *s)
{
	const struct weft_apenet *a = board(w, s);
	unsigned n = 0;

	for (unsigned i = 0; i < a->bufs; i++)
		n += a->buf[i].used;
	return n;
}

/* Sends a message from a to b and checks it. */
static void exchange(struct world *w, size_t len, uint64_t seed)
{
	unsigned char *from = malloc(len + 1);
	unsigned char *to = malloc(len + 1);
	unsigned done = w->b.completions;

	t_fill(from, len, seed);
	post_recv(&w->b, to, len, seed, WEFT_MATCH_ANY);
	post_send(w, &w->a, from, len, seed, 0);
	poll_until(w, &w->b, done + 1);
	T_OK(w->b.completion[done % 4096].err);
	T_IS(t_differs(to, len, seed), -1);
	while (!is_complete(&w->a, from))
		poll_both(w);
	free(from);
	free(to);
}

/* ---- messages use the board ---- */

static void short_messages_are_puts_into_a_ring(void **state)
{
	struct world *w = pair_open(false);
	struct weft_apenet_stats a, b;

	for (unsigned i = 0; i < 100; i++)
		exchange(w, 8, i);
	a = stats(w, &w->a);
	b = stats(w, &w->b);
	T_IS(a.puts, 100);
	T_IS(a.packets_out, a.puts);
	T_IS(a.active_steps, 3 * a.puts);
	T_IS(b.packets_in, a.packets_out);
	/* one page contains all short slots: one walk, then hits */
	T_IS(b.tlb_misses, 1);
	T_IS(b.walks, 1);
	T_IS(b.tlb_hits, b.packets_in - 1);
	/* b returns credits, half a ring at a time */
	T_TRUE(b.puts >= 100 / APENET_RING_SLOTS);
	T_IS(a.packets_in, b.packets_out);
	T_IS(a.refused + b.refused + a.dropped + b.dropped, 0);
	T_IS(rings(w, &w->b)->dropped, 0);
	/* events at the source, for the last of the send slots */
	T_TRUE(board(w, &w->a)->event_tail >= a.puts / APENET_RING_SLOTS);
	world_close(w);
}

static void long_messages_use_registered_buffers(void **state)
{
	struct world *w = pair_open(false);
	struct weft_apenet_stats b;
	uint64_t hits;

	exchange(w, BIG, 1);
	b = stats(w, &w->b);
	T_TRUE(b.gets >= 1);
	/* the target translates every page of its buffer */
	T_TRUE(b.packets_in >= BIG / 4096);
	T_TRUE(b.tlb_hits + b.tlb_misses >= BIG / 4096);
	T_TRUE(b.tlb_misses >= BIG / 4096 && b.walk_ns > 0);
	T_TRUE(buffers(w, &w->b) >= 3);
	hits = b.tlb_hits;
	for (uint64_t i = 2; i < 40; i++)
		exchange(w, BIG / 8, i);
	T_TRUE(stats(w, &w->b).tlb_hits > hits);
	T_TRUE(buffers(w, &w->b) <= 2 + 16);
	world_close(w);
}

/* Without access to the peer's memory, all data is sent through the ring. */
static void long_messages_without_dma_use_the_ring(void **state)
{
	struct world *w;
	struct weft_apenet_stats a;

	w = pair_open(true);
	exchange(w, BIG, 3);
	a = stats(w, &w->a);
	T_TRUE(a.packets_out > BIG / 4096);
	T_IS(stats(w, &w->b).packets_in, a.packets_out);
	T_IS(stats(w, &w->b).gets, 0);
	/* 16 pages of long slots and one of short slots */
	T_TRUE(stats(w, &w->b).tlb_misses >= 1 + APENET_RING_SLOTS);
	world_close(w);
}

static void a_silent_peer_has_no_ring(void **state)
{
	struct world *w = pair_open(false);

	T_IS(buffers(w, &w->a), 1);
	T_IS(buffers(w, &w->b), 1);
	exchange(w, 8, 1);
	/* short slots of a's ring; a has none before b sends */
	T_IS(buffers(w, &w->b), 2);
	T_IS(buffers(w, &w->a), 1);
	exchange(w, 2000, 1);
	T_IS(buffers(w, &w->b), 3);
	world_close(w);
}

/* ---- the two paths of a packet ---- */

static void no_noise(struct weft_pkt *pkt, unsigned char *data)
{
}

/* Packets with and without CRC have the same effects and counters. */
static void both_paths_count_alike(void **state)
{
	struct weft_apenet_stats st[2][2];

	for (int k = 0; k < 2; k++) {
		struct world *w = pair_open(false);

		board(w, &w->a)->noise = board(w, &w->b)->noise =
			k ? no_noise : NULL;
		for (unsigned i = 0; i < 200; i++)
			exchange(w, i * 53 % 9000, i);
		st[k][0] = stats(w, &w->a);
		st[k][1] = stats(w, &w->b);
		world_close(w);
	}
	for (int i = 0; i < 2; i++)
		T_TRUE(!memcmp(&st[0][i], &st[1][i], sizeof(st[0][i])));
}

/* ---- damaged packets ---- */

static struct weft_rng noise_rng;
static unsigned noise_hits;

static void flip(struct weft_pkt *pkt, unsigned char *data)
{
	static const unsigned char at[] = { 0, 1, 8, 13, 17, 23, 24, 31 };
	unsigned char *byte = (unsigned char *)pkt + at[noise_hits % 8];

	if (weft_rng_below(&noise_rng, 20))
		return;
	if (noise_hits++ % 2)
		byte = data + weft_rng_below(&noise_rng, pkt->len);
	*byte ^= (unsigned char)(1u << weft_rng_below(&noise_rng, 8));
}

static void damaged_packets_are_retransmitted(void **state)
{
	struct world *w;

	weft_rng_init(&noise_rng, 5, 0);
	w = pair_open(true);
	board(w, &w->a)->noise = board(w, &w->b)->noise = flip;
	for (unsigned i = 0; i < 300; i++)
		exchange(w, i % 7 ? i * 11 % 3000 : 100000, i);
	T_TRUE(stats(w, &w->a).crc_errors > 0);
	T_TRUE(stats(w, &w->b).crc_errors > 10);
	T_TRUE(rings(w, &w->a)->resent > 10);
	world_close(w);
}

/* ---- forged packets ---- */

/* A process that sends packets of any content to side b. */
struct forger {
	struct weft_carrier *c;
	struct weft_peer *peer;
};

static int no_deliver(void *arg, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload)
{
	return 0;
}

static void no_lost(void *arg, struct weft_peer *peer, int err)
{
}

static void forger_open(struct forger *f, const struct side *to)
{
	static const struct weft_carrier_up none = {
		.deliver = no_deliver,
		.lost = no_lost,
	};
	const struct weft_carrier_attr attr = {
		.name = { .in.sin_family = AF_INET },
		.up = &none,
	};

	T_OK(weft_carrier_loop.open(&attr, &f->c));
	T_OK(f->c->ops->peer(f->c, &to->name, &f->peer));
}

#define MESSAGE 1 /* packet type of a whole message */
#define SINGLE	(APENET_FIRST | APENET_LAST | APENET_RECEIVE | APENET_NO_CRC)

/* Sends a put of `bytes` to an address; the slot contains a valid header. */
static void forge(struct world *w, struct forger *f, uint64_t address,
		  unsigned bytes, uint64_t data)
{
	unsigned char buf[APENET_PAYLOAD] = { 0 };
	struct apenet_slot slot = { .word = MESSAGE };
	struct iovec iov = { buf, bytes };
	const struct weft_pkt pkt = {
		.type = APENET_PKT,
		.flags = SINGLE,
		.len = (uint16_t)bytes,
		.tag = address,
		.data = data,
	};

	if (bytes >= sizeof(slot)) {
		slot.word |= (uint64_t)(bytes - sizeof(slot)) << 16;
		memcpy(buf, &slot, sizeof(slot));
	}
	T_OK(f->c->ops->send(f->c, f->peer, &pkt, &iov, 1));
	for (int i = 0; i < 4; i++) {
		f->c->ops->poll(f->c, 8);
		poll_both(w);
	}
}

#define OWN (APENET_RING_ADDRESS | 99 * APENET_RING_SPAN)

static void a_ring_accepts_only_the_next_packet(void **state)
{
	static const struct {
		uint64_t offset;
		unsigned bytes;
		uint64_t data;
		unsigned dropped;
	} row[] = {
		{ APENET_RING_SHORTS, 32, 0, 0 },
		{ APENET_RING_SHORTS, 32, 0, 1 },	/* a duplicate */
		{ APENET_RING_SHORTS + 256, 32, 1, 1 }, /* slot of packet 2 */
		/* a packet after a gap */
		{ APENET_RING_SHORTS + 256, 32, 2, 1 },
		/* a short packet in a long slot */
		{ APENET_RING_LONGS + 4096, 32, 1, 1 },
		{ APENET_RING_SHORTS + 128, 200, 1, 1 },
		/* a packet shorter than a header */
		{ APENET_RING_SHORTS + 128, 23, 1, 1 },
		{ APENET_RING_SHORTS + 128, 0, 1, 1 },
		{ APENET_RING_SHORTS + 128, 32, 1, 0 },
		{ APENET_RING_LONGS + 2 * 4096, 129, 2, 0 },
	};
	struct world *w = pair_open(false);
	struct forger f;
	uint64_t dropped = 0;

	forger_open(&f, &w->b);
	for (unsigned i = 0; i < WEFT_COUNT_OF(row); i++) {
		forge(w, &f, OWN + row[i].offset, row[i].bytes, row[i].data);
		dropped += row[i].dropped;
		T_IS(rings(w, &w->b)->dropped, dropped);
	}
	T_IS(stats(w, &w->b).dropped, 0);
	f.c->ops->close(f.c);
	exchange(w, 5000, 1);
	world_close(w);
}

static int refuse(void *arg, struct weft_peer *src, const struct weft_pkt *pkt,
		  const void *payload)
{
	++*(unsigned *)arg;
	return -EAGAIN;
}

/*
 * The sender overwrites the slot of a packet that the engine has refused: the
 * packet is dropped.
 */
static void a_slot_that_changes_before_its_delivery_is_dropped(void **state)
{
	static const struct weft_carrier_up refusing = {
		.deliver = refuse,
		.lost = no_lost,
	};
	struct world *w = pair_open(false);
	struct apenet_rings *b = rings(w, &w->b);
	const struct weft_carrier_up *engine = b->up;
	void *engine_arg = b->up_arg;
	unsigned refused = 0;
	struct forger f;

	forger_open(&f, &w->b);
	b->up = &refusing;
	b->up_arg = &refused;
	forge(w, &f, OWN + APENET_RING_SHORTS, 32, 0);
	T_TRUE(refused > 0);
	T_IS(b->dropped, 0);
	/* a duplicate, whose header has another length */
	forge(w, &f, OWN + APENET_RING_SHORTS, 40, 0);
	T_IS(b->dropped, 2);
	refused = 0;
	poll_both(w);
	T_IS(refused, 0);
	b->up = engine;
	b->up_arg = engine_arg;
	forge(w, &f, OWN + APENET_RING_SHORTS + 128, 32, 1);
	T_IS(b->dropped, 2);
	f.c->ops->close(f.c);
	exchange(w, 5000, 1);
	world_close(w);
}

static void a_ring_can_be_written_only_by_its_sender(void **state)
{
	struct world *w = pair_open(false);
	uint64_t other = rings(w, &w->a)->base;
	struct forger f;

	exchange(w, 8, 1);
	forger_open(&f, &w->b);
	forge(w, &f, OWN + APENET_RING_SHORTS, 32, 0);
	T_IS(rings(w, &w->b)->dropped, 0);
	/* next packet of a, and a credit */
	forge(w, &f, other + APENET_RING_SHORTS + 128, 32, 1);
	forge(w, &f, other, sizeof(struct apenet_credit), 0);
	/* outside of all rings, and across the end of the short slots */
	forge(w, &f, 4096, 32, 1);
	forge(w, &f, OWN + APENET_RING_PART_0 - 16, 32, 1);
	T_IS(stats(w, &w->b).dropped, 4);
	T_IS(rings(w, &w->b)->dropped, 4);
	f.c->ops->close(f.c);
	exchange(w, 5000, 2);
	world_close(w);
}

/* Only puts of one packet are accepted; gets from peers are not served. */
static void other_commands_are_refused(void **state)
{
	struct world *w = pair_open(false);
	const struct apenet_get_request req = { .bytes = 8 };
	struct iovec iov = { (void *)(uintptr_t)&req, sizeof(req) };
	struct weft_pkt pkt = { .len = sizeof(req), .flags = SINGLE };
	struct forger f;
	unsigned n = 0;

	forger_open(&f, &w->b);
	for (unsigned op = 0; op <= APENET_OPS; op++) {
		for (unsigned flags = 0; flags < 32; flags++) {
			pkt.type = (uint8_t)(APENET_PKT + op);
			pkt.flags = (uint8_t)flags;
			if (!op && (flags | APENET_NO_CRC) == SINGLE)
				continue;
			n++;
			T_OK(f.c->ops->send(f.c, f.peer, &pkt, &iov, 1));
			poll_both(w);
			f.c->ops->poll(f.c, 8);
		}
	}
	poll_both(w);
	T_IS(stats(w, &w->b).refused, n);
	T_IS(stats(w, &w->b).served + stats(w, &w->b).packets_in, 0);
	T_TRUE(weft_list_empty(&board(w, &w->b)->get_replies));
	T_IS(buffers(w, &w->b), 1);
	f.c->ops->close(f.c);
	world_close(w);
}

/* A credit for packets that were not sent is ignored. */
static void impossible_credits_are_ignored(void **state)
{
	struct world *w = pair_open(false);
	struct forger f;
	struct iovec iov;
	struct apenet_credit credit = { .taken = 5, .arrived = 7, .resend = 1 };
	const struct weft_pkt pkt = {
		.type = APENET_PKT,
		.flags = SINGLE,
		.len = sizeof(credit),
		.tag = OWN,
	};

	forger_open(&f, &w->b);
	iov = (struct iovec){ &credit, sizeof(credit) };
	for (int i = 0; i < 3; i++) {
		T_OK(f.c->ops->send(f.c, f.peer, &pkt, &iov, 1));
		poll_both(w);
		credit.taken = i ? 1u << 31 : UINT32_MAX;
	}
	T_IS(rings(w, &w->b)->resent, 0);
	f.c->ops->close(f.c);
	exchange(w, 5000, 2);
	world_close(w);
}

/* Returns the carrier of side a, which may send any packet to b. */
static struct weft_carrier *carrier_of_a(const struct world *w)
{
	return board(w, &w->a)->port.carrier;
}

/*
 * A credit is ignored if it would mean that more packets are outstanding than
 * were sent: b can still send to a.
 */
static void a_credit_below_the_window_is_ignored(void **state)
{
	struct world *w = pair_open(false);
	struct apenet_credit credit = {
		.taken = 0u - APENET_RING_SLOTS,
	};
	struct iovec iov = { &credit, sizeof(credit) };
	const struct weft_pkt pkt = {
		.type = APENET_PKT,
		.flags = SINGLE,
		.len = sizeof(credit),
		.tag = rings(w, &w->a)->base,
	};
	char out[8] = "message", in[8];

	exchange(w, 8, 1); /* opens the ring of a at b */
	T_OK(carrier_of_a(w)->ops->send(carrier_of_a(w), w->a.peer, &pkt, &iov,
					1));
	poll_both(w);
	post_recv(&w->a, in, sizeof(in), 9, WEFT_MATCH_ANY);
	post_send(w, &w->b, out, sizeof(out), 9, 0);
	for (int i = 0; i < 1000 && !is_complete(&w->a, in); i++)
		poll_both(w);
	T_MEM(in, out, sizeof(in));
	world_close(w);
}

/* The address of a packet with a wrong CRC is not the address of a ring. */
static void a_damaged_first_packet_opens_no_ring(void **state)
{
	struct world *w = pair_open(false);
	unsigned char data[64] = { 0 };
	struct iovec iov = { data, sizeof(data) };
	struct weft_pkt pkt = {
		.type = APENET_PKT,
		.flags = SINGLE & ~APENET_NO_CRC,
		.len = sizeof(data),
		.tag = OWN,
	};
	struct forger f;

	forger_open(&f, &w->b);
	pkt.unit = apenet_crc(board(w, &w->b), &pkt, data) ^ 1;
	T_OK(f.c->ops->send(f.c, f.peer, &pkt, &iov, 1));
	for (int i = 0; i < 4; i++)
		poll_both(w);
	T_IS(buffers(w, &w->b), 1);
	f.c->ops->close(f.c);
	exchange(w, 5000, 2);
	world_close(w);
}

/* ---- lost peers ---- */

static void the_buffers_of_a_lost_peer_are_closed(void **state)
{
	struct world *w = pair_open(false);

	exchange(w, 8, 1);
	T_IS(buffers(w, &w->b), 2);
	weft_nic_close(w->a.nic);
	while (!w->b.peer->lost)
		weft_nic_poll(w->b.nic, 8);
	T_IS(buffers(w, &w->b), 1);
	T_TRUE(try_send(&w->b, w, 8, 1, 0) < 0);
	weft_nic_close(w->b.nic);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(short_messages_are_puts_into_a_ring),
		T_CASE(long_messages_use_registered_buffers),
		T_CASE(long_messages_without_dma_use_the_ring),
		T_CASE(a_silent_peer_has_no_ring),
		T_CASE(both_paths_count_alike),
		T_CASE(damaged_packets_are_retransmitted),
		T_CASE(a_ring_accepts_only_the_next_packet),
		T_CASE(a_slot_that_changes_before_its_delivery_is_dropped),
		T_CASE(a_ring_can_be_written_only_by_its_sender),
		T_CASE(other_commands_are_refused),
		T_CASE(impossible_credits_are_ignored),
		T_CASE(a_credit_below_the_window_is_ignored),
		T_CASE(a_damaged_first_packet_opens_no_ring),
		T_CASE(the_buffers_of_a_lost_peer_are_closed),
	};

	return T_RUN(tests);
}
