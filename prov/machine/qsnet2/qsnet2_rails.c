/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several units (rails) used as one. A DMA that is split over the rails has one
 * event that counts the completed pieces of all rails. When the event fires, it
 * copies commands that set the events of the DMA, in local memory or by a
 * packet to the peer. The commands are copied to the queue of the rail that
 * completes last, so the queue has the same number on all rails.
 */
#include "prov/machine/qsnet2/qsnet2_dev.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>

/* context address of the records of split DMAs, equal on all rails */
#define RAILS_ADDRESS (UINT64_C(13) << 59)
#define RAILS_PARTS   64 /* maximum number of outstanding split DMAs */
#define RAILS_WORDS   16
/* minimum size of a DMA that is split, bytes */
#define RAILS_LONG    (2 * WEFT_QSNET2_PACKET)

/* A DMA that is split over the rails. */
struct rails_part {
	struct weft_qsnet2_event ends; /* counts completed pieces */
	uint64_t command[RAILS_WORDS];
	/* 1: in use; cleared by the last command that the event copies */
	uint64_t busy;
};

struct weft_qsnet2_rails {
	struct weft_qsnet2 *rail[WEFT_QSNET2_RAILS];
	unsigned count;
	unsigned context;
	unsigned q; /* queue number on every rail */
	unsigned next_rail;
	struct rails_part *part; /* RAILS_PARTS entries */
};

static uint64_t part_address(const struct weft_qsnet2_rails *r, const void *p)
{
	return RAILS_ADDRESS +
	       (uint64_t)((const char *)p - (const char *)r->part);
}

/* ---- packets ---- */

WEFT_EXPORT int weft_qsnet2_rails_write(struct weft_qsnet2_rails *r,
					const uint64_t *w, unsigned count)
{
	int err = -EIO;
	int e;

	for (unsigned k = 0; k < r->count; k++) {
		unsigned i = (r->next_rail + k) % r->count;

		e = weft_qsnet2_queue_write(r->rail[i], r->q, w, count);
		if (!e) {
			r->next_rail = i + 1;
			return 0;
		}
		if (e == -EAGAIN)
			err = e;
	}
	return err;
}

/* ---- DMA ---- */

static struct rails_part *part_get(struct weft_qsnet2_rails *r)
{
	for (unsigned i = 0; i < RAILS_PARTS; i++) {
		if (!r->part[i].busy)
			return &r->part[i];
	}
	return NULL;
}

/*
 * Writes the commands that set the remote and the local event; for a get, the
 * two are exchanged.
 */
static void part_commands(struct weft_qsnet2_rails *r, struct rails_part *p,
			  const struct weft_qsnet2_dma *d, unsigned pieces)
{
	struct weft_qsnet2_stream st = { .word = p->command,
					 .max = RAILS_WORDS };
	bool get = d->flags & WEFT_QSNET2_DMA_REMOTE;
	uint64_t remote_event = get ? d->src_event : d->dst_event;
	uint64_t local_event = get ? d->dst_event : d->src_event;

	if (remote_event) {
		weft_qsnet2_open_packet(&st, 0, d->vproc, QSNET2_FOREVER);
		weft_qsnet2_transaction(
			&st, WEFT_QSNET2_T_SET_EVENT | WEFT_QSNET2_T_LAST,
			remote_event, NULL, 0);
		weft_qsnet2_guard(&st, 0, WEFT_QSNET2_ACK_OK);
	}
	if (local_event)
		weft_qsnet2_set_event(&st, local_event, 1);
	weft_qsnet2_guard(&st, 0, 15);
	weft_qsnet2_write_word(&st, part_address(r, &p->busy), 0);
	p->ends = (struct weft_qsnet2_event){
		.count = -(int32_t)pieces,
		.type = WEFT_QSNET2_EVENT_COPY,
		.words = (uint8_t)st.count,
		.from = part_address(r, p->command),
		.to = WEFT_QSNET2_QUEUE_ADDRESS(r->q),
	};
	p->busy = 1;
}

static int rail_dma_post(struct weft_qsnet2_rails *r, unsigned i,
			 const struct weft_qsnet2_dma *d)
{
	uint64_t w[1 + QSNET2_DMA_WORDS];
	struct weft_qsnet2_stream st = { .word = w, .max = WEFT_COUNT_OF(w) };

	weft_qsnet2_run_dma(&st, d);
	return weft_qsnet2_queue_write(r->rail[i], r->q, w, st.count);
}

/*
 * Lists the working rails, and returns their number. -EAGAIN: a queue is full;
 * -EIO: no rail works.
 */
static int rails_ready(struct weft_qsnet2_rails *r, uint32_t vproc,
		       unsigned *which)
{
	int n = 0;

	for (unsigned i = 0; i < r->count; i++) {
		const struct qsnet2_queue *q = qsnet2_queue(r->rail[i], r->q);
		const struct qsnet2_route *to = qsnet2_route(r->rail[i], vproc);

		if (qsnet2_queue(r->rail[i], r->q)->trap || !to ||
		    (to->peer && to->peer->lost))
			continue;
		if (q->words - (q->tail - qsnet2_queue_oldest(q)) <
		    1 + QSNET2_DMA_WORDS)
			return -EAGAIN;
		which[n++] = i;
	}
	return n ? n : -EIO;
}

