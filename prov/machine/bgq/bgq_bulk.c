/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bulk data of the message engine, live. A get is a remote get: a descriptor
 * whose payload is descriptors of direct puts, which the peer's unit would
 * execute. A put is a direct put. On the machine the peer's unit reads and
 * stores while its processor computes. Here this unit does the work of both:
 * it checks the peer's range registers and base address table (machine_regs.h),
 * then its own, and copies the bytes by one call. The byte counter of the
 * direct put completes the transfer. An access that the registers do not allow
 * is recorded in the error registers, and the transfer ends with -EACCES.
 *
 *     range registers            base addresses
 *      0  payloads of packets     0  byte counter of a get, fetched word
 *      1  byte counter of a get,  1  byte counter of received puts, shared
 *         fetched word
 *      2  shared byte counter     2  all memory, for puts of peers
 *      3  segments of the         8  segments of the current get
 *         current transfer
 *      7  memory that peers
 *         may access
 *
 * More buffers may be announced than there are range registers: if no register
 * is free, one is extended to include the new memory. The kernel refuses
 * accesses to unmapped addresses in that range.
 */
#include "prov/machine/bgq/bgq_bulk.h"

#include <errno.h>

#define RANGE_BOUNCE  0
#define RANGE_COUNTER 1
#define RANGE_SHARED  2
#define RANGE_LOCAL   3
#define RANGE_MEMORY  7
#define BAT_LOCAL     8
#define BULK_SEGS     4 /* segments of a struct weft_dma */

static_assert(RANGE_LOCAL + BULK_SEGS == RANGE_MEMORY &&
		      BULK_SEGS ==
			      WEFT_COUNT_OF(((struct weft_dma *)0)->local) &&
		      BULK_SEGS * sizeof(struct weft_bgq_desc) ==
			      BGQ_BULK_DESCS,
	      "one range, one base address, one descriptor per segment");
static_assert(offsetof(struct bgq_bulk, result) ==
		      offsetof(struct bgq_bulk, counter) + 8,
	      "one range for counter and fetched word");

/* ---- memory that peers may access ---- */

static bool range_contains(const struct bgq_range *r, uint64_t at, uint64_t n)
{
	return n <= r->bytes && at >= r->base && at - r->base <= r->bytes - n;
}

/*
 * Returns the length in bytes of a range that is extended to include [at, at +
 * n).
 */
static uint64_t range_extended(const struct bgq_range *r, uint64_t at,
			       uint64_t n)
{
	uint64_t low = at < r->base ? at : r->base;
	uint64_t end = r->base + r->bytes;

	return (at + n > end ? at + n : end) - low;
}

/*
 * Returns the register for new memory: one that already includes the memory, a
 * free one, or the one that grows least; -1: none has these flags.
 */
static int range_choose(const struct bgq_bulk *b, uint64_t at, uint64_t n,
			unsigned flags)
{
	uint64_t least = UINT64_MAX;
	int best = -1;

	for (int i = RANGE_MEMORY; i < WEFT_BGQ_USER_RANGES; i++) {
		const struct bgq_range *r = &b->mu->range[i];
		uint64_t more = 1;

		if (r->bytes && r->flags != flags)
			continue;
		if (r->bytes && range_contains(r, at, n))
			return i;
		if (r->bytes)
			more = range_extended(r, at, n) - r->bytes + 1;
		if (more < least) {
			least = more;
			best = i;
		}
	}
	return best;
}

static int range_set(struct bgq_bulk *b, unsigned i, uint64_t base,
		     uint64_t bytes, unsigned flags)
{
	return weft_bgq_range_set(
		b->mu, i, bytes ? (void *)(uintptr_t)base : NULL, bytes, flags);
}

/* Sets a range register and the base address of its memory. */
static int range_bat_set(struct bgq_bulk *b, unsigned i, unsigned bat,
			 uint64_t base, uint64_t bytes, unsigned flags)
{
	void *at = bytes ? (void *)(uintptr_t)base : NULL;
	int err = range_set(b, i, base, bytes, flags);

	return err ? err : weft_bgq_bat_set(b->mu, bat, at, 0);
}

