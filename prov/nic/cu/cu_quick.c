/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The short way of a small group: an operation of one packet that everybody
 * publishes and everybody reads, done where it is called when nothing else is
 * under way. Who has waited in vain for a while leaves it to the long way,
 * with its packet sent.
 */
#include "prov/nic/cu/cu_group.h"

#include <errno.h>
#include <string.h>

static bool quick_fits(struct weft_cu_group *g, const struct weft_cu_call *op)
{
	return g->near && !g->head && !g->err && cu_credit_has(g, g->sent) &&
	       (op->kind == WEFT_CU_BARRIER ||
		(op->kind == WEFT_CU_ALLREDUCE &&
		 op->bytes <= g->geo.packet_bytes));
}

static void quick_publish(struct weft_cu_group *g, struct weft_cu_call *op,
			  uint64_t seq, uint32_t sig)
{
	struct cu_packet *p = cu_slot(g, g->me, seq);

	p->sig = sig;
	p->flags = 0;
	p->lag = (uint16_t)(seq + 1 - g->consumed);
	if (op->bytes == 8)
		memcpy(p->payload, op->in, 8);
	else if (op->bytes)
		memcpy(p->payload, op->in, op->bytes);
	/* R0 pairs with A0 in quick_see(): written before it is numbered. */
	weft_store64(&p->seq, seq + 1);
	cu_tell(g, CU_BELL_OUT);
}

/* Waits for member's packet; NULL: not in that many looks. */
static struct cu_packet *quick_see(struct weft_cu_group *g, int member,
				   uint64_t seq, unsigned *turns_p)
{
	struct cu_packet *p = cu_slot(g, member, seq);

	/* A0 pairs with R0 in quick_publish() and publish(). */
	while (weft_load64(&p->seq) != seq + 1) {
		if (!(*turns_p)--)
			return NULL;
	}
	return p;
}

/* Takes everyone's packet in the order of the members. */
static void quick_take(struct weft_cu_group *g, struct weft_cu_call *op,
		       uint64_t seq, uint32_t sig)
{
	char *out = op->out;

	for (int i = 0; i < g->n; i++) {
		const struct cu_packet *p = cu_slot(g, i, seq);

		if (weft_unlikely(p->sig != sig))
			op->err = -EPROTO;
		op->flags |= p->flags;
		cu_learn(g, i, seq, p->lag);
		if (!op->bytes)
			continue;
		if (i == 0)
			memcpy(out, p->payload, op->bytes);
		else
			op->flags |= weft_cu_combine(op->op, op->type, out,
						     p->payload, op->count);
	}
}

/* Packet seq is sent and is all there is of op: the long way goes on. */
static void quick_adopt(struct weft_cu_group *g, struct weft_cu_call *op,
			uint64_t seq)
{
	op->first = seq;
	op->packets = op->sent = 1;
	op->read = 0;
	op->next = NULL;
	cu_enqueue(g, op);
}

bool weft_cu_quick(struct weft_cu_group *g, struct weft_cu_call *op,
		   unsigned turns)
{
	uint64_t seq = g->posted;
	uint32_t sig;

	op->bytes = op->count * weft_cu_bytes(op->type);
	if (!quick_fits(g, op))
		return false;
	sig = cu_sig(op);
	op->flags = 0;
	op->err = 0;
	quick_publish(g, op, seq, sig);
	g->posted++;
	g->sent++;
	for (int i = 0; i < g->n; i++) {
		if (i != g->me && !quick_see(g, i, seq, &turns))
			goto late;
	}
	quick_take(g, op, seq, sig);
	cu_credit_read(g);
	op->done(op);
	return true;
late:
	quick_adopt(g, op, seq);
	return true;
}

/* ---- barriers ------------------------------------------------------------ */

static const struct weft_cu_call barrier = { .kind = WEFT_CU_BARRIER,
					     .type = WEFT_CU_UINT8 };

int weft_cu_sync(struct weft_cu_group *g, unsigned turns)
{
	uint64_t seq = g->posted;
	struct cu_packet *p;
	int err = 0;

	if (!g->near || g->head || g->err || !cu_credit_has(g, seq))
		return -EAGAIN;
	p = cu_slot(g, g->me, seq);
	p->sig = cu_sig(&barrier);
	p->flags = 0;
	p->lag = (uint16_t)(seq + 1 - g->consumed);
	/* R0 pairs with A0 in quick_see(). */
	weft_store64(&p->seq, seq + 1);
	cu_tell(g, CU_BELL_OUT);
	g->posted = g->sent = seq + 1;
	for (int i = 0; i < g->n; i++) {
		if (i == g->me)
			continue;
		p = quick_see(g, i, seq, &turns);
		if (!p)
			return -EINPROGRESS;
		if (weft_unlikely(p->sig != cu_sig(&barrier)))
			err = -EPROTO;
		cu_learn(g, i, seq, p->lag);
	}
	cu_credit_read(g);
	return err;
}

void weft_cu_sync_later(struct weft_cu_group *g, struct weft_cu_call *op)
{
	op->kind = barrier.kind;
	op->op = barrier.op;
	op->type = barrier.type;
	op->root = 0;
	op->count = op->bytes = 0;
	op->in = op->out = NULL;
	op->flags = 0;
	op->err = 0;
	quick_adopt(g, op, g->posted - 1);
}
