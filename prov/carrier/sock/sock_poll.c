/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A poll pass: delivers packets that are in order from the reorder buffers,
 * reads the socket, and then, for every busy peer, acknowledges, sends and
 * retransmits datagrams and checks whether the peer is lost. Acknowledgements
 * are delayed by up to PASS_ACK_NS, so that data in the other direction can
 * carry them.
 */
#include "prov/carrier/sock/sock.h"
#include "src/base/attr.h"
#include "src/base/clock.h"

#include <errno.h>
#include <poll.h>

#define PASS_ACK_DGRAMS	       96u
/* unacknowledged bytes that cause an ACK: nearly two GSO batches of a sender */
#define PASS_ACK_BYTES	       120000u
#define PASS_ACK_SOON_NS       UINT64_C(50000)	/* delay of an urgent ACK */
#define PASS_ACK_NS	       UINT64_C(400000) /* delay of other ACKs */
/* interval between attempts to deliver a refused packet */
#define PASS_BLOCKED_NS	       UINT64_C(50000)
/* interval between attempts to send datagrams marked as lost */
#define PASS_UNSENT_NS	       UINT64_C(1000000)
/* interval between two rounds of probes */
#define PASS_PROBE_ROUND_NS    UINT64_C(100000000)
/* time without traffic before a probe: minimum, and addition per peer */
#define PASS_QUIET_NS	       UINT64_C(200000000)
#define PASS_QUIET_PER_PEER_NS UINT64_C(50000000)
#define PASS_PROBES	       64u /* probes per round */
#define PASS_SILENCE_PROBES    8u  /* probes within the silence timeout */
#define PASS_READS	       4

/* time limit of close while data are unacknowledged */
#define CLOSE_DATA_NS	   UINT64_C(5000000000)
/* time limit of close while only the BYE is unanswered */
#define CLOSE_BYE_NS	   UINT64_C(1000000000)
#define CLOSE_PAUSE_MIN_NS UINT64_C(2000000)
#define CLOSE_PAUSE_MAX_NS UINT64_C(50000000)

static struct sock_peer *pass_peer(struct weft_list *n)
{
	return weft_container_of(n, struct sock_peer, busy);
}

static bool pass_peer_ended(const struct sock_peer *p)
{
	if (p->broken)
		return true;
	/*
	 * bytes that the peer has sent on its stream are received before the
	 * end of the peer is reported
	 */
	return p->bye && p->rx.next == p->bye_seq &&
	       !stream_peer_receives(&p->stream);
}

/* Declares p lost if it has ended and its packets are delivered. */
static void pass_check_lost(struct sock *s, struct sock_peer *p, bool drained)
{
	if (pass_peer_ended(p))
		sock_peer_fail(s, p, p->broken ? p->broken : ESHUTDOWN);
	else if (p->refused && drained && !weft_arq_win_ready(&p->rx))
		sock_peer_fail(s, p, ECONNRESET);
}

/* Returns the time when a delayed acknowledgement is due. */
static uint64_t pass_ack_at(const struct sock_peer *p)
{
	return p->unacked_ns + (p->ack_soon ? PASS_ACK_SOON_NS : PASS_ACK_NS);
}

static void pass_ack(struct sock *s, struct sock_peer *p, bool idle)
{
	if (p->self) {
		p->unacked = 0;
		p->ack_now = false;
		return;
	}
	if (p->ack_now || p->unacked >= PASS_ACK_DGRAMS ||
	    p->unacked_bytes >= PASS_ACK_BYTES ||
	    (idle && p->unacked && s->now >= pass_ack_at(p)))
		sock_tx_control(s, p, SOCK_ACK);
}

static uint64_t pass_earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Returns the time of the next retransmission to p. */
static uint64_t pass_timer(const struct sock *s, const struct sock_peer *p)
{
	uint64_t due = p->rto_deadline_ns ? p->rto_deadline_ns : UINT64_MAX;

	if (p->losses)
		due = pass_earlier(due, s->now + PASS_UNSENT_NS);
	return due;
}

/* Returns the time of the next pass that p needs if nothing arrives before. */
static uint64_t pass_due(const struct sock *s, const struct sock_peer *p)
{
	uint64_t due = pass_timer(s, p);

	if (pass_peer_ended(p))
		return s->now;
	if (p->unacked)
		due = pass_earlier(due, pass_ack_at(p));
	if (p->refused)
		due = pass_earlier(due, s->now + PASS_BLOCKED_NS);
	else if (p->refusal_ns)
		due = pass_earlier(due, p->probe_ns);
	if (weft_arq_win_ready(&p->rx))
		due = p->blocked ? pass_earlier(due, s->now + PASS_BLOCKED_NS)
				 : s->now;
	return due;
}

/*
 * Ends the pass for p. Called after the flush, since the loss of a peer frees
 * its datagrams.
 */
static uint64_t pass_end(struct sock *s, struct sock_peer *p, bool drained)
{
	uint64_t due;

	if (!s->in_progress_thread)
		pass_check_lost(s, p, drained);
	if (p->base.lost)
		return UINT64_MAX;
	due = pass_due(s, p);
	if (due == UINT64_MAX && !p->open)
		weft_list_remove(&p->busy);
	return due;
}

