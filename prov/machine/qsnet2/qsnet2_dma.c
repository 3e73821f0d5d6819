/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The DMA engine: descriptors in a run queue, served round-robin, so that the
 * start of one transfer overlaps the end of another. A packet has up to 2 KB.
 * It is acknowledged before the next packet of its DMA is sent, and
 * retransmitted if discarded. A remote descriptor is sent to the target and run
 * there: a get is a put issued at the target.
 */
#include "prov/machine/qsnet2/qsnet2_dev.h"
#include "prov/machine/qsnet2/qsnet2_swap.h"

#include "src/base/attr.h"

#include <errno.h>
#include <string.h>

void qsnet2_dma_init(struct weft_qsnet2 *s)
{
	weft_list_init(&s->dma_run);
	weft_list_init(&s->dma_free);
	for (unsigned i = 0; i < QSNET2_DMAS; i++)
		weft_list_push_back(&s->dma_free, &s->dma[i].link);
}

static void dma_unpack(struct weft_qsnet2_dma *d, const uint64_t *w)
{
	d->bytes = (uint32_t)w[0];
	d->flags = (uint8_t)(w[0] >> 32);
	d->restarts = (uint8_t)(w[0] >> 40);
	d->back = (uint16_t)(w[0] >> 48);
	d->cookie = w[1];
	d->vproc = (uint32_t)w[2];
	d->src = w[3];
	d->dst = w[4];
	d->src_event = w[5];
	d->dst_event = w[6];
}

static enum weft_qsnet2_trap dma_check(struct weft_qsnet2 *s, unsigned context,
				       const struct weft_qsnet2_dma *d,
				       unsigned remote)
{
	unsigned perm =
		WEFT_QSNET2_LOCAL_READ | (remote & WEFT_QSNET2_REMOTE_READ);

	if (d->bytes > INT32_MAX || ((d->flags & WEFT_QSNET2_DMA_QUEUE) &&
				     d->bytes > WEFT_QSNET2_PACKET))
		return WEFT_QSNET2_TRAP_COMMAND;
	if (!qsnet2_route(s, d->vproc))
		return WEFT_QSNET2_TRAP_ROUTE;
	if (d->flags & WEFT_QSNET2_DMA_REMOTE)
		return WEFT_QSNET2_TRAP_NONE;
	if (!qsnet2_type_ok(qsnet2_dma_type(d), d->src | d->dst, d->bytes))
		return WEFT_QSNET2_TRAP_ALIGNMENT;
	if (d->bytes &&
	    !qsnet2_memory_possible(s, context, d->src, d->bytes, perm))
		return WEFT_QSNET2_TRAP_MEMORY;
	return WEFT_QSNET2_TRAP_NONE;
}

static enum weft_qsnet2_trap dma_start(struct weft_qsnet2 *s, unsigned context,
				       const uint64_t *words, unsigned remote)
{
	struct weft_list *pos;
	struct weft_qsnet2_dma d;
	struct qsnet2_dma *m;
	enum weft_qsnet2_trap t;

	dma_unpack(&d, words);
	t = dma_check(s, context, &d, remote);
	if (t)
		return t;
	pos = weft_list_pop_front(&s->dma_free);
	if (!pos)
		return WEFT_QSNET2_TRAP_DMA_OVERFLOW;
	m = weft_container_of(pos, struct qsnet2_dma, link);
	m->d = d;
	m->context = (uint16_t)context;
	m->remote = (uint8_t)remote;
	m->state = QSNET2_RETRY;
	m->left = d.restarts ? d.restarts : QSNET2_RESTARTS;
	m->sent = 0;
	m->in_flight = 0;
	m->to = *qsnet2_route(s, d.vproc);
	weft_list_push_back(&s->dma_run, &m->link);
	return WEFT_QSNET2_TRAP_NONE;
}

enum weft_qsnet2_trap qsnet2_dma_start(struct weft_qsnet2 *s, unsigned context,
				       const uint64_t *words)
{
	return dma_start(s, context, words, 0);
}

enum weft_qsnet2_trap qsnet2_dma_start_remote(struct weft_qsnet2 *s,
					      unsigned context,
					      const uint64_t *words)
{
	return dma_start(s, context, words,
			 WEFT_QSNET2_REMOTE_READ | WEFT_QSNET2_REMOTE_EVENT);
}

