/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hardware broadcast: the work of the switches for a packet to a range of
 * nodes. Each member gets a copy and the acknowledgements are merged into one.
 * Then members that hold back a part of the packet get an end packet: execute
 * it (all acknowledged OK) or drop it. The sender's queue gets the merged
 * acknowledgement after all end packets have been sent, so that no later packet
 * of the queue overtakes them.
 */
#include "prov/nic/sten/sten_dev.h"

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

struct sten_cast {
	struct weft_list link;
	uint32_t id;
	uint32_t low;
	uint32_t n;
	uint32_t waits;	 /* members that have not acknowledged */
	unsigned merged; /* acknowledgements so far, ORed */
	bool end;	 /* members wait for an end packet */
	bool given_up;	 /* the sender no longer waits */
	struct sten_packet p;
	uint8_t state[];
};

static bool has_end(const struct sten_packet *p)
{
	struct sten_trans t;

	for (unsigned at = 0; at < p->bytes;
	     at += (unsigned)sizeof(t) + sten_words(t.bytes) * 8) {
		memcpy(&t, p->data + at, sizeof(t));
		if (t.type & WEFT_STEN_T_END)
			return true;
	}
	return false;
}

int sten_cast_start(struct weft_sten *s, const struct sten_route *to,
		    uint32_t id, const struct sten_packet *p)
{
	uint32_t n = to->high - to->low + 1;
	struct sten_cast *c = calloc(1, sizeof(*c) + n);

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

static void cast_ack_merge(struct sten_cast *c, uint32_t i, unsigned ack)
{
	c->merged |= ack;
	c->waits--;
	/* a member that did not acknowledge OK holds back nothing */
	c->state[i] =
		c->end && ack == WEFT_STEN_ACK_OK ? CAST_ACKED : CAST_DONE;
}

static unsigned cast_ack(const struct sten_cast *c)
{
	static const unsigned order[] = {
		WEFT_STEN_ACK_ERROR,
		WEFT_STEN_ACK_TESTFAIL,
		WEFT_STEN_ACK_DISCARD,
	};

	for (unsigned i = 0; i < WEFT_COUNT_OF(order); i++) {
		if (c->merged & order[i])
			return order[i];
	}
	return WEFT_STEN_ACK_OK;
}

bool sten_cast_ack(struct weft_sten *s, struct weft_peer *src, uint32_t id,
		   unsigned ack)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &s->casts)
	{
		struct sten_cast *c =
			weft_container_of(pos, struct sten_cast, link);

		for (uint32_t i = 0; c->id == id && i < c->n; i++) {
			if (c->state[i] == CAST_SENT &&
			    sten_route(s, c->low + i)->peer == src) {
				cast_ack_merge(c, i, ack);
				return true;
			}
		}
	}
	return false;
}

/* ---- copies and end packets ---- */

static bool cast_copy(struct weft_sten *s, struct sten_cast *c, uint32_t i)
{
	const struct sten_route *r = sten_route(s, c->low + i);
	int err = sten_send_as(s, r, c->id, &c->p,
			       c->end ? STEN_CAST : STEN_PACKET);

	if (err == -EAGAIN)
		return false;
	c->state[i] = CAST_SENT;
	if (err)
		cast_ack_merge(c, i, WEFT_STEN_ACK_ERROR);
	return true;
}

static bool cast_end(struct weft_sten *s, struct sten_cast *c, uint32_t i)
{
	struct weft_carrier *ca = s->port.carrier;
	const struct weft_pkt pkt = {
		.type = STEN_PKT,
		.flags = STEN_END,
		.unit = !c->given_up && c->merged == WEFT_STEN_ACK_OK,
		.aux = c->id,
	};
	int err = ca->ops->send(ca, sten_route(s, c->low + i)->peer, &pkt, NULL,
				0);

	if (err == -EAGAIN)
		return false;
	c->state[i] = CAST_DONE;
	return true;
}

/* Sends copies and end packets that can be sent now; returns their number. */
static int cast_step(struct weft_sten *s, struct sten_cast *c)
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

static bool cast_is_done(const struct sten_cast *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->state[i] != CAST_DONE)
			return false;
	}
	return true;
}

static void cast_report(struct weft_sten *s, struct sten_cast *c)
{
	weft_list_remove(&c->link);
	if (c->given_up)
		;
	else if (c->id & STEN_ID_DMA)
		sten_dma_ack(s, NULL, c->id, cast_ack(c));
	else
		sten_tx_ack(s, NULL, c->id, cast_ack(c));
	free(c);
}

int sten_cast_run(struct weft_sten *s)
{
	struct weft_list *pos;
	struct weft_list *tmp;
	int n = 0;

	weft_list_each(pos, tmp, &s->casts)
	{
		struct sten_cast *c =
			weft_container_of(pos, struct sten_cast, link);

		n += cast_step(s, c);
		if (cast_is_done(c))
			cast_report(s, c);
	}
	return n;
}

/* Members that have or will receive a copy get an end packet to drop it. */
void sten_cast_cancel(struct weft_sten *s, uint32_t id)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &s->casts)
	{
		struct sten_cast *c =
			weft_container_of(pos, struct sten_cast, link);

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

void sten_cast_lost(struct weft_sten *s, const struct weft_peer *peer)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &s->casts)
	{
		struct sten_cast *c =
			weft_container_of(pos, struct sten_cast, link);

		for (uint32_t i = 0; i < c->n; i++) {
			if (sten_route(s, c->low + i)->peer != peer)
				continue;
			if (c->state[i] < CAST_ACKED)
				cast_ack_merge(c, i, WEFT_STEN_ACK_ERROR);
			c->state[i] = CAST_DONE;
		}
	}
}

void sten_cast_fini(struct weft_sten *s)
{
	struct weft_list *pos;

	while ((pos = weft_list_pop_front(&s->casts)))
		free(weft_container_of(pos, struct sten_cast, link));
}
