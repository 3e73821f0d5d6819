/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Model of two endpoints over a raw layer that loses, duplicates and reorders
 * packets and acknowledgements. Both endpoints send at the same time; each
 * packet must be delivered once and in order, also when the numbers wrap
 * around. Every seed is run with a window of one number (stop and wait), with
 * 64 numbers and selective acknowledgements, with the largest window, and with
 * a receiver that accepts only the next number (go-back-N).
 */
#include "prov/arq/arq.h"
#include "src/base/rng.h"
#include "test/t.h"

#include <string.h>

enum { PACKETS = 3000, IN_FLIGHT = 256, RTO = 40, RTO_MAX = 400 };

#define FIRST (UINT32_MAX - 1000)

/* Raw packet: data, and an acknowledgement of the other direction. */
struct packet {
	bool has_data;
	uint32_t seq;
	uint32_t value; /* value of the packet: 0, 1, 2, ... */
	uint32_t ack;
	uint64_t ack_bits;
};

struct side {
	struct weft_arq_tx tx;
	struct weft_arq_win rx;
	struct {
		bool used;
		uint32_t value;
		struct weft_arq_timer timer;
	} flight[WEFT_ARQ_WINDOW];
	uint32_t kept[WEFT_ARQ_WINDOW]; /* values received out of order */
	/* values sent, without retransmissions */
	uint32_t sent;
	uint32_t delivered;
	uint32_t retransmitted;
	uint32_t duplicates;
	bool ack_due;
	struct packet in[IN_FLIGHT]; /* packets in flight to this side */
	unsigned in_count;
};

struct model {
	struct side side[2];
	uint32_t tx_window;
	uint32_t rx_window;
	uint64_t now;
	struct weft_rng rng;
};

static bool one_in(struct model *m, uint64_t n)
{
	return !weft_rng_below(&m->rng, n);
}

/*
 * Sends through the raw layer, which loses a fifth of the packets and
 * duplicates a tenth of the others.
 */
static void emit(struct model *m, unsigned from, struct packet p)
{
	struct side *to = &m->side[!from];
	unsigned copies = one_in(m, 5) ? 0 : one_in(m, 10) ? 2 : 1;

	p.ack = m->side[from].rx.next;
	p.ack_bits = weft_arq_win_word(&m->side[from].rx, 0);
	m->side[from].ack_due = false;
	while (copies-- && to->in_count < IN_FLIGHT)
		to->in[to->in_count++] = p;
}

static void emit_data(struct model *m, unsigned from, uint32_t seq)
{
	struct side *s = &m->side[from];

	emit(m, from,
	     (struct packet){ .has_data = true,
			      .seq = seq,
			      .value =
				      s->flight[seq % WEFT_ARQ_WINDOW].value });
}

static void send_new(struct model *m, unsigned from)
{
	struct side *s = &m->side[from];
	uint32_t i = s->tx.next % WEFT_ARQ_WINDOW;

	if (s->sent == PACKETS || weft_arq_in_flight(&s->tx) >= m->tx_window)
		return;
	T_FALSE(s->flight[i].used);
	s->flight[i].used = true;
	s->flight[i].value = s->sent++;
	weft_arq_timer_start(&s->flight[i].timer, m->now, RTO);
	emit_data(m, from, s->tx.next++);
}

static void retransmit(struct model *m, unsigned from)
{
	struct side *s = &m->side[from];

	for (uint32_t seq = s->tx.acked; seq != s->tx.next; seq++) {
		uint32_t i = seq % WEFT_ARQ_WINDOW;

		if (!s->flight[i].used ||
		    !weft_arq_timer_expired(&s->flight[i].timer, m->now,
					    RTO_MAX))
			continue;
		T_TRUE(s->flight[i].timer.wait <= RTO_MAX);
		s->retransmitted++;
		emit_data(m, from, seq);
	}
}

