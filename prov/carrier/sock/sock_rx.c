/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts datagrams into packets. A valid datagram (CRC, lengths) for this
 * incarnation that is not a duplicate is delivered in order: directly from the
 * read buffer if it is the next one, otherwise later from a copy in the reorder
 * buffer.
 */
#include "prov/carrier/sock/sock.h"
#include "src/base/attr.h"
#include "src/base/must.h"
#include "src/job/job_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* payload may use a quarter of the socket's buffer; the rest is overhead */
#define RX_ROOM_SHARE 4u

/*
 * Returns the number of bytes of the receive buffer that this sender may still
 * fill: an equal share, minus its bytes in the reorder buffer.
 */
uint32_t sock_rx_room(const struct sock *s, const struct sock_peer *p)
{
	uint64_t room = s->rcv_bytes / RX_ROOM_SHARE;

	if (s->senders > 1)
		room /= s->senders;
	return room > p->held ? (uint32_t)(room - p->held) : 0;
}

/* A datagram in memory and the offset of its next record. */
struct rx_view {
	uint8_t *data;
	uint32_t bytes;
	uint32_t offset;
	bool unordered;
};

static struct rx_view rx_view_of(uint8_t *data, uint32_t bytes, uint32_t offset)
{
	uint8_t flags = data[offsetof(struct sock_head, flags)];

	return (struct rx_view){ data, bytes, offset, flags & SOCK_UNORDERED };
}

static int rx_broken(struct sock *s, struct sock_peer *p)
{
	s->stats.refused++;
	p->broken = EPROTO;
	return -EPROTO;
}

static int rx_deliver(struct sock *s, struct sock_peer *p, const uint8_t *whole)
{
	struct weft_pkt pkt;
	int ret;

	memcpy(&pkt, whole, sizeof(pkt));
	ret = s->up->deliver(s->up_arg, &p->base, &pkt, whole + sizeof(pkt));
	p->blocked = ret != 0;
	if (!ret)
		s->stats.received++;
	return ret;
}

/* Returns whether `bytes` bytes at data are exactly one packet. */
static bool rx_is_packet(const uint8_t *data, uint32_t bytes)
{
	struct weft_pkt pkt;

	if (bytes < sizeof(pkt))
		return false;
	memcpy(&pkt, data, sizeof(pkt));
	return pkt.len <= SOCK_MTU && bytes == sizeof(pkt) + pkt.len;
}

/*
 * Adds a part of at least one byte to a packet that arrives in parts; delivers
 * the packet if it is complete.
 */
static int rx_part(struct sock *s, struct sock_peer *p, const uint8_t *data,
		   const struct sock_record *r)
{
	const uint32_t most = sizeof(struct weft_pkt) + SOCK_MTU;
	int ret;

	if (!p->reassembly)
		p->reassembly = malloc(most);
	if (!p->reassembly)
		return -EAGAIN;
	WEFT_ASSERT(p->reassembly_bytes <= most);
	if (!r->bytes || r->bytes > most - p->reassembly_bytes)
		return rx_broken(s, p);
	memcpy(p->reassembly + p->reassembly_bytes, data, r->bytes);
	if (r->more == SOCK_PART) {
		p->reassembly_bytes += r->bytes;
		return 0;
	}
	if (!rx_is_packet(p->reassembly, p->reassembly_bytes + r->bytes))
		return rx_broken(s, p);
	ret = rx_deliver(s, p, p->reassembly);
	if (!ret)
		p->reassembly_bytes = 0;
	return ret;
}

/*
 * Handles one record. Returns 1: a packet was delivered; 0: a part was stored;
 * or -errno.
 */
