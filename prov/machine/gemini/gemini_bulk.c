/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bulk data of the message engine: a descriptor in a channel of the block
 * transfer engine, a transaction, and an event in a completion queue, which
 * notifies the message engine. On the machine the data moves packet by packet;
 * here it is one copy between the two processes or, in virtual time, a transfer
 * in the model. The copy includes unaligned ends (not multiples of four bytes),
 * which the machine's software moves by FMA.
 */
#include "prov/machine/gemini/gemini_bulk.h"

#include "prov/backend/backend.h"
#include "prov/machine/machine_transport.h"
#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BULK_EVENTS 64 /* entries of the completion queue */

/* An outstanding transfer. */
struct gemini_bulk {
	struct weft_dma dma; /* copy of *d */
	struct weft_dma *d;
	struct weft_gemini *f;
	struct weft_unit *unit;
	struct weft_peer *peer;
	int ssid;
	int err; /* error of a descriptor that could not start */
	bool get;
	bool taken;
};

static_assert(GEMINI_BULKS <= BULK_EVENTS, "one event per transfer");

int gemini_bulk_open(struct weft_gemini *f)
{
	f->bulk = calloc(GEMINI_BULKS, sizeof(*f->bulk));
	return f->bulk ? weft_gemini_cq_open(f, BULK_EVENTS, &f->bulk_cq)
		       : -ENOMEM;
}

void gemini_bulk_close(struct weft_gemini *f)
{
	free(f->bulk);
	f->bulk = NULL;
}

static void bulk_complete(struct weft_dma *dma, int err)
{
	struct gemini_bulk *b = weft_container_of(dma, struct gemini_bulk, dma);
	struct weft_gemini *f = b->f;

	b->err = err;
	if (!err) {
		f->stats.requests += gemini_packets(dma->bytes);
		f->stats.phits += gemini_put_phits(dma->bytes);
	}
	gemini_txn_close(f, (unsigned)b->ssid, (uint64_t)(b - f->bulk));
	gemini_bulk_events(f);
}

void gemini_bulk_events(struct weft_gemini *f)
{
	struct weft_gemini_event ev;

	while (!weft_gemini_cq_read(f, f->bulk_cq, &ev)) {
		struct gemini_bulk *b = &f->bulk[ev.data % GEMINI_BULKS];
		struct weft_dma *d = b->d;
		int err = b->err;

		b->taken = false;
		d->done(d, err);
	}
}

/* Transfers use the channels round-robin. */
static unsigned bulk_channel(const struct gemini_bulk *b)
{
	return (unsigned)(b - b->f->bulk) % WEFT_GEMINI_CHANNELS;
}

/*
 * Sets the path of a block transfer. Its packets may use any link, because data
 * is visible only after the event. Injection FIFO 0 is for windows, each of the
 * others for one channel.
 */
static void bte_path_set(const struct gemini_bulk *b,
			 struct weft_pkt_attr *path)
{
	struct weft_carrier *c = b->unit->carrier;

	path->path = (uint8_t)c->ops->backend->path(c, "bte");
	path->vc = WEFT_VC_DYNAMIC;
	path->fifo = (uint8_t)(2 + bulk_channel(b));
}

void gemini_bulk_run(struct gemini_bulk *b, int ssid)
{
	struct weft_dma_path path = { .quick = false };
	int err;

	bte_path_set(b, &path.there);
	path.back = path.there;
	b->ssid = ssid;
	err = b->get ? weft_transport_get(b->unit, b->peer, &b->dma, &path)
		     : weft_transport_put(b->unit, b->peer, &b->dma, &path);
	if (!err)
		return; /* b may already be reused */
	b->err = err;
	/* no data has moved, so the transaction must not write an event */
	b->f->txn[ssid].cq = WEFT_GEMINI_NO_CQ;
	gemini_txn_close(b->f, (unsigned)ssid, 0);
}

static struct gemini_bulk *bulk_alloc(struct weft_gemini *f, struct weft_dma *d)
{
	for (unsigned i = 0; i < GEMINI_BULKS; i++) {
		struct gemini_bulk *b = &f->bulk[i];

		if (b->taken)
			continue;
		*b = (struct gemini_bulk){ .f = f, .dma = *d, .d = d };
		b->taken = true;
		b->dma.done = bulk_complete;
		return b;
	}
	return NULL;
}

/*
 * Returns the path of a transfer by stores to a window, in virtual time: in
 * order by a hash of the address (no-adapt), or by any link (performance). The
 * target responds on the response channel.
 */
static struct weft_dma_path window_path_of(struct weft_carrier *c,
					   const char *path, unsigned delivery)
{
	uint8_t vc = delivery & WEFT_GEMINI_NO_ADAPT ? WEFT_VC_ORDERED
						     : WEFT_VC_DYNAMIC;

	return (struct weft_dma_path){
		.there = { .path = (uint8_t)c->ops->backend->path(c, path),
			   .vc = vc,
			   .spread = !(delivery & WEFT_GEMINI_NO_HASH) },
		.back = { .path = (uint8_t)c->ops->backend->path(c, "reply"),
			  .vc = WEFT_VC_SYSTEM },
		.quick = true,
	};
}

int gemini_bulk_window(struct weft_unit *u, struct weft_peer *peer,
		       struct weft_dma *d, bool get)
{
	/* the delivery mode that keeps the requested order */
	struct weft_dma_path path =
		window_path_of(u->carrier, get ? "get" : "fma",
			       d->ordered ? d->by_line ? WEFT_GEMINI_NO_ADAPT
						       : WEFT_GEMINI_IN_ORDER
					  : WEFT_GEMINI_PERFORMANCE);

	/* a put completes with its response */
	path.there.ack = !get;
	return get ? weft_transport_get(u, peer, d, &path)
		   : weft_transport_put(u, peer, d, &path);
}

int gemini_bulk_amo(struct weft_unit *u, struct weft_peer *peer,
		    struct weft_amo *a)
{
	struct weft_dma_path path =
		window_path_of(u->carrier, "amo", WEFT_GEMINI_IN_ORDER);

	path.there.bytes = 1 + (uint32_t)a->operands;
	return weft_transport_amo(u, peer, a, &path);
}

int gemini_bulk_move(struct weft_gemini *f, struct weft_unit *u,
		     struct weft_peer *peer, struct weft_dma *d, bool get)
{
	struct gemini_bulk *b;
	int err;

	if (!d->bytes) {
		d->done(d, 0);
		return 0;
	}
	b = bulk_alloc(f, d);
	if (!b)
		return -EAGAIN;
	b->unit = u;
	b->peer = peer;
	b->get = get;
	b->ssid = -1;
	err = gemini_bte_bulk(f, bulk_channel(b), b);
	/* an unsupported transfer fails before any data moves */
	if (!err && b->taken && b->err)
		err = b->err;
	if (err)
		b->taken = false;
	return err;
}
