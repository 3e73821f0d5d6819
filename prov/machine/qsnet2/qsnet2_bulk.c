/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bulk data of the message engine: one descriptor in the DMA engine's run queue
 * for each segment of memory, and an event that counts them. A get is a remote
 * DMA: its descriptor runs at the target, which writes the data to the origin.
 * On the machine the data moves packet by packet; here it is one copy between
 * the two processes or, in virtual time, a transfer in the model. When the copy
 * is complete, each descriptor ends and sets the event; the event fires and
 * notifies the message engine.
 *
 * Live, memory that a peer may access is mapped in the context of the engine,
 * with permissions for remote reads or writes. The mappings are also in shared
 * memory (machine_regs.h): the target's unit would translate an address by its
 * MMU while its processor computes, and here the origin's unit checks the
 * target's mappings. An address without mapping, or without permission, traps,
 * and the transfer ends with -EACCES.
 */
#include "prov/machine/qsnet2/qsnet2_bulk.h"

#include "prov/backend/backend.h"
#include "prov/machine/machine_regs.h"
#include "prov/machine/machine_transport.h"
#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BULK_SEGS  WEFT_COUNT_OF(((struct weft_dma *)0)->local)
/* maximum bytes of the transfer of one descriptor */
#define BULK_PIECE (1u << 30)
#define SHORT_FIFO 1 /* injection FIFO of the STEN in the model */
#define BULK_FIFO  2 /* injection FIFO of the DMA engine in the model */

/* An outstanding transfer. */
struct qsnet2_bulk {
	struct weft_qsnet2_event event;
	struct weft_dma dma; /* segments named by the descriptors */
	struct weft_dma *d;  /* the engine's request */
	struct weft_qsnet2 *s;
	struct weft_unit *unit;
	struct qsnet2_dma *run[BULK_SEGS];
	unsigned descs;
	uint64_t fired;
	bool taken;
};

/* ---- memory ---- */

/*
 * Mappings for peers; the other mappings are for input slots, events and
 * groups.
 */
#define BULK_MAPS (QSNET2_MAPS / 2)

size_t qsnet2_bulk_reserve(struct weft_carrier_attr *attr)
{
	return weft_regs_reserve(attr, BULK_MAPS);
}

static int bulk_maps_open(struct weft_qsnet2 *s, size_t offset)
{
	if (s->port.carrier->ops->backend->transfers_later)
		return 0;
	s->bulk_maps = calloc(1, sizeof(*s->bulk_maps));
	s->bulk_map = calloc(BULK_MAPS, sizeof(*s->bulk_map));
	if (!s->bulk_maps || !s->bulk_map)
		return -ENOMEM;
	return weft_regs_init(s->bulk_maps, s->port.carrier, offset, BULK_MAPS);
}

int qsnet2_bulk_open(struct weft_qsnet2 *s, unsigned context, size_t offset)
{
	size_t bytes = QSNET2_BULKS * sizeof(struct qsnet2_bulk);
	int err;

	s->bulk = aligned_alloc(alignof(struct qsnet2_bulk), bytes);
	if (!s->bulk)
		return -ENOMEM;
	memset(s->bulk, 0, bytes);
	s->bulk_context = (uint16_t)context;
	err = bulk_maps_open(s, offset);
	if (!err)
		err = qsnet2_word_open(s, context);
	if (!err)
		err = weft_qsnet2_map(s, context, s->bulk, bytes,
				      WEFT_QSNET2_LOCAL_WRITE);
	/* the engine may read all memory of its process, peers may not */
	return err ? err
		   : weft_qsnet2_map_at(
			     s, context, QSNET2_PAGE, (void *)QSNET2_PAGE,
			     QSNET2_QUEUE_SPACE / 2,
			     WEFT_QSNET2_LOCAL_READ | WEFT_QSNET2_LARGE);
}

void qsnet2_bulk_close(struct weft_qsnet2 *s)
{
	if (s->bulk_maps)
		weft_regs_fini(s->bulk_maps);
	free(s->bulk_maps);
	free(s->bulk_map);
	free(s->bulk);
}

void qsnet2_bulk_lost(struct weft_qsnet2 *s, const struct weft_peer *peer)
{
	if (s->bulk_maps)
		weft_regs_lost(s->bulk_maps, peer);
}

/* Returns the permissions of memory for the accesses of peers. */
static unsigned bulk_perm(unsigned access)
{
	unsigned perm = WEFT_QSNET2_LARGE;

	if (access & WEFT_MR_REMOTE_READ)
		perm |= WEFT_QSNET2_LOCAL_READ | WEFT_QSNET2_REMOTE_READ;
	if (access & WEFT_MR_REMOTE_WRITE)
		perm |= WEFT_QSNET2_REMOTE_WRITE;
	return perm;
}

