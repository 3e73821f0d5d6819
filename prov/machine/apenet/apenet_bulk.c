/* SPDX-License-Identifier: BSD-3-Clause */
/* Bulk data of the message engine: registered buffers, translation, events. */
#include "prov/machine/apenet/apenet_bulk.h"

/* ---- registration ---- */

/* Returns the registered buffer that contains these bytes, or NULL. */
static struct apenet_bulk_buf *bulk_find(struct apenet_bulk *b, uint64_t base,
					 uint64_t bytes)
{
	for (unsigned i = 0; i < APENET_BULK_BUFS; i++) {
		struct apenet_bulk_buf *x = &b->buf[i];
		uint64_t at = base - x->base;

		if (at < x->bytes && bytes <= x->bytes - at)
			return x;
	}
	return NULL;
}

/* Unregisters the least recently used buffer, and returns its free entry. */
static struct apenet_bulk_buf *bulk_free(struct apenet_bulk *b)
{
	struct apenet_bulk_buf *old = &b->buf[0];

	for (unsigned i = 1; i < APENET_BULK_BUFS; i++) {
		if (b->buf[i].used < old->used)
			old = &b->buf[i];
	}
	if (old->bytes)
		weft_apenet_buf_close(b->a, old->buf);
	memset(old, 0, sizeof(*old));
	return old;
}

/*
 * Returns the number of a buffer that contains this segment; -ENOMEM or -ENOSPC
 * if registering it fails.
 */
static int bulk_register(struct apenet_bulk *b, const struct iovec *seg)
{
	const uint64_t base = (uintptr_t)seg->iov_base;
	/* the buffer is not accessible to peers */
	const struct apenet_buf buf = {
		.base = base,
		.bytes = seg->iov_len,
		.mem = seg->iov_base,
		.only = WEFT_PORT_NO_NODE,
		.kind = weft_mem_kind_on_bus(base),
	};
	struct apenet_bulk_buf *x = bulk_find(b, base, seg->iov_len);
	int err;

	if (!x) {
		x = bulk_free(b);
		err = apenet_buf_add(b->a, &buf, &x->buf);
		if (err)
			return err;
		x->base = base;
		x->bytes = seg->iov_len;
	}
	x->used = ++b->uses;
	return (int)x->buf;
}

/* ---- transfers ---- */

/* Counts a command and the packets that the machine would send for it. */
static void bulk_count(struct weft_apenet *a, const struct apenet_buf *buf,
		       uint64_t bytes, bool get)
{
	uint64_t packets = (bytes + APENET_PAYLOAD - 1) / APENET_PAYLOAD;
	bool device = buf->kind != a->host;

	*(get ? &a->stats.gets : &a->stats.puts) += 1;
	*(get ? &a->stats.packets_in : &a->stats.packets_out) += packets;
	/* apenet_buf_store() has already counted one write */
	if (device)
		*(get ? &a->stats.peer_writes : &a->stats.peer_reads) +=
			get ? packets - 1 : packets;
}

/*
 * Returns 0 if the peer has registered these bytes; errors as for
 * weft_regs_find.
 */
static int bulk_peer_rights(struct apenet_bulk *b, struct weft_peer *peer,
			    uint64_t remote, uint64_t bytes, bool get)
{
	const struct weft_regs_entry want = {
		.base = remote,
		.bytes = bytes,
		.flags = get ? WEFT_APENET_MAY_READ : WEFT_APENET_MAY_WRITE,
	};
	struct weft_regs_entry e;
	uint32_t i;

	return weft_regs_find(&b->regs, peer, 0, &want, &i, &e);
}

