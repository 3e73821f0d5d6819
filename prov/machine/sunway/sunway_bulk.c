/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bulk data of the message engine. A transfer is a descriptor in the send queue
 * of the message engine's interface. A get is an RDMAR: the target executes it
 * as a write with an answer word at the origin. A put is an RDMAW with the
 * answer word in the target's shared area. The event in the completion queue
 * notifies the message engine.
 *
 * On the machine the data moves packet by packet; here the unit translates the
 * local addresses and makes one copy between the processes or, in virtual time,
 * a transfer in the model, which has no access to the target's word.
 *
 * Live, memory that a peer may access is a segment of the message engine's job,
 * with its rights. The segments are also in shared memory (machine_regs.h): the
 * target's unit would check them while its processor computes, and here the
 * origin's unit does. A transfer that they do not allow ends with the status
 * WEFT_SUNWAY_ADDRESS in its event, and with -EACCES.
 */
#include "prov/machine/sunway/sunway_bulk.h"

#include "prov/machine/machine_regs.h"
#include "prov/machine/machine_transport.h"

#define BULK_ENGINE	0
/* segments for memory that peers access; assumed */
#define SUNWAY_SEGMENTS 1024

/* An outstanding transfer. */
struct sunway_bulk {
	struct weft_dma dma; /* *d with translated addresses */
	struct weft_dma *d;
	struct sunway_bulks *all;
	struct sunway_bulk *next; /* next transfer in the free list */
	struct weft_peer *peer;
	struct sunway_msg *msg; /* message in flight */
	int err;
	weft_au64 answer; /* number of reads completed in this slot */
};

struct sunway_bulks {
	struct weft_unit *unit;
	struct weft_sunway *n;
	unsigned vi;
	bool posting; /* the caller of sunway_bulk_move reads the events */
	int refused;  /* error of a transfer that could not be started */
	struct weft_regs segments; /* memory that peers may access; live only */
	struct sunway_bulk *free;
	struct sunway_bulk bulk[WEFT_SUNWAY_IN_FLIGHT];
};

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

/* ---- transfers ---- */

static struct sunway_bulk *
bulk_alloc(struct sunway_bulks *all, struct weft_peer *peer, struct weft_dma *d)
{
	struct sunway_bulk *b = all->free;

	if (!b)
		return NULL;
	all->free = b->next;
	b->all = all;
	b->d = d;
	b->peer = peer;
	return b;
}

static void bulk_free(struct sunway_bulk *b)
{
	b->next = b->all->free;
	b->all->free = b;
}

/* ---- completion ---- */

/* Reports the transfers whose events are in the completion queue. */
WEFT_HOT static void bulk_events(struct sunway_bulks *all)
{
	struct weft_sunway_event ev;

	while (!weft_sunway_cq_read(all->n, BULK_ENGINE, all->vi, &ev)) {
		struct sunway_bulk *b = &all->bulk[ev.cookie];
		struct weft_dma *d = b->d;
		int err = b->err;

		if (!err && ev.status)
			err = -EIO;
		all->n->stats.rdmas += !err;
		all->unit->transfers += !err;
		bulk_free(b);
		d->done(d, err);
	}
}

/* Increments the answer word, as the interface does after the last byte. */
static unsigned bulk_count(struct sunway_bulk *b)
{
	const struct sunway_range word = {
		.job = SUNWAY_TRANSPORT_JOB,
		.address = b->msg->d.answer,
		.bytes = sizeof(uint64_t),
	};
	weft_au64 *remote;

	if (b->msg->d.op == WEFT_SUNWAY_RDMAR)
		return sunway_mem_increment(b->all->n, &word);
	remote = sunway_bulk_answer(b->all->unit, b->peer);
	if (remote)
		nic_event_sub(remote, UINT64_MAX);
	return WEFT_SUNWAY_OK;
}

static unsigned bulk_status(int err)
{
	if (err == -ECONNRESET)
		return WEFT_SUNWAY_GONE;
	return err ? WEFT_SUNWAY_ADDRESS : WEFT_SUNWAY_OK;
}

