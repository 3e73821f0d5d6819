/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hardware broadcast: the work of the switches for a packet to a range of
 * nodes. Each member gets a copy and the acknowledgements are merged into one.
 * Then members that have deferred a part of the packet get an end packet:
 * execute the part (all acknowledged OK) or drop it. The sender's queue gets
 * the merged acknowledgement after all end packets have been sent, so that no
 * later packet of the queue overtakes them.
 */
#include "prov/machine/qsnet2/qsnet2_dev.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum cast_state {
	CAST_COPY,  /* copy not sent yet */
	CAST_SENT,  /* copy sent, not acknowledged */
	CAST_ACKED, /* acknowledged, end packet not sent */
	CAST_DONE,
};

struct qsnet2_cast {
	struct weft_list link;
	uint32_t id;
	uint32_t low;
	uint32_t n;
	uint32_t waits;	 /* members that have not acknowledged */
	unsigned merged; /* acknowledgements so far, ORed */
	bool end;	 /* members wait for an end packet */
	bool given_up;	 /* the sender no longer waits */
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

int qsnet2_cast_start(struct weft_qsnet2 *s, const struct qsnet2_route *to,
		      uint32_t id, const struct qsnet2_packet *p)
{
	uint32_t n = to->high - to->low + 1;
	struct qsnet2_cast *c = calloc(1, sizeof(*c) + n);

	if (!c)
		return -EAGAIN;
	c->id = id;
	c->low = to->low;
	c->n = n;
	c->waits = n;
	c->end = has_end(p);
	c->p.bytes = p->bytes;
	memcpy(c->p.data, p->data, p->bytes);
	weft_list_push_back(&s->casts, &c->link);
	s->rare = true;
	return 0;
}

/* ---- acknowledgements ---- */

static void cast_ack_merge(struct qsnet2_cast *c, uint32_t i, unsigned ack)
{
	c->merged |= ack;
	c->waits--;
	/* only members that acknowledged OK need an end packet */
	c->state[i] =
		c->end && ack == WEFT_QSNET2_ACK_OK ? CAST_ACKED : CAST_DONE;
}

static unsigned cast_ack(const struct qsnet2_cast *c)
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

bool qsnet2_cast_ack(struct weft_qsnet2 *s, struct weft_peer *src, uint32_t id,
		     unsigned ack)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &s->casts) {
		struct qsnet2_cast *c =
			weft_container_of(pos, struct qsnet2_cast, link);

		for (uint32_t i = 0; c->id == id && i < c->n; i++) {
			if (c->state[i] == CAST_SENT &&
			    qsnet2_route(s, c->low + i)->peer == src) {
				cast_ack_merge(c, i, ack);
				return true;
			}
		}
	}
	return false;
}

/* ---- copies and end packets ---- */

static bool cast_copy(struct weft_qsnet2 *s, struct qsnet2_cast *c, uint32_t i)
{
	const struct qsnet2_route *r = qsnet2_route(s, c->low + i);
	int err = qsnet2_send_as(s, r, c->id, &c->p,
				 c->end ? QSNET2_CAST : QSNET2_PACKET);

	if (err == -EAGAIN)
		return false;
	c->state[i] = CAST_SENT;
	if (err)
		cast_ack_merge(c, i, WEFT_QSNET2_ACK_ERROR);
	return true;
}

static bool cast_end(struct weft_qsnet2 *s, struct qsnet2_cast *c, uint32_t i)
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
	c->state[i] = CAST_DONE;
	return true;
}

/* Sends copies and end packets that can be sent now; returns their number. */
static int cast_step(struct weft_qsnet2 *s, struct qsnet2_cast *c)
{
	int n = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		if (c->state[i] == CAST_COPY)
			n += cast_copy(s, c, i);
		else if (c->state[i] == CAST_ACKED && !c->waits)
			n += cast_end(s, c, i);
	}
	return n;
}

static bool cast_is_done(const struct qsnet2_cast *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->state[i] != CAST_DONE)
			return false;
	}
	return true;
}

static void cast_report(struct weft_qsnet2 *s, struct qsnet2_cast *c)
{
	weft_list_remove(&c->link);
	if (c->given_up)
		;
	else if (c->id & QSNET2_ID_DMA)
		qsnet2_dma_ack(s, NULL, c->id, cast_ack(c));
	else
		qsnet2_tx_ack(s, NULL, c->id, cast_ack(c));
	free(c);
}

int qsnet2_cast_run(struct weft_qsnet2 *s)
{
	struct weft_list *pos;
	struct weft_list *tmp;
	int n = 0;

	weft_list_each(pos, tmp, &s->casts) {
		struct qsnet2_cast *c =
			weft_container_of(pos, struct qsnet2_cast, link);

		n += cast_step(s, c);
		if (cast_is_done(c))
			cast_report(s, c);
	}
	return n;
}

/*
 * Cancels a broadcast: members that have received or will receive a copy get an
 * end packet that drops it.
 */
void qsnet2_cast_cancel(struct weft_qsnet2 *s, uint32_t id)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &s->casts) {
		struct qsnet2_cast *c =
			weft_container_of(pos, struct qsnet2_cast, link);

		if (c->id != id)
			continue;
		c->given_up = true;
		c->waits = 0;
		for (uint32_t i = 0; i < c->n; i++) {
			if (c->state[i] == CAST_COPY)
				c->state[i] = CAST_DONE;
			else if (c->state[i] == CAST_SENT)
				c->state[i] = c->end ? CAST_ACKED : CAST_DONE;
		}
	}
}

void qsnet2_cast_lost(struct weft_qsnet2 *s, const struct weft_peer *peer)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &s->casts) {
		struct qsnet2_cast *c =
			weft_container_of(pos, struct qsnet2_cast, link);

		for (uint32_t i = 0; i < c->n; i++) {
			if (qsnet2_route(s, c->low + i)->peer != peer)
				continue;
			if (c->state[i] < CAST_ACKED)
				cast_ack_merge(c, i, WEFT_QSNET2_ACK_ERROR);
			c->state[i] = CAST_DONE;
		}
	}
}

void qsnet2_cast_fini(struct weft_qsnet2 *s)
{
	struct weft_list *pos;

	while ((pos = weft_list_pop_front(&s->casts)))
		free(weft_container_of(pos, struct qsnet2_cast, link));
}
