/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The receiver's side of the message engine's queue pairs. A message is stored
 * in the receive queue, from which the message engine reads it. Messages are
 * unordered on this machine, and the numbers of the window restore their order:
 * a message that arrives early is kept until the earlier ones are delivered. A
 * message that the message engine refuses stays with the carrier, or among the
 * early ones, and is not acknowledged.
 *
 * Of the other commands of the unit only acknowledgements and probes are
 * accepted: peers have no access to the memory and the registers of this node.
 */
#include "prov/machine/sunway/sunway_qp.h"

static int qp_refuse(struct sunway_qps *q)
{
	q->n->stats.refused++;
	return 0;
}

/*
 * Counts a delivered message; sends an acknowledgement if no message in the
 * other direction carries one.
 */
static void qp_delivered(struct sunway_qps *q, struct sunway_qp *p)
{
	if (weft_unlikely(++p->owed >= SUNWAY_QP_ACK))
		sunway_qp_ack(q, p);
}

/* Passes a message through the receive queue to the message engine. */
static inline int qp_receive(struct sunway_qps *q, struct sunway_qp *p,
			     const struct weft_pkt *pkt, const void *payload)
{
	struct sunway_slot *s = sunway_rq_store(q->rq, pkt, payload);
	int err;

	if (weft_unlikely(!s))
		return -EAGAIN;
	/* pkt is a copy made by the carrier, which the peer cannot change */
	err = q->up->deliver(q->up_arg, p->peer, pkt, s->data + sizeof(*pkt));
	q->n->stats.taken += !err;
	return err;
}

/* ---- early messages ---- */

static struct sunway_early **early_cell(const struct sunway_qp *p, uint32_t seq)
{
	return &p->early[seq % WEFT_ARQ_WINDOW];
}

/* Keeps a new message. Returns -EAGAIN if memory is exhausted. */
static int early_add(struct sunway_qps *q, struct sunway_qp *p, uint32_t seq,
		     const struct weft_pkt *pkt, const void *payload)
{
	struct sunway_early *m = malloc(sizeof(*m) + pkt->len);

	if (!p->early)
		p->early =
			calloc(WEFT_ARQ_WINDOW, sizeof(struct sunway_early *));
	if (!m || !p->early) {
		free(m);
		return -EAGAIN;
	}
	m->pkt = *pkt;
	memcpy(m->payload, payload, pkt->len);
	weft_arq_win_arrive(&p->rx, seq, WEFT_ARQ_WINDOW);
	*early_cell(p, seq) = m;
	q->early++;
	q->countdown = 1;
	return 0;
}

static int early_deliver(struct sunway_qps *q, struct sunway_qp *p)
{
	int n = 0;

	while (weft_arq_win_ready(&p->rx)) {
		struct sunway_early **cell = early_cell(p, p->rx.next);

		if (qp_receive(q, p, &(*cell)->pkt, (*cell)->payload))
			break;
		free(*cell);
		*cell = NULL;
		q->early--;
		weft_arq_win_advance(&p->rx);
		qp_delivered(q, p);
		n++;
	}
	return n;
}

void sunway_qp_early_free(struct sunway_qps *q, struct sunway_qp *p)
{
	for (uint32_t i = 0; p->early && i < WEFT_ARQ_WINDOW; i++) {
		q->early -= !!p->early[i];
		free(p->early[i]);
	}
	free(p->early);
	p->early = NULL;
}

/* ---- packets ---- */

/* Handles a message that is not the next one, or comes after a gap. */
static int qp_out_of_order(struct sunway_qps *q, struct sunway_qp *p,
			   uint32_t seq, const struct weft_pkt *pkt,
			   const void *payload)
{
	int err = 0;

	switch (weft_arq_win_check(&p->rx, seq, WEFT_ARQ_WINDOW)) {
	case WEFT_ARQ_OLD:
		q->n->stats.doubles++;
		sunway_qp_ack(q, p);
		break;
	case WEFT_ARQ_OUTSIDE:
		return qp_refuse(q);
	case WEFT_ARQ_NEW:
		err = early_add(q, p, seq, pkt, payload);
		break;
	}
	early_deliver(q, p);
	return err;
}

static inline int qp_message(struct sunway_qps *q, struct sunway_qp *p,
			     const struct weft_pkt *pkt, const void *payload)
{
	/* distance to the next number, which may be negative */
	int16_t ahead = (int16_t)(pkt->unit - p->rx.next);
	int err;

	if (weft_unlikely(ahead || p->rx.top != p->rx.next))
		return qp_out_of_order(q, p, p->rx.next + (uint32_t)ahead, pkt,
				       payload);
	err = qp_receive(q, p, pkt, payload);
	if (weft_unlikely(err))
		return err;
	p->rx.top = ++p->rx.next;
	qp_delivered(q, p);
	return 0;
}

/* Handles an acknowledgement or a probe. */
static int qp_command(struct sunway_qps *q, struct sunway_qp *p,
		      const struct weft_pkt *pkt)
{
	if (pkt->type != SUNWAY_PKT || pkt->len ||
	    (pkt->flags != SUNWAY_ACK && pkt->flags != SUNWAY_PROBE))
		return qp_refuse(q);
	p->heard = pkt->unit;
	sunway_qp_acked(q, p);
	if (pkt->flags == SUNWAY_PROBE)
		sunway_qp_ack(q, p);
	return 0;
}

WEFT_HOT int sunway_qp_deliver(struct sunway_qps *q, struct weft_peer *src,
			       const struct weft_pkt *pkt, const void *payload)
{
	struct sunway_qp *p = sunway_qp(q, src);

	if (weft_unlikely(!p))
		return -EAGAIN;
	if (weft_unlikely(pkt->type >= WEFT_PKT_UNIT))
		return qp_command(q, p, pkt);
	if (weft_unlikely(
		    pkt->len > q->max_bytes ||
		    (pkt->unit & SUNWAY_UNIT_FSM && pkt->len > SUNWAY_QP_FSM)))
		return qp_refuse(q);
	p->heard = pkt->unit;
	return qp_message(q, p, pkt, payload);
}

int sunway_qps_retry(struct sunway_qps *q)
{
	int n = 0;

	for (uint32_t i = 0; i < q->qp.count; i++) {
		if (q->qp.cell[i])
			n += early_deliver(q, q->qp.cell[i]);
	}
	return n;
}

void sunway_qp_lost(struct sunway_qps *q, struct weft_peer *peer)
{
	struct sunway_qp *p = weft_table_get(&q->qp, peer->index);

	if (!p)
		return;
	early_deliver(q, p);
	sunway_qp_early_free(q, p);
	weft_arq_win_init(&p->rx, p->rx.next);
	/* the peer is lost: all its messages count as acknowledged */
	p->heard = p->next << SUNWAY_ACK_SHIFT;
	sunway_qp_acked(q, p);
	weft_list_remove(&p->link);
}
