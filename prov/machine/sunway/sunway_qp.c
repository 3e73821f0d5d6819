/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sender's side of the message engine's queue pairs. The interface of the
 * message engine has no other reliable messages, so the send unit takes a
 * message at once if a slot is free, the window has space and the carrier
 * accepts the packet. A message keeps its slot until it is acknowledged; a fast
 * short message also keeps its data.
 *
 * Message slots are shared by all peers. A peer that does not poll may occupy
 * at most as many slots as are still free, so that messages to other peers can
 * be sent. A sender without a free slot probes the peers whose messages occupy
 * slots, and these acknowledge.
 */
#include "prov/machine/sunway/sunway_qp.h"

#include "src/base/copy.h"

#define QP_SENDS      4 /* RDMA descriptors, which the unit fetches at once */
/* a small number suffices: the engine takes messages at once */
#define QP_RECEIVES   4
#define QP_ENGINE     0
#define QP_POLLS      256 /* polls per reading of the clock */
/* slots are freed when this many messages are in flight */
#define QP_ACKED      16
#define QP_RESEND_MAX 1000000000u /* longest timeout, ns; assumed */

static struct sunway_me *qp_engine(struct sunway_qps *q)
{
	return &q->n->me[QP_ENGINE];
}

/* ---- message slots ---- */

/* Frees a slot. The next message sets the other fields when it starts. */
static void qp_slot_free(struct sunway_qps *q, unsigned slot)
{
	struct sunway_me *e = qp_engine(q);
	struct sunway_msg *m = &e->msg[slot];

	m->gen++;
	m->fsm = false;
	m->state = SUNWAY_FREE;
	e->in_flight--;
	/* the slot that was used last is still in the cache */
	weft_list_push_front(&e->free, &m->link);
}

static inline bool qp_full(struct sunway_qps *q, const struct sunway_qp *p)
{
	unsigned used = p->next - p->acked;
	unsigned free = WEFT_SUNWAY_IN_FLIGHT - qp_engine(q)->in_flight;

	return used >= SUNWAY_QP_WINDOW || used + SUNWAY_QP_RESERVE >= free;
}

static unsigned qp_slot(struct sunway_qps *q, const struct sunway_msg *m)
{
	return (unsigned)(m - qp_engine(q)->msg);
}

/* Takes a slot for the next message of a queue pair. */
static inline struct sunway_msg *qp_slot_take(struct sunway_qps *q,
					      struct sunway_qp *p,
					      const struct weft_pkt *pkt)
{
	struct sunway_msg *m = sunway_msg_take(q->n, QP_ENGINE);

	m->state = SUNWAY_WAITING;
	m->vi = (uint8_t)q->vi;
	m->job = SUNWAY_TRANSPORT_JOB;
	m->seq = p->next;
	m->d.op = WEFT_SUNWAY_QUEUE;
	m->d.flags = WEFT_SUNWAY_RELIABLE;
	m->d.guid = p->peer->index;
	m->d.bytes = (uint32_t)sizeof(*pkt) + pkt->len;
	return m;
}

/* ---- packets ---- */

static inline int qp_emit(struct sunway_qps *q, struct sunway_qp *p,
			  struct weft_pkt *pkt, uint32_t seq,
			  const struct iovec *iov, int count)
{
	pkt->unit = sunway_qp_word(p, seq, pkt->len <= SUNWAY_QP_FSM);
	return sunway_emit_peer(q->n, p->peer, pkt, iov, count);
}

/* Returns the copy of a message's data. */
static unsigned char *qp_staging(struct sunway_qps *q,
				 const struct sunway_msg *m)
{
	return q->staging + (size_t)qp_slot(q, m) * WEFT_SUNWAY_PACKET;
}

/* Retransmits the packet of a message. */
static int qp_retransmit(struct sunway_qps *q, struct sunway_qp *p,
			 struct sunway_msg *m)
{
	unsigned char *from = m->fsm ? m->data : qp_staging(q, m);
	struct weft_pkt pkt;
	struct iovec iov;

	memcpy(&pkt, from, sizeof(pkt));
	iov.iov_base = from + sizeof(pkt);
	iov.iov_len = pkt.len;
	return qp_emit(q, p, &pkt, m->seq, &iov, 1);
}

/* Sends a packet without data: an acknowledgement or a probe. */
static int qp_control(struct sunway_qps *q, struct sunway_qp *p, unsigned cmd)
{
	const struct weft_pkt pkt = {
		.type = SUNWAY_PKT,
		.flags = (uint8_t)cmd,
		.unit = sunway_qp_word(p, p->next, false),
	};

	return sunway_emit_peer(q->n, p->peer, &pkt, NULL, 0);
}

void sunway_qp_ack(struct sunway_qps *q, struct sunway_qp *p)
{
	if (q->n->port[0].port.carrier->ops->backend->acks)
		return;
	if (qp_control(q, p, SUNWAY_ACK) == -EAGAIN) {
		p->owed = SUNWAY_QP_ACK;
		q->ack_due = true;
		q->countdown = 1;
		return;
	}
	p->owed = 0;
	q->n->stats.acks++;
}

