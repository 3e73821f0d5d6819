/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts packets into datagrams. A packet is sent immediately, since the
 * caller may not call again for a long time. Packets that follow closely while
 * it is in flight, and packets sent while poll runs, share the open datagram,
 * which is sent when it is full, by the next poll, or by the progress thread.
 *
 *   acked ...... next   open          at most `window` datagrams, and as many
 *   [sent, kept]        [filling]     bytes as the peer's receive window and
 *                                     the congestion window allow
 *
 * A datagram is considered lost when a datagram sent three or more
 * transmissions later has arrived, or when nothing was acknowledged for a whole
 * RTO.
 */
#include "prov/carrier/sock/sock.h"
#include "src/base/log.h"
#include "src/base/must.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* number of later transmissions after which a datagram counts as lost */
#define TX_REORDER   3u
/*
 * largest packet that shares a datagram; a shared datagram has TX_SHARED bytes
 */
#define TX_SMALL     1024u
#define TX_SHARED    4096u
#define TX_PART_MIN  64u /* bytes of the smallest part of a packet */
/* minimum number of datagrams in flight at which batches are used */
#define TX_BATCH_MIN 8u
/* maximum gap in a burst of packets, ns */
#define TX_BURST_NS  UINT64_C(20000)

static uint32_t tx_pad(uint32_t bytes)
{
	return (bytes + 7) & ~7u;
}

bool sock_tx_pending(const struct sock_peer *p)
{
	return weft_arq_in_flight(&p->tx) || p->open;
}

/* Returns the number of bytes allowed in flight. */
static uint64_t tx_allowed(const struct sock_peer *p)
{
	return p->room < p->pace.window ? p->room : p->pace.window;
}

bool sock_tx_ack_soon(const struct sock *s, const struct sock_peer *p)
{
	return 2 * p->inflight_bytes > tx_allowed(p) ||
	       2 * weft_arq_in_flight(&p->tx) > s->window;
}

/*
 * Returns whether a datagram may be sent. One is always allowed if none is in
 * flight, so that its acknowledgement reports the peer's window.
 */
static bool tx_may_send(const struct sock_peer *p, uint64_t bytes)
{
	return !p->inflight_bytes || p->inflight_bytes + bytes <= tx_allowed(p);
}

void sock_tx_control(struct sock *s, struct sock_peer *p, enum sock_kind kind)
{
	struct {
		struct sock_head head;
		uint64_t more[WEFT_ARQ_WORDS - 1];
	} h = { .head = { .kind = (uint8_t)kind, .seq = p->tx.next } };
	uint32_t words = kind == SOCK_ACK ? weft_arq_win_words(&p->rx) : 1;

	/*
	 * a peer that has not signed a datagram yet may not have this
	 * endpoint's public key
	 */
	if (kind == SOCK_HELLO && s->tag && !p->proved) {
		sock_tx_control_public(s, p, kind);
		return;
	}
	for (uint32_t i = 1; i < words; i++)
		h.more[i - 1] = weft_arq_win_word(&p->rx, i);
	sock_io_add(s, p, &h, (uint32_t)(sizeof(h.head) + 8 * (words - 1)));
}

void sock_tx_control_public(struct sock *s, struct sock_peer *p,
			    enum sock_kind kind)
{
	struct {
		struct sock_head head;
		uint8_t public[SOCK_PUBLIC_BYTES];
	} h = { .head = { .kind = (uint8_t)kind,
			  .flags = SOCK_PUBLIC,
			  .seq = p->tx.next } };

	memcpy(h.public, s->public, sizeof(h.public));
	sock_io_add(s, p, &h, sizeof(h));
}

/*
 * Sets the retransmission timer, capped so that the peer is probed several
 * times before the silence timeout expires.
 */
static void tx_timer(struct sock *s, struct sock_peer *p)
{
	uint64_t most = s->silence_ns / 4;

	p->rto_deadline_ns =
		s->now + (p->pace.rto_ns < most ? p->pace.rto_ns : most);
	sock_wait_due_earlier(s, p->rto_deadline_ns);
}