static uint64_t pass_peers(struct sock *s, bool idle, bool drained)
{
	uint64_t due = s->faults.any ? sock_fault_due(s) : UINT64_MAX;
	struct weft_list *i, *tmp;

	s->peers_changed = false;
	weft_list_each(i, tmp, &s->busy) {
		struct sock_peer *p = pass_peer(i);

		if (weft_unlikely(p->refusal_ns))
			sock_peer_probe(s, p);
		sock_tx_progress(s, p);
		pass_ack(s, p, idle);
	}
	sock_io_flush(s);
	weft_list_each(i, tmp, &s->busy)
		due = pass_earlier(due, pass_end(s, pass_peer(i), drained));
	return due;
}

static int pass_deliver_reordered(struct sock *s, int budget)
{
	struct weft_list *i, *tmp;
	int n = 0;

	weft_list_each(i, tmp, &s->busy) {
		struct sock_peer *p = pass_peer(i);

		if (n < budget && weft_arq_win_ready(&p->rx))
			n += sock_rx_deliver_reordered(s, p, budget - n);
	}
	return n;
}

/*
 * Returns the kind of probe for an idle peer. A remote peer must answer from
 * time to time, since its host may have failed; its progress thread answers
 * while the rank is outside MPI.
 */
static enum sock_kind pass_probe_kind(struct sock *s, struct sock_peer *p)
{
	if (p->local ||
	    s->now - p->last_received_ns < s->silence_ns / PASS_SILENCE_PROBES)
		return SOCK_ACK;
	if (p->probed_since_ns <= p->last_received_ns) {
		p->probed_since_ns = s->now;
	} else if (s->now - p->last_received_ns > s->silence_ns &&
		   s->now - p->probed_since_ns > s->silence_ns / 2) {
		sock_tx_fail_silent(s, p);
		sock_peer_busy(s, p);
	}
	return SOCK_HELLO;
}

/*
 * Returns the time without traffic after which a peer is probed, ns. Every
 * probe wakes a blocked process, so the time grows with the number of peers, up
 * to a limit that keeps the silence timeout.
 */
static uint64_t pass_quiet_ns(const struct sock *s)
{
	uint64_t ns = pass_earlier(s->peer_count * PASS_QUIET_PER_PEER_NS,
				   s->silence_ns / PASS_SILENCE_PROBES);

	return ns > PASS_QUIET_NS ? ns : PASS_QUIET_NS;
}

/*
 * Probes idle peers, to which nothing else may be sent for a long time: if the
 * process has died, its host refuses the probe.
 */
static void pass_probe(struct sock *s)
{
	uint32_t most =
		s->peer_count < PASS_PROBES ? s->peer_count : PASS_PROBES;
	uint64_t quiet_ns = pass_quiet_ns(s);

	s->tick_ns = s->now + PASS_PROBE_ROUND_NS;
	for (uint32_t i = 0; i < most; i++) {
		struct sock_peer *p = s->peer[s->probe_next++ % s->peer_count];

		if (!p->base.lost && p->remote_gen && p->remote_gen != s->gen &&
		    s->now - p->last_received_ns > quiet_ns)
			sock_tx_control(s, p, pass_probe_kind(s, p));
	}
}

void sock_poll_pass_send_deferred(struct sock *s)
{
	for (struct weft_list *i = s->busy.next; i != &s->busy; i = i->next)
		sock_tx_send_open(s, pass_peer(i));
	sock_io_flush(s);
	s->deferred = false;
}

/*
 * Reads datagrams up to the budget. Updates s->now, since delivery takes time,
 * which must not shorten the measured round-trip times.
 */
static int pass_read(struct sock *s, int n, int budget,
		     enum sock_read_more *left_p)
{
	for (int i = 0; i < PASS_READS && (!i || n < budget); i++) {
		if (i)
			s->now = weft_now_ns();
		n += sock_io_read(s, budget - n, left_p);
		if (*left_p != SOCK_READ_AGAIN)
			break;
	}
	return n;
}

/*
 * Returns whether nothing has arrived, nothing is to be sent, and nothing is
 * due.
 */
static bool pass_is_idle(const struct sock *s)
{
	/* relaxed: written only with the lock held, which this thread holds */
	return !s->peers_changed &&
	       s->now < weft_load64_relaxed(&s->waiter.due_ns) &&
	       !sock_io_batched(s);
}

static int poll_pass(struct sock *s, int budget)
{
	enum sock_read_more left;
	uint64_t was;
	int n;

	s->now = weft_now_ns();
	if (s->deferred) {
		sock_poll_pass_send_deferred(s);
		s->now = weft_now_ns();
	}
	s->polling = true;
	was = s->stats.received;
	n = pass_read(s, pass_deliver_reordered(s, budget), budget, &left);
	/*
	 * send deferred datagrams now: peers wait for responses while the
	 * streams are busy
	 */
	if (s->deferred && stream_is_busy(&s->stream))
		sock_poll_pass_send_deferred(s);
	n += stream_poll(&s->stream, s->now);
	s->polling = false;
	if (s->faults.any)
		sock_fault_run(s, false);
	if (s->now >= s->tick_ns)
		pass_probe(s);
	if (n || !pass_is_idle(s))
		sock_wait_due(s, pass_peers(s, s->stats.received == was,
					    left == SOCK_READ_EMPTY));
	s->deferred = false;
	return n;
}

