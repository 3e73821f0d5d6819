/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A poll pass: deliver what the reorder buffers hold in order, read the socket,
 * then for every busy peer acknowledge, send and retransmit, and check whether
 * it is lost. An acknowledgement is delayed for a moment, so that data in the
 * other direction can carry it.
 */
#include "prov/carrier/sock/sock.h"
#include "src/base/attr.h"
#include "src/base/clock.h"

#include <errno.h>
#include <poll.h>

#define TURN_ACK_GRAMS	96u
#define TURN_ACK_BYTES	120000u		    /* nearly two batches of a sender */
#define TURN_SOON_NS	UINT64_C(50000)	    /* delay of an urgent ACK */
#define TURN_ACK_NS	UINT64_C(400000)    /* delay of other ACKs */
#define TURN_BLOCKED_NS UINT64_C(50000)	    /* until delivery is retried */
#define TURN_UNSENT_NS	UINT64_C(1000000)   /* until sending is retried */
#define TURN_TICK_NS	UINT64_C(100000000) /* between two rounds of probes */
#define TURN_QUIET_NS	UINT64_C(200000000) /* silence before a probe ... */
#define TURN_EACH_NS	UINT64_C(50000000)  /* ... or this long for each peer */
#define TURN_POKES	64u		    /* probes per round */
#define TURN_ASKS	8u		    /* probes within silence_ns */
#define TURN_READS	4

#define FINISH_DATA_NS UINT64_C(5000000000) /* data are unacknowledged */
#define FINISH_BYE_NS  UINT64_C(1000000000) /* only the BYE is unanswered */
#define FINISH_MIN_NS  UINT64_C(2000000)
#define FINISH_MAX_NS  UINT64_C(50000000)

static struct sock_peer *turn_peer(struct weft_list *n)
{
	return weft_container_of(n, struct sock_peer, busy);
}

static bool turn_ended(const struct sock_peer *p)
{
	return p->broken || (p->bye && p->rx.next == p->bye_seq);
}

/* Loses p if it has ended; its packets are delivered first. */
static void turn_verdict(struct sock *s, struct sock_peer *p, bool drained)
{
	if (turn_ended(p))
		sock_peer_lose(s, p, p->broken ? p->broken : ESHUTDOWN);
	else if (p->refused && drained && !sock_win_ready(&p->rx))
		sock_peer_lose(s, p, ECONNRESET);
}

/* Time when a delayed acknowledgement is sent. */
static uint64_t turn_ack_at(const struct sock_peer *p)
{
	return p->unacked_ns + (p->ack_soon ? TURN_SOON_NS : TURN_ACK_NS);
}

static void turn_ack(struct sock *s, struct sock_peer *p, bool idle)
{
	if (p->self) {
		p->unacked = 0;
		p->ack_now = false;
		return;
	}
	if (p->ack_now || p->unacked >= TURN_ACK_GRAMS ||
	    p->unacked_bytes >= TURN_ACK_BYTES ||
	    (idle && p->unacked && s->now >= turn_ack_at(p)))
		sock_tx_small(s, p, SOCK_ACK);
}