int qsnet2_bulk_mem_open(struct weft_qsnet2 *s, const struct iovec *mem,
			 unsigned access)
{
	const struct weft_regs_entry e = {
		.base = (uintptr_t)mem->iov_base,
		.bytes = mem->iov_len,
		.flags = bulk_perm(access),
	};
	const struct weft_regs_entry none = { 0 };
	int i = weft_regs_alloc(s->bulk_maps, 0);
	int err;

	if (i < 0)
		return i;
	err = weft_qsnet2_map(s, s->bulk_context, mem->iov_base, e.bytes,
			      (unsigned)e.flags);
	if (err) {
		weft_regs_set(s->bulk_maps, (uint32_t)i, &none);
		return err;
	}
	s->bulk_map[i] = s->map[s->maps - 1];
	weft_regs_set(s->bulk_maps, (uint32_t)i, &e);
	return i;
}

void qsnet2_bulk_mem_close(struct weft_qsnet2 *s, int reg)
{
	const struct weft_regs_entry none = { 0 };

	qsnet2_map_remove(s, &s->bulk_map[reg]);
	weft_regs_set(s->bulk_maps, (uint32_t)reg, &none);
}

/* ---- transfers ---- */

static struct qsnet2_bulk *bulk_alloc(struct weft_qsnet2 *s, struct weft_dma *d)
{
	for (unsigned i = 0; i < QSNET2_BULKS; i++) {
		struct qsnet2_bulk *b = &s->bulk[i];

		if (b->taken)
			continue;
		b->taken = true;
		b->s = s;
		b->d = d;
		b->descs = 0;
		b->dma = (struct weft_dma){ .remote = d->remote,
					    .region = d->region,
					    .key = d->key,
					    .ordered = d->ordered };
		return b;
	}
	return NULL;
}

/* Adds a descriptor for a local segment and its part of the remote memory. */
static int bulk_desc(struct qsnet2_bulk *b, struct weft_peer *peer, bool get,
		     const struct iovec *local)
{
	struct weft_qsnet2 *s = b->s;
	uint64_t here = (uintptr_t)local->iov_base;
	uint64_t there = b->dma.remote + b->dma.bytes;
	struct weft_qsnet2_dma d = {
		.bytes = (uint32_t)local->iov_len,
		.flags = get ? WEFT_QSNET2_DMA_REMOTE : 0,
		.restarts = QSNET2_FOREVER,
		.vproc = peer->index,
		.src = get ? there : here,
		.dst = get ? here : there,
		.src_event = get ? 0 : (uintptr_t)&b->event,
		.dst_event = get ? (uintptr_t)&b->event : 0,
	};
	uint64_t w[QSNET2_DMA_WORDS];
	struct qsnet2_dma *m;

	if (weft_list_empty(&s->dma_free))
		return -EAGAIN;
	m = weft_container_of(s->dma_free.next, struct qsnet2_dma, link);
	weft_qsnet2_dma_words(&d, w);
	if (qsnet2_dma_start(s, s->bulk_context, w))
		return -EFAULT;
	m->state = QSNET2_BULK;
	b->run[b->descs++] = m;
	b->dma.local[b->dma.local_count++] = *local;
	b->dma.bytes += local->iov_len;
	return 0;
}

/* Adds descriptors for all segments, limited to the bytes of the transfer. */
static int bulk_descs(struct qsnet2_bulk *b, struct weft_peer *peer, bool get)
{
	const struct weft_dma *d = b->d;
	uint64_t left = d->bytes;
	int err = 0;

	for (int i = 0; i < d->local_count && left && !err; i++) {
		struct iovec v = d->local[i];

		if (v.iov_len > left)
			v.iov_len = left;
		if (v.iov_len > BULK_PIECE)
			return -EMSGSIZE;
		left -= v.iov_len;
		if (v.iov_len)
			err = bulk_desc(b, peer, get, &v);
	}
	return err;
}

/*
 * Removes the descriptors from the run queue; if `done` is true, each of them
 * sets the event.
 */
static void bulk_end(struct qsnet2_bulk *b, bool done)
{
	struct weft_qsnet2 *s = b->s;

	for (unsigned i = 0; i < b->descs; i++) {
		qsnet2_dma_end(s, b->run[i]);
		if (!done)
			continue;
		s->stats.dmas++;
		qsnet2_event_set(s, s->bulk_context, (uintptr_t)&b->event, 1,
				 WEFT_QSNET2_LOCAL_WRITE);
	}
}

