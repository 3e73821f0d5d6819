/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages: what the ranks have posted, as the model sends it. Packets of one
 * message are one after the other in the rank's list and become one message of
 * the model, which cuts it as the machine would. They are handed over in the
 * order of sending, each when as many bytes have come.
 *
 * A machine with several paths into the network lets a short message overtake
 * a long one. Its software and its interfaces see to it that nobody notices:
 * here a message waits until those before it from the same rank have come.
 */
#include "prov/carrier/vt/vt.h"
#include "src/base/log.h"

#include <string.h>

/* ---- out ----------------------------------------------------------------- */

/* Bytes of data that the machine would send. */
static uint32_t sent_bytes(const struct vt_buf *b)
{
	return b->way.bytes ? b->way.bytes - 1 : b->pkt.len;
}

/* The packets from here on that make one message; returns the last. */
static uint32_t chain(struct weft_vt *w, uint32_t first, struct net_msg *m,
		      uint32_t *count_p)
{
	uint32_t last = first, i;

	m->bytes = sent_bytes(vt_buf(w, first));
	vt_buf(w, first)->end = (uint32_t)m->bytes;
	vt_buf(w, first)->nth = 1;
	*count_p = 1;
	while ((i = vt_after(w, last)) != VT_NONE) {
		struct vt_buf *b = vt_buf(w, i);

		vt_sure(*count_p < w->buf_count);
		if (b->kind != VT_PACKET || !b->more)
			break;
		vt_buf(w, last)->chain = i;
		last = i;
		m->bytes += sent_bytes(b);
		b->end = (uint32_t)m->bytes;
		b->nth = ++*count_p;
	}
	vt_buf(w, last)->chain = VT_NONE;
	vt_buf(w, last)->cursor = first;
	vt_buf(w, last)->come = 0;
	m->cookie = last;
	return last;
}

/* ---- order --------------------------------------------------------------- */

/* Does the machine have ways that overtake each other? */
static bool may_overtake(const struct weft_vt *w, const struct vt_buf *b)
{
	return w->cfg.paths > 1 && b->way.vc == WEFT_VT_ORDERED;
}

/* The message, named by its last packet, is the last of its rank. */
static void order_add(struct weft_vt *w, struct vt_rank *r, uint32_t i)
{
	vt_buf(w, i)->later = VT_NONE;
	if (r->out_last == VT_NONE)
		r->out_first = i;
	else
		vt_buf(w, r->out_last)->later = i;
	r->out_last = i;
}

static void order_remove(struct weft_vt *w, struct vt_rank *r, uint32_t i)
{
	uint32_t before = VT_NONE, k = r->out_first, n = 0;

	while (k != i) {
		vt_sure(n++ < w->buf_count);
		before = k;
		k = vt_buf(w, k)->later;
	}
	if (before == VT_NONE)
		r->out_first = vt_buf(w, i)->later;
	else
		vt_buf(w, before)->later = vt_buf(w, i)->later;
	if (r->out_last == i)
		r->out_last = before;
}

/* The oldest message to a rank that is not over, from here on. */
static uint32_t oldest_to(struct weft_vt *w, uint32_t from, uint32_t to)
{
	uint32_t n = 0;

	while (from != VT_NONE && vt_buf(w, from)->to != to) {
		vt_sure(n++ < w->buf_count);
		from = vt_buf(w, from)->later;
	}
	return from;
}

/* ---- in ------------------------------------------------------------------ */

/* The next packet of a message, whose last one is last, number end. */
static void hand_over(struct vt_turn *t, struct vt_buf *last, uint32_t end)
{
	uint32_t i = last->cursor;
	struct vt_buf *b = vt_buf(t->w, i);

	last->cursor = b->chain;
	vt_arrive(t, b->to, i, i != end && b->nth % VT_LOUD);
	vt_landed(t, b->from);
}

/* Hands over what has come of a message; true: that was all of it. */
static bool hand_all(struct vt_turn *t, uint32_t end)
{
	struct vt_buf *last = vt_buf(t->w, end);

	while (last->cursor != VT_NONE &&
	       vt_buf(t->w, last->cursor)->end < last->come)
		hand_over(t, last, end);
	return last->cursor == VT_NONE;
}

/* The same where messages wait for those before them. */
static void hand_in_order(struct vt_turn *t, uint32_t end)
{
	struct weft_vt *w = t->w;
	uint32_t to = vt_buf(w, end)->to, from = vt_buf(w, end)->from, later;
	struct vt_rank *r = vt_rank(w, from);

	if (oldest_to(w, r->out_first, to) != end)
		return;
	while (end != VT_NONE) {
		later = vt_buf(w, end)->later;
		/* its buffers may be sent again from here on */
		if (!hand_all(t, end))
			return;
		order_remove(w, r, end);
		end = oldest_to(w, later, to);
	}
}

/*
 * The cookie of a message is its last packet, which stays until all have come
 * and knows the next. By any road packets may come in another order, but those
 * that may are only waited for all together.
 */
void vt_message_packet(struct vt_turn *t, uint32_t end, uint32_t bytes)
{
	struct vt_buf *last = vt_buf(t->w, end);

	/* one more than the bytes, so that an empty message comes, too */
	last->come += bytes + !last->come;
	if (may_overtake(t->w, last))
		hand_in_order(t, end);
	else
		hand_all(t, end);
}

void vt_message_lost(struct vt_turn *t, uint32_t end)
{
	struct weft_vt *w = t->w;
	struct vt_buf *last = vt_buf(w, end);
	uint32_t to = last->to, from = last->from, i = last->cursor, next;
	struct vt_rank *r = vt_rank(w, from);
	bool ordered = may_overtake(w, last);

	if (ordered)
		order_remove(w, r, end);
	while (i != VT_NONE) {
		next = vt_buf(w, i)->chain;
		vt_give_back(t, i);
		vt_landed(t, from);
		i = next;
	}
	next = ordered ? oldest_to(w, r->out_first, to) : VT_NONE;
	if (next != VT_NONE)
		hand_in_order(t, next);
}

uint32_t vt_message_post(struct vt_turn *t, uint32_t rank, uint32_t first)
{
	struct weft_vt *w = t->w;
	struct vt_buf *b = vt_buf(w, first);
	struct net_msg m;
	uint32_t n, last;

	vt_aim(w, rank, b->to, &b->way, &m);
	last = chain(w, first, &m, &n);
	vt_buf(w, last)->way.vc = b->way.vc;
	if (may_overtake(w, b))
		order_add(w, vt_rank(w, rank), last);
	vt_model_send(w, vt_send_time(w, b->stamp), &m);
	vt_rank(w, rank)->flying += n;
	return last;
}
