/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sending and receiving of frames. A sender numbers its frames and keeps each
 * until the peer has acknowledged it; the peer accepts frames in order only. A
 * frame with wrong check symbols is dropped, and a NAK requests the next
 * expected frame; the sender then retransmits all frames from that one on
 * (go-back-N). Acknowledgements and NAKs are damaged like other frames: a
 * sender that receives no acknowledgement retransmits after a timeout.
 */
#include "prov/carrier/lossy/lossy.h"
#include "src/base/iov.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RESEND_NS UINT64_C(2000000)

static struct lossy *lossy_of(struct weft_carrier *c)
{
	return (struct lossy *)(void *)c;
}

uint64_t lossy_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- peers ---- */

static bool peers_grow(struct lossy *n, uint32_t index)
{
	uint32_t count = n->peers ? n->peers : 16;
	struct lossy_peer **a;

	if (index < n->peers)
		return true;
	while (count <= index)
		count *= 2;
	a = realloc(n->peer, count * sizeof(struct lossy_peer *));
	if (!a)
		return false;
	memset(a + n->peers, 0,
	       (count - n->peers) * sizeof(struct lossy_peer *));
	n->peer = a;
	n->peers = count;
	return true;
}

static struct lossy_peer *peer_of(struct lossy *n, struct weft_peer *peer)
{
	struct lossy_peer *p;

	if (!peers_grow(n, peer->index))
		return NULL;
	p = n->peer[peer->index];
	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (p)
		p->peer = peer;
	n->peer[peer->index] = p;
	return p;
}

static void peer_drop(struct lossy_peer *p)
{
	for (unsigned i = 0; i < LOSSY_WINDOW; i++) {
		free(p->window[i].data);
		p->window[i] = (struct lossy_frame){ 0 };
	}
	p->tx.acked = p->retransmit_next = p->tx.next;
	p->ack_due = p->nak_due = false;
}

void lossy_peers_free(struct lossy *n)
{
	for (uint32_t i = 0; i < n->peers; i++) {
		if (n->peer[i])
			peer_drop(n->peer[i]);
		free(n->peer[i]);
	}
	free(n->peer);
}

bool lossy_all_acked(const struct lossy *n)
{
	for (uint32_t i = 0; i < n->peers; i++) {
		const struct lossy_peer *p = n->peer[i];

		if (p && !p->peer->lost &&
		    (weft_arq_in_flight(&p->tx) || p->ack_due || p->nak_due))
			return false;
	}
	return true;
}

/* ---- sending ---- */

/* Sends an encoded frame, damaged or dropped as the fault plan requires. */
static int frame_emit(struct lossy *n, struct lossy_peer *p,
		      const uint8_t *data, uint32_t bytes)
{
	struct weft_pkt pkt = { .type = LOSSY_FRAME, .len = (uint16_t)bytes };
	struct iovec iov = { n->out, bytes };
	uint64_t age = n->now_ns - n->opened_ns;
	bool wrong;
	int err;

	wrong = carrier_faults_draw(&n->faults, WEFT_FAULT_LOSS, age);
	if (wrong) {
		/*
		 * the frame is lost: only a header is sent, so that send errors
		 * are still reported
		 */
		pkt = (struct weft_pkt){ .type = LOSSY_LOST };
	} else {
		memcpy(n->out, data, bytes);
		wrong = lossy_damage(n, n->out, bytes);
	}
	err = n->below->ops->send(n->below, p->peer, &pkt, &iov, !!pkt.len);
	n->damaged += wrong && !err;
	if (!err && carrier_faults_draw(&n->faults, WEFT_FAULT_DUPLICATE, age))
		n->below->ops->send(n->below, p->peer, &pkt, &iov, !!pkt.len);
	return err;
}

static uint32_t frame_seal(struct lossy *n, uint8_t *data, uint32_t bytes)
{
	lossy_code_seal(&n->code, data, bytes);
	return bytes + lossy_code_bytes(&n->code, bytes);
}

/* Returns a slot for the next frame; NULL: the window is full, or no memory. */
static struct lossy_frame *frame_next(struct lossy *n, struct lossy_peer *p)
{
	struct lossy_frame *f = &p->window[p->tx.next % LOSSY_WINDOW];

	if (weft_arq_in_flight(&p->tx) >= LOSSY_WINDOW ||
	    p->retransmit_next != p->tx.next)
		return NULL;
	if (!f->data)
		f->data = malloc(n->below->mtu);
	return f->data ? f : NULL;
}

int lossy_send(struct weft_carrier *c, struct weft_peer *peer,
	       const struct weft_pkt *pkt, const struct iovec *iov, int count)
{
	struct lossy *n = lossy_of(c);
	struct lossy_peer *p = peer_of(n, peer);
	struct lossy_frame *f = p ? frame_next(n, p) : NULL;
	struct lossy_head head = { .pkt = *pkt };
	int err;

	if (peer->lost)
		return -ECONNRESET;
	if (pkt->len > n->base.mtu)
		return -EMSGSIZE;
	n->full += !f;
	if (!f)
		return -EAGAIN;
	n->now_ns = lossy_clock();
	head.seq = p->tx.next;
	head.ack = p->rx.next;
	memcpy(f->data, &head, sizeof(head));
	weft_iov_gather(f->data + sizeof(head), iov, count);
	f->bytes = frame_seal(n, f->data, (uint32_t)sizeof(head) + pkt->len);
	err = frame_emit(n, p, f->data, f->bytes);
	if (err)
		return err;
	if (!weft_arq_in_flight(&p->tx))
		weft_arq_timer_start(&p->timer, n->now_ns, RESEND_NS);
	p->retransmit_next = ++p->tx.next;
	return 0;
}