/*
 * Called when the copy is complete: increments the answer word, then writes the
 * event.
 */
WEFT_HOT static void bulk_complete(struct weft_dma *dma, int err)
{
	struct sunway_bulk *b = weft_container_of(dma, struct sunway_bulk, dma);
	unsigned status = err ? bulk_status(err) : bulk_count(b);

	b->err = err;
	sunway_msg_end(b->all->n, b->msg, status, 0);
	if (!b->all->posting)
		bulk_events(b->all);
}

/* ---- the unit's engine ---- */

/* Translates the local addresses of a transfer through the TLB. */
WEFT_HOT static int bulk_translate(struct sunway_bulk *b)
{
	struct sunway_range r = { .job = SUNWAY_TRANSPORT_JOB };
	uint64_t left = b->d->bytes;
	int n = 0;

	b->dma = *b->d;
	for (int i = 0; i < b->d->local_count && left; i++) {
		const struct iovec *v = &b->d->local[i];
		int k;

		r.address = sunway_address_whole(v->iov_base);
		r.bytes = v->iov_len < left ? v->iov_len : left;
		left -= r.bytes;
		k = sunway_mem_iov(b->all->n, &r, &b->dma.local[n],
				   (int)WEFT_COUNT_OF(b->dma.local) - n);
		if (k < 0)
			return -EFAULT;
		n += k;
	}
	b->dma.local_count = n;
	b->dma.done = bulk_complete;
	return 0;
}

static int bulk_start(struct sunway_bulk *b)
{
	struct weft_unit *u = b->all->unit;
	struct weft_carrier *c = u->carrier;
	struct weft_dma_path path = {
		.there = { .vc = WEFT_VC_DYNAMIC, .ack = true },
	};

	path.there.path = (uint8_t)c->ops->backend->path(c, "rdma");
	path.back = path.there;
	if (b->msg->d.op == WEFT_SUNWAY_RDMAW)
		return weft_transport_put(u, b->peer, &b->dma, &path);
	path.there.bytes = 1 + SUNWAY_DESC;
	return weft_transport_get(u, b->peer, &b->dma, &path);
}

static bool bulk_is_model(const struct sunway_bulks *all)
{
	return all->unit->carrier->ops->backend->transfers_later;
}

/*
 * Live: checks the remote memory of a transfer against the target's segments,
 * as the target's unit would.
 */
WEFT_HOT static int bulk_target_check(const struct sunway_bulk *b)
{
	const struct weft_regs_entry want = {
		.base = b->d->remote,
		.bytes = b->d->bytes,
		.flags = b->msg->d.op == WEFT_SUNWAY_RDMAR
				 ? WEFT_SUNWAY_MAY_READ
				 : WEFT_SUNWAY_MAY_WRITE,
	};
	struct weft_regs_entry e;
	uint32_t i;

	if (bulk_is_model(b->all))
		return 0;
	return weft_regs_find(&b->all->segments, b->peer, 0, &want, &i, &e);
}

/*
 * Copies the data of a transfer; called by the send unit for the transfer's
 * descriptor.
 */
WEFT_HOT static void bulk_copy(struct weft_sunway *n, struct sunway_msg *m)
{
	struct sunway_bulks *all = n->transport;
	struct sunway_bulk *b = &all->bulk[m->d.cookie];
	int err = bulk_translate(b);

	b->msg = m;
	if (!err)
		err = bulk_target_check(b);
	if (err == -EACCES) {
		bulk_complete(&b->dma, err);
		return;
	}
	if (!err && !sunway_port_count(n, m->d.bytes))
		err = -EAGAIN;
	if (!err)
		err = bulk_start(b);
	if (!err)
		return;
	all->refused = err;
	sunway_msg_drop(n, m);
}

