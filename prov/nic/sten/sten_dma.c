/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The DMA engine: descriptors in a run queue, served round-robin, so that the
 * head of one transfer overlaps the tail of another. Packets have up to 2 KB;
 * each is acknowledged before the next packet of its DMA is sent, and
 * retransmitted when discarded. A remote descriptor is sent to the target and
 * run there: a get is a put issued at the target.
 */
#include "prov/nic/sten/sten_dev.h"
#include "prov/nic/sten/sten_swap.h"

#include "src/base/attr.h"

#include <errno.h>
#include <string.h>

void sten_dma_init(struct weft_sten *s)
{
	weft_list_init(&s->dma_run);
	weft_list_init(&s->dma_free);
	for (unsigned i = 0; i < STEN_DMAS; i++)
		weft_list_push_back(&s->dma_free, &s->dma[i].link);
}

static void dma_unpack(struct weft_sten_dma *d, const uint64_t *w)
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

static enum weft_sten_trap dma_check(struct weft_sten *s, unsigned context,
				     const struct weft_sten_dma *d,
				     unsigned remote)
{
	unsigned perm = WEFT_STEN_LOCAL_READ | (remote & WEFT_STEN_REMOTE_READ);

	if (d->bytes > INT32_MAX ||
	    ((d->flags & WEFT_STEN_DMA_QUEUE) && d->bytes > WEFT_STEN_PACKET))
		return WEFT_STEN_TRAP_COMMAND;
	if (!sten_route(s, d->vproc))
		return WEFT_STEN_TRAP_ROUTE;
	if (d->flags & WEFT_STEN_DMA_REMOTE)
		return WEFT_STEN_TRAP_NONE;
	if (!sten_type_ok(sten_dma_type(d), d->src | d->dst, d->bytes))
		return WEFT_STEN_TRAP_ALIGNMENT;
	if (d->bytes &&
	    !sten_memory_possible(s, context, d->src, d->bytes, perm))
		return WEFT_STEN_TRAP_MEMORY;
	return WEFT_STEN_TRAP_NONE;
}

static enum weft_sten_trap dma_start(struct weft_sten *s, unsigned context,
				     const uint64_t *words, unsigned remote)
{
	struct weft_list *pos;
	struct weft_sten_dma d;
	struct sten_dma *m;
	enum weft_sten_trap t;

	dma_unpack(&d, words);
	t = dma_check(s, context, &d, remote);
	if (t)
		return t;
	pos = weft_list_pop_front(&s->dma_free);
	if (!pos)
		return WEFT_STEN_TRAP_DMA_OVERFLOW;
	m = weft_container_of(pos, struct sten_dma, link);
	m->d = d;
	m->context = (uint16_t)context;
	m->remote = (uint8_t)remote;
	m->state = STEN_RETRY;
	m->left = d.restarts ? d.restarts : STEN_RESTARTS;
	m->sent = 0;
	m->flying = 0;
	m->to = *sten_route(s, d.vproc);
	weft_list_push_back(&s->dma_run, &m->link);
	return WEFT_STEN_TRAP_NONE;
}

enum weft_sten_trap sten_dma_start(struct weft_sten *s, unsigned context,
				   const uint64_t *words)
{
	return dma_start(s, context, words, 0);
}

enum weft_sten_trap sten_dma_start_remote(struct weft_sten *s, unsigned context,
					  const uint64_t *words)
{
	return dma_start(s, context, words,
			 WEFT_STEN_REMOTE_READ | WEFT_STEN_REMOTE_EVENT);
}

void sten_dma_end(struct weft_sten *s, struct sten_dma *d)
{
	d->gen++;
	d->state = STEN_IDLE;
	weft_list_remove(&d->link);
	weft_list_push_front(&s->dma_free, &d->link);
}

static void dma_fail(struct weft_sten *s, struct sten_dma *d,
		     enum weft_sten_trap t)
{
	sten_trap(s, t, d->d.dst);
	sten_dma_end(s, d);
}

/* ---- packets ---- */

/* A descriptor for the target, which writes back to this process. */
static int build_remote(const struct sten_dma *d, struct sten_packet *p)
{
	struct weft_sten_dma r = d->d;
	uint64_t w[STEN_DMA_WORDS];

	r.flags &= (uint8_t)~WEFT_STEN_DMA_REMOTE;
	r.vproc = r.back;
	weft_sten_dma_words(&r, w);
	return sten_packet_add(p, WEFT_STEN_T_REMOTE_DMA, 0, w, sizeof(w));
}

/* A packet for one slot of an input queue. */
static int build_queue(const struct sten_dma *d, const void *src,
		       struct sten_packet *p)
{
	if (d->d.cookie)
		sten_packet_add(p, WEFT_STEN_T_IDENTIFY, d->d.cookie, NULL, 0);
	sten_packet_add(p, WEFT_STEN_T_GET_INDEX, d->d.dst, NULL, 0);
	if (d->d.bytes)
		sten_packet_add(p, WEFT_STEN_T_WRITE, 0, src, d->d.bytes);
	return sten_packet_add(p, WEFT_STEN_T_COMMIT, d->d.dst, NULL, 0);
}

/* The next bytes of the transfer; the last packet sets the target's event. */
static int build_write(const struct sten_dma *d, const void *src, bool big,
		       struct sten_packet *p)
{
	unsigned type = sten_dma_type(&d->d);
	bool last = d->sent + d->flying == d->d.bytes;

