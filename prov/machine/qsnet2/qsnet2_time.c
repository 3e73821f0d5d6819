/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timeouts of the Elan4 interface. A missing acknowledgement counts as Discard:
 * the packet is retransmitted from the queue's memory until no restarts are
 * left. A packet whose commands are incomplete blocks the link for other queues
 * until a timeout; then it is closed, and built again from its open command
 * when more words arrive. Both timeouts are off by default, because the peer's
 * unit makes no progress while its program does not poll.
 */
#include "prov/machine/qsnet2/qsnet2_dev.h"

#include "src/base/attr.h"

WEFT_EXPORT void weft_qsnet2_timeouts(struct weft_qsnet2 *s,
				      uint64_t ack_timeout_ns,
				      uint64_t packet_timeout_ns)
{
	s->ack_timeout_ns = ack_timeout_ns;
	s->packet_timeout_ns = packet_timeout_ns;
	s->holder = NULL;
	s->rare = true;
}

static void queue_timeout(struct weft_qsnet2 *s, struct qsnet2_queue *q,
			  uint64_t now)
{
	for (unsigned i = 0; i < WEFT_QSNET2_CHANNELS; i++) {
		struct qsnet2_channel *c = &q->ch[i];

		if (c->state != QSNET2_SENT ||
		    now - c->sent_at < s->ack_timeout_ns)
			continue;
		s->stats.late++;
		if (!c->peer)
			qsnet2_broadcast_cancel(s, qsnet2_channel_id(q, c));
		c->state = QSNET2_DONE;
		c->ack = WEFT_QSNET2_ACK_DISCARD;
		qsnet2_channel_restart(s, q, c);
		qsnet2_queue_wake(s, q);
	}
}

static void acks_timeout(struct weft_qsnet2 *s, uint64_t now)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	for (unsigned i = 0; i < s->queues; i++) {
		if (s->queue[i])
			queue_timeout(s, s->queue[i], now);
	}
	weft_list_each(pos, tmp, &s->dma_run) {
		struct qsnet2_dma *d =
			weft_container_of(pos, struct qsnet2_dma, link);

		if (d->state != QSNET2_SENT ||
		    now - d->sent_at < s->ack_timeout_ns)
			continue;
		s->stats.late++;
		if (!d->to.peer)
			qsnet2_broadcast_cancel(
				s, (uint32_t)d->gen << 16 | QSNET2_ID_DMA |
					   (uint32_t)(d - s->dma));
		qsnet2_dma_timeout(s, d);
	}
}

void qsnet2_time_run(struct weft_qsnet2 *s)
{
	uint64_t now;

	if (!(s->ack_timeout_ns | s->packet_timeout_ns))
		return;
	now = s->clock();
	if (s->ack_timeout_ns)
		acks_timeout(s, now);
	if (!s->holder || now - s->held_at < s->packet_timeout_ns)
		return;
	s->stats.closed++;
	s->holder->closed = s->holder->tail;
	s->holder = NULL;
}

void qsnet2_time_hold(struct weft_qsnet2 *s, struct qsnet2_queue *q)
{
	if (!s->packet_timeout_ns || s->holder == q || q->closed == q->tail)
		return;
	s->holder = q;
	s->held_at = s->clock();
}

uint64_t qsnet2_time_sleep(const struct weft_qsnet2 *s, uint64_t ns)
{
	if (s->ack_timeout_ns && s->ack_timeout_ns < ns)
		ns = s->ack_timeout_ns;
	if (s->holder && s->packet_timeout_ns < ns)
		ns = s->packet_timeout_ns;
	return ns;
}