WEFT_HOT static int bulk_post(struct sunway_bulk *b, bool get)
{
	struct sunway_bulks *all = b->all;
	const struct weft_sunway_desc desc = {
		.op = get ? WEFT_SUNWAY_RDMAR : WEFT_SUNWAY_RDMAW,
		.flags = WEFT_SUNWAY_ANSWER | WEFT_SUNWAY_EVENT,
		.port = WEFT_SUNWAY_ADAPTIVE,
		.vi = (uint8_t)all->vi,
		.guid = b->peer->index % WEFT_SUNWAY_GUIDS,
		.bytes = (uint32_t)b->d->bytes,
		.local = sunway_address_whole(b->d->local[0].iov_base),
		.remote = b->d->remote,
		.answer = get ? sunway_address_whole(&b->answer) : 0,
		.cookie = (uint64_t)(b - all->bulk),
	};
	int err = weft_sunway_post(all->n, BULK_ENGINE, all->vi, &desc);

	if (err)
		return err;
	all->refused = 0;
	all->posting = true;
	sunway_tx_run(all->n, BULK_ENGINE, 1);
	all->posting = false;
	return all->refused;
}

WEFT_HOT int sunway_bulk_move(struct sunway_bulks *all, struct weft_peer *peer,
			      struct weft_dma *d, bool get)
{
	struct sunway_bulk *b;
	int err;

	if (!d->bytes) {
		d->done(d, 0);
		return 0;
	}
	b = bulk_alloc(all, peer, d);
	if (!b)
		return -EAGAIN;
	err = bulk_post(b, get);
	if (err)
		bulk_free(b); /* no data has moved */
	else
		bulk_events(all);
	return err;
}

/* ---- memory for peers ---- */

int sunway_bulk_mem_open(struct sunway_bulks *all, const struct iovec *mem,
			 unsigned access)
{
	const struct weft_regs_entry e = {
		.base = (uintptr_t)mem->iov_base,
		.bytes = mem->iov_len,
		.flags = (access & WEFT_MR_REMOTE_READ ? WEFT_SUNWAY_MAY_READ
						       : 0) |
			 (access & WEFT_MR_REMOTE_WRITE ? WEFT_SUNWAY_MAY_WRITE
							: 0),
	};
	int i;

	if (!e.bytes)
		return -EINVAL;
	i = weft_regs_alloc(&all->segments, 0);
	if (i >= 0)
		weft_regs_set(&all->segments, (uint32_t)i, &e);
	return i;
}

void sunway_bulk_mem_close(struct sunway_bulks *all, int reg)
{
	const struct weft_regs_entry none = { 0 };

	weft_regs_set(&all->segments, (uint32_t)reg, &none);
}

void sunway_bulk_lost(struct sunway_bulks *all, const struct weft_peer *peer)
{
	weft_regs_lost(&all->segments, peer);
}

/* ---- open and close ---- */

size_t sunway_bulk_reserve(struct weft_carrier_attr *attr)
{
	return weft_regs_reserve(attr, SUNWAY_SEGMENTS);
}

struct sunway_bulks *sunway_bulk_open(struct weft_unit *u,
				      struct weft_sunway *n, unsigned vi,
				      size_t offset)
{
	struct sunway_bulks *all = calloc(1, sizeof(*all));

	if (!all)
		return NULL;
	if (!u->carrier->ops->backend->transfers_later &&
	    weft_regs_init(&all->segments, u->carrier, offset,
			   SUNWAY_SEGMENTS)) {
		free(all);
		return NULL;
	}
	all->unit = u;
	all->n = n;
	all->vi = vi;
	for (unsigned i = 0; i < WEFT_SUNWAY_IN_FLIGHT; i++) {
		all->bulk[i].next = all->free;
		all->free = &all->bulk[i];
	}
	sunway_mem_whole(n, SUNWAY_TRANSPORT_JOB);
	n->copy = bulk_copy;
	n->transport = all;
	return all;
}

void sunway_bulk_close(struct sunway_bulks *all)
{
	if (all)
		weft_regs_fini(&all->segments);
	free(all);
}
