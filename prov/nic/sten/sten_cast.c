/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hardware broadcast: what the switches do with a packet for a range of nodes.
 * Each member gets a copy, the answers are merged into one, and then members
 * that kept a part of the packet hear its end: all said OK, or forget it. The
 * sender's queue hears the merged answer when all of that has left, so that
 * nothing it sends later overtakes the end.
 */
#include "prov/nic/sten/sten_dev.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum cast_state {
	CAST_COPY,   /* its copy has not left */
	CAST_SENT,   /* its answer has not come */
	CAST_ANSWER, /* it has; the end has not left */
	CAST_OVER,
};

struct sten_cast {
	struct weft_list link;
	uint32_t id;
	uint32_t low;
	uint32_t n;
	uint32_t waits;	 /* members that have not answered */
	unsigned merged; /* bits of the answers so far */
	bool end;	 /* members wait for the end */
	bool given_up;	 /* nobody wants the answer */
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

/* ---- answers ---- */

static void cast_take(struct sten_cast *c, uint32_t i, unsigned ack)
{
	c->merged |= ack;
	c->waits--;
	/* who refused has kept nothing */
	c->state[i] =
		c->end && ack == WEFT_STEN_ACK_OK ? CAST_ANSWER : CAST_OVER;
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

bool sten_cast_answer(struct weft_sten *s, struct weft_peer *src, uint32_t id,
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
				cast_take(c, i, ack);
				return true;
			}
		}
	}
	return false;
}

/* ---- copies and ends ---- */

static bool cast_copy(struct weft_sten *s, struct sten_cast *c, uint32_t i)
{
	const struct sten_route *r = sten_route(s, c->low + i);
	int err = sten_send_as(s, r, c->id, &c->p,
			       c->end ? STEN_CAST : STEN_PACKET);

	if (err == -EAGAIN)
		return false;
	c->state[i] = CAST_SENT;
	if (err)
		cast_take(c, i, WEFT_STEN_ACK_ERROR);
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
	c->state[i] = CAST_OVER;
	return true;
}

/* What can be done for each member now; how much was. */
static int cast_step(struct weft_sten *s, struct sten_cast *c)
{
	int n = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		if (c->state[i] == CAST_COPY)
			n += cast_copy(s, c, i);
		else if (c->state[i] == CAST_ANSWER && !c->waits)
			n += cast_end(s, c, i);
	}
	return n;
}

static bool cast_over(const struct sten_cast *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->state[i] != CAST_OVER)
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
		sten_dma_answer(s, NULL, c->id, cast_ack(c));
	else
		sten_tx_answer(s, NULL, c->id, cast_ack(c));
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
		if (cast_over(c))
			cast_report(s, c);
	}
	return n;
}

/* Copies that are there wait for an end, those on their way will. */
void sten_cast_forget(struct weft_sten *s, uint32_t id)
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
				c->state[i] = CAST_OVER;
			else if (c->state[i] == CAST_SENT)
				c->state[i] = c->end ? CAST_ANSWER : CAST_OVER;
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
			if (c->state[i] < CAST_ANSWER)
				cast_take(c, i, WEFT_STEN_ACK_ERROR);
			c->state[i] = CAST_OVER;
		}
	}
}

void sten_cast_fini(struct weft_sten *s)
{
	struct weft_list *pos;

	while ((pos = weft_list_pop_front(&s->casts)))
		free(weft_container_of(pos, struct sten_cast, link));
}