static uint64_t turn_sooner(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Time of the next retransmission to p. */
static uint64_t turn_timer(const struct sock *s, const struct sock_peer *p)
{
	uint64_t due = p->rto_at ? p->rto_at : UINT64_MAX;

	if (p->losses)
		due = turn_sooner(due, s->now + TURN_UNSENT_NS);
	return due;
}

/* Time when p needs another pass, if nothing arrives before. */
static uint64_t turn_due(const struct sock *s, const struct sock_peer *p)
{
	uint64_t due = turn_timer(s, p);

	if (turn_ended(p))
		return s->now;
	if (p->unacked)
		due = turn_sooner(due, turn_ack_at(p));
	if (p->refused)
		due = turn_sooner(due, s->now + TURN_BLOCKED_NS);
	else if (p->doubt_ns)
		due = turn_sooner(due, p->probe_ns);
	if (sock_win_ready(&p->rx))
		due = p->blocked ? turn_sooner(due, s->now + TURN_BLOCKED_NS)
				 : s->now;
	return due;
}

/* Runs after the flush, since losing a peer frees its datagrams. */
static uint64_t turn_end(struct sock *s, struct sock_peer *p, bool drained)
{
	uint64_t due;

	if (!s->away)
		turn_verdict(s, p, drained);
	if (p->base.lost)
		return UINT64_MAX;
	due = turn_due(s, p);
	if (due == UINT64_MAX && !p->open)
		weft_list_remove(&p->busy);
	return due;
}

static uint64_t turn_peers(struct sock *s, bool idle, bool drained)
{
	uint64_t due = s->faults.any ? sock_fault_due(s) : UINT64_MAX;
	struct weft_list *i, *tmp;

	s->stirred = false;
	weft_list_each(i, tmp, &s->busy)
	{
		struct sock_peer *p = turn_peer(i);

		if (weft_unlikely(p->doubt_ns))
			sock_peer_probe(s, p);
		sock_tx_run(s, p);
		turn_ack(s, p, idle);
	}
	sock_io_flush(s);
	weft_list_each(i, tmp, &s->busy) due =
		turn_sooner(due, turn_end(s, turn_peer(i), drained));
	return due;
}

static int turn_kept(struct sock *s, int budget)
{
	struct weft_list *i, *tmp;
	int n = 0;

	weft_list_each(i, tmp, &s->busy)
	{
		struct sock_peer *p = turn_peer(i);

		if (n < budget && sock_win_ready(&p->rx))
			n += sock_rx_release(s, p, budget - n);
	}
	return n;
}

/*
 * Kind of the probe of a quiet peer. A peer on a remote host has to answer from
 * time to time, since its host may have failed; its progress thread answers
 * while it computes.
 */
static enum sock_kind turn_poke_kind(struct sock *s, struct sock_peer *p)
{
	if (p->local || s->now - p->heard_ns < s->silence_ns / TURN_ASKS)
		return SOCK_ACK;
	if (p->asked_ns <= p->heard_ns) {
		p->asked_ns = s->now;
	} else if (s->now - p->heard_ns > s->silence_ns &&
		   s->now - p->asked_ns > s->silence_ns / 2) {
		sock_tx_say_silent(s, p);
		sock_peer_busy(s, p);
	}
	return SOCK_HELLO;
}

/*
 * Silence of a peer in ns before it is probed. Every probe wakes a blocked
 * process, so the interval grows with the number of peers. A silent host has to
 * be probed in time, however.
 */
static uint64_t turn_quiet_ns(const struct sock *s)
{
	uint64_t ns = turn_sooner(s->peer_count * TURN_EACH_NS,
				  s->silence_ns / TURN_ASKS);

	return ns > TURN_QUIET_NS ? ns : TURN_QUIET_NS;
}

/*
 * Probes quiet peers to which nothing else may be sent for a long time: if the
 * process has died, its host refuses the probe.
 */
static void turn_poke(struct sock *s)
{
	uint32_t most = s->peer_count < TURN_POKES ? s->peer_count : TURN_POKES;
	uint64_t quiet_ns = turn_quiet_ns(s);

	s->tick_ns = s->now + TURN_TICK_NS;
	for (uint32_t i = 0; i < most; i++) {
		struct sock_peer *p = s->peer[s->poked++ % s->peer_count];

		if (!p->base.lost && p->far && p->far != s->gen &&
		    s->now - p->heard_ns > quiet_ns)
			sock_tx_small(s, p, turn_poke_kind(s, p));
	}
}

void sock_turn_uncork(struct sock *s)
{
	for (struct weft_list *i = s->busy.next; i != &s->busy; i = i->next)
		sock_tx_go(s, turn_peer(i));
	sock_io_flush(s);
	s->corked = false;
}

/*
 * Reads what the socket holds, within bounds. Updates s->now, since delivery
 * takes time that must not shorten the measured round trips.
 */
static int turn_read(struct sock *s, int n, int budget, enum sock_left *left_p)
{
	for (int i = 0; i < TURN_READS && (!i || n < budget); i++) {
		if (i)
			s->now = weft_now_ns();
		n += sock_io_read(s, budget - n, left_p);
		if (*left_p != SOCK_MUCH)
			break;
	}
	return n;
}

/* Whether nothing arrived, nothing is to be sent, and nothing is due. */
static bool turn_in_vain(const struct sock *s)
{
	/* relaxed: written under the lock, which this thread holds */
	return !s->stirred && s->now < weft_load64_relaxed(&s->bed.due_ns) &&
	       !sock_io_holds(s);
}

static int turn(struct sock *s, int budget)
{
	enum sock_left left;
	uint64_t was;
	int n;

	s->now = weft_now_ns();
	if (s->corked) {
		sock_turn_uncork(s);
		s->now = weft_now_ns();
	}
	s->polling = true;
	was = s->stats.received;
	n = turn_read(s, turn_kept(s, budget), budget, &left);
	s->polling = false;
	if (s->faults.any)
		sock_fault_run(s, false);
	if (s->now >= s->tick_ns)
		turn_poke(s);
	if (n || !turn_in_vain(s))
		sock_wait_due(s, turn_peers(s, s->stats.received == was,
					    left == SOCK_NOTHING));
	s->corked = false;
	return n;
}

int sock_poll(struct weft_carrier *c, int budget)
{
	struct sock *s = sock_of(c);
	int n;

	sock_enter(s);
	n = s->dead ? 0 : turn(s, budget);
	sock_deputy_count(&s->deputy.turns);
	sock_leave(s);
	return n;
}

uint64_t sock_turn_away(struct sock *s)
{
	enum sock_left left = SOCK_SOMETHING;
	uint64_t again = UINT64_MAX;

	s->now = weft_now_ns();
	s->away = true;
	sock_io_errors(s);
	if (s->corked)
		sock_turn_uncork(s);
	for (int i = 0; i < TURN_READS && left != SOCK_NOTHING; i++)
		sock_io_read(s, 0, &left);
	if (s->faults.any) {
		sock_fault_run(s, false);
		again = sock_fault_due(s);
	}
	sock_wait_due(s, turn_peers(s, true, left == SOCK_NOTHING));
	for (struct weft_list *i = s->busy.next; i != &s->busy; i = i->next)
		again = turn_sooner(again, turn_timer(s, turn_peer(i)));
	s->away = false;
	return again;
}

/* ---- close --------------------------------------------------------------- */

/* Whether p has unacknowledged data or has not answered the BYE. */
static bool finish_waits(const struct sock *s, const struct sock_peer *p)
{
	if (p->base.lost || p->refused || p->bye || p->far == s->gen ||
	    p->state != SOCK_OPEN)
		return false;
	/* without data the BYE need not arrive */
	return sock_tx_waits(p) || (p->far && !p->bye_seen && !p->doubt_ns);
}

/* True for the 2nd, 4th, 8th try and so on. */
static bool finish_repeats(int tries)
{
	return tries > 1 && !(tries & (tries - 1));
}

/*
 * Sends a BYE to every peer that still waits. Returns 0: none waits; 1: for the
 * BYE only; 2: data are unacknowledged.
 */
static int finish_say(struct sock *s, bool repeat)
{
	int left = 0;

	for (uint32_t i = 0; i < s->peer_count; i++) {
		struct sock_peer *p = s->peer[i];

		if (!finish_waits(s, p))
			continue;
		if (repeat)
			sock_tx_repeat(s, p);
		if (sock_tx_waits(p))
			left = 2;
		else if (!left)
			left = 1;
		if (!p->open)
			sock_tx_small(s, p, SOCK_BYE);
	}
	sock_io_flush(s);
	return left;
}

/* Pause after a try: doubled every time, at least two round trips. */
static uint64_t finish_pause(const struct sock *s, int tries)
{
	uint64_t ns = FINISH_MIN_NS << (tries < 5 ? tries : 5);

	for (uint32_t i = 0; i < s->peer_count; i++) {
		const struct sock_peer *p = s->peer[i];

		if (finish_waits(s, p) && 2 * p->pace.srtt_ns > ns)
			ns = 2 * p->pace.srtt_ns;
	}
	return turn_sooner(ns, FINISH_MAX_NS);
}

static bool finish_over(const struct sock *s)
{
	for (uint32_t i = 0; i < s->peer_count; i++) {
		if (finish_waits(s, s->peer[i]))
			return false;
	}
	return true;
}

/* Packets that arrive during close are refused and dropped. */
static int finish_deliver(void *arg, struct weft_peer *src,
			  const struct weft_pkt *pkt, const void *payload)
{
	return -EAGAIN;
}

static void finish_lost(void *arg, struct weft_peer *peer, int err)
{
}

static const struct weft_carrier_up finish_up = { finish_deliver, finish_lost };

void sock_turn_finish(struct sock *s)
{
	struct pollfd fd = { .fd = s->fd, .events = POLLIN };
	uint64_t since = weft_now_ns();
	int tries = 0;
	int left;

	s->up = &finish_up;
	turn(s, 0);
	while ((left = finish_say(s, finish_repeats(tries)))) {
		uint64_t until = s->now + finish_pause(s, tries++);

		if (s->now - since >
		    (left > 1 ? FINISH_DATA_NS : FINISH_BYE_NS))
			break;
		/*
		 * at least once: until may have passed already, since s->now is
		 * the time of the last pass
		 */
		do {
			poll(&fd, 1, 1);
			turn(s, 0);
		} while (!finish_over(s) && weft_now_ns() < until);
		sock_fault_run(s, true);
	}
	sock_fault_run(s, true);
}
