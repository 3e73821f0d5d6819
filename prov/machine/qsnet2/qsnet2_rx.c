/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The input processor executes the transactions of a packet until one fails,
 * then acknowledges the packet. An unknown context, a forbidden memory access
 * or a malformed transaction is acknowledged with Error. A full input queue or
 * a failed WAIT test is acknowledged with Discard, and the sender's unit
 * retransmits the packet.
 */
#include "prov/machine/qsnet2/qsnet2_dev.h"
#include "prov/machine/qsnet2/qsnet2_swap.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Cookie of the last executed packet of a sender. */
struct qsnet2_cookie {
	uint64_t last;
};

/* A packet being executed. */
struct rx_packet {
	struct weft_qsnet2 *s;
	struct weft_peer *src;
	unsigned context;
	unsigned char *slot; /* reserved slot of an input queue */
	uint32_t slot_bytes; /* size of the slot when it was checked */
	struct weft_qsnet2_input *input;
	struct qsnet2_cookie *cookie; /* cookie to increment after success */
	bool repeated;		      /* duplicate: acknowledge only */
	/* broadcast packet: transactions marked END are deferred */
	bool broadcast;
	unsigned left; /* number of bytes of the packet that are deferred */
};

/* Part of a broadcast that is deferred until the end packet. */
struct rx_deferred {
	struct weft_list link;
	struct rx_packet p;
	uint32_t id;
	unsigned len;
	alignas(8) unsigned char data[];
};

/* ---- tests ---- */

static unsigned rx_test(struct rx_packet *p, const struct qsnet2_trans *t,
			uint64_t operand)
{
	bool wait = t->type >= WEFT_QSNET2_T_WAIT_GE;
	unsigned kind = t->type -
			(wait ? WEFT_QSNET2_T_WAIT_GE : WEFT_QSNET2_T_TEST_GE);
	unsigned like = 0;
	const weft_au64 *m =
		qsnet2_memory_translate(p->s, p->context, t->address, 8,
					WEFT_QSNET2_REMOTE_READ, &like);
	int64_t v;
	bool ok;

	if (!m || t->address % 8 || t->bytes != 8)
		return WEFT_QSNET2_ACK_ERROR;
	v = (int64_t)qsnet2_word_as(nic_event_read(m),
				    like & WEFT_QSNET2_BIG_ENDIAN);
	switch (kind) {
	case 0:
		ok = v >= (int64_t)operand;
		break;
	case 1:
		ok = v < (int64_t)operand;
		break;
	case 2:
		ok = v == (int64_t)operand;
		break;
	default:
		ok = v != (int64_t)operand;
	}
	if (ok)
		return WEFT_QSNET2_ACK_OK;
	return wait ? WEFT_QSNET2_ACK_DISCARD : WEFT_QSNET2_ACK_TESTFAIL;
}

/* ---- memory ---- */

static unsigned rx_write(struct rx_packet *p, const struct qsnet2_trans *t,
			 const void *data)
{
	void *dst;

	if (!t->bytes || t->bytes > WEFT_QSNET2_PACKET)
		return WEFT_QSNET2_ACK_ERROR;
	if (p->slot && t->address < p->slot_bytes) {
		if (t->bytes > p->slot_bytes - t->address)
			return WEFT_QSNET2_ACK_ERROR;
		dst = p->slot + t->address;
	} else {
		dst = qsnet2_memory(p->s, p->context, t->address, t->bytes,
				    WEFT_QSNET2_REMOTE_WRITE);
	}
	if (!dst)
		return WEFT_QSNET2_ACK_ERROR;
	memcpy(dst, data, t->bytes);
	return WEFT_QSNET2_ACK_OK;
}

