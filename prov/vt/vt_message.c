/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages: conversion of posted packets into messages of the model. The
 * packets of one message are consecutive in the rank's list of posted packets,
 * and become one message of the model, which splits it into segments as the
 * machine would. The packets are delivered in the order of sending, each when
 * all bytes up to its end have arrived.
 *
 * On a machine with several paths into the network a short message can overtake
 * a long one. The machine's software and interfaces restore the order; in this
 * model a message waits until the earlier messages from the same rank have
 * arrived.
 */
#include "prov/vt/vt.h"
#include "src/base/log.h"

#include <string.h>

/* ---- sending of messages ------------------------------------------------- */

/* Returns the number of data bytes of a packet that the machine would send. */
static uint32_t sent_bytes(const struct vt_buf *b)
{
	return b->attr.bytes ? b->attr.bytes - 1 : b->pkt.len;
}

/*
 * Chains the packets of one message, starting at packet `first`; returns its
 * last packet.
 */
static uint32_t chain_packets(struct weft_vt *w, uint32_t first,
			      struct net_msg *m, uint32_t *count_p)
{
	uint32_t last = first, i;

	m->bytes = sent_bytes(vt_buf(w, first));
	vt_buf(w, first)->end = (uint32_t)m->bytes;
	vt_buf(w, first)->nth = 1;
	*count_p = 1;
	while ((i = vt_after(w, last)) != VT_NONE) {
		struct vt_buf *b = vt_buf(w, i);

		vt_require(*count_p < w->buf_count);
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
	vt_buf(w, last)->arrived_bytes = 0;
	vt_buf(w, last)->no_slot = 0;
	m->cookie = last;
	return last;
}

/* ---- order of messages --------------------------------------------------- */

/*
 * Returns whether a message on this channel can be overtaken by others, because
 * the machine has several paths.
 */
static bool may_overtake(const struct weft_vt *w, const struct vt_buf *b)
{
	return w->cfg.paths > 1 && b->attr.vc == WEFT_VC_ORDERED;
}

/* Appends a message, identified by its last packet, to a FIFO of its rank. */
void vt_msg_fifo_add(struct weft_vt *w, struct vt_msg_fifo *l, uint32_t i)
{
	WEFT_GUARD_ASSERT((l->first == VT_NONE) == (l->last == VT_NONE));
	vt_buf(w, i)->later = VT_NONE;
	if (l->last == VT_NONE)
		l->first = i;
	else
		vt_buf(w, l->last)->later = i;
	l->last = i;
}

void vt_msg_fifo_remove(struct weft_vt *w, struct vt_msg_fifo *l, uint32_t i)
{
	uint32_t before = VT_NONE, k = l->first, n = 0;

	while (k != i) {
		vt_require(n++ < w->buf_count);
		before = k;
		k = vt_buf(w, k)->later;
	}
	if (before == VT_NONE)
		l->first = vt_buf(w, i)->later;
	else
		vt_buf(w, before)->later = vt_buf(w, i)->later;
	if (l->last == i)
		l->last = before;
}

/*
 * Returns the first message to rank `to` in a FIFO, searching from message
 * `from` on.
 */
uint32_t vt_msg_fifo_first(struct weft_vt *w, uint32_t from, uint32_t to)
{
	uint32_t n = 0;

	while (from != VT_NONE && vt_buf(w, from)->to != to) {
		vt_require(n++ < w->buf_count);
		from = vt_buf(w, from)->later;
	}
	return from;
}

/* ---- arrival of messages ------------------------------------------------- */

/*
 * Returns whether the receiver's input queue has a free slot for the first
 * packet of a message; true for a rank that has left, which has no queue.
 */
static bool has_slot(struct vt_engine_pass *t, uint32_t rank)
{
	const struct vt_rank *r = vt_rank(t->w, rank);
	uint32_t slots = t->w->cfg.input_slots;

	/* relaxed: the rank has blocked since it wrote packets_read */
	return !slots ||
	       r->arrived - weft_load32_relaxed(&r->packets_read) < slots ||
	       weft_load32(&r->status) >= WEFT_VT_DONE;
}

/*
 * Returns the time at which a discarded message is retransmitted. Attempts
 * before the receiver's next poll would fail and are skipped, but the interval
 * between attempts is kept.
 */
static uint64_t retry_time(struct vt_engine_pass *t, uint32_t rank)
{
	uint64_t poll_ps = vt_interface_runs(t->w, rank, t->time_ps)
				   ? t->time_ps
				   : vt_now(vt_rank(t->w, rank));
	uint64_t step = t->w->cfg.retry_ps ? t->w->cfg.retry_ps : 1;
	uint64_t n = poll_ps > t->time_ps
			     ? (poll_ps - t->time_ps + step - 1) / step
			     : 1;

	return t->time_ps + n * step;
}

/*
 * Retransmits a message that was discarded on arrival, as the sender's unit
 * does.
 */
static void retransmit(struct vt_engine_pass *t, uint32_t end)
{
	struct weft_vt *w = t->w;
	struct vt_buf *last = vt_buf(w, end), *b = vt_buf(w, last->cursor);
	struct net_msg m;

	vt_msg_init_unit(w, b->from, b->to, &b->attr, &m);
	WEFT_GUARD_ASSERT(last->no_slot && last->arrived_bytes > last->end);
	m.bytes = last->end;
	m.cookie = end;
	last->arrived_bytes = 0;
	last->no_slot = 0;
	w->head->discards++;
	vt_rank_notify(t, b->to, t->time_ps);
	vt_rank_send(w, retry_time(t, b->to), b->from, b->to, &m);
}

/*
 * Delivers those packets of a message that have arrived completely. Returns
 * whether the message is complete.
 */
static bool deliver_arrived(struct vt_engine_pass *t, uint32_t end)
{
	struct vt_buf *last = vt_buf(t->w, end);

	if (last->cursor != VT_NONE && vt_buf(t->w, last->cursor)->nth == 1 &&
	    last->arrived_bytes && !has_slot(t, last->to))
		last->no_slot = 1;
	if (last->no_slot) {
		if (last->arrived_bytes > last->end)
			retransmit(t, end);
		return false;
	}
	while (last->cursor != VT_NONE &&
	       vt_buf(t->w, last->cursor)->end < last->arrived_bytes) {
		uint32_t i = last->cursor;
		struct vt_buf *b = vt_buf(t->w, i);

		last->cursor = b->chain;
		vt_rank(t->w, b->to)->arrived++;
		vt_arrive(t, b->to, i, i != end && b->nth % VT_WAKE_EVERY);
		vt_flight_done(t, b->from);
	}
	return last->cursor == VT_NONE;
}

/*
 * Delivers message `end` and the following messages, as far as they have
 * arrived and wait for no earlier message.
 */
static void deliver_in_order(struct vt_engine_pass *t, uint32_t end)
{
	struct weft_vt *w = t->w;
	uint32_t to = vt_buf(w, end)->to, from = vt_buf(w, end)->from, later;
	struct vt_rank *r = vt_rank(w, from);

	if (vt_msg_fifo_first(w, r->out.first, to) != end)
		return;
	while (end != VT_NONE) {
		later = vt_buf(w, end)->later;
		/*
		 * read `later` first: the buffers may be reused after this call
		 */
		if (!deliver_arrived(t, end))
			return;
		vt_msg_fifo_remove(w, &r->out, end);
		end = vt_msg_fifo_first(w, later, to);
	}
}

/*
 * Handles the arrival of bytes of a message. The cookie of a message is the
 * index of its last packet, which is kept until all packets have arrived and
 * contains the index of the packet to be delivered next. With adaptive routing
 * packets may arrive out of order, but then the message is delivered only when
 * it is complete.
 */
void vt_message_packet(struct vt_engine_pass *t, uint32_t end, uint32_t bytes)
{
	struct vt_buf *last = vt_buf(t->w, end);

	WEFT_GUARD_ASSERT(last->kind == VT_PACKET && last->chain == VT_NONE);
	/*
	 * arrived_bytes is the number of bytes plus one, so that an empty
	 * message counts as well
	 */
	last->arrived_bytes += bytes + !last->arrived_bytes;
	if (may_overtake(t->w, last))
		deliver_in_order(t, end);
	else
		deliver_arrived(t, end);
}

void vt_message_lost(struct vt_engine_pass *t, uint32_t end)
{
	struct weft_vt *w = t->w;
	struct vt_buf *last = vt_buf(w, end);
	uint32_t to = last->to, from = last->from, i = last->cursor, next;
	struct vt_msg_fifo *fifo = &vt_rank(w, from)->out;
	bool ordered = may_overtake(w, last);

	if (ordered)
		vt_msg_fifo_remove(w, fifo, end);
	while (i != VT_NONE) {
		next = vt_buf(w, i)->chain;
		vt_buf_return(t, i);
		vt_flight_done(t, from);
		i = next;
	}
	next = ordered ? vt_msg_fifo_first(w, fifo->first, to) : VT_NONE;
	if (next != VT_NONE)
		deliver_in_order(t, next);
}

uint32_t vt_message_post(struct vt_engine_pass *t, uint32_t rank,
			 uint32_t first)
{
	struct weft_vt *w = t->w;
	struct vt_buf *b = vt_buf(w, first);
	struct net_msg m;
	uint32_t n, last;

	vt_msg_init_sent(w, b, &m);
	last = chain_packets(w, first, &m, &n);
	vt_buf(w, last)->attr.vc = b->attr.vc;
	if (may_overtake(w, b))
		vt_msg_fifo_add(w, &vt_rank(w, rank)->out, last);
	vt_rank_send(w, vt_send_time(w, b->stamp), b->from, b->to, &m);
	vt_rank(w, rank)->in_flight += n;
	return last;
}
