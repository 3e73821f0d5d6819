/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bulk data of the message engine: a descriptor, and one of the 256 messages
 * that an engine may have in flight. A get is an RDMAR: the target executes it
 * as a write with an answer word at the origin, and this word notifies the
 * message engine. A put is an RDMAW with the answer word in the target's shared
 * area. On the machine the data moves packet by packet; here it is one copy
 * between the processes or, in virtual time, a transfer in the model, where the
 * target's word cannot be accessed.
 */
#include "prov/machine/sunway/sunway_bulk.h"

#include "prov/machine/machine_transport.h"
#include "prov/machine/machine_order.h"
#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* An outstanding message. */
struct sunway_bulk {
	struct weft_dma dma; /* copy of *d */
	struct weft_dma *d;
	struct sunway_bulks *all;
	struct sunway_bulk *next; /* next message in the free list */
	struct weft_peer *peer;
	struct weft_sunway_desc desc;
	weft_au64 answer; /* number of reads completed in this slot */
};

struct sunway_bulks {
	struct weft_unit *unit;
	struct sunway_bulk *free;
	struct sunway_bulk bulk[WEFT_SUNWAY_IN_FLIGHT];
};

struct sunway_bulks *sunway_bulk_open(struct weft_unit *u)
{
	struct sunway_bulks *all = calloc(1, sizeof(*all));

	if (!all)
		return NULL;
	all->unit = u;
	for (unsigned i = 0; i < WEFT_SUNWAY_IN_FLIGHT; i++) {
		all->bulk[i].next = all->free;
		all->free = &all->bulk[i];
	}
	return all;
}

void sunway_bulk_close(struct sunway_bulks *all)
{
	free(all);
}

static void bulk_free(struct sunway_bulk *b)
{
	b->next = b->all->free;
	b->all->free = b;
}

weft_au64 *sunway_bulk_answer(struct weft_unit *u, struct weft_peer *peer)
{
	struct weft_carrier *c = u->carrier;
	size_t bytes = 0;
	void *area;

	if (!c->ops->share || c->ops->share(c, peer, &area, &bytes) ||
	    bytes < SUNWAY_ANSWER_LINE || bytes % SUNWAY_ANSWER_LINE)
		return NULL;
	return (weft_au64 *)(void *)((char *)area + bytes - SUNWAY_ANSWER_LINE);
}

/* Increments the answer word, as the interface does after the last byte. */
static void bulk_count(struct sunway_bulk *b)
{
	weft_au64 *word = &b->answer;

	if (b->desc.op == WEFT_SUNWAY_RDMAW)
		word = sunway_bulk_answer(b->all->unit, b->peer);
	if (word)
		nic_event_sub(word, UINT64_MAX);
}

static void bulk_complete(struct weft_dma *dma, int err)
{
	struct sunway_bulk *b = weft_container_of(dma, struct sunway_bulk, dma);
	uint64_t before = nic_read_own(&b->answer);
	struct weft_dma *d = b->d;

	if (!err)
		bulk_count(b);
	if (!err && b->desc.op == WEFT_SUNWAY_RDMAR &&
	    nic_event_read(&b->answer) != before + 1)
		err = -EIO;
	bulk_free(b);
	d->done(d, err);
}

static struct sunway_bulk *bulk_alloc(struct sunway_bulks *all,
				      struct weft_dma *d)
{
	struct sunway_bulk *b = all->free;

	if (!b)
		return NULL;
	all->free = b->next;
	b->all = all;
	b->dma = *d;
	b->dma.done = bulk_complete;
	b->d = d;
	return b;
}

static void bulk_describe(struct sunway_bulk *b, struct weft_peer *peer,
			  bool get)
{
	b->peer = peer;
	b->desc = (struct weft_sunway_desc){
		.op = get ? WEFT_SUNWAY_RDMAR : WEFT_SUNWAY_RDMAW,
		.flags = WEFT_SUNWAY_ANSWER,
		.port = WEFT_SUNWAY_ADAPTIVE,
		.guid = peer->index,
		.bytes = (uint32_t)b->dma.bytes,
		.local = (uintptr_t)b->dma.local[0].iov_base,
		.remote = b->dma.remote,
		.answer = get ? (uintptr_t)&b->answer : 0,
	};
}

static int bulk_start(struct sunway_bulk *b, struct weft_peer *peer)
{
	struct weft_unit *u = b->all->unit;
	struct weft_carrier *c = u->carrier;
	struct weft_dma_path path = {
		.there = { .vc = WEFT_VC_DYNAMIC, .ack = true },
	};

	path.there.path = (uint8_t)c->ops->backend->path(c, "rdma");
	path.back = path.there;
	if (b->desc.op == WEFT_SUNWAY_RDMAW)
		return weft_transport_put(u, peer, &b->dma, &path);
	path.there.bytes = 1 + SUNWAY_DESC;
	return weft_transport_get(u, peer, &b->dma, &path);
}

int sunway_bulk_move(struct sunway_bulks *all, struct weft_peer *peer,
		     struct weft_dma *d, bool get)
{
	struct sunway_bulk *b;
	int err;

	if (!d->bytes) {
		d->done(d, 0);
		return 0;
	}
	b = bulk_alloc(all, d);
	if (!b)
		return -EAGAIN;
	bulk_describe(b, peer, get);
	err = bulk_start(b, peer);
	/* no data has moved; without an error b may already be reused */
	if (err)
		bulk_free(b);
	return err;
}