int bgq_bulk_mem_open(struct bgq_bulk *b, const struct iovec *mem,
		      unsigned access)
{
	unsigned flags =
		access & WEFT_MR_REMOTE_WRITE ? 0 : WEFT_BGQ_RANGE_INJ_ONLY;
	uint64_t at = (uintptr_t)mem->iov_base;
	uint64_t n = mem->iov_len;
	struct bgq_range *r;
	int i;

	if (n > BGQ_ADDR_MASK || at > BGQ_ADDR_MASK - n)
		return -EINVAL;
	i = range_choose(b, at, n, flags);
	if (i < 0)
		return -ENOSPC;
	r = &b->mu->range[i];
	if (r->bytes && !range_contains(r, at, n)) {
		n = range_extended(r, at, n);
		at = at < r->base ? at : r->base;
	} else if (r->bytes) {
		n = 0; /* the register stays unchanged */
	}
	if (n) {
		bool gaps = r->bytes > 0;

		if (range_set(b, (unsigned)i, at, n, flags))
			return -EINVAL;
		r->gaps = gaps;
	}
	b->refs[i]++;
	return i;
}

void bgq_bulk_mem_close(struct bgq_bulk *b, int reg)
{
	unsigned i = (unsigned)reg;

	if (--b->refs[i] == 0)
		range_set(b, i, 0, 0, 0);
}

/* ---- the engine: executes a descriptor ---- */

/* Records a refused access. */
static int bulk_refuse(struct bgq_bulk *b, enum weft_bgq_error e, unsigned id,
		       uint64_t addr)
{
	bgq_error(b->mu, e, id, addr);
	return -EACCES;
}

/*
 * Checks an access to the peer's memory against the peer's range registers, as
 * the peer's unit would.
 */
static int bulk_peer_range(struct bgq_bulk *b, struct weft_peer *peer,
			   uint64_t addr, uint64_t bytes, bool store)
{
	const struct weft_regs_entry want = {
		.base = addr,
		.bytes = bytes,
		.flags = store ? WEFT_BGQ_RANGE_INJ_ONLY : 0,
	};
	struct weft_regs_entry e;
	uint32_t i;
	int err = weft_regs_find(&b->range, peer, RANGE_MEMORY, &want, &i, &e);

	return err == -EACCES
		       ? bulk_refuse(b, WEFT_BGQ_ERR_RANGE, peer->index, addr)
		       : err;
}

/* Returns whether the current atomic is on the 8 aligned bytes at addr. */
static bool word_is_at(const struct bgq_bulk *b, uint64_t addr)
{
	return b->word && b->word->remote == addr && !(addr % 8);
}

/* Loads a word of the peer's memory by its atomic address. */
static int bulk_load(struct bgq_bulk *b, const struct bgq_desc *d, uint64_t to)
{
	uint64_t v;

	if (!word_is_at(b, d->payload))
		return bulk_refuse(b, WEFT_BGQ_ERR_ATOMIC, 0, d->payload);
	v = bgq_atomic_load((uintptr_t)b->word->at, bgq_desc_load_op(d));
	nic_event_post((weft_au64 *)(uintptr_t)to, v);
	return 0;
}

/* Stores to a word of the peer's memory by its atomic address. */
static int bulk_store(struct bgq_bulk *b, const struct bgq_desc *d, uint64_t to)
{
	uint64_t v;

	if (!word_is_at(b, to))
		return bulk_refuse(b, WEFT_BGQ_ERR_ATOMIC,
				   bgq_sel_id(d->hdr.sel), to);
	memcpy(&v, (void *)(uintptr_t)d->payload, sizeof(v));
	bgq_atomic_store((uintptr_t)b->word->at, bgq_put_store_op(d->hdr.aux),
			 v);
	return 0;
}

/*
 * Executes one descriptor of a remote get for the peer: a direct put from the
 * peer's memory to this process.
 */