/* Executes a write of multi-byte elements. */
static unsigned rx_write_units(struct rx_packet *p,
			       const struct qsnet2_trans *t, const void *data)
{
	unsigned type = qsnet2_data_type(t->type);
	unsigned like = 0;
	void *dst;

	if (!qsnet2_type_ok(type, t->address, t->bytes))
		return WEFT_QSNET2_ACK_ERROR;
	if (rx_write(p, t, data) != WEFT_QSNET2_ACK_OK)
		return WEFT_QSNET2_ACK_ERROR;
	if (p->slot && t->address < p->slot_bytes)
		/* no conversion: input queue slots are in host byte order */
		return WEFT_QSNET2_ACK_OK;
	dst = qsnet2_memory_translate(p->s, p->context, t->address, t->bytes,
				      WEFT_QSNET2_REMOTE_WRITE, &like);
	if (like & WEFT_QSNET2_BIG_ENDIAN)
		qsnet2_swap(dst, t->bytes, type);
	return WEFT_QSNET2_ACK_OK;
}
static unsigned rx_word(struct rx_packet *p, const struct qsnet2_trans *t,
			uint64_t operand)
{
	unsigned like = 0;
	weft_au64 *m = qsnet2_memory_translate(p->s, p->context, t->address, 8,
					       WEFT_QSNET2_REMOTE_WRITE, &like);
	bool big = like & WEFT_QSNET2_BIG_ENDIAN;
	uint64_t zero = 0;

	if (!m || t->address % 8 || t->bytes != 8)
		return WEFT_QSNET2_ACK_ERROR;
	if (t->type == WEFT_QSNET2_T_ADD_WORD) {
		qsnet2_word_add(m, operand, big);
		return WEFT_QSNET2_ACK_OK;
	}
	return weft_cas64(m, &zero, qsnet2_word_as(operand, big))
		       ? WEFT_QSNET2_ACK_OK
		       : WEFT_QSNET2_ACK_TESTFAIL;
}

static unsigned rx_remote_dma(struct rx_packet *p, const struct qsnet2_trans *t,
			      const void *data)
{
	uint64_t w[QSNET2_DMA_WORDS];
	enum weft_qsnet2_trap e;

	if (t->bytes != sizeof(w))
		return WEFT_QSNET2_ACK_ERROR;
	memcpy(w, data, sizeof(w));
	e = qsnet2_dma_start_remote(p->s, p->context, w);
	if (e == WEFT_QSNET2_TRAP_DMA_OVERFLOW)
		return WEFT_QSNET2_ACK_DISCARD;
	return e ? WEFT_QSNET2_ACK_ERROR : WEFT_QSNET2_ACK_OK;
}

/* ---- input queues ---- */

static struct weft_qsnet2_input *rx_input(struct rx_packet *p, uint64_t address)
{
	if (p->s->input)
		return p->s->input;
	if (address % 64)
		return NULL;
	return qsnet2_memory(p->s, p->context, address,
			     sizeof(struct weft_qsnet2_input),
			     WEFT_QSNET2_REMOTE_EVENT);
}

/*
 * Reserves a slot of an input queue. Packets may write the memory of the queue,
 * so it is read once, then checked.
 */
static unsigned rx_get_index(struct rx_packet *p, const struct qsnet2_trans *t)
{
	struct weft_qsnet2_input *m = rx_input(p, t->address);
	struct weft_qsnet2_input q;
	uint64_t front;
	uint64_t at;

	if (!m)
		return WEFT_QSNET2_ACK_ERROR;
	q = *m;
	if (!q.slots || (q.slots & (q.slots - 1)))
		return WEFT_QSNET2_ACK_ERROR;
	if (p->s->refuse && p->s->refuse(p->s, p->src))
		return WEFT_QSNET2_ACK_DISCARD;
	front = nic_space_read((weft_au64 *)(void *)&m->front);
	if (q.back - front >= q.slots)
		return WEFT_QSNET2_ACK_DISCARD;
	p->input = m;
	p->slot_bytes = q.slot_bytes;
	at = q.base + (q.back & (q.slots - 1u)) * q.slot_bytes;
	p->slot = p->s->input
			  ? (void *)(uintptr_t)at
			  : qsnet2_memory(p->s, p->context, at, q.slot_bytes,
					  WEFT_QSNET2_LOCAL_WRITE);
	return p->slot ? WEFT_QSNET2_ACK_OK : WEFT_QSNET2_ACK_ERROR;
}