static int rx_record(struct sock *s, struct sock_peer *p, struct rx_view *v)
{
	uint8_t *data = v->data + v->offset + sizeof(struct sock_record);
	uint32_t left = v->bytes - v->offset;
	struct sock_record r;
	int ret;

	WEFT_ASSERT(v->offset < v->bytes && v->offset % 8 == 0);
	if (left < sizeof(r))
		return rx_broken(s, p);
	memcpy(&r, v->data + v->offset, sizeof(r));
	if (r.bytes > left - sizeof(r) || r.more >= SOCK_MORE_COUNT ||
	    (v->unordered && r.more < SOCK_PIECE))
		return rx_broken(s, p);
	if (r.more == SOCK_PADDING)
		ret = 0;
	else if (r.more < SOCK_PIECE &&
		 (r.more == SOCK_PART || p->reassembly_bytes))
		ret = rx_part(s, p, data, &r);
	else if (rx_is_packet(data, r.bytes))
		ret = rx_deliver(s, p, data);
	else
		ret = rx_broken(s, p);
	if (ret)
		return ret;
	v->offset += (uint32_t)(sizeof(r) + r.bytes + 7) & ~7u;
	return r.more == SOCK_WHOLE || r.more == SOCK_UNORDERED_WHOLE;
}

/* Delivers up to budget packets; returns whether none are left. */
static bool rx_records(struct sock *s, struct sock_peer *p, struct rx_view *v,
		       int budget, int *n_p)
{
	int ret = 0;

	while (v->offset < v->bytes) {
		if (*n_p >= budget)
			return false;
		ret = rx_record(s, p, v);
		if (ret < 0)
			return false;
		*n_p += ret;
	}
	return true;
}

/* Counts a received datagram that must be acknowledged. */
static void rx_count_unacked(struct sock *s, struct sock_peer *p,
			     uint32_t bytes)
{
	if (!p->unacked++)
		p->unacked_ns = s->now;
	p->unacked_bytes += bytes;
}

/*
 * Delivers a datagram of the reorder buffer; returns whether all of it was
 * delivered.
 */
static bool rx_deliver_reordered(struct sock *s, struct sock_peer *p,
				 struct sock_dgram **g_p, int budget, int *n_p)
{
	struct sock_dgram *g = *g_p;
	struct rx_view v = rx_view_of(g->data, g->bytes, g->offset);
	bool done = rx_records(s, p, &v, budget, n_p);

	g->offset = v.offset;
	if (!done)
		return false;
	WEFT_ASSERT(p->held >= g->bytes);
	p->held -= g->bytes;
	rx_count_unacked(s, p, g->bytes);
	sock_dgram_free(s, g);
	*g_p = NULL;
	return true;
}

int sock_rx_deliver_reordered(struct sock *s, struct sock_peer *p, int budget)
{
	int n = 0;

	p->blocked = false;
	while (n < budget && !p->broken && weft_arq_win_ready(&p->rx)) {
		struct sock_dgram **g_p = sock_reorder_slot(p, p->rx.next);

		WEFT_ASSERT(p->reorder);
		/* NULL: already delivered out of order */
		if (*g_p && !rx_deliver_reordered(s, p, g_p, budget, &n))
			break;
		weft_arq_win_advance(&p->rx);
		/*
		 * report the new window: the peer stopped sending at a small
		 * one
		 */
		if (p->small_room_sent)
			p->ack_now = true;
	}
	return n;
}

/*
 * Copies a datagram into the reorder buffer. Returns false if there is no
 * memory: the datagram then counts as lost.
 */
static bool rx_store(struct sock *s, struct sock_peer *p, uint32_t seq,
		     const struct rx_view *v)
{
	struct sock_dgram *g;

	if (!sock_peer_reorder_reserve(p))
		return false;
	g = sock_dgram_new(s, v->bytes);
	if (!g)
		return false;
	g->bytes = v->bytes;
	g->offset = v->offset;
	memcpy(g->data, v->data, v->bytes);
	WEFT_ASSERT(seq - p->rx.next < SOCK_WINDOW);
	WEFT_ASSERT(!*sock_reorder_slot(p, seq));
	*sock_reorder_slot(p, seq) = g;
	p->held += g->bytes;
	rx_count_unacked(s, p, 0);
	return true;
}