void qsnet2_dma_end(struct weft_qsnet2 *s, struct qsnet2_dma *d)
{
	d->gen++;
	d->state = QSNET2_IDLE;
	weft_list_remove(&d->link);
	weft_list_push_front(&s->dma_free, &d->link);
}

static void dma_fail(struct weft_qsnet2 *s, struct qsnet2_dma *d,
		     enum weft_qsnet2_trap t)
{
	qsnet2_trap(s, t, d->d.dst);
	qsnet2_dma_end(s, d);
}

/* ---- packets ---- */

/*
 * Builds a packet with the next bytes of the transfer; the last packet also
 * sets the target's event.
 */
static int build_write(const struct qsnet2_dma *d, const void *src, bool big,
		       struct qsnet2_packet *p)
{
	unsigned type = qsnet2_dma_type(&d->d);
	bool last = d->sent + d->in_flight == d->d.bytes;

	if (last && d->d.cookie)
		qsnet2_packet_add(p, WEFT_QSNET2_T_IDENTIFY, d->d.cookie, NULL,
				  0);
	if (d->in_flight)
		qsnet2_packet_add(p, WEFT_QSNET2_T_WRITE | type << 9,
				  d->d.dst + d->sent, src, d->in_flight);
	if (d->in_flight && big)
		qsnet2_swap(p->data + p->bytes - qsnet2_words(d->in_flight) * 8,
			    d->in_flight, type);
	if (last && d->d.dst_event)
		qsnet2_packet_add(p, WEFT_QSNET2_T_SET_EVENT, d->d.dst_event,
				  NULL, 0);
	return 0;
}

static int dma_build(struct weft_qsnet2 *s, struct qsnet2_dma *d,
		     struct qsnet2_packet *p)
{
	uint32_t left = d->d.bytes - d->sent;
	unsigned perm =
		WEFT_QSNET2_LOCAL_READ | (d->remote & WEFT_QSNET2_REMOTE_READ);
	const void *src = NULL;
	unsigned like = 0;

	p->bytes = 0;
	d->in_flight = left < WEFT_QSNET2_PACKET ? left : WEFT_QSNET2_PACKET;
	if (d->d.flags & WEFT_QSNET2_DMA_REMOTE) {
		struct weft_qsnet2_dma r;
		uint64_t w[QSNET2_DMA_WORDS];

		d->in_flight = d->d.bytes;
		/*
		 * the descriptor that the target runs, to write to this process
		 */
		r = d->d;
		r.flags &= (uint8_t)~WEFT_QSNET2_DMA_REMOTE;
		r.vproc = r.back;
		weft_qsnet2_dma_words(&r, w);
		return qsnet2_packet_add(p, WEFT_QSNET2_T_REMOTE_DMA, 0, w,
					 sizeof(w));
	}
	if (d->in_flight)
		src = qsnet2_memory_translate(s, d->context, d->d.src + d->sent,
					      d->in_flight, perm, &like);
	if (d->in_flight && !src)
		return -EFAULT;
	if (d->d.flags & WEFT_QSNET2_DMA_QUEUE) {
		if (d->d.cookie)
			qsnet2_packet_add(p, WEFT_QSNET2_T_IDENTIFY,
					  d->d.cookie, NULL, 0);
		qsnet2_packet_add(p, WEFT_QSNET2_T_GET_INDEX, d->d.dst, NULL,
				  0);
		if (d->d.bytes)
			qsnet2_packet_add(p, WEFT_QSNET2_T_WRITE, 0, src,
					  d->d.bytes);
		return qsnet2_packet_add(p, WEFT_QSNET2_T_COMMIT, d->d.dst,
					 NULL, 0);
	}
	return build_write(d, src, like & WEFT_QSNET2_BIG_ENDIAN, p);
}

