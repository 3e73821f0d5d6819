/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hardware broadcast: emulates the switches for a packet to a range of nodes.
 * Each member gets a copy, and the acknowledgements are merged. Members that
 * have deferred part of the packet then receive an end packet: they execute
 * that part if all members acknowledged OK, and drop it otherwise. The sender's
 * queue gets the merged acknowledgement after all end packets have been sent,
 * so that no later packet of the queue overtakes them.
 */
#include "prov/machine/qsnet2/qsnet2_dev.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum broadcast_state {
	BCAST_COPY,  /* copy not sent yet */
	BCAST_SENT,  /* copy sent, not acknowledged */
	BCAST_ACKED, /* acknowledged, end packet not sent */
	BCAST_DONE,
};

struct qsnet2_broadcast {
	struct weft_list link;
	uint32_t id;
	uint32_t low;
	uint32_t n;
	uint32_t waits;	 /* number of members that have not acknowledged */
	unsigned merged; /* OR of the acknowledgements so far */
	bool end;	 /* members wait for an end packet */
	bool given_up;	 /* the sender has stopped waiting */
	struct qsnet2_packet p;
	uint8_t state[];
};

static bool has_end(const struct qsnet2_packet *p)
{
	struct qsnet2_trans t;

	for (unsigned at = 0; at < p->bytes;
	     at += (unsigned)sizeof(t) + qsnet2_words(t.bytes) * 8) {
		memcpy(&t, p->data + at, sizeof(t));
		if (t.type & WEFT_QSNET2_T_END)
			return true;
	}
	return false;
}

int qsnet2_broadcast_start(struct weft_qsnet2 *s, const struct qsnet2_route *to,
			   uint32_t id, const struct qsnet2_packet *p)
{
	uint32_t n = to->high - to->low + 1;
	struct qsnet2_broadcast *c = calloc(1, sizeof(*c) + n);

	if (!c)
		return -EAGAIN;
	c->id = id;
	c->low = to->low;
	c->n = n;
	c->waits = n;
	c->end = has_end(p);
	c->p.bytes = p->bytes;
	memcpy(c->p.data, p->data, p->bytes);
	weft_list_push_back(&s->broadcasts, &c->link);
	s->rare = true;
	return 0;
}

/* ---- acknowledgements ---- */

static void broadcast_ack_merge(struct qsnet2_broadcast *c, uint32_t i,
				unsigned ack)
{
	c->merged |= ack;
	c->waits--;
	/* only members that acknowledged OK need an end packet */
	c->state[i] =
		c->end && ack == WEFT_QSNET2_ACK_OK ? BCAST_ACKED : BCAST_DONE;
}

static unsigned broadcast_ack(const struct qsnet2_broadcast *c)
{
	static const unsigned order[] = {
		WEFT_QSNET2_ACK_ERROR,
		WEFT_QSNET2_ACK_TESTFAIL,
		WEFT_QSNET2_ACK_DISCARD,
	};

	for (unsigned i = 0; i < WEFT_COUNT_OF(order); i++) {
		if (c->merged & order[i])
			return order[i];
	}
	return WEFT_QSNET2_ACK_OK;
}

bool qsnet2_broadcast_ack(struct weft_qsnet2 *s, struct weft_peer *src,
			  uint32_t id, unsigned ack)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &s->broadcasts) {
		struct qsnet2_broadcast *c =
			weft_container_of(pos, struct qsnet2_broadcast, link);

		for (uint32_t i = 0; c->id == id && i < c->n; i++) {
			if (c->state[i] == BCAST_SENT &&
			    qsnet2_route(s, c->low + i)->peer == src) {
				broadcast_ack_merge(c, i, ack);
				return true;
			}
		}
	}
	return false;
}

/* ---- copies and end packets ---- */

