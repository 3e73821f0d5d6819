/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts of one packet from host memory to host memory, executed at once, for the
 * message engine. The result and the counters are those of the general path
 * (apenet_tx.c, apenet_rx.c), which handles the cases that are refused here.
 */
#ifndef WEFT_APENET_SINGLE_H
#define WEFT_APENET_SINGLE_H

#include "prov/machine/apenet/apenet_dev.h"

struct apenet_single {
	unsigned buf; /* number of the source buffer */
	uint32_t bytes;
	const void *from; /* address in the source buffer */
	uint64_t to;
	uint64_t data; /* data of the event at the target */
	uint64_t cookie;
	bool event; /* write an event at this node */
};

/* Length of the shortest packets: a slot with up to 8 bytes. */
#define APENET_SINGLE_LINE 32

/* Writes the event of a put. */
static inline void apenet_single_event(struct weft_apenet *a,
				       const struct weft_peer *peer,
				       const struct apenet_single *p)
{
	*apenet_event_next(a) = (struct weft_apenet_event){
		.what = WEFT_APENET_SENT,
		.node = peer->index,
		.cookie = p->cookie,
		.address = (uintptr_t)p->from,
		.bytes = p->bytes,
	};
}

/*
 * Executes a put on a board without other commands. -EAGAIN: nothing was sent;
 * -EFAULT: the source is not registered; -ECONNRESET: the peer is lost.
 */
WEFT_INLINE int apenet_single_send(struct weft_apenet *a,
				   struct weft_peer *peer,
				   const struct apenet_single *p)
{
	struct weft_carrier *c = a->port.carrier;
	const struct apenet_buf *b = &a->buf[p->buf];
	struct weft_pkt pkt = {
		.type = APENET_PKT + APENET_PUT,
		.flags = APENET_FIRST | APENET_LAST | APENET_RECEIVE |
			 APENET_NO_CRC,
		.len = (uint16_t)p->bytes,
		.aux = a->message,
		.tag = p->to,
		.data = p->data,
	};
	struct iovec iov = { (void *)(uintptr_t)p->from, p->bytes };
	int err;

	if (weft_unlikely(
		    a->held || a->queue_head != a->queue_tail ||
		    (p->event && !apenet_event_space(a, 1 + APENET_RX_EVENTS))))
		return -EAGAIN;
	if (weft_unlikely(
		    !apenet_buf_holds(b, (uintptr_t)p->from, p->bytes, 0)))
		return -EFAULT;
	if (weft_likely(c->ops->memory && !a->noise)) {
		err = c->ops->send(c, peer, &pkt, &iov, 1);
	} else {
		pkt.flags &= (uint8_t)~APENET_NO_CRC;
		err = apenet_tx_linked(a, peer, &pkt, p->from);
	}
	if (weft_unlikely(err))
		return err;
	a->message++;
	a->singles_out++;
	if (weft_unlikely(p->event))
		apenet_single_event(a, peer, p);
	return 0;
}

/*
 * Receives a put without CRC from a node, if the TLB has its page. The caller
 * has read all earlier events and handles this put at once, so no event is
 * stored. The caller ensures that no message of several packets is open.
 * Returns the address of the stored data; NULL: the packet was not processed.
 */
WEFT_INLINE void *apenet_single_receive(struct weft_apenet *a, uint32_t node,
					const struct weft_pkt *pkt,
					const void *data)
{
	unsigned bits = a->host_bits;
	const struct apenet_buf *b;
	char *to;
	int64_t n;

	if (weft_unlikely(pkt->type != APENET_PKT + APENET_PUT ||
			  pkt->flags != (APENET_FIRST | APENET_LAST |
					 APENET_RECEIVE | APENET_NO_CRC) ||
			  a->event_head != a->event_tail ||
			  (pkt->tag ^ (pkt->tag + pkt->len - 1)) >> bits))
		return NULL;
	n = apenet_tlb_find(&a->tlb, pkt->tag, bits);
	if (weft_unlikely(n < 0))
		return NULL;
	b = &a->buf[n];
	/* a buffer that only one node may access is in host memory */
	if (weft_unlikely(b->only != node ||
			  !apenet_buf_holds(b, pkt->tag, pkt->len,
					    WEFT_APENET_MAY_WRITE)))
		return NULL;
	to = apenet_buf_at(b, pkt->tag);
	if (weft_likely(pkt->len == APENET_SINGLE_LINE))
		memcpy(to, data, APENET_SINGLE_LINE);
	else
		memcpy(to, data, pkt->len);
	a->singles_in++;
	return to;
}

#endif