static void bulk_complete(struct weft_dma *dma, int err)
{
	struct qsnet2_bulk *b = weft_container_of(dma, struct qsnet2_bulk, dma);
	struct weft_dma *d = b->d;

	bulk_end(b, !err);
	if (!err && (b->event.fired != b->fired + 1 || b->event.count))
		err = -EIO;
	b->taken = false;
	b->unit->transfers += !err;
	d->done(d, err);
}

/*
 * Live: checks the access of a transfer to remote memory, as the target's MMU
 * would. -EAGAIN, -EOPNOTSUPP: no shared memory with the peer.
 */
static int bulk_check(struct qsnet2_bulk *b, struct weft_peer *peer, bool get)
{
	const struct weft_regs_entry want = {
		.base = b->dma.remote,
		.bytes = b->dma.bytes,
		.flags = get ? WEFT_QSNET2_REMOTE_READ
			     : WEFT_QSNET2_REMOTE_WRITE,
	};
	struct weft_regs_entry e;
	uint32_t i;
	int err;

	if (!b->s->bulk_maps)
		return 0;
	err = weft_regs_find(b->s->bulk_maps, peer, 0, &want, &i, &e);
	if (err == -EACCES)
		qsnet2_trap(b->s, WEFT_QSNET2_TRAP_MEMORY, b->dma.remote);
	return err;
}

static int bulk_start(struct weft_unit *u, struct weft_peer *peer,
		      struct qsnet2_bulk *b, bool get)
{
	struct weft_dma_path path = {
		.there = { .bytes = 1 + 8 * QSNET2_DMA_WORDS,
			   .fifo = BULK_FIFO,
			   .ack = true },
	};
	struct weft_carrier *c = u->carrier;
	int err;

	/* a get is a STEN packet with the descriptor of the peer's DMA */
	path.there.path =
		(uint8_t)c->ops->backend->path(c, get ? "sten" : "dma");
	path.back = path.there;
	path.back.path = (uint8_t)c->ops->backend->path(c, "reply");
	b->event.count = -(int32_t)b->descs;
	b->fired = b->event.fired;
	b->dma.done = bulk_complete;
	b->unit = u;
	err = bulk_check(b, peer, get);
	if (err == -EACCES) {
		bulk_complete(&b->dma, err);
		return 0;
	}
	if (err)
		return err;
	return get ? weft_transport_get(u, peer, &b->dma, &path)
		   : weft_transport_put(u, peer, &b->dma, &path);
}

/*
 * Returns the path in virtual time: request by the STEN, response by path
 * `back`.
 */
static struct weft_dma_path short_path_of(struct weft_carrier *c,
					  const char *back)
{
	return (struct weft_dma_path){
		.there = { .path = (uint8_t)c->ops->backend->path(c, "sten"),
			   .fifo = SHORT_FIFO,
			   .ack = true },
		.back = { .path = (uint8_t)c->ops->backend->path(c, back),
			  .fifo = BULK_FIFO,
			  .ack = true },
		.quick = true,
	};
}

/*
 * A short put is a write transaction, complete when acknowledged. A short get
 * sends the descriptor of a DMA that the target runs.
 */
int qsnet2_bulk_short(struct weft_unit *u, struct weft_peer *peer,
		      struct weft_dma *d, bool get)
{
	struct weft_dma_path path = short_path_of(u->carrier, "reply");

	if (!get)
		return weft_transport_put(u, peer, d, &path);
	path.there.bytes = 1 + 8 * QSNET2_DMA_WORDS;
	return weft_transport_get(u, peer, d, &path);
}

/* The target's thread processor runs the atomic and responds. */
int qsnet2_bulk_amo(struct weft_unit *u, struct weft_peer *peer,
		    struct weft_amo *a)
{
	struct weft_dma_path path = short_path_of(u->carrier, "event");

	path.there.bytes = 1 + (uint32_t)a->operands;
	return weft_transport_amo(u, peer, a, &path);
}

int qsnet2_bulk_move(struct weft_qsnet2 *s, struct weft_unit *u,
		     struct weft_peer *peer, struct weft_dma *d, bool get)
{
	struct qsnet2_bulk *b;
	int err;

	if (!d->bytes) {
		d->done(d, 0);
		return 0;
	}
	b = bulk_alloc(s, d);
	if (!b)
		return -EAGAIN;
	err = bulk_descs(b, peer, get);
	if (!err)
		err = bulk_start(u, peer, b, get);
	if (!err)
		return 0;
	bulk_end(b, false);
	b->taken = false;
	return err;
}