/* Probes the peers that have not acknowledged messages. */
static void qps_probe(struct sunway_qps *q)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &q->unacked) {
		struct sunway_qp *p =
			weft_container_of(pos, struct sunway_qp, link);

		if (p->acked == p->next || p->probed == p->next ||
		    qp_control(q, p, SUNWAY_PROBE))
			continue;
		p->probed = p->next;
		q->n->stats.asked++;
	}
}

/*
 * Frees acknowledged slots, of all peers if that is not enough. Returns whether
 * a message may be sent.
 */
static bool qp_reclaim(struct sunway_qps *q, struct sunway_qp *p)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	sunway_qp_acked(q, p);
	if (!qp_full(q, p))
		return true;
	weft_list_each(pos, tmp, &q->unacked)
		sunway_qp_acked(q,
				weft_container_of(pos, struct sunway_qp, link));
	if (!qp_full(q, p))
		return true;
	qps_probe(q);
	return false;
}

/* Counts a message that was sent. */
static inline void qp_sent(struct sunway_qps *q, struct sunway_qp *p,
			   const struct sunway_msg *m)
{
	p->slot[p->next++ % SUNWAY_QP_WINDOW] = (uint16_t)qp_slot(q, m);
	p->owed = 0;
	if (weft_unlikely(weft_list_empty(&p->link))) {
		p->timed = p->acked - 1; /* the timer starts at the next poll */
		weft_list_push_back(&q->unacked, &p->link);
	}
	if (weft_unlikely(p->next - p->acked >= QP_ACKED))
		sunway_qp_acked(q, p);
}

/*
 * Sends a fast short message: the send unit forwards the header and the data
 * while the processor writes them on chip, where they stay until they are
 * acknowledged.
 */
static inline int qp_send_fsm(struct sunway_qps *q, struct sunway_qp *p,
			      const struct weft_pkt *pkt,
			      const struct iovec *iov, int count)
{
	struct weft_pkt out = *pkt;
	int err = qp_emit(q, p, &out, p->next, iov, count);
	struct sunway_msg *m;
	char *to;

	if (weft_unlikely(err))
		return err;
	m = qp_slot_take(q, p, pkt);
	m->fsm = true;
	memcpy(m->data, pkt, sizeof(*pkt));
	to = (char *)m->data + sizeof(*pkt);
	for (int i = 0; i < count; to += iov[i++].iov_len)
		weft_copy(to, iov[i].iov_base, iov[i].iov_len);
	q->n->stats.fsms++;
	qp_sent(q, p, m);
	return 0;
}

/*
 * Translates the addresses of a message's data. Returns the number of segments,
 * or -1.
 */
static int qp_translate(struct sunway_qps *q, const struct iovec *iov,
			int count, struct iovec *out)
{
	struct sunway_range r = { .job = SUNWAY_TRANSPORT_JOB };
	int n = 0;

	for (int i = 0; i < count; i++) {
		int k;

		r.address = sunway_address_whole(iov[i].iov_base);
		r.bytes = iov[i].iov_len;
		k = sunway_mem_iov(q->n, &r, &out[n], WEFT_SUNWAY_GATHER - n);
		if (k < 0)
			return -1;
		n += k;
	}
	return n;
}

/*
 * Sends a queue message: the unit fetches the data from memory. On a carrier
 * that may lose packets, the data is sent from a copy that is kept until it is
 * acknowledged.
 */
static int qp_send_queue(struct sunway_qps *q, struct sunway_qp *p,
			 const struct weft_pkt *pkt, const struct iovec *iov,
			 int count)
{
	struct sunway_msg *m = qp_slot_take(q, p, pkt);
	struct iovec out[WEFT_SUNWAY_GATHER];
	struct iovec copy = { .iov_len = pkt->len };
	struct weft_pkt head = *pkt;
	int err = -EFAULT;

	if (q->staging) {
		unsigned char *to = qp_staging(q, m);

		weft_transport_gather(to, pkt, iov, count);
		copy.iov_base = to + sizeof(*pkt);
		iov = &copy;
		count = 1;
	}
	m->d.local = sunway_address_whole(iov[0].iov_base);
	q->n->stats.fetches += 2; /* one for the descriptor, one for the data */
	count = qp_translate(q, iov, count, out);
	if (weft_likely(count >= 0))
		err = qp_emit(q, p, &head, p->next, out, count);
	if (weft_unlikely(err)) {
		qp_slot_free(q, qp_slot(q, m));
		return err;
	}
	q->n->stats.queued++;
	qp_sent(q, p, m);
	return 0;
}