int qsnet2_dma_step(struct weft_qsnet2 *s, struct qsnet2_dma *d)
{
	uint16_t gen = (uint16_t)(d->gen + 1);
	uint32_t id =
		(uint32_t)gen << 16 | QSNET2_ID_DMA | (uint32_t)(d - s->dma);
	struct qsnet2_packet p;
	int err = dma_build(s, d, &p);

	if (err) {
		dma_fail(s, d, WEFT_QSNET2_TRAP_MEMORY);
		return err;
	}
	err = qsnet2_send(s, &d->to, id, &p);
	if (err == -EAGAIN)
		return err;
	if (err) {
		dma_fail(s, d, WEFT_QSNET2_TRAP_ACK_ERROR);
		return err;
	}
	d->gen = gen;
	d->state = QSNET2_SENT;
	d->sent_at = qsnet2_time(s);
	s->in_flight++;
	if (qsnet2_network_acks(s))
		qsnet2_dma_ack(s, d->to.peer, id, WEFT_QSNET2_ACK_OK);
	return 0;
}

int qsnet2_dma_run(struct weft_qsnet2 *s, int budget)
{
	struct weft_list *pos;
	struct weft_list *tmp;
	int n = 0;

	weft_list_each(pos, tmp, &s->dma_run) {
		struct qsnet2_dma *d =
			weft_container_of(pos, struct qsnet2_dma, link);

		if (s->in_flight >= s->assemblers || n >= budget)
			break;
		if (d->state == QSNET2_RETRY && !qsnet2_dma_step(s, d))
			n++;
	}
	return n;
}

/* ---- acknowledgements ---- */

/*
 * Continues after an acknowledgement; the next packet of this DMA is queued
 * behind other DMAs.
 */
static void dma_advance(struct weft_qsnet2 *s, struct qsnet2_dma *d)
{
	uint64_t event =
		d->d.flags & WEFT_QSNET2_DMA_REMOTE ? 0 : d->d.src_event;
	unsigned context = d->context;
	unsigned perm =
		d->remote ? WEFT_QSNET2_REMOTE_EVENT : WEFT_QSNET2_LOCAL_WRITE;
	enum weft_qsnet2_trap t;

	d->sent += d->in_flight;
	if (d->sent < d->d.bytes) {
		d->state = QSNET2_RETRY;
		weft_list_remove(&d->link);
		weft_list_push_back(&s->dma_run, &d->link);
		return;
	}
	s->stats.dmas++;
	qsnet2_dma_end(s, d);
	if (!event)
		return;
	t = qsnet2_event_set(s, context, event, 1, perm);
	if (t)
		qsnet2_trap(s, t, event);
}

static void dma_discarded(struct weft_qsnet2 *s, struct qsnet2_dma *d)
{
	if (!d->left) {
		dma_fail(s, d, WEFT_QSNET2_TRAP_FAIL_COUNT);
		return;
	}
	if (d->left != QSNET2_FOREVER)
		d->left--;
	s->stats.restarts++;
	d->state = QSNET2_RETRY;
}

void qsnet2_dma_ack(struct weft_qsnet2 *s, struct weft_peer *src, uint32_t id,
		    unsigned ack)
{
	struct qsnet2_dma *d = &s->dma[(id & QSNET2_ID_INDEX) % QSNET2_DMAS];

	if (d->state != QSNET2_SENT || d->gen != id >> 16 ||
	    d->to.peer != src) {
		s->stats.refused++;
		return;
	}
	s->in_flight--;
	if (ack == WEFT_QSNET2_ACK_OK)
		dma_advance(s, d);
	else if (ack == WEFT_QSNET2_ACK_DISCARD)
		dma_discarded(s, d);
	else
		dma_fail(s, d, WEFT_QSNET2_TRAP_ACK_ERROR);
}

void qsnet2_dma_timeout(struct weft_qsnet2 *s, struct qsnet2_dma *d)
{
	s->in_flight--;
	dma_discarded(s, d);
}

void qsnet2_dma_lost(struct weft_qsnet2 *s, struct weft_peer *peer)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &s->dma_run) {
		struct qsnet2_dma *d =
			weft_container_of(pos, struct qsnet2_dma, link);

		if (d->to.peer != peer || d->state == QSNET2_BULK)
			continue;
		if (d->state == QSNET2_SENT)
			s->in_flight--;
		dma_fail(s, d, WEFT_QSNET2_TRAP_ACK_ERROR);
	}
}