static void tx_transmit(struct sock *s, struct sock_peer *p, uint32_t seq)
{
	struct sock_flight *f = sock_flight(p, seq);

	WEFT_ASSERT(f->dgram && !f->lost);
	f->order = ++p->order;
	p->inflight_bytes += f->dgram->bytes;
	if (!p->rto_deadline_ns) {
		p->wait_ns = s->now;
		tx_timer(s, p);
		sock_progress_thread_wake(s);
	}
	sock_io_add(s, p, f->dgram->data, f->dgram->bytes);
}

/* Assigns a sequence number to the open datagram and sends it. */
static void tx_send_open(struct sock *s, struct sock_peer *p)
{
	struct sock_dgram *g = p->open;
	uint32_t seq = p->tx.next++;
	struct sock_head *h = sock_dgram_head(g);

	WEFT_ASSERT(weft_arq_in_flight(&p->tx) <= p->flight_room);
	WEFT_ASSERT(g->bytes > sizeof(*h) && !sock_flight(p, seq)->dgram);
	h->kind = SOCK_DATA;
	h->seq = seq;
	h->flags = g->unordered ? SOCK_UNORDERED : 0;
	*sock_flight(p, seq) = (struct sock_flight){ .dgram = g };
	p->open = NULL;
	tx_transmit(s, p, seq);
}

/* Remaining bytes of a packet: header, current segment, following segments. */
struct tx_source {
	/* header of the packet; NULL: already copied */
	const struct weft_pkt *head;
	struct iovec now;
	const struct iovec *next;
};

/*
 * Copies the header and clears its carrier field at the destination. Clearing
 * it in a local copy would stall: the copy would be read before the store into
 * it has completed.
 */
static void tx_copy_header(uint8_t *to, const struct weft_pkt *pkt)
{
	memcpy(to, pkt, sizeof(*pkt));
	memset(to + offsetof(struct weft_pkt, carrier), 0,
	       sizeof(pkt->carrier));
}

/* Copies the next bytes; the first call must include the whole header. */
static void tx_gather(struct tx_source *f, uint8_t *to, size_t bytes)
{
	if (f->head) {
		WEFT_ASSERT(bytes >= sizeof(*f->head));
		tx_copy_header(to, f->head);
		to += sizeof(*f->head);
		bytes -= sizeof(*f->head);
		f->head = NULL;
	}
	while (bytes) {
		size_t n = f->now.iov_len < bytes ? f->now.iov_len : bytes;

		if (n)
			memcpy(to, f->now.iov_base, n);
		to += n;
		bytes -= n;
		f->now.iov_base = (char *)f->now.iov_base + n;
		f->now.iov_len -= n;
		if (bytes)
			f->now = *f->next++;
	}
}

/*
 * Extends the datagram by bytes that were written after its end, padded with
 * zeros up to the next record.
 */
static void tx_add_bytes(struct sock_dgram *g, uint32_t bytes)
{
	memset(g->data + g->bytes + bytes, 0, tx_pad(bytes) - bytes);
	g->bytes += tx_pad(bytes);
	WEFT_ASSERT(g->bytes <= g->room);
}

static void tx_record(struct sock_dgram *g, struct tx_source *f, uint32_t bytes,
		      enum sock_more more)
{
	struct sock_record r = { .bytes = bytes, .more = more };
	uint8_t *to = g->data + g->bytes;

	memcpy(to, &r, sizeof(r));
	tx_gather(f, to + sizeof(r), bytes);
	tx_add_bytes(g, (uint32_t)sizeof(r) + bytes);
	g->unordered &= more >= SOCK_PIECE;
}

/*
 * Adds a piece of an unordered packet, len bytes at `offset`, with its own
 * header; f contains payload only.
 */
static void tx_piece(struct sock_dgram *g, const struct weft_pkt *pkt,
		     struct tx_source *f, uint32_t offset, uint16_t len)
{
	struct sock_record r = { .bytes = (uint32_t)sizeof(*pkt) + len,
				 .more = offset + len < pkt->len
						 ? SOCK_PIECE
						 : SOCK_UNORDERED_WHOLE };
	uint8_t *to = g->data + g->bytes;
	uint64_t tag = pkt->tag + offset;

	memcpy(to, &r, sizeof(r));
	to += sizeof(r);
	tx_copy_header(to, pkt);
	memcpy(to + offsetof(struct weft_pkt, len), &len, sizeof(len));
	memcpy(to + offsetof(struct weft_pkt, tag), &tag, sizeof(tag));
	tx_gather(f, to + sizeof(*pkt), len);
	tx_add_bytes(g, (uint32_t)sizeof(r) + r.bytes);
}