	if (last && d->d.cookie)
		sten_packet_add(p, WEFT_STEN_T_IDENTIFY, d->d.cookie, NULL, 0);
	if (d->flying)
		sten_packet_add(p, WEFT_STEN_T_WRITE | type << 9,
				d->d.dst + d->sent, src, d->flying);
	if (d->flying && big)
		sten_swap(p->data + p->bytes - sten_words(d->flying) * 8,
			  d->flying, type);
	if (last && d->d.dst_event)
		sten_packet_add(p, WEFT_STEN_T_SET_EVENT, d->d.dst_event, NULL,
				0);
	return 0;
}

static int dma_build(struct weft_sten *s, struct sten_dma *d,
		     struct sten_packet *p)
{
	uint32_t left = d->d.bytes - d->sent;
	unsigned perm =
		WEFT_STEN_LOCAL_READ | (d->remote & WEFT_STEN_REMOTE_READ);
	const void *src = NULL;
	unsigned like = 0;

	p->bytes = 0;
	d->flying = left < WEFT_STEN_PACKET ? left : WEFT_STEN_PACKET;
	if (d->d.flags & WEFT_STEN_DMA_REMOTE) {
		d->flying = d->d.bytes;
		return build_remote(d, p);
	}
	if (d->flying)
		src = sten_memory_translate(s, d->context, d->d.src + d->sent,
					    d->flying, perm, &like);
	if (d->flying && !src)
		return -EFAULT;
	if (d->d.flags & WEFT_STEN_DMA_QUEUE)
		return build_queue(d, src, p);
	return build_write(d, src, like & WEFT_STEN_BIG_ENDIAN, p);
}

int sten_dma_step(struct weft_sten *s, struct sten_dma *d)
{
	uint16_t gen = (uint16_t)(d->gen + 1);
	uint32_t id =
		(uint32_t)gen << 16 | STEN_ID_DMA | (uint32_t)(d - s->dma);
	struct sten_packet p;
	int err = dma_build(s, d, &p);

	if (err) {
		dma_fail(s, d, WEFT_STEN_TRAP_MEMORY);
		return err;
	}
	err = sten_send(s, &d->to, id, &p);
	if (err == -EAGAIN)
		return err;
	if (err) {
		dma_fail(s, d, WEFT_STEN_TRAP_ACK_ERROR);
		return err;
	}
	d->gen = gen;
	d->state = STEN_SENT;
	d->sent_at = sten_time(s);
	s->flying++;
	if (sten_modelled(s))
		sten_dma_ack(s, d->to.peer, id, WEFT_STEN_ACK_OK);
	return 0;
}

int sten_dma_run(struct weft_sten *s, int budget)
{
	struct weft_list *pos;
	struct weft_list *tmp;
	int n = 0;

	weft_list_each(pos, tmp, &s->dma_run)
	{
		struct sten_dma *d =
			weft_container_of(pos, struct sten_dma, link);

		if (s->flying >= s->assemblers || n >= budget)
			break;
		if (d->state == STEN_RETRY && !sten_dma_step(s, d))
			n++;
	}
	return n;
}

/* ---- acknowledgements ---- */

/* The packet was acknowledged. The next one queues behind the other DMAs. */
static void dma_advance(struct weft_sten *s, struct sten_dma *d)
{
	uint64_t event = d->d.flags & WEFT_STEN_DMA_REMOTE ? 0 : d->d.src_event;
	unsigned context = d->context;
	unsigned perm =
		d->remote ? WEFT_STEN_REMOTE_EVENT : WEFT_STEN_LOCAL_WRITE;
	enum weft_sten_trap t;

	d->sent += d->flying;
	if (d->sent < d->d.bytes) {
		d->state = STEN_RETRY;
		weft_list_remove(&d->link);
		weft_list_push_back(&s->dma_run, &d->link);
		return;
	}
	s->stats.dmas++;
	sten_dma_end(s, d);
	if (!event)
		return;
	t = sten_event_set(s, context, event, 1, perm);
	if (t)
		sten_trap(s, t, event);
}

static void dma_discarded(struct weft_sten *s, struct sten_dma *d)
{
	if (!d->left) {
		dma_fail(s, d, WEFT_STEN_TRAP_FAIL_COUNT);
		return;
	}
	if (d->left != STEN_FOREVER)
		d->left--;
	s->stats.restarts++;
	d->state = STEN_RETRY;
}

void sten_dma_ack(struct weft_sten *s, struct weft_peer *src, uint32_t id,
		  unsigned ack)
{
	struct sten_dma *d = &s->dma[(id & STEN_ID_INDEX) % STEN_DMAS];

	if (d->state != STEN_SENT || d->gen != id >> 16 || d->to.peer != src) {
		s->stats.refused++;
		return;
	}
	s->flying--;
	if (ack == WEFT_STEN_ACK_OK)
		dma_advance(s, d);
	else if (ack == WEFT_STEN_ACK_DISCARD)
		dma_discarded(s, d);
	else
		dma_fail(s, d, WEFT_STEN_TRAP_ACK_ERROR);
}

void sten_dma_timeout(struct weft_sten *s, struct sten_dma *d)
{
	s->flying--;
	dma_discarded(s, d);
}

void sten_dma_lost(struct weft_sten *s, struct weft_peer *peer)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &s->dma_run)
	{
		struct sten_dma *d =
			weft_container_of(pos, struct sten_dma, link);

		if (d->to.peer != peer || d->state == STEN_BULK)
			continue;
		if (d->state == STEN_SENT)
			s->flying--;
		dma_fail(s, d, WEFT_STEN_TRAP_ACK_ERROR);
	}
}