WEFT_HOT int sunway_qp_send(struct sunway_qps *q, struct sunway_qp *p,
			    const struct weft_pkt *pkt, const struct iovec *iov,
			    int count)
{
	if (weft_unlikely(qp_full(q, p)) && !qp_reclaim(q, p))
		return -EAGAIN;
	if (weft_likely(pkt->len <= SUNWAY_QP_FSM))
		return qp_send_fsm(q, p, pkt, iov, count);
	return qp_send_queue(q, p, pkt, iov, count);
}

WEFT_HOT void sunway_qp_acked(struct sunway_qps *q, struct sunway_qp *p)
{
	uint32_t to = p->heard >> SUNWAY_ACK_SHIFT;
	uint32_t n = (to - p->acked) & SUNWAY_ACK_MASK;

	/* an old acknowledgement, or one for messages that were not sent */
	if (weft_unlikely(n > p->next - p->acked))
		return;
	for (; n; n--)
		qp_slot_free(q, p->slot[p->acked++ % SUNWAY_QP_WINDOW]);
}

/* ---- timeouts ---- */

/*
 * Retransmits the oldest message that is not acknowledged in time. If no copy
 * of its data is kept, the carrier does not lose packets, so the peer is only
 * probed.
 */
static void qp_timeout(struct sunway_qps *q, struct sunway_qp *p)
{
	struct sunway_msg *m =
		&qp_engine(q)->msg[p->slot[p->acked % SUNWAY_QP_WINDOW]];

	if (!m->fsm && !q->staging)
		q->n->stats.asked += !qp_control(q, p, SUNWAY_PROBE);
	else
		q->n->stats.resent += !qp_retransmit(q, p, m);
}

static void qp_timer(struct sunway_qps *q, struct sunway_qp *p, uint64_t now)
{
	if (p->timed != p->acked) {
		p->timed = p->acked;
		weft_arq_timer_start(&p->timer, now, q->n->resend_ns);
	} else if (weft_arq_timer_expired(&p->timer, now, QP_RESEND_MAX)) {
		qp_timeout(q, p);
	}
}

static void qps_timers(struct sunway_qps *q)
{
	uint64_t now = q->n->clock();
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &q->unacked) {
		struct sunway_qp *p =
			weft_container_of(pos, struct sunway_qp, link);

		sunway_qp_acked(q, p);
		if (p->acked == p->next)
			weft_list_remove(&p->link);
		else
			qp_timer(q, p, now);
	}
}

static void qps_acks(struct sunway_qps *q)
{
	q->ack_due = false;
	for (uint32_t i = 0; i < q->qp.count; i++) {
		struct sunway_qp *p = q->qp.cell[i];

		if (p && p->owed >= SUNWAY_QP_ACK)
			sunway_qp_ack(q, p);
	}
}

int sunway_qps_run(struct sunway_qps *q)
{
	struct weft_carrier *c = q->n->port[0].port.carrier;
	int n = 0;

	if (!weft_list_empty(&q->unacked))
		qps_timers(q);
	q->countdown = QP_POLLS;
	if (!q->early && !q->ack_due)
		return 0;
	if (q->ack_due)
		qps_acks(q);
	n = sunway_qps_retry(q);
	q->countdown = 1;
	c->ops->wake(c); /* poll again */
	return n;
}

/* ---- open and close ---- */

struct sunway_qp *sunway_qp_open(struct sunway_qps *q, struct weft_peer *peer)
{
	void **cell = weft_table_slot(&q->qp, peer->index);
	struct sunway_qp *p;

	if (!cell || *cell)
		return cell ? *cell : NULL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->peer = peer;
	weft_list_init(&p->link);
	*cell = p;
	return p;
}

int sunway_qps_init(struct sunway_qps *q, struct weft_sunway *n,
		    const struct weft_carrier_attr *up, size_t max_bytes)
{
	const struct weft_sunway_vi vi = {
		.engine = QP_ENGINE,
		.job = SUNWAY_TRANSPORT_JOB,
		.sends = QP_SENDS,
		.receives = QP_RECEIVES,
		.events = 2 * WEFT_SUNWAY_IN_FLIGHT,
	};
	int err;

	q->n = n;
	q->up = up->up;
	q->up_arg = up->up_arg;
	q->max_bytes = max_bytes;
	q->countdown = QP_POLLS;
	weft_list_init(&q->unacked);
	/* with a fault plan the carrier may lose packets */
	if (up->faults && *up->faults) {
		q->staging = malloc((size_t)WEFT_SUNWAY_IN_FLIGHT *
				    WEFT_SUNWAY_PACKET);
		if (!q->staging)
			return -ENOMEM;
	}
	err = weft_sunway_vi_open(n, &vi, &q->vi);
	q->rq = &n->me[QP_ENGINE].vi[q->vi];
	return err;
}

void sunway_qps_fini(struct sunway_qps *q)
{
	for (uint32_t i = 0; i < q->qp.count; i++) {
		struct sunway_qp *p = q->qp.cell[i];

		if (p)
			sunway_qp_early_free(q, p);
		free(p);
	}
	weft_table_fini(&q->qp);
	free(q->staging);
}