/* Checks the rights, translates the target of a get, then copies. */
static int bulk_copy(struct apenet_bulk *b, struct weft_peer *peer,
		     const struct iovec *seg, uint64_t remote, bool get)
{
	struct weft_carrier *c = b->a->port.carrier;
	struct apenet_target p = {
		.address = (uintptr_t)seg->iov_base,
		.bytes = seg->iov_len,
		.node = peer->index,
	};

	int err = bulk_peer_rights(b, peer, remote, seg->iov_len, get);

	if (err)
		return err;
	if (get && apenet_buf_store(b->a, &p, NULL))
		return -EFAULT;
	b->unit->copied = true;
	return get ? c->ops->read(c, peer, seg, 1, remote)
		   : c->ops->write(c, peer, seg, 1, remote);
}

/* Executes the command of one segment and writes its event. */
static int bulk_command(struct apenet_bulk *b, struct weft_peer *peer,
			const struct iovec *seg, uint64_t remote, bool get)
{
	int buf = bulk_register(b, seg);
	int err = buf < 0 ? buf : bulk_copy(b, peer, seg, remote, get);

	if (err == -EAGAIN || err == -EOPNOTSUPP || buf < 0)
		return err;
	b->err = err;
	if (!err)
		bulk_count(b->a, &b->a->buf[buf], seg->iov_len, get);
	*apenet_event_next(b->a) = (struct weft_apenet_event){
		.what = get ? WEFT_APENET_GOT : WEFT_APENET_SENT,
		.status = err == -ECONNRESET ? WEFT_APENET_GONE
			  : err		     ? WEFT_APENET_ADDRESS
					     : WEFT_APENET_OK,
		.node = peer->index,
		.address = (uintptr_t)seg->iov_base,
		.bytes = seg->iov_len,
	};
	return 0;
}

/* Reads the event of a command. Returns 0 or -errno. */
static int bulk_event(struct apenet_bulk *b)
{
	struct weft_apenet_event ev;

	if (weft_apenet_event(b->a, &ev))
		return -EIO;
	return ev.status ? b->err : 0;
}

int apenet_bulk_move(struct apenet_bulk *b, struct weft_peer *peer,
		     struct weft_dma *d, bool get)
{
	uint64_t done = 0;
	int status = 0;

	for (int i = 0; i < d->local_count && done < d->bytes && !status; i++) {
		struct iovec seg = d->local[i];
		uint64_t left = d->bytes - done;
		int err;

		seg.iov_len = seg.iov_len < left ? seg.iov_len : left;
		if (!seg.iov_len)
			continue;
		err = bulk_command(b, peer, &seg, d->remote + done, get);
		if (err)
			return err;
		status = bulk_event(b);
		done += seg.iov_len;
	}
	b->unit->transfers += !status;
	d->done(d, status);
	return 0;
}

/* ---- memory for peers, open and close ---- */

int apenet_bulk_mem_open(struct apenet_bulk *b, const struct iovec *mem,
			 unsigned access)
{
	const struct weft_regs_entry e = {
		.base = (uintptr_t)mem->iov_base,
		.bytes = mem->iov_len,
		.flags = (access & WEFT_MR_REMOTE_READ ? WEFT_APENET_MAY_READ
						       : 0) |
			 (access & WEFT_MR_REMOTE_WRITE ? WEFT_APENET_MAY_WRITE
							: 0),
	};
	int i;

	if (!e.bytes)
		return -EINVAL;
	i = weft_regs_alloc(&b->regs, 0);
	if (i >= 0)
		weft_regs_set(&b->regs, (uint32_t)i, &e);
	return i;
}

void apenet_bulk_mem_close(struct apenet_bulk *b, int reg)
{
	const struct weft_regs_entry none = { 0 };

	weft_regs_set(&b->regs, (uint32_t)reg, &none);
}

size_t apenet_bulk_reserve(struct weft_carrier_attr *attr)
{
	return weft_regs_reserve(attr, APENET_BUFS);
}

int apenet_bulk_open(struct apenet_bulk *b, struct weft_apenet *a,
		     struct weft_unit *u, size_t offset)
{
	b->a = a;
	b->unit = u;
	return weft_regs_init(&b->regs, a->port.carrier, offset, APENET_BUFS);
}

void apenet_bulk_close(struct apenet_bulk *b)
{
	weft_regs_fini(&b->regs);
}