int sock_poll(struct weft_carrier *c, int budget)
{
	struct sock *s = sock_of(c);
	int n;

	sock_enter(s);
	n = s->dead ? 0 : poll_pass(s, budget);
	sock_progress_thread_count(&s->progress.caller_polls);
	sock_leave(s);
	return n;
}

uint64_t sock_poll_pass_in_thread(struct sock *s)
{
	enum sock_read_more left = SOCK_READ_MAYBE;
	uint64_t again = UINT64_MAX;

	s->now = weft_now_ns();
	s->in_progress_thread = true;
	sock_io_errors(s);
	if (s->deferred)
		sock_poll_pass_send_deferred(s);
	for (int i = 0; i < PASS_READS && left != SOCK_READ_EMPTY; i++)
		sock_io_read(s, 0, &left);
	if (s->faults.any) {
		sock_fault_run(s, false);
		again = sock_fault_due(s);
	}
	sock_wait_due(s, pass_peers(s, true, left == SOCK_READ_EMPTY));
	for (struct weft_list *i = s->busy.next; i != &s->busy; i = i->next)
		again = pass_earlier(again, pass_timer(s, pass_peer(i)));
	s->in_progress_thread = false;
	return again;
}

/* ---- close of the endpoint ----------------------------------------------- */

/* Returns whether p has unacknowledged data or has not answered the BYE. */
static bool close_waits(const struct sock *s, const struct sock_peer *p)
{
	if (p->base.lost || p->refused || p->bye || p->remote_gen == s->gen ||
	    p->state != SOCK_OPEN)
		return false;
	/* a peer that has sent no datagram need not answer the BYE */
	return sock_tx_pending(p) ||
	       (p->remote_gen && !p->bye_seen && !p->refusal_ns);
}

static bool close_retransmits(int tries)
{
	return tries > 1 && !(tries & (tries - 1));
}

/*
 * Sends a BYE to every peer for which close waits. Returns 0: there is no such
 * peer; 1: only the BYE is unanswered; 2: data are unacknowledged.
 */
static int close_send_bye(struct sock *s, bool repeat)
{
	int left = 0;

	for (uint32_t i = 0; i < s->peer_count; i++) {
		struct sock_peer *p = s->peer[i];

		if (!close_waits(s, p))
			continue;
		if (repeat)
			sock_tx_retransmit_all(s, p);
		if (sock_tx_pending(p))
			left = 2;
		else if (!left)
			left = 1;
		if (!p->open)
			sock_tx_control(s, p, SOCK_BYE);
	}
	sock_io_flush(s);
	return left;
}

/*
 * Returns the pause after a try: doubled every time, at least two round-trip
 * times.
 */
static uint64_t close_pause(const struct sock *s, int tries)
{
	uint64_t ns = CLOSE_PAUSE_MIN_NS << (tries < 5 ? tries : 5);

	for (uint32_t i = 0; i < s->peer_count; i++) {
		const struct sock_peer *p = s->peer[i];

		if (close_waits(s, p) && 2 * p->pace.srtt_ns > ns)
			ns = 2 * p->pace.srtt_ns;
	}
	return pass_earlier(ns, CLOSE_PAUSE_MAX_NS);
}

static bool close_is_done(const struct sock *s)
{
	for (uint32_t i = 0; i < s->peer_count; i++) {
		if (close_waits(s, s->peer[i]))
			return false;
	}
	return true;
}

/* Refuses packets that arrive during close; they are dropped. */
static int close_deliver(void *arg, struct weft_peer *src,
			 const struct weft_pkt *pkt, const void *payload)
{
	return -EAGAIN;
}

static void close_lost(void *arg, struct weft_peer *peer, int err)
{
}

static const struct weft_carrier_up close_up = { .deliver = close_deliver,
						 .lost = close_lost };

void sock_poll_pass_finish(struct sock *s)
{
	struct pollfd fd = { .fd = s->fd, .events = POLLIN };
	uint64_t since = weft_now_ns();
	int tries = 0;
	int left;

	s->up = &close_up;
	poll_pass(s, 0);
	while ((left = close_send_bye(s, close_retransmits(tries)))) {
		uint64_t until = s->now + close_pause(s, tries++);

		if (s->now - since > (left > 1 ? CLOSE_DATA_NS : CLOSE_BYE_NS))
			break;
		/*
		 * at least one pass: `until` may have passed already, since
		 * s->now is the time of the last pass
		 */
		do {
			poll(&fd, 1, 1);
			poll_pass(s, 0);
		} while (!close_is_done(s) && weft_now_ns() < until);
		sock_fault_run(s, true);
	}
	sock_fault_run(s, true);
}