static unsigned rx_commit(struct rx_packet *p)
{
	struct weft_qsnet2_input *q = p->input;
	enum weft_qsnet2_trap e;

	if (!p->slot)
		return WEFT_QSNET2_ACK_ERROR;
	if (p->s->commit)
		p->s->commit(p->s, q->back, p->src);
	nic_event_post((weft_au64 *)(void *)&q->back, q->back + 1);
	p->slot = NULL;
	if (!q->event)
		return WEFT_QSNET2_ACK_OK;
	e = qsnet2_event_set(p->s, p->context, q->event, 1,
			     WEFT_QSNET2_LOCAL_WRITE);
	if (e)
		qsnet2_trap(p->s, e, q->event);
	return WEFT_QSNET2_ACK_OK;
}

/* ---- cookies ---- */

static struct qsnet2_cookie *cookie_of(struct rx_packet *p)
{
	uint64_t key = (uint64_t)p->src->index << 16 | (p->context + 1u);
	struct qsnet2_cookie *c = weft_hash_get(&p->s->cookies, key);

	if (c)
		return c;
	c = calloc(1, sizeof(*c));
	if (c && weft_hash_set(&p->s->cookies, key, c)) {
		free(c);
		c = NULL;
	}
	return c;
}

static void cookie_free(void *arg, uint64_t key, void *val)
{
	free(val);
}

void qsnet2_rx_fini(struct weft_qsnet2 *s)
{
	qsnet2_rx_lost(s, NULL);
	weft_hash_each(&s->cookies, cookie_free, NULL);
	weft_hash_fini(&s->cookies);
}

/* ---- packets ---- */

static unsigned rx_transaction(struct rx_packet *p,
			       const struct qsnet2_trans *t, const void *data)
{
	uint64_t operand = 0;
	enum weft_qsnet2_trap e;

	if (t->bytes == 8)
		memcpy(&operand, data, 8);
	switch (t->type) {
	case WEFT_QSNET2_T_WRITE:
		return rx_write(p, t, data);
	case WEFT_QSNET2_T_SET_EVENT:
		e = qsnet2_event_set(p->s, p->context, t->address, 1,
				     WEFT_QSNET2_REMOTE_EVENT);
		if (!e)
			return WEFT_QSNET2_ACK_OK;
		qsnet2_trap(p->s, e, t->address);
		return WEFT_QSNET2_ACK_ERROR;
	case WEFT_QSNET2_T_REMOTE_DMA:
		return rx_remote_dma(p, t, data);
	case WEFT_QSNET2_T_DISCARD:
		return WEFT_QSNET2_ACK_DISCARD;
	case WEFT_QSNET2_T_IDENTIFY:
		p->cookie = cookie_of(p);
		if (!p->cookie || t->address > p->cookie->last + 1)
			return WEFT_QSNET2_ACK_DISCARD;
		p->repeated = t->address <= p->cookie->last;
		return WEFT_QSNET2_ACK_OK;
	case WEFT_QSNET2_T_ADD_WORD:
	case WEFT_QSNET2_T_TEST_AND_WRITE:
		return rx_word(p, t, operand);
	case WEFT_QSNET2_T_GET_INDEX:
		return rx_get_index(p, t);
	case WEFT_QSNET2_T_COMMIT:
		return rx_commit(p);
	default:
		break;
	}
	if (t->type >= WEFT_QSNET2_T_TEST_GE &&
	    t->type <= WEFT_QSNET2_T_WAIT_NE)
		return rx_test(p, t, operand);
	if ((t->type & ~QSNET2_UNITS) == WEFT_QSNET2_T_WRITE)
		return rx_write_units(p, t, data);
	return WEFT_QSNET2_ACK_ERROR;
}

/*
 * Returns whether a transaction is deferred until the end packet of a
 * broadcast. In other packets, clears T_END.
 */
static bool rx_waits(const struct rx_packet *p, struct qsnet2_trans *t)
{
	if (p->broadcast && t->type & WEFT_QSNET2_T_END)
		return true;
	t->type &= (uint16_t)~WEFT_QSNET2_T_END;
	return false;
}

