/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets with WEFT_PKT_SPLIT_OK ("unordered"): if such a packet does not fit
 * in a datagram, it is split into several packets, each delivered from the read
 * buffer as soon as it arrives. The packets carry one long message; the tag of
 * a packet is its offset in the message.
 */
#include "prov/carrier/sock/sock.h"
#include "src/base/rng.h"
#include "test/t.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	PACKET = 8000,
	PACKETS = 400,
	BYTES = PACKET * PACKETS,
	UNORDERED = 1,
	ORDERED
};

struct side {
	struct weft_carrier *c;
	union weft_name name;
	uint8_t *arrivals;   /* number of arrivals of each byte */
	uint64_t bytes;	     /* bytes that arrived */
	uint64_t contiguous; /* offset before which all bytes have arrived */
	uint64_t pieces;     /* unordered packets */
	/* packets that arrived before one that was sent earlier */
	uint64_t out_of_order;
	uint64_t ordered; /* packets delivered in order */
	uint64_t bad;
	uint64_t lost;
	/* one of this many packets is refused, at random; 0: none */
	uint32_t refuse_every;
	bool accept_all; /* accept everything unchecked */
	struct weft_rng rng;
};

static uint8_t content(uint64_t offset)
{
	return (uint8_t)(offset * 131 + offset / 251);
}

/* Checks that all packets sent before this one have arrived. */
static void got_ordered(struct side *s, const struct weft_pkt *pkt)
{
	while (s->contiguous < BYTES && s->arrivals[s->contiguous])
		s->contiguous++;
	s->bad += s->contiguous < pkt->tag || pkt->aux != s->ordered;
	s->ordered++;
}

static void got_piece(struct side *s, const struct weft_pkt *pkt,
		      const uint8_t *payload)
{
	s->pieces++;
	s->out_of_order += pkt->tag > s->bytes;
	if (pkt->tag + pkt->len > BYTES) {
		s->bad++;
		return;
	}
	for (uint64_t i = 0; i < pkt->len; i++) {
		s->bad += payload[i] != content(pkt->tag + i);
		s->bad += s->arrivals[pkt->tag + i]++ != 0;
	}
	s->bytes += pkt->len;
}

static int side_deliver(void *arg, struct weft_peer *src,
			const struct weft_pkt *pkt, const void *payload)
{
	struct side *s = arg;

	if (s->accept_all)
		return 0;
	if (s->refuse_every && !weft_rng_below(&s->rng, s->refuse_every))
		return -EAGAIN;
	s->bad += pkt->carrier != 0 || (uintptr_t)payload % 8 != 0;
	if (pkt->type == ORDERED)
		got_ordered(s, pkt);
	else
		got_piece(s, pkt, payload);
	return 0;
}

static void side_lost(void *arg, struct weft_peer *peer, int err)
{
	((struct side *)arg)->lost++;
}

static void side_open(struct side *s, const char *plan)
{
	static const struct weft_carrier_up up = { .deliver = side_deliver,
						   .lost = side_lost };
	struct weft_carrier_attr attr = { .up = &up,
					  .up_arg = s,
					  .faults = plan };

	*s = (struct side){ .arrivals = calloc(BYTES, 1) };
	T_NOT_NULL(s->arrivals);
	weft_rng_init(&s->rng, 3, 0);
	T_OK(weft_carrier_sock.open(&attr, &s->c));
	T_TRUE(s->c->cuts);
	s->c->ops->name_get(s->c, &s->name);
}

static void side_close(struct side *s)
{
	T_IS(s->bad + s->lost, 0);
	s->c->ops->close(s->c);
	free(s->arrivals);
}

struct pair {
	struct side a, b;
	struct sock_peer *ab;
};

static void pair_open(struct pair *p, const char *plan, uint32_t dgram)
{
	struct weft_peer *to;

	side_open(&p->a, plan);
	side_open(&p->b, NULL);
	T_OK(p->a.c->ops->peer(p->a.c, &p->b.name, &to));
	p->ab = sock_peer_of(to);
	sock_peer_dgram_max_set(p->ab, dgram);
}