static uint32_t tx_space(const struct sock_dgram *g)
{
	return g->room - g->bytes;
}

/*
 * Returns whether more packets are expected soon, so that this one may wait for
 * them.
 */
static bool tx_may_defer(const struct sock *s, const struct sock_peer *p)
{
	return s->polling ||
	       (p->inflight_bytes && s->now - p->last_send_ns < TX_BURST_NS);
}

/*
 * Returns the number of bytes to allocate: for one packet, or for many that
 * share a datagram.
 */
static uint32_t tx_dgram_room(const struct sock *s, const struct sock_peer *p,
			      uint32_t need)
{
	if (!tx_may_defer(s, p))
		return sizeof(struct sock_head) + need;
	if (need <= TX_SMALL && p->dgram_max > TX_SHARED)
		return TX_SHARED;
	return p->dgram_max;
}

/*
 * Allocates a datagram, from a batch if TX_BATCH_MIN datagrams are in flight: a
 * single packet in parts needs no batch.
 */
static struct sock_dgram *tx_new(struct sock *s, struct sock_peer *p,
				 uint32_t room)
{
	if (room == p->dgram_max && weft_arq_in_flight(&p->tx) >= TX_BATCH_MIN)
		return sock_dgram_full(s, p);
	return sock_dgram_new(s, room);
}

/*
 * Pads a nearly full datagram to full size: the kernel splits a message only
 * into segments of equal size.
 */
static void tx_pad_full(struct sock_dgram *g)
{
	struct sock_record r = { .more = SOCK_PADDING };
	uint32_t space = tx_space(g);

	if (space < sizeof(r))
		return;
	r.bytes = space - (uint32_t)sizeof(r);
	memcpy(g->data + g->bytes, &r, sizeof(r));
	memset(g->data + g->bytes + sizeof(r), 0, r.bytes);
	g->bytes += space;
}

/*
 * Ensures that the open datagram has this much space; a new one has full size.
 * Returns false if there is no memory.
 */
static bool tx_open_with_space(struct sock *s, struct sock_peer *p,
			       size_t space)
{
	if (p->open && tx_space(p->open) < space) {
		tx_pad_full(p->open);
		tx_send_open(s, p);
	}
	if (!p->open)
		p->open = tx_new(s, p, p->dgram_max);
	WEFT_ASSERT(!p->open || tx_space(p->open) >= space);
	return p->open;
}

/*
 * Splits a packet that exceeds a datagram into parts. The first part fills the
 * open datagram, so that datagrams have one size, for GSO.
 */
static int tx_send_parts(struct sock *s, struct sock_peer *p,
			 struct tx_source *f, uint32_t bytes)
{
	while (bytes) {
		uint32_t most, n;

		if (!tx_open_with_space(
			    s, p, sizeof(struct sock_record) + TX_PART_MIN))
			return -ENOMEM;
		most = tx_space(p->open) - (uint32_t)sizeof(struct sock_record);
		n = bytes < most ? bytes : most;
		tx_record(p->open, f, n, n < bytes ? SOCK_PART : SOCK_WHOLE);
		bytes -= n;
	}
	return 0;
}

/*
 * Splits an unordered packet into packets, each of which the receiver delivers
 * from its read buffer, in any order.
 */
static int tx_send_pieces(struct sock *s, struct sock_peer *p,
			  struct tx_source *f)
{
	const uint32_t heads =
		sizeof(struct sock_record) + sizeof(struct weft_pkt);
	const struct weft_pkt *pkt = f->head;
	uint32_t offset = 0;

	f->head = NULL;
	while (offset < pkt->len) {
		uint32_t left = pkt->len - offset;
		uint32_t most;

		if (!tx_open_with_space(s, p, heads + TX_PART_MIN))
			return -ENOMEM;
		most = tx_space(p->open) - heads;
		if (left > most)
			left = most;
		tx_piece(p->open, pkt, f, offset, (uint16_t)left);
		offset += left;
	}
	return 0;
}

/* Returns the number of datagrams in flight if `need` bytes are added. */
static uint32_t tx_count_with(const struct sock_peer *p, uint32_t need)
{
	uint32_t body = p->dgram_max - (uint32_t)sizeof(struct sock_head);

	return weft_arq_in_flight(&p->tx) + (p->open ? 1 : 0) +
	       (need <= body ? 1 : need / (body - 16 - TX_PART_MIN) + 1);
}

