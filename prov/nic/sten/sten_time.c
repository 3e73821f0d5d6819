/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timeouts of the Elan4 interface. A missing acknowledgement counts as Discard:
 * the packet is retransmitted from the queue's memory until its restarts are
 * used up. A packet whose commands are incomplete holds the link against other
 * queues until a timeout; then it is closed, and built again from its open
 * command when more words arrive. Both timeouts are off by default: here the
 * peer's unit makes no progress while its program does not poll.
 */
#include "prov/nic/sten/sten_dev.h"

#include "src/base/attr.h"

#include <time.h>

uint64_t sten_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

WEFT_EXPORT void weft_sten_timeouts(struct weft_sten *s,
				    uint64_t ack_timeout_ns,
				    uint64_t packet_timeout_ns)
{
	s->ack_timeout_ns = ack_timeout_ns;
	s->packet_timeout_ns = packet_timeout_ns;
	s->holder = NULL;
	s->rare = true;
}

static void queue_timeout(struct weft_sten *s, struct sten_queue *q,
			  uint64_t now)
{
	for (unsigned i = 0; i < WEFT_STEN_CHANNELS; i++) {
		struct sten_channel *c = &q->ch[i];

		if (c->state != STEN_SENT ||
		    now - c->sent_at < s->ack_timeout_ns)
			continue;
		s->stats.late++;
		if (!c->peer)
			sten_cast_cancel(s, sten_channel_id(q, c));
		c->state = STEN_DONE;
		c->ack = WEFT_STEN_ACK_DISCARD;
		sten_channel_restart(s, q, c);
		sten_queue_wake(s, q);
	}
}

static void acks_timeout(struct weft_sten *s, uint64_t now)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	for (unsigned i = 0; i < s->queues; i++) {
		if (s->queue[i])
			queue_timeout(s, s->queue[i], now);
	}
	weft_list_each(pos, tmp, &s->dma_run)
	{
		struct sten_dma *d =
			weft_container_of(pos, struct sten_dma, link);

		if (d->state != STEN_SENT ||
		    now - d->sent_at < s->ack_timeout_ns)
			continue;
		s->stats.late++;
		if (!d->to.peer)
			sten_cast_cancel(s, (uint32_t)d->gen << 16 |
						    STEN_ID_DMA |
						    (uint32_t)(d - s->dma));
		sten_dma_timeout(s, d);
	}
}

void sten_time_run(struct weft_sten *s)
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

void sten_time_hold(struct weft_sten *s, struct sten_queue *q)
{
	if (!s->packet_timeout_ns || s->holder == q || q->closed == q->tail)
		return;
	s->holder = q;
	s->held_at = s->clock();
}

uint64_t sten_time_sleep(const struct weft_sten *s, uint64_t ns)
{
	if (s->ack_timeout_ns && s->ack_timeout_ns < ns)
		ns = s->ack_timeout_ns;
	if (s->holder && s->packet_timeout_ns < ns)
		ns = s->packet_timeout_ns;
	return ns;
}