static int rx_data(struct sock *s, struct sock_peer *p, uint32_t seq,
		   struct rx_view *v, int budget)
{
	bool in_order =
		seq == p->rx.next && !p->broken && !s->in_progress_thread;
	bool unordered = v->unordered && !p->broken && !s->in_progress_thread;
	int n = 0;

	if (!p->sends)
		s->senders++;
	p->sends = true;
	if (weft_arq_win_arrive(&p->rx, seq, SOCK_WINDOW) != WEFT_ARQ_NEW) {
		p->ack_now = true;
		return 0;
	}
	if (in_order && rx_records(s, p, v, budget, &n)) {
		weft_arq_win_advance(&p->rx);
		rx_count_unacked(s, p, v->bytes);
		return n + sock_rx_deliver_reordered(s, p, budget - n);
	}
	/* report a gap immediately */
	if (!in_order)
		p->ack_now = true;
	if (!in_order && unordered && sock_peer_reorder_reserve(p) &&
	    rx_records(s, p, v, budget, &n)) {
		rx_count_unacked(s, p, v->bytes);
		return n;
	}
	if (p->broken)
		return n;
	/* a datagram of which a part was delivered cannot be dropped */
	if (!rx_store(s, p, seq, v)) {
		if (v->offset > sizeof(struct sock_head) || p->reassembly_bytes)
			p->broken = ENOMEM;
		else
			weft_arq_win_undo(&p->rx, seq);
	}
	return n;
}

/* Returns whether the magic is this version's; logs a different version. */
static bool rx_is_own_format(uint32_t magic)
{
	if (weft_likely(magic == SOCK_MAGIC))
		return true;
	if (!((magic ^ SOCK_MAGIC) >> 8))
		weft_log_other_version("sock: a datagram of a peer",
				       (magic & 0xff) - '0',
				       (SOCK_MAGIC & 0xff) - '0');
	return false;
}

/* Returns whether data is a datagram of this protocol with a correct CRC. */
static bool rx_is_valid(struct sock *s, const uint8_t *data, uint32_t bytes,
			struct sock_head *h)
{
	memcpy(h, data, sizeof(*h));
	return h->from && h->kind >= SOCK_HELLO && h->kind <= SOCK_RESET &&
	       h->crc == sock_crc(s, data, bytes) && rx_is_own_format(h->magic);
}

/*
 * Answers a datagram for a previous owner of this name, so that its sender
 * learns of the new owner.
 */
static void rx_stray(struct sock *s, const union weft_name *from,
		     const struct sock_head *h)
{
	struct sock_peer *p;

	s->stats.refused++;
	if (h->kind != SOCK_DATA && h->kind != SOCK_HELLO)
		return;
	if (s->tag) {
		sock_keys_answer_stray(s, from, h->from);
		return;
	}
	p = sock_peer_of_head(s, from, h, NULL);
	if (p)
		p->ack_now = true;
}

static void rx_control(struct sock *s, struct sock_peer *p,
		       const struct sock_head *h)
{
	switch (h->kind) {
	case SOCK_HELLO:
		/*
		 * acknowledge now, so that the ACK precedes every datagram
		 * signed with the session key
		 */
		if (h->flags & SOCK_PUBLIC)
			sock_tx_control_public(s, p, SOCK_ACK);
		else
			p->ack_now = true;
		break;
	case SOCK_BYE:
		p->bye = true;
		p->bye_seq = h->seq;
		p->ack_now = true;
		break;
	case SOCK_RESET:
		p->bye = true; /* treated as closed: the peer needs no BYE */
		p->broken = ECONNRESET;
		break;
	default:
		break;
	}
}

static struct sock_peer *rx_forged(struct sock *s)
{
	s->stats.refused++;
	s->stats.forged++;
	return NULL;
}

static struct sock_peer *rx_replayed(struct sock *s)
{
	s->stats.refused++;
	s->stats.replays++;
	return NULL;
}

/*
 * Returns the sender of a first contact if the datagram is new and signed with
 * the job's key, otherwise NULL.
 */