static int bulk_run_get(struct bgq_bulk *b, struct weft_peer *peer,
			const struct bgq_desc *d)
{
	struct weft_carrier *c = b->unit->carrier;
	struct iovec local = { .iov_len = d->bytes };
	enum weft_bgq_error e = bgq_desc_check(d, false);
	bool store = bgq_desc_load_op(d) > WEFT_BGQ_LOAD;
	uint64_t to = 0;
	uint64_t ctr = 0;
	int err;

	if (!e)
		e = bgq_put_check(b->mu, &d->hdr, d->bytes, &to, &ctr);
	if (e)
		return bulk_refuse(b, e, bgq_sel_id(d->hdr.sel), to);
	err = bulk_peer_range(b, peer, d->payload, d->bytes, store);
	if (err)
		return err;
	if (bgq_desc_load_op(d)) {
		err = bulk_load(b, d, to);
	} else {
		b->unit->copied = true;
		local.iov_base = (void *)(uintptr_t)to;
		err = c->ops->read(c, peer, &local, 1, d->payload);
	}
	if (err)
		return err;
	nic_event_sub((weft_au64 *)(uintptr_t)ctr, d->bytes);
	bgq_upc_stored(b->mu, to, d->bytes);
	return 0;
}

/* Executes a direct put to the peer's memory. */
static int bulk_run_put(struct bgq_bulk *b, struct weft_peer *peer,
			const struct bgq_desc *d)
{
	struct weft_carrier *c = b->unit->carrier;
	const struct iovec local = { (void *)(uintptr_t)d->payload, d->bytes };
	unsigned id = bgq_sel_id(d->hdr.sel);
	struct weft_regs_entry base;
	weft_au64 *ctr;
	uint64_t to;
	int err;

	if (!bgq_range_ok(b->mu, d->payload, d->bytes, BGQ_READ, false))
		return bulk_refuse(b, WEFT_BGQ_ERR_RANGE, id, d->payload);
	err = weft_regs_read(&b->bat, peer, id, &base);
	if (err == -ENOENT || bgq_sel_id(d->hdr.ctr) != BGQ_BAT_SHARED)
		return bulk_refuse(b, WEFT_BGQ_ERR_BAT_ID, id, 0);
	if (err)
		return err;
	to = base.base + bgq_sel_offset(d->hdr.sel);
	err = bulk_peer_range(b, peer, to, d->bytes, true);
	ctr = weft_regs_counter(&b->range, peer);
	if (err || !ctr)
		return err ? err : -EOPNOTSUPP;
	if (bgq_put_store_op(d->hdr.aux)) {
		err = bulk_store(b, d, to);
	} else {
		b->unit->copied = true;
		err = c->ops->write(c, peer, &local, 1, to);
	}
	if (err)
		return err;
	nic_event_sub(ctr, d->bytes);
	bgq_upc_sent(b->mu, d->payload, d->bytes);
	return 0;
}

static int bulk_run_gets(struct bgq_bulk *b, struct weft_peer *peer,
			 const struct bgq_desc *d)
{
	const struct bgq_desc *in = (const void *)(uintptr_t)d->payload;
	unsigned n = (unsigned)(d->bytes / sizeof(*in));
	int err = 0;

	if (!bgq_range_ok(b->mu, d->payload, d->bytes, BGQ_READ, false))
		return bulk_refuse(b, WEFT_BGQ_ERR_RANGE, 0, d->payload);
	if (bgq_sel_id(d->hdr.sel) != BGQ_BULK_RGET_FIFO)
		return bulk_refuse(b, WEFT_BGQ_ERR_INJ_ID,
				   bgq_sel_id(d->hdr.sel), 0);
	bgq_upc_sent(b->mu, d->payload, d->bytes);
	for (unsigned i = 0; i < n && !err; i++)
		err = bulk_run_get(b, peer, &in[i]);
	return err;
}

/*
 * Executes a direct put or a remote get; called by the injection side of the
 * unit.
 */