/* Returns whether the windows allow the datagrams and bytes of a packet. */
static bool tx_has_room(const struct sock *s, const struct sock_peer *p,
			uint32_t need)
{
	if (p->open && tx_space(p->open) >= need)
		return true;
	if (tx_count_with(p, need) > s->window || p->losses)
		return false;
	return tx_may_send(p, need + (p->open ? p->open->bytes : 0));
}

/*
 * Writes the packet into the open datagram, a new datagram, or several
 * datagrams.
 */
static int tx_write(struct sock *s, struct sock_peer *p, struct tx_source *f,
		    uint32_t bytes, bool unordered)
{
	uint32_t need = tx_pad(sizeof(struct sock_record) + bytes);

	if (!sock_peer_flight_reserve(p, tx_count_with(p, need)))
		return -EAGAIN;
	if (need + sizeof(struct sock_head) > p->dgram_max) {
		if (unordered ? tx_send_pieces(s, p, f)
			      : tx_send_parts(s, p, f, bytes))
			p->broken =
				ENOMEM; /* a part may have been sent already */
		return 0;
	}
	if (p->open && tx_space(p->open) < need)
		tx_send_open(s, p);
	if (!p->open)
		p->open = tx_new(s, p, tx_dgram_room(s, p, need));
	if (!p->open)
		return -EAGAIN;
	tx_record(p->open, f, bytes,
		  unordered ? SOCK_UNORDERED_WHOLE : SOCK_WHOLE);
	return 0;
}

/* Sends a packet to this endpoint itself: stores it in the reorder buffer. */
static int tx_self(struct sock *s, struct sock_peer *p, struct tx_source *f,
		   uint32_t bytes)
{
	uint32_t need = tx_pad(sizeof(struct sock_record) + bytes);
	struct sock_dgram *g;
	uint32_t seq;

	if (p->tx.next - p->rx.next >= s->window ||
	    !sock_peer_reorder_reserve(p))
		return -EAGAIN;
	g = sock_dgram_new(s, (uint32_t)sizeof(struct sock_head) + need);
	if (!g)
		return -EAGAIN;
	tx_record(g, f, bytes, SOCK_WHOLE);
	g->offset = sizeof(struct sock_head);
	seq = p->tx.next++;
	p->tx.acked = p->tx.next;
	weft_arq_win_arrive(&p->rx, seq, SOCK_WINDOW);
	WEFT_ASSERT(!*sock_reorder_slot(p, seq));
	*sock_reorder_slot(p, seq) = g;
	p->held += g->bytes;
	sock_peer_busy(s, p);
	sock_wait_due_earlier(s, s->now);
	return 0;
}

/* Sends the written packet now, or leaves it for the next pass. */
static void tx_send_or_defer(struct sock *s, struct sock_peer *p, bool deferred)
{
	p->last_send_ns = s->now;
	sock_peer_busy(s, p);
	if (!deferred) {
		sock_tx_send_open(s, p);
		sock_io_flush(s);
	} else if (!s->deferred) {
		s->deferred = true;
		sock_wait_due_earlier(s, s->now);
	}
}

int sock_tx_send(struct sock *s, struct sock_peer *p,
		 const struct weft_pkt *pkt, const struct iovec *iov)
{
	struct tx_source f = { .head = pkt, .next = iov };
	uint32_t bytes = (uint32_t)sizeof(*pkt) + pkt->len;
	bool deferred = tx_may_defer(s, p);

	WEFT_ASSERT(pkt->len <= SOCK_MTU);
	if (p->self)
		return tx_self(s, p, &f, bytes);
	if (!tx_has_room(s, p, tx_pad(sizeof(struct sock_record) + bytes)) ||
	    tx_write(s, p, &f, bytes, pkt->carrier & WEFT_PKT_SPLIT_OK))
		return -EAGAIN;
	tx_send_or_defer(s, p, deferred);
	return 0;
}

/*
 * Handles the acknowledgement of one datagram; returns its bytes, or 0 if it
 * was acknowledged before.
 */