static struct sock_peer *rx_public(struct sock *s, const union weft_name *from,
				   const struct sock_head *h,
				   const struct rx_view *v)
{
	const uint8_t *public = v->data + sizeof(*h);
	struct sock_peer *p;

	if (!s->tag || v->bytes != sizeof(*h) + SOCK_PUBLIC_BYTES ||
	    (h->kind != SOCK_HELLO && h->kind != SOCK_ACK) ||
	    !sock_keys_verify(s, from, v->data, v->bytes))
		return rx_forged(s);
	if (h->to && h->to != s->gen) {
		rx_stray(s, from, h);
		return NULL;
	}
	p = sock_peer_of_head(s, from, h, public);
	if (!p)
		return NULL;
	if (memcmp(p->public, public, SOCK_PUBLIC_BYTES))
		return rx_forged(s);
	if (h->count <= p->public_count)
		return rx_replayed(s);
	p->public_count = h->count;
	return p;
}

/*
 * Returns the sender if the datagram is new and signed with the session key,
 * otherwise NULL.
 */
static struct sock_peer *rx_signed(struct sock *s, const union weft_name *from,
				   const struct sock_head *h,
				   const struct rx_view *v)
{
	struct sock_peer *p = sock_peer_find(s, from);

	if (weft_unlikely(h->to != s->gen && h->to)) {
		rx_stray(s, from, h);
		return NULL;
	}
	if (weft_unlikely(!p || p->remote_gen != h->from || !p->seal) ||
	    !sock_seal_verify(s, p->seal, v->data, v->bytes) || !h->to)
		return rx_forged(s);
	if (p->base.lost)
		return NULL;
	if (weft_unlikely(!sock_seal_count_is_new(p, h->count)))
		return rx_replayed(s);
	p->proved = true;
	return p;
}

/* Without a key: returns the claimed sender of a datagram, or NULL. */
static struct sock_peer *rx_unsigned(struct sock *s,
				     const union weft_name *from,
				     const struct sock_head *h)
{
	struct sock_peer *p;

	if (h->to && h->to != s->gen) {
		rx_stray(s, from, h);
		return NULL;
	}
	p = sock_peer_of_head(s, from, h, NULL);
	/* refuse a datagram of this endpoint that was reflected to it */
	return p && p->self ? rx_replayed(s) : p;
}

/* Returns the number of bitmap words after the header. */
static uint32_t rx_bitmap_words(const struct sock_head *h,
				const struct rx_view *v)
{
	uint32_t n = (v->bytes - (uint32_t)sizeof(*h)) / 8;

	if (h->kind != SOCK_ACK || h->flags & SOCK_PUBLIC)
		return 0;
	return n < WEFT_ARQ_WORDS ? n : WEFT_ARQ_WORDS - 1;
}

int sock_rx_datagram(struct sock *s, const union weft_name *from, uint8_t *data,
		     uint32_t bytes, int budget)
{
	struct rx_view v = { data, bytes - s->tag, sizeof(struct sock_head),
			     false };
	struct sock_peer *p;
	struct sock_head h;

	WEFT_ASSERT(bytes >= sizeof(h) + s->tag);
	if (!rx_is_valid(s, data, v.bytes, &h))
		return -EBADMSG;
	if (weft_unlikely(h.flags & SOCK_PUBLIC))
		p = rx_public(s, from, &h, &v);
	else
		p = s->tag ? rx_signed(s, from, &h, &v)
			   : rx_unsigned(s, from, &h);
	if (!p)
		return 0;
	p->last_received_ns = s->now;
	p->stamp = h.stamp;
	v.unordered = h.flags & SOCK_UNORDERED;
	p->ack_soon |= (h.flags & SOCK_ACK_SOON) != 0;
	sock_peer_busy(s, p);
	/* acknowledgements must name this incarnation */
	if (h.to)
		sock_tx_acked(s, p, &h, data + sizeof(h),
			      rx_bitmap_words(&h, &v));
	if (h.to && h.flags & SOCK_BYE_RECEIVED)
		p->bye_seen = true;
	rx_control(s, p, &h);
	return h.kind == SOCK_DATA ? rx_data(s, p, h.seq, &v, budget) : 0;
}
