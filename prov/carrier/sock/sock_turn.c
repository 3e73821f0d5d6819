/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A turn: what was kept goes up, the socket is read, and every peer with
 * something to do gets its acknowledgement, its datagrams and its verdict.
 * An acknowledgement waits for a moment, and for data going the other way.
 */
#include "prov/carrier/sock/sock.h"
#include "src/base/attr.h"
#include "src/base/clock.h"

#include <errno.h>
#include <poll.h>

#define TURN_ACK_GRAMS	96u
#define TURN_ACK_BYTES	120000u		  /* two batches of a sender, nearly */
#define TURN_SOON_NS	UINT64_C(50000)	  /* data may take it along till then */
#define TURN_ACK_NS	UINT64_C(400000)  /* the same, if nobody waits for it */
#define TURN_BLOCKED_NS UINT64_C(50000)	  /* until a refused packet is tried */
#define TURN_UNSENT_NS	UINT64_C(1000000) /* until the network has room */
#define TURN_TICK_NS	UINT64_C(100000000) /* between two rounds of pokes */
#define TURN_QUIET_NS	UINT64_C(200000000) /* who was heard needs none ... */
#define TURN_EACH_NS	UINT64_C(50000000)  /* ... or for so long a peer */
#define TURN_POKES	64u		    /* of a round */
#define TURN_ASKS	8u /* in the time that one may be silent */
#define TURN_READS	4

#define FINISH_DATA_NS UINT64_C(5000000000) /* while data are on their way */
#define FINISH_BYE_NS  UINT64_C(1000000000) /* with our last word only */
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

/* Whether p has ended; its packets come first. */
static void turn_verdict(struct sock *s, struct sock_peer *p, bool drained)
{
	if (turn_ended(p))
		sock_peer_lose(s, p, p->broken ? p->broken : ESHUTDOWN);
	else if (p->refused && drained && !sock_win_ready(&p->rx))
		sock_peer_lose(s, p, ECONNRESET);
}

/* When it goes alone. */
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

/* When something for p has to go again. */
static uint64_t turn_timer(const struct sock *s, const struct sock_peer *p)
{
	uint64_t due = p->rto_at ? p->rto_at : UINT64_MAX;

	if (p->losses)
		due = turn_sooner(due, s->now + TURN_UNSENT_NS);
	return due;
}

/* When p needs another turn although nothing came. */
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

/* After the flush, since a peer that is lost takes its datagrams along. */
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
 * Of another host, which may have died itself, an answer is wanted now and
 * then. A process that computes has a deputy to give it.
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
 * How long one may be quiet: every word wakes a sleeper, so many peers have few
 * each. But a host that is silent has to be asked in time.
 */
static uint64_t turn_quiet_ns(const struct sock *s)
{
	uint64_t ns = turn_sooner(s->peer_count * TURN_EACH_NS,
				  s->silence_ns / TURN_ASKS);

	return ns > TURN_QUIET_NS ? ns : TURN_QUIET_NS;
}

/*
 * A word to those who have been quiet, whom nothing else may be sent to for a
 * long time: if the process has died, its host says so.
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
 * As much as is there, within bounds. What was given up takes time, by which
 * no round trip must look shorter.
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

/* Nothing came, nothing goes, and nothing is due. */
static bool turn_in_vain(const struct sock *s)
{
	/* relaxed: who has the lock writes it */
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

/* ---- the end ------------------------------------------------------------- */

/* Whether p still has to hear something from us. */
static bool finish_waits(const struct sock *s, const struct sock_peer *p)
{
	if (p->base.lost || p->refused || p->bye || p->far == s->gen ||
	    p->state != SOCK_OPEN)
		return false;
	/* without data the last word need not arrive */
	return sock_tx_waits(p) || (p->far && !p->bye_seen && !p->doubt_ns);
}

/* The second, fourth, eighth and so on time. */
static bool finish_repeats(int tries)
{
	return tries > 1 && !(tries & (tries - 1));
}

/* Says the last word to all who wait for one; 0: nobody; 2: data are out. */
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

/* Twice as long every time, and two round trips at least. */
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

/* What comes while we close goes nowhere: nobody is offered it. */
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
		/* once at least: the time that was said may be over when we
		 * come here, and s->now is the last turn's */
		do {
			poll(&fd, 1, 1);
			turn(s, 0);
		} while (!finish_over(s) && weft_now_ns() < until);
		sock_fault_run(s, true);
	}
	sock_fault_run(s, true);
}