static int bulk_run(struct weft_bgq *mu, const struct bgq_desc *d)
{
	struct bgq_bulk *b =
		weft_container_of(mu->range_regs, struct bgq_bulk, range);
	struct weft_peer *peer = weft_port_peer(&mu->port, d->hdr.dest);
	int err;

	if (!peer)
		err = bulk_refuse(b, WEFT_BGQ_ERR_NODE, d->hdr.dest, 0);
	else if (bgq_hdr_type(&d->hdr) == BGQ_PUT)
		err = bulk_run_put(b, peer, d);
	else
		err = bulk_run_gets(b, peer, d);
	if (err && !b->err)
		b->err = err;
	return 0;
}

/* ---- transfers ---- */

int bgq_bulk_post(struct bgq_bulk *b, const struct weft_bgq_desc *d)
{
	int r = weft_bgq_inj_post(b->mu, BGQ_BULK_FIFO, d, NULL);

	while (!r && !bgq_inj_empty(&b->mu->inj[BGQ_BULK_FIFO]) &&
	       b->mu->inj[BGQ_BULK_FIFO].state == BGQ_OPEN)
		r = bgq_tx_step(b->mu, BGQ_BULK_FIFO) > 0 ? 0 : -EIO;
	if (b->mu->inj[BGQ_BULK_FIFO].state == BGQ_ERROR) {
		weft_bgq_inj_clear(b->mu, BGQ_BULK_FIFO);
		r = -EACCES;
	}
	return r;
}

/*
 * Sets ranges and base addresses for the local segments of a transfer, limited
 * to the bytes of the transfer. Returns the number of segments.
 */
static unsigned local_open(struct bgq_bulk *b, const struct weft_dma *d,
			   unsigned flags, struct iovec *seg)
{
	uint64_t left = d->bytes;
	unsigned n = 0;

	for (int i = 0; i < d->local_count && left; i++) {
		seg[n] = d->local[i];
		if (seg[n].iov_len > left)
			seg[n].iov_len = left;
		left -= seg[n].iov_len;
		if (seg[n].iov_len &&
		    !range_bat_set(b, RANGE_LOCAL + n, BAT_LOCAL + n,
				   (uintptr_t)seg[n].iov_base, seg[n].iov_len,
				   flags))
			n++;
	}
	return n;
}

static void local_close(struct bgq_bulk *b, unsigned n)
{
	while (n--)
		range_bat_set(b, RANGE_LOCAL + n, BAT_LOCAL + n, 0, 0, 0);
}

/* Returns an error, or reports completion through d->done. */
static int bulk_end(struct bgq_bulk *b, struct weft_dma *d, int err)
{
	if (!err)
		err = b->err;
	if (err == -EOPNOTSUPP || err == -EAGAIN)
		return err;
	if (!err && nic_event_read(&b->counter))
		err = -EIO;
	b->unit->transfers += !err;
	d->done(d, err);
	return 0;
}

int bgq_bulk_get(struct bgq_bulk *b, struct weft_peer *peer, struct weft_dma *d)
{
	struct weft_bgq_desc *in = b->descs;
	struct weft_bgq_desc out;
	struct iovec seg[BULK_SEGS];
	struct weft_bgq_put put = { .ctr_bat = BGQ_BAT_COUNTER };
	struct weft_bgq_msg msg = { .vc = WEFT_BGQ_VC_ORDERED };
	unsigned n = local_open(b, d, 0, seg);
	uint64_t off = 0;
	int err = 0;

	b->err = 0;
	nic_event_post(&b->counter, d->bytes);
	for (unsigned i = 0; i < n; i++) {
		put.bat = (uint16_t)(BAT_LOCAL + i);
		msg.payload = (void *)(uintptr_t)(d->remote + off);
		msg.bytes = seg[i].iov_len;
		weft_bgq_desc_put(&in[i], &msg, &put);
		off += msg.bytes;
	}
	msg.node = peer->index;
	msg.payload = in;
	msg.bytes = n * sizeof(in[0]);
	weft_bgq_desc_get(&out, &msg, BGQ_BULK_RGET_FIFO);
	if (n)
		err = bgq_bulk_post(b, &out);
	local_close(b, n);
	return bulk_end(b, d, err);
}