static uint64_t tx_number_acked(struct sock *s, struct sock_peer *p,
				uint32_t seq)
{
	struct sock_flight *f = sock_flight(p, seq);
	uint64_t bytes;

	if (!f->dgram)
		return 0;
	WEFT_ASSERT(f->lost ? p->losses > 0
			    : p->inflight_bytes >= f->dgram->bytes);
	bytes = f->dgram->bytes;
	if (f->lost)
		p->losses--;
	else
		p->inflight_bytes -= bytes;
	if (f->order > p->highest_acked)
		p->highest_acked = f->order;
	sock_dgram_free(s, f->dgram);
	*f = (struct sock_flight){ .dgram = NULL };
	return bytes;
}

static void tx_mark_lost(struct sock_peer *p, struct sock_flight *f)
{
	if (!f->dgram || f->lost)
		return;
	WEFT_ASSERT(p->inflight_bytes >= f->dgram->bytes);
	f->lost = true;
	p->losses++;
	p->inflight_bytes -= f->dgram->bytes;
}

/* Marks datagrams as lost that later transmissions have overtaken. */
static void tx_mark_gaps(struct sock *s, struct sock_peer *p)
{
	for (uint32_t seq = p->tx.acked; seq != p->tx.next; seq++) {
		struct sock_flight *f = sock_flight(p, seq);

		if (f->dgram && !f->lost &&
		    f->order + TX_REORDER <= p->highest_acked) {
			tx_mark_lost(p, f);
			sock_pace_loss(&p->pace, s->now);
		}
	}
}

static void tx_measure(struct sock *s, struct sock_peer *p, uint32_t echo)
{
	uint32_t us = (uint32_t)(s->now / 1000) - echo;

	/* the echo is invalid, or the clock has wrapped around */
	if (!echo || us > 60000000u)
		return;
	sock_pace_rtt(&p->pace, (uint64_t)us * 1000);
}

/*
 * Handles one bitmap word, whose first bit is for sequence number seq; returns
 * the bytes acknowledged.
 */
static uint64_t tx_word_acked(struct sock *s, struct sock_peer *p, uint32_t seq,
			      uint64_t ack_bits)
{
	uint64_t bytes = 0;

	/* ignore sequence numbers that were not sent */
	for (; ack_bits && seq != p->tx.next; ack_bits >>= 1, seq++) {
		if (ack_bits & 1)
			bytes += tx_number_acked(s, p, seq);
	}
	return bytes;
}

static uint64_t tx_head_acked(struct sock *s, struct sock_peer *p,
			      const struct sock_head *h, const uint8_t *more,
			      uint32_t words)
{
	uint64_t bytes = 0;
	uint64_t word;

	WEFT_ASSERT(h->ack - p->tx.acked <= weft_arq_in_flight(&p->tx));
	for (; p->tx.acked != h->ack; p->tx.acked++)
		bytes += tx_number_acked(s, p, p->tx.acked);
	bytes += tx_word_acked(s, p, h->ack, h->ack_bits);
	for (uint32_t i = 0;
	     i < words && weft_arq_in_flight(&p->tx) > 64 * (i + 1); i++) {
		memcpy(&word, more + 8 * i, sizeof(word));
		bytes += tx_word_acked(s, p, h->ack + 64 * (i + 1), word);
	}
	return bytes;
}

/*
 * Notifies the caller, whose send was refused, that the window may have space
 * again; wakes it if it is blocked.
 */
static void tx_notify_room(struct sock *s)
{
	s->send_refused = false;
	/* relaxed: a hint, read before a wait or after the wake-up */
	weft_store32_relaxed(&s->waiter.base.full, 1);
	if (s->in_progress_thread)
		sock_wake(&s->base);
}

void sock_tx_acked(struct sock *s, struct sock_peer *p,
		   const struct sock_head *h, const uint8_t *more,
		   uint32_t words)
{
	uint32_t count = weft_arq_in_flight(&p->tx);
	uint64_t bytes;

	/*
	 * ignore an acknowledgement older than the last one: its windows are
	 * out of date
	 */
	if (h->ack - p->tx.acked > count)
		return;
	p->room = h->room;
	if (s->send_refused)
		tx_notify_room(s);
	if (!count)
		return;
	/* datagrams in the batch must be sent before they are freed */
	if (sock_io_batched(s))
		sock_io_flush(s);
	bytes = tx_head_acked(s, p, h, more, words);
	WEFT_ASSERT(weft_arq_in_flight(&p->tx) ||
		    (!p->inflight_bytes && !p->losses));
	if (!bytes)
		return;
	tx_measure(s, p, h->echo);
	sock_pace_acked(&p->pace, bytes);
	if (h->ack_bits || words)
		tx_mark_gaps(s, p);
	p->timeouts = 0;
	p->rto_deadline_ns = 0;
	if (weft_arq_in_flight(&p->tx))
		tx_timer(s, p);
}