static void acknowledged(struct side *s, const struct packet *p)
{
	uint32_t seq = s->tx.acked;

	if (!weft_arq_tx_ack(&s->tx, p->ack))
		return;
	for (; seq != s->tx.next; seq++) {
		if (weft_arq_ack_has(p->ack, p->ack_bits, seq))
			s->flight[seq % WEFT_ARQ_WINDOW].used = false;
	}
}

static void arrive(struct model *m, struct side *s, const struct packet *p)
{
	acknowledged(s, p);
	if (!p->has_data)
		return;
	s->ack_due = true;
	switch (weft_arq_win_arrive(&s->rx, p->seq, m->rx_window)) {
	case WEFT_ARQ_NEW:
		s->kept[p->seq % WEFT_ARQ_WINDOW] = p->value;
		break;
	case WEFT_ARQ_OLD:
		s->duplicates++;
		break;
	case WEFT_ARQ_OUTSIDE:
		break;
	}
	for (; weft_arq_win_ready(&s->rx); weft_arq_win_advance(&s->rx))
		T_IS(s->kept[s->rx.next % WEFT_ARQ_WINDOW], s->delivered++);
}

/* Receives an eighth of the packets in flight, in any order. */
static void receive(struct model *m, struct side *s)
{
	for (unsigned i = s->in_count; i-- > 0;) {
		struct packet p = s->in[i];

		if (!one_in(m, 8))
			continue;
		s->in[i] = s->in[--s->in_count];
		arrive(m, s, &p);
	}
}

static bool complete(const struct side *s)
{
	return s->sent == PACKETS && s->delivered == PACKETS &&
	       !weft_arq_in_flight(&s->tx);
}

static void run(uint64_t seed, uint32_t tx_window, uint32_t rx_window)
{
	static struct model m;

	memset(&m, 0, sizeof(m));
	m.tx_window = tx_window;
	m.rx_window = rx_window;
	weft_rng_init(&m.rng, seed, tx_window);
	for (unsigned i = 0; i < 2; i++) {
		m.side[i].tx = (struct weft_arq_tx){ FIRST + i, FIRST + i };
		weft_arq_win_init(&m.side[i].rx, FIRST + !i);
	}
	while (!complete(&m.side[0]) || !complete(&m.side[1])) {
		T_TRUE(++m.now < 10000000);
		for (unsigned i = 0; i < 2; i++) {
			send_new(&m, i);
			receive(&m, &m.side[i]);
			retransmit(&m, i);
			if (m.side[i].ack_due && one_in(&m, 2))
				emit(&m, i, (struct packet){ 0 });
		}
	}
	for (unsigned i = 0; i < 2; i++) {
		T_IS(m.side[i].tx.acked, FIRST + i + PACKETS);
		T_TRUE(m.side[i].retransmitted > 0);
		T_TRUE(m.side[i].duplicates > 0);
	}
}

static void stop_and_wait_delivers_once_and_in_order(void **state)
{
	for (uint64_t seed = 0; seed < 5; seed++)
		run(seed, 1, 1);
}

static void selective_repeat_delivers_once_and_in_order(void **state)
{
	for (uint64_t seed = 0; seed < 20; seed++)
		run(seed, 64, 64);
}

static void the_largest_window_delivers_once_and_in_order(void **state)
{
	for (uint64_t seed = 0; seed < 5; seed++)
		run(seed, WEFT_ARQ_WINDOW, WEFT_ARQ_WINDOW);
}

static void go_back_n_delivers_once_and_in_order(void **state)
{
	for (uint64_t seed = 0; seed < 5; seed++)
		run(seed, 16, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(stop_and_wait_delivers_once_and_in_order),
		T_CASE(selective_repeat_delivers_once_and_in_order),
		T_CASE(the_largest_window_delivers_once_and_in_order),
		T_CASE(go_back_n_delivers_once_and_in_order),
	};

	return T_RUN(tests);
}