static void pair_send(struct pair *p, const struct weft_pkt *pkt,
		      const void *payload)
{
	struct iovec iov = { (void *)(uintptr_t)payload, pkt->len };
	struct t_limit limit;
	int ret;

	t_limit_set(&limit, 60);
	while ((ret = p->a.c->ops->send(p->a.c, &p->ab->base, pkt, &iov,
					!!pkt->len)) == -EAGAIN) {
		p->a.c->ops->poll(p->a.c, 64);
		p->b.c->ops->poll(p->b.c, 64);
		T_FALSE(t_limit_expired(&limit));
	}
	T_OK(ret);
	/*
	 * without this poll, b's progress thread would read the packets and
	 * store those that are out of order
	 */
	p->b.c->ops->poll(p->b.c, 64);
}

/* Sends the whole message, with an ordered packet after every eighth packet. */
static void pair_exchange(struct pair *p)
{
	static uint8_t payload[PACKET];
	struct t_limit limit;
	uint32_t ordered = 0;

	for (uint64_t offset = 0; offset < BYTES; offset += PACKET) {
		struct weft_pkt pkt = { .type = UNORDERED,
					.len = PACKET,
					.carrier = WEFT_PKT_SPLIT_OK,
					.tag = offset };

		for (uint64_t i = 0; i < PACKET; i++)
			payload[i] = content(offset + i);
		pair_send(p, &pkt, payload);
		if (offset / PACKET % 8 != 7)
			continue;
		pkt = (struct weft_pkt){ .type = ORDERED,
					 .tag = offset + PACKET,
					 .aux = ordered++ };
		pair_send(p, &pkt, NULL);
	}
	t_limit_set(&limit, 60);
	while (p->b.ordered < ordered || p->b.bytes < BYTES) {
		p->a.c->ops->poll(p->a.c, 64);
		p->b.c->ops->poll(p->b.c, 64);
		T_FALSE(t_limit_expired(&limit));
	}
	T_IS(p->b.ordered, ordered);
	T_IS(p->b.bytes, BYTES);
}

/* Returns whether b has ever reassembled a packet. */
static bool pair_reassembled(struct pair *p)
{
	struct weft_peer *from;

	T_OK(p->b.c->ops->peer(p->b.c, &p->a.name, &from));
	return sock_peer_of(from)->reassembly;
}

/* Unordered packets are delivered without reassembly. */
static void unordered_packets_are_split_into_packets(void **state)
{
	static const uint32_t dgram[] = { 1456, SOCK_DGRAM_MIN, 9000 };

	for (size_t i = 0; i < WEFT_COUNT_OF(dgram); i++) {
		struct pair p;

		pair_open(&p, NULL, dgram[i]);
		pair_exchange(&p);
		if (dgram[i] < PACKET)
			T_TRUE(p.b.pieces >= PACKETS * (PACKET / dgram[i]));
		T_FALSE(pair_reassembled(&p));
		side_close(&p.a);
		side_close(&p.b);
	}
}

static bool pair_waits(struct pair *p)
{
	bool waits;

	sock_enter(sock_of(p->a.c));
	waits = sock_tx_pending(p->ab);
	sock_leave(sock_of(p->a.c));
	return waits;
}

/* Polls until everything sent is delivered. */
static void pair_settle(struct pair *p)
{
	struct t_limit limit;

	t_limit_set(&limit, 60);
	while (pair_waits(p)) {
		p->a.c->ops->poll(p->a.c, 64);
		p->b.c->ops->poll(p->b.c, 64);
		T_FALSE(t_limit_expired(&limit));
	}
}

/*
 * Accepts the remaining packets without checks: close waits until they are
 * delivered.
 */
static void pair_close(struct pair *p)
{
	p->b.accept_all = true;
	pair_settle(p);
	side_close(&p->a);
	side_close(&p->b);
}