/*
 * Splits a DMA over n rails. All pieces except the last consist of whole
 * packets.
 */
static int dma_stripe(struct weft_qsnet2_rails *r,
		      const struct weft_qsnet2_dma *d, const unsigned *which,
		      unsigned n)
{
	bool get = d->flags & WEFT_QSNET2_DMA_REMOTE;
	uint32_t each = (d->bytes + n - 1) / n;
	uint32_t step = (each + WEFT_QSNET2_PACKET - 1) / WEFT_QSNET2_PACKET *
			WEFT_QSNET2_PACKET;
	unsigned pieces = (d->bytes + step - 1) / step;
	struct rails_part *p = part_get(r);
	struct weft_qsnet2_dma piece = *d;
	int err = 0;

	if (!p)
		return -EAGAIN;
	part_commands(r, p, d, pieces);
	piece.src_event = get ? 0 : part_address(r, &p->ends);
	piece.dst_event = get ? part_address(r, &p->ends) : 0;
	for (unsigned i = 0; i < pieces && !err; i++) {
		uint32_t at = i * step;

		piece.src = d->src + at;
		piece.dst = d->dst + at;
		piece.bytes = d->bytes - at < step ? d->bytes - at : step;
		err = rail_dma_post(r, which[i], &piece);
	}
	return err;
}

WEFT_EXPORT int weft_qsnet2_rails_dma(struct weft_qsnet2_rails *r,
				      const struct weft_qsnet2_dma *d)
{
	unsigned which[WEFT_QSNET2_RAILS];
	int n = rails_ready(r, d->vproc, which);

	if (n < 0)
		return n;
	if (n > 1 && d->bytes >= RAILS_LONG && !d->cookie &&
	    !(d->flags & WEFT_QSNET2_DMA_QUEUE))
		return dma_stripe(r, d, which, (unsigned)n);
	return rail_dma_post(r, which[r->next_rail++ % (unsigned)n], d);
}

/* ---- open and close ---- */

static bool number_is_free(struct weft_qsnet2_rails *r, unsigned q)
{
	for (unsigned i = 0; i < r->count; i++) {
		if (r->rail[i]->queue[q])
			return false;
	}
	return true;
}

static int rails_queues(struct weft_qsnet2_rails *r)
{
	unsigned q = 0;
	int err;

	while (q < WEFT_QSNET2_QUEUES && !number_is_free(r, q))
		q++;
	if (q == WEFT_QSNET2_QUEUES)
		return -ENOSPC;
	r->q = q;
	for (unsigned i = 0; i < r->count; i++) {
		err = qsnet2_queue_open_at(r->rail[i], r->context, 64 * 1024,
					   WEFT_QSNET2_MAY_ALL, 0, q);
		if (err)
			return err;
	}
	return 0;
}

static int rails_parts(struct weft_qsnet2_rails *r)
{
	size_t bytes = RAILS_PARTS * sizeof(*r->part);
	int err = 0;

	r->part = aligned_alloc(64, (bytes + 63) / 64 * 64);
	if (!r->part)
		return -ENOMEM;
	for (unsigned i = 0; i < RAILS_PARTS; i++)
		r->part[i] = (struct rails_part){ .busy = 0 };
	for (unsigned i = 0; i < r->count && !err; i++)
		err = weft_qsnet2_map_at(r->rail[i], r->context, RAILS_ADDRESS,
					 r->part, bytes, WEFT_QSNET2_ALL);
	return err;
}

WEFT_EXPORT int weft_qsnet2_rails_open(struct weft_qsnet2 *const *rail,
				       unsigned count, unsigned context,
				       struct weft_qsnet2_rails **r_p)
{
	struct weft_qsnet2_rails *r;
	int err;

	if (!count || count > WEFT_QSNET2_RAILS ||
	    context >= WEFT_QSNET2_CONTEXTS)
		return -EINVAL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->count = count;
	r->context = context;
	r->q = WEFT_QSNET2_QUEUES;
	for (unsigned i = 0; i < count; i++)
		r->rail[i] = rail[i];
	err = rails_queues(r);
	if (!err)
		err = rails_parts(r);
	if (err) {
		weft_qsnet2_rails_close(r);
		return err;
	}
	*r_p = r;
	return 0;
}

WEFT_EXPORT void weft_qsnet2_rails_close(struct weft_qsnet2_rails *r)
{
	if (!r)
		return;
	for (unsigned i = 0; i < r->count; i++) {
		weft_qsnet2_queue_close(r->rail[i], r->q);
		weft_qsnet2_unmap_at(r->rail[i], r->context, RAILS_ADDRESS);
	}
	free(r->part);
	free(r);
}