/* Sends an acknowledgement, or a NAK for the next expected frame. */
static void ack_send(struct lossy *n, struct lossy_peer *p)
{
	alignas(8) uint8_t data[256];
	struct lossy_head head = { .seq = p->nak_due ? LOSSY_NAK : LOSSY_ACK,
				   .ack = p->rx.next };
	uint32_t bytes;

	memcpy(data, &head, sizeof(head));
	bytes = frame_seal(n, data, sizeof(head));
	if (frame_emit(n, p, data, bytes) == -EAGAIN)
		return;
	p->ack_due = p->nak_due = false;
}

static int retransmit(struct lossy *n, struct lossy_peer *p)
{
	int done = 0;

	for (; p->retransmit_next != p->tx.next; p->retransmit_next++, done++) {
		struct lossy_frame *f =
			&p->window[p->retransmit_next % LOSSY_WINDOW];

		if (frame_emit(n, p, f->data, f->bytes))
			break;
		n->resent++;
	}
	return done;
}

/* ---- receiving ---- */

static void on_ack(struct lossy *n, struct lossy_peer *p, uint32_t ack,
		   bool nak)
{
	bool progress = ack != p->tx.acked;

	if (!weft_arq_tx_ack(&p->tx, ack))
		return;
	if (progress)
		weft_arq_timer_start(&p->timer, n->now_ns, RESEND_NS);
	if (nak || p->retransmit_next - ack > weft_arq_in_flight(&p->tx))
		p->retransmit_next = ack;
}

static void nak_request(struct lossy_peer *p)
{
	p->nak_due |= p->nak_frame != p->rx.next + 1;
	p->nak_frame = p->rx.next + 1;
}

static int on_packet(struct lossy *n, struct lossy_peer *p,
		     const struct lossy_head *head)
{
	uint32_t seq = (uint32_t)head->seq;
	enum weft_arq_verdict verdict = weft_arq_win_check(&p->rx, seq, 1);
	int err = 0;

	p->ack_due = true;
	if (verdict == WEFT_ARQ_OUTSIDE)
		nak_request(p);
	if (verdict != WEFT_ARQ_NEW)
		return 0;
	if (!n->closing)
		err = n->up->deliver(n->up_arg, p->peer, &head->pkt,
				     n->in + sizeof(*head));
	if (!err)
		weft_arq_win_take(&p->rx, seq);
	return err;
}

static int on_frame(void *arg, struct weft_peer *src,
		    const struct weft_pkt *pkt, const void *payload)
{
	struct lossy *n = arg;
	struct lossy_peer *p = peer_of(n, src);
	struct lossy_head head;
	bool fixed;
	int bytes;

	if (!p)
		return -EAGAIN;
	if (pkt->type != LOSSY_FRAME || pkt->len > sizeof(n->in))
		return 0;
	memcpy(n->in, payload, pkt->len);
	bytes = lossy_code_open(&n->code, n->in, pkt->len, &fixed);
	if (bytes < (int)sizeof(head)) {
		n->found++;
		nak_request(p);
		return 0;
	}
	n->fixed += fixed;
	memcpy(&head, n->in, sizeof(head));
	on_ack(n, p, (uint32_t)head.ack, head.seq == LOSSY_NAK);
	if (head.seq >= LOSSY_ACK ||
	    head.pkt.len != (size_t)bytes - sizeof(head))
		return 0;
	return on_packet(n, p, &head);
}

static void on_lost(void *arg, struct weft_peer *peer, int err)
{
	struct lossy *n = arg;

	if (peer->index < n->peers && n->peer[peer->index])
		peer_drop(n->peer[peer->index]);
	if (!n->closing)
		n->up->lost(n->up_arg, peer, err);
}

const struct weft_carrier_up lossy_up = {
	.deliver = on_frame,
	.lost = on_lost,
};

static int peer_progress(struct lossy *n, struct lossy_peer *p)
{
	int done;

	if (p->peer->lost)
		return 0;
	if (p->retransmit_next == p->tx.next && weft_arq_in_flight(&p->tx) &&
	    weft_arq_timer_expired(&p->timer, n->now_ns, RESEND_NS))
		p->retransmit_next = p->tx.acked;
	done = retransmit(n, p);
	if (p->ack_due || p->nak_due)
		ack_send(n, p);
	return done;
}

int lossy_poll(struct weft_carrier *c, int budget)
{
	struct lossy *n = lossy_of(c);
	int done;

	n->now_ns = lossy_clock();
	done = n->below->ops->poll(n->below, budget);
	for (uint32_t i = 0; i < n->peers; i++) {
		if (n->peer[i])
			done += peer_progress(n, n->peer[i]);
	}
	return done;
}