/*
 * Packets of this length leave every possible space at the end of a datagram,
 * yet all datagrams except the last have one size. The lock keeps the progress
 * thread from sending them.
 */
static void full_datagrams_have_one_size(void **state)
{
	enum { N = 40, LEN = 1360 };
	static uint8_t payload[LEN];
	struct iovec iov = { payload, LEN };
	struct pair p;
	struct sock *s;

	pair_open(&p, NULL, 1456);
	pair_exchange(&p);
	pair_settle(&p);
	s = sock_of(p.a.c);
	sock_enter(s);
	s->polling = true;
	/* load on the host may have reduced the windows: enlarge them */
	p.ab->pace.window = p.ab->room = 1u << 20;
	for (uint64_t i = 0; i < N; i++) {
		struct weft_pkt pkt = { .type = UNORDERED,
					.len = LEN,
					.carrier = WEFT_PKT_SPLIT_OK,
					.tag = BYTES };

		T_OK(sock_tx_send(s, p.ab, &pkt, &iov));
	}
	s->polling = false;
	T_TRUE(p.ab->tx.next - p.ab->tx.acked >= N);
	for (uint32_t i = p.ab->tx.acked; i != p.ab->tx.next; i++)
		T_IS(sock_flight(p.ab, i)->dgram->bytes, 1456);
	sock_leave(s);
	pair_close(&p);
}

/* A missing datagram delays ordered packets only. */
static void unordered_packets_do_not_wait_for_lost_datagrams(void **state)
{
	struct pair p;

	pair_open(
		&p,
		"seed=7; loss=0.05; duplicate=0.05; reorder=0.1; corrupt=0.02",
		1456);
	pair_exchange(&p);
	T_TRUE(p.b.out_of_order > 0);
	pair_close(&p);
}

/* A refused packet is delivered later; every packet is delivered once. */
static void a_refused_unordered_packet_is_redelivered_once(void **state)
{
	static const char *const plan[] = { NULL, "seed=8; loss=0.05" };

	for (size_t i = 0; i < WEFT_COUNT_OF(plan); i++) {
		struct pair p;

		pair_open(&p, plan[i], 1456);
		p.b.refuse_every = 50;
		pair_exchange(&p);
		pair_close(&p);
	}
}

/*
 * A packet of `whole` bytes is sent in one datagram, a longer one in several.
 */
static void an_unsplit_packet_is_one_datagram(void **state)
{
	for (uint32_t dgram = 1441; dgram < 1456; dgram += 5) {
		struct pair p;
		struct sock *s;
		uint32_t next;

		pair_open(&p, NULL, dgram);
		pair_exchange(&p);
		s = sock_of(p.a.c);
		sock_enter(s);
		s->polling = true;
		p.ab->pace.window = p.ab->room = 1u << 20;
		for (uint32_t more = 0; more <= 8; more += 8) {
			static uint8_t data[1500];
			struct iovec iov = { data, p.ab->base.whole + more };
			struct weft_pkt pkt = { .type = UNORDERED,
						.len = (uint16_t)iov.iov_len,
						.carrier = WEFT_PKT_SPLIT_OK,
						.tag = BYTES };

			sock_poll_pass_send_deferred(s);
			next = p.ab->tx.next;
			T_OK(sock_tx_send(s, p.ab, &pkt, &iov));
			T_IS(p.ab->tx.next - next, more ? 1 : 0);
			T_TRUE(p.ab->open->bytes <= dgram);
		}
		s->polling = false;
		sock_leave(s);
		pair_close(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(unordered_packets_are_split_into_packets),
		T_CASE(full_datagrams_have_one_size),
		T_CASE(unordered_packets_do_not_wait_for_lost_datagrams),
		T_CASE(a_refused_unordered_packet_is_redelivered_once),
		T_CASE(an_unsplit_packet_is_one_datagram),
	};

	return T_RUN(tests);
}