static unsigned rx_transactions(struct rx_packet *p, const void *payload,
				unsigned len)
{
	const unsigned char *at = payload;
	struct qsnet2_trans t;
	unsigned ack = WEFT_QSNET2_ACK_OK;

	while (len && ack == WEFT_QSNET2_ACK_OK && !p->repeated) {
		if (len < sizeof(t))
			return WEFT_QSNET2_ACK_ERROR;
		memcpy(&t, at, sizeof(t));
		if (weft_unlikely(t.type > QSNET2_TYPE) && rx_waits(p, &t)) {
			p->left = len;
			return ack;
		}
		at += sizeof(t);
		len -= (unsigned)sizeof(t);
		if (qsnet2_words(t.bytes) * 8 > len)
			return WEFT_QSNET2_ACK_ERROR;
		ack = rx_transaction(p, &t, at);
		at += qsnet2_words(t.bytes) * 8;
		len -= qsnet2_words(t.bytes) * 8;
	}
	if (ack == WEFT_QSNET2_ACK_OK && p->cookie && !p->repeated)
		p->cookie->last++;
	return ack;
}

/* ---- broadcasts ---- */

static WEFT_COLD unsigned
rx_defer(struct rx_packet *p, const struct weft_pkt *pkt, const void *payload)
{
	const unsigned char *rest =
		(const unsigned char *)payload + pkt->len - p->left;
	struct rx_deferred *h = NULL;

	if (p->s->qsnet2_deferred_count < QSNET2_DEFERRED_MAX)
		h = malloc(sizeof(*h) + p->left);
	if (!h)
		return WEFT_QSNET2_ACK_DISCARD;
	h->p = *p;
	h->p.broadcast = false;
	h->p.slot = NULL; /* the deferred part reserves its own slot */
	h->id = pkt->aux;
	h->len = p->left;
	memcpy(h->data, rest, h->len);
	weft_list_push_back(&p->s->deferred, &h->link);
	p->s->qsnet2_deferred_count++;
	return WEFT_QSNET2_ACK_OK;
}

static void deferred_free(struct weft_qsnet2 *s, struct rx_deferred *h)
{
	weft_list_remove(&h->link);
	s->qsnet2_deferred_count--;
	free(h);
}

static WEFT_COLD void rx_end(struct weft_qsnet2 *s, struct weft_peer *src,
			     const struct weft_pkt *pkt)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &s->deferred) {
		struct rx_deferred *h =
			weft_container_of(pos, struct rx_deferred, link);

		if (h->p.src != src || h->id != pkt->aux)
			continue;
		if (pkt->unit && rx_transactions(&h->p, h->data, h->len) !=
					 WEFT_QSNET2_ACK_OK)
			qsnet2_trap(s, WEFT_QSNET2_TRAP_TRANSACTION, h->id);
		deferred_free(s, h);
		return;
	}
}

void qsnet2_rx_lost(struct weft_qsnet2 *s, const struct weft_peer *src)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &s->deferred) {
		struct rx_deferred *h =
			weft_container_of(pos, struct rx_deferred, link);

		if (src && h->p.src != src)
			continue;
		deferred_free(s, h);
	}
}

static unsigned rx_filter(struct weft_qsnet2 *s, unsigned context)
{
	void *v = weft_hash_get(&s->filters, (uint64_t)context + 1);

	return v ? (unsigned)((uintptr_t)v - 1) : WEFT_QSNET2_CLOSED;
}