static bool broadcast_copy(struct weft_qsnet2 *s, struct qsnet2_broadcast *c,
			   uint32_t i)
{
	const struct qsnet2_route *r = qsnet2_route(s, c->low + i);
	int err = qsnet2_send_as(s, r, c->id, &c->p,
				 c->end ? QSNET2_BROADCAST : QSNET2_PACKET);

	if (err == -EAGAIN)
		return false;
	c->state[i] = BCAST_SENT;
	if (err)
		broadcast_ack_merge(c, i, WEFT_QSNET2_ACK_ERROR);
	return true;
}

static bool broadcast_end(struct weft_qsnet2 *s, struct qsnet2_broadcast *c,
			  uint32_t i)
{
	struct weft_carrier *ca = s->port.carrier;
	const struct weft_pkt pkt = {
		.type = QSNET2_PKT,
		.flags = QSNET2_END,
		.unit = !c->given_up && c->merged == WEFT_QSNET2_ACK_OK,
		.aux = c->id,
	};
	int err = ca->ops->send(ca, qsnet2_route(s, c->low + i)->peer, &pkt,
				NULL, 0);

	if (err == -EAGAIN)
		return false;
	c->state[i] = BCAST_DONE;
	return true;
}

/* Sends as many copies and end packets as possible. Returns their number. */
static int broadcast_step(struct weft_qsnet2 *s, struct qsnet2_broadcast *c)
{
	int n = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		if (c->state[i] == BCAST_COPY)
			n += broadcast_copy(s, c, i);
		else if (c->state[i] == BCAST_ACKED && !c->waits)
			n += broadcast_end(s, c, i);
	}
	return n;
}

static bool broadcast_is_done(const struct qsnet2_broadcast *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->state[i] != BCAST_DONE)
			return false;
	}
	return true;
}

int qsnet2_broadcast_run(struct weft_qsnet2 *s)
{
	struct weft_list *pos;
	struct weft_list *tmp;
	int n = 0;

	weft_list_each(pos, tmp, &s->broadcasts) {
		struct qsnet2_broadcast *c =
			weft_container_of(pos, struct qsnet2_broadcast, link);

		n += broadcast_step(s, c);
		if (broadcast_is_done(c)) {
			weft_list_remove(&c->link);
			if (c->given_up)
				;
			else if (c->id & QSNET2_ID_DMA)
				qsnet2_dma_ack(s, NULL, c->id,
					       broadcast_ack(c));
			else
				qsnet2_tx_ack(s, NULL, c->id, broadcast_ack(c));
			free(c);
		}
	}
	return n;
}

/*
 * Cancels a broadcast. Each member that has received a copy, or will receive
 * one, gets an end packet that makes it drop the copy.
 */
void qsnet2_broadcast_cancel(struct weft_qsnet2 *s, uint32_t id)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &s->broadcasts) {
		struct qsnet2_broadcast *c =
			weft_container_of(pos, struct qsnet2_broadcast, link);

		if (c->id != id)
			continue;
		c->given_up = true;
		c->waits = 0;
		for (uint32_t i = 0; i < c->n; i++) {
			if (c->state[i] == BCAST_COPY)
				c->state[i] = BCAST_DONE;
			else if (c->state[i] == BCAST_SENT)
				c->state[i] = c->end ? BCAST_ACKED : BCAST_DONE;
		}
	}
}

void qsnet2_broadcast_lost(struct weft_qsnet2 *s, const struct weft_peer *peer)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &s->broadcasts) {
		struct qsnet2_broadcast *c =
			weft_container_of(pos, struct qsnet2_broadcast, link);

		for (uint32_t i = 0; i < c->n; i++) {
			if (qsnet2_route(s, c->low + i)->peer != peer)
				continue;
			if (c->state[i] < BCAST_ACKED)
				broadcast_ack_merge(c, i,
						    WEFT_QSNET2_ACK_ERROR);
			c->state[i] = BCAST_DONE;
		}
	}
}

void qsnet2_broadcast_fini(struct weft_qsnet2 *s)
{
	struct weft_list *pos;

	while ((pos = weft_list_pop_front(&s->broadcasts)))
		free(weft_container_of(pos, struct qsnet2_broadcast, link));
}