int bgq_bulk_put(struct bgq_bulk *b, struct weft_peer *peer, struct weft_dma *d)
{
	struct weft_bgq_desc desc;
	struct iovec seg[BULK_SEGS];
	struct weft_bgq_put put = {
		.bat = BGQ_BAT_MEMORY,
		.offset = d->remote - BGQ_MEMORY_BASE,
		.ctr_bat = BGQ_BAT_SHARED,
	};
	struct weft_bgq_msg msg = {
		.node = peer->index,
		.vc = WEFT_BGQ_VC_ORDERED,
	};
	unsigned n = local_open(b, d, WEFT_BGQ_RANGE_INJ_ONLY, seg);
	uint64_t sent = 0;
	int err = 0;

	b->err = 0;
	for (unsigned i = 0; i < n && !err && !b->err; i++) {
		msg.payload = seg[i].iov_base;
		msg.bytes = seg[i].iov_len;
		weft_bgq_desc_put(&desc, &msg, &put);
		err = bgq_bulk_post(b, &desc);
		put.offset += msg.bytes;
		sent += msg.bytes;
	}
	local_close(b, n);
	/* a put is complete when its descriptors have been executed */
	nic_event_post(&b->counter, d->bytes - sent);
	return bulk_end(b, d, err);
}

/* ---- open and close ---- */

void bgq_bulk_reserve(struct bgq_bulk *b, struct weft_carrier_attr *attr)
{
	b->range_offset = weft_regs_reserve(attr, WEFT_BGQ_RANGES);
	b->bat_offset = weft_regs_reserve(attr, WEFT_BGQ_BAT_ENTRIES);
}

static int bulk_regs_open(struct bgq_bulk *b)
{
	struct weft_carrier *c = b->unit->carrier;
	int err =
		weft_regs_init(&b->range, c, b->range_offset, WEFT_BGQ_RANGES);

	if (!err)
		err = weft_regs_init(&b->bat, c, b->bat_offset,
				     WEFT_BGQ_BAT_ENTRIES);
	b->mu->range_regs = &b->range;
	b->mu->bat_regs = &b->bat;
	return err;
}

int bgq_bulk_open(struct bgq_bulk *b, struct weft_bgq *mu, struct weft_unit *u,
		  const struct iovec *bounce, void *ring)
{
	weft_au64 *shared;
	int err;

	b->mu = mu;
	b->unit = u;
	b->descs = (void *)((char *)bounce->iov_base + bounce->iov_len -
			    BGQ_BULK_DESCS);
	err = bulk_regs_open(b);
	if (!err)
		err = weft_bgq_inj_open(mu, BGQ_BULK_RGET_FIFO, ring,
					BGQ_BULK_RGETS, WEFT_BGQ_RGET);
	if (!err)
		err = weft_bgq_range_set(mu, RANGE_BOUNCE, bounce->iov_base,
					 bounce->iov_len,
					 WEFT_BGQ_RANGE_INJ_ONLY);
	if (!err)
		err = range_bat_set(b, RANGE_COUNTER, BGQ_BAT_COUNTER,
				    (uintptr_t)&b->counter,
				    sizeof(b->counter) + sizeof(b->result), 0);
	if (!err)
		err = weft_bgq_bat_set(mu, BGQ_BAT_MEMORY,
				       (void *)BGQ_MEMORY_BASE, 0);
	shared = weft_regs_counter(&b->range, NULL);
	if (!err && shared)
		err = range_bat_set(b, RANGE_SHARED, BGQ_BAT_SHARED,
				    (uintptr_t)shared, sizeof(*shared), 0);
	mu->dma = bulk_run;
	return err;
}

void bgq_bulk_close(struct bgq_bulk *b)
{
	weft_regs_fini(&b->range);
	weft_regs_fini(&b->bat);
}

void bgq_bulk_lost(struct bgq_bulk *b, const struct weft_peer *peer)
{
	weft_regs_lost(&b->range, peer);
	weft_regs_lost(&b->bat, peer);
}