static unsigned rx_packet(struct weft_qsnet2 *s, struct weft_peer *src,
			  const struct weft_pkt *pkt, const void *payload)
{
	struct rx_packet p = {
		.s = s,
		.src = src,
		.context = pkt->unit,
		.broadcast = pkt->flags == QSNET2_BROADCAST,
	};
	unsigned ack = WEFT_QSNET2_ACK_OK;

	if (pkt->unit >= WEFT_QSNET2_CONTEXTS || !pkt->len)
		return WEFT_QSNET2_ACK_ERROR;
	switch (rx_filter(s, pkt->unit)) {
	case WEFT_QSNET2_ACCEPT:
		if (weft_unlikely(s->pagers.used))
			ack = qsnet2_fault_packet(s, p.context, payload,
						  pkt->len);
		if (ack == WEFT_QSNET2_ACK_OK)
			ack = rx_transactions(&p, payload, pkt->len);
		return p.left ? rx_defer(&p, pkt, payload) : ack;
	case WEFT_QSNET2_DISCARD_ALL:
		return WEFT_QSNET2_ACK_DISCARD;
	case WEFT_QSNET2_ACK_ALL:
		return WEFT_QSNET2_ACK_OK;
	default:
		return WEFT_QSNET2_ACK_ERROR;
	}
}

static void rx_ack_send(struct weft_qsnet2 *s, struct weft_peer *src,
			uint32_t id, unsigned ack)
{
	struct weft_pkt pkt = {
		.type = QSNET2_PKT,
		.flags = QSNET2_ACK,
		.len = sizeof(id),
		.unit = ack,
	};

	if (ack == WEFT_QSNET2_ACK_OK) {
		weft_response_ack(&s->responses, src, id, false);
		return;
	}
	if (ack == WEFT_QSNET2_ACK_ERROR)
		s->stats.refused++;
	weft_response_send(&s->responses, src, &pkt, &id);
}

/* Handles acknowledgements of packets that this unit sent. */
static void rx_acks_receive(struct weft_qsnet2 *s, struct weft_peer *src,
			    const struct weft_pkt *pkt, const void *payload)
{
	uint32_t id;

	if (!pkt->unit || (pkt->unit & (pkt->unit - 1)) ||
	    pkt->unit > WEFT_QSNET2_ACK_ERROR) {
		s->stats.refused++;
		return;
	}
	for (unsigned i = 0; i < pkt->len / sizeof(id); i++) {
		memcpy(&id, (const char *)payload + i * sizeof(id), sizeof(id));
		s->stats.acks[__builtin_ctz(pkt->unit)]++;
		if (!weft_list_empty(&s->broadcasts) &&
		    qsnet2_broadcast_ack(s, src, id, pkt->unit))
			continue;
		if (id & QSNET2_ID_DMA)
			qsnet2_dma_ack(s, src, id, pkt->unit);
		else
			qsnet2_tx_ack(s, src, id, pkt->unit);
	}
}

int qsnet2_rx_deliver(void *arg, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload)
{
	struct weft_qsnet2 *s = arg;
	unsigned ack;

	if (pkt->type != QSNET2_PKT || pkt->flags >= QSNET2_KINDS) {
		s->stats.refused++;
		return 0;
	}
	if (pkt->flags == QSNET2_ACK) {
		rx_acks_receive(s, src, pkt, payload);
		return 0;
	}
	if (pkt->flags == QSNET2_END) {
		rx_end(s, src, pkt);
		return 0;
	}
	ack = rx_packet(s, src, pkt, payload);
	if (qsnet2_network_acks(s))
		return ack == WEFT_QSNET2_ACK_DISCARD ? -EAGAIN : 0;
	rx_ack_send(s, src, pkt->aux, ack);
	return 0;
}

/* ---- host side of an input queue ---- */

WEFT_EXPORT void weft_qsnet2_input_init(struct weft_qsnet2_input *q, void *mem,
					uint32_t slot_bytes, uint32_t slots,
					uint64_t event)
{
	memset(q, 0, sizeof(*q));
	q->base = (uintptr_t)mem;
	q->slot_bytes = slot_bytes;
	q->slots = slots;
	q->event = event;
}

WEFT_EXPORT const void *weft_qsnet2_input_peek(struct weft_qsnet2_input *q)
{
	if (nic_event_read((weft_au64 *)(void *)&q->back) == q->front)
		return NULL;
	return (const unsigned char *)(uintptr_t)q->base +
	       (q->front & (q->slots - 1u)) * q->slot_bytes;
}

WEFT_EXPORT void weft_qsnet2_input_release(struct weft_qsnet2_input *q)
{
	nic_space_return((weft_au64 *)(void *)&q->front, q->front + 1);
}