/*
 * Probes a peer that has received everything but not delivered it: the
 * acknowledgement of the delivery may be lost.
 */
static void tx_probe(struct sock *s, struct sock_peer *p)
{
	sock_pace_backoff(&p->pace);
	sock_tx_control(s, p, SOCK_HELLO);
	tx_timer(s, p);
}

/*
 * Handles a retransmission timeout. The first one retransmits only the oldest
 * datagram, as a probe, since the peer may have had no CPU time; later timeouts
 * mark all datagrams as lost.
 */
static void tx_timeout(struct sock *s, struct sock_peer *p)
{
	bool first;

	if (!p->inflight_bytes && !p->losses) {
		tx_probe(s, p);
		return;
	}
	first = !p->timeouts++;
	/*
	 * the answer to the peer's HELLO may be lost: without it the peer
	 * cannot verify this endpoint's datagrams
	 */
	if (s->tag && !p->proved)
		sock_tx_control_public(s, p, SOCK_HELLO);
	if (first)
		sock_pace_backoff(&p->pace);
	else
		sock_pace_timeout(&p->pace, p->inflight_bytes);
	for (uint32_t seq = p->tx.acked; seq != p->tx.next; seq++) {
		tx_mark_lost(p, sock_flight(p, seq));
		if (first && p->losses)
			break;
	}
	tx_timer(s, p);
}

static void tx_retransmit(struct sock *s, struct sock_peer *p)
{
	for (uint32_t seq = p->tx.acked; p->losses && seq != p->tx.next;
	     seq++) {
		struct sock_flight *f = sock_flight(p, seq);

		if (!f->lost)
			continue;
		WEFT_ASSERT(f->dgram);
		if (!tx_may_send(p, f->dgram->bytes))
			return;
		f->lost = false;
		p->losses--;
		s->stats.resent++;
		tx_transmit(s, p, seq);
	}
}

void sock_tx_retransmit_all(struct sock *s, struct sock_peer *p)
{
	for (uint32_t seq = p->tx.acked; seq != p->tx.next; seq++) {
		struct sock_dgram *g = sock_flight(p, seq)->dgram;

		if (!g)
			continue;
		s->stats.resent++;
		sock_io_add(s, p, g->data, g->bytes);
	}
}

void sock_tx_mark_unsent(struct sock_peer *p, uint32_t seq)
{
	if (seq - p->tx.acked < weft_arq_in_flight(&p->tx))
		tx_mark_lost(p, sock_flight(p, seq));
}

/*
 * Returns whether p has been silent for too long while data are unacknowledged.
 */
static bool tx_silent(const struct sock *s, const struct sock_peer *p)
{
	uint64_t since = p->last_received_ns > p->wait_ns ? p->last_received_ns
							  : p->wait_ns;

	return weft_arq_in_flight(&p->tx) && s->now - since > s->silence_ns;
}

void sock_tx_fail_silent(const struct sock *s, struct sock_peer *p)
{
	char name[WEFT_NAME_TEXT];

	weft_log(WEFT_LOG_WARN,
		 "sock: %s has not answered for %llu ms "
		 "(FI_WEFT_SILENCE); declared dead",
		 weft_name_text(&p->name, name),
		 (unsigned long long)(s->silence_ns / 1000000));
	p->broken = ECONNRESET;
}

void sock_tx_send_open(struct sock *s, struct sock_peer *p)
{
	if (p->open && !p->losses && weft_arq_in_flight(&p->tx) < s->window &&
	    tx_may_send(p, p->open->bytes))
		tx_send_open(s, p);
}

void sock_tx_progress(struct sock *s, struct sock_peer *p)
{
	if (p->rto_deadline_ns && s->now >= p->rto_deadline_ns)
		tx_timeout(s, p);
	if (tx_silent(s, p))
		sock_tx_fail_silent(s, p);
	if (p->losses)
		tx_retransmit(s, p);
	sock_tx_send_open(s, p);
}
