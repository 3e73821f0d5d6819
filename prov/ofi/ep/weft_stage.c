/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Staging: if the interface cannot access the memory of a device, the data is
 * copied through host memory. A long message is copied one chunk at a time,
 * while the previous chunk is in flight:
 *
 *   sender    copy 0 | copy 1 | copy 2 |
 *   network          | 0......| 1......| 2......|
 *   receiver                  | copy 0 | copy 1 | copy 2
 *
 * For the engine a staged message is typed data: the engine requests bytes from
 * this file when it can send a packet, and passes received bytes to this file.
 * Packets of a message may arrive in any order, so the receiver allocates host
 * memory for the whole message, and copies each chunk to the device when all of
 * its bytes have arrived. Short messages and remote accesses are copied at
 * once.
 *
 *   op->held   | space for a packet | struct stage | counts of chunks or bytes
 * |
 *
 * Between processes of a host, device memory that can be shared is not staged:
 * the announcement describes it, and the receiver's device copies from it
 * (prov/nic/nic_fetch.c). Such a message needs host memory only if the receiver
 * cannot access the sender's memory.
 */
#include "prov/ofi/ep/weft_stage.h"

#include "prov/mem/mem.h"
#include "prov/ofi/ep/weft_data.h"
#include "src/base/attr.h"

#include <stdlib.h>
#include <string.h>

struct stage {
	struct weft_nic_typed typed;
	struct weft_mem_share share;
	struct weft_ep *ep;
	struct weft_nic_op *op;
	struct iovec device[WEFT_IOV_MAX];
	int count;
	size_t bytes; /* total bytes of the segments */
	size_t chunk;
	size_t base;   /* sends: offset of the current chunk */
	bool loaded;   /* sends: the chunk has been copied */
	int err;       /* error of a copy, or 0 */
	uint32_t *got; /* receives: number of bytes received of each chunk */
	/*
	 * host memory: stored after this structure or, if `allocated`, by
	 * malloc; NULL: not needed yet
	 */
	unsigned char *host;
	bool allocated;
};

/* ---- copies ---- */

static int copy_part(const struct weft_stage_copy *s, const struct iovec *part,
		     char *host)
{
	const struct weft_mem_kind *k =
		weft_mem_kind_of(part->iov_base, part->iov_len);

	if (!k)
		return -EFAULT;
	return s->in ? k->in(part->iov_base, host, part->iov_len)
		     : k->out(host, part->iov_base, part->iov_len);
}

/*
 * Copies between a device and host memory. In virtual time, the segments
 * together are charged as one device command.
 */
int weft_stage_copy(struct weft_carrier *c, const struct weft_stage_copy *s)
{
	size_t pos = s->pos, left = s->bytes, done = 0;
	int err = 0;

	for (int i = 0; i < s->count && left && !err; i++) {
		struct iovec part = s->iov[i];

		if (pos >= part.iov_len) {
			pos -= part.iov_len;
			continue;
		}
		part.iov_base = (char *)part.iov_base + pos;
		part.iov_len -= pos;
		if (part.iov_len > left)
			part.iov_len = left;
		err = copy_part(s, &part, (char *)s->host + done);
		done += part.iov_len;
		left -= part.iov_len;
		pos = 0;
	}
	if (c && done)
		c->ops->backend->device_copied(c, done);
	return err;
}

static void stage_move(struct stage *s, size_t pos, void *host, size_t bytes,
		       bool in)
{
	const struct weft_stage_copy copy = {
		.iov = s->device,
		.count = s->count,
		.pos = pos,
		.host = host,
		.bytes = bytes,
		.in = in,
	};
	int err = bytes ? weft_stage_copy(s->ep->carrier, &copy) : 0;

	if (err && !s->err)
		s->err = err;
}

/*
 * Allocates the host memory at its first use. Returns false if out of memory.
 */
static bool host_ready(struct stage *s, size_t bytes)
{
	if (!s->host) {
		s->host = malloc(bytes + 1);
		s->allocated = true;
	}
	if (!s->host && !s->err)
		s->err = -ENOMEM;
	return s->host;
}

/* ---- messages in flight ---- */

static void stage_pack(void *arg, size_t pos, void *to, size_t bytes)
{
	struct stage *s = arg;
	size_t at, n;

	if (!host_ready(s, s->chunk))
		memset(to, 0, bytes);
	while (s->host && bytes) {
		at = pos % s->chunk;
		if (!s->loaded || s->base != pos - at) {
			s->base = pos - at;
			s->loaded = true;
			stage_move(s, s->base, s->host,
				   s->bytes - s->base < s->chunk
					   ? s->bytes - s->base
					   : s->chunk,
				   false);
		}
		n = s->chunk - at < bytes ? s->chunk - at : bytes;
		memcpy(to, s->host + at, n);
		to = (char *)to + n;
		pos += n;
		bytes -= n;
	}
	/* the engine then ends the message with this error */
	s->op->err = s->err;
}

static void stage_unpack(void *arg, size_t pos, const void *from, size_t bytes)
{
	struct stage *s = arg;
	size_t i, n;

	if (!host_ready(s, s->bytes))
		return;
	memcpy(s->host + pos, from, bytes);
	while (bytes) {
		i = pos / s->chunk;
		n = (i + 1) * s->chunk - pos;
		if (n > bytes)
			n = bytes;
		s->got[i] += (uint32_t)n;
		if (s->got[i] == s->chunk) {
			stage_move(s, i * s->chunk, s->host + i * s->chunk,
				   s->chunk, true);
			s->got[i] = 0;
		}
		pos += n;
		bytes -= n;
	}
}

/* ---- start and completion ---- */

static size_t room_for_packet(const struct weft_ep *ep)
{
	return (ep->domain->machine->packet_bytes + 63) & ~(size_t)63;
}

static struct stage *stage_of(const struct weft_ep *ep,
			      const struct weft_nic_op *op)
{
	return (struct stage *)((char *)op->held + room_for_packet(ep));
}

/*
 * Returns the kind of the op's memory: the host kind if all segments are host
 * memory, otherwise the kind of the last segment that is not; NULL if one
 * segment is of several kinds.
 */
static const struct weft_mem_kind *kind_of(const struct weft_nic_op *op)
{
	const struct weft_mem_kind *host = weft_mem_kind_at(0), *k = host;

	for (unsigned i = 0; i < op->iov_count && k; i++) {
		const struct weft_mem_kind *one = weft_mem_kind_of(
			op->iov[i].iov_base, op->iov[i].iov_len);

		if (one != host)
			k = one;
	}
	return k;
}

/*
 * Returns whether the op is copied in chunks. All receives are copied in
 * chunks, since a message of any length may match.
 */
static bool in_chunks(const struct weft_nic_op *op, size_t chunk)
{
	return op->kind == WEFT_RECV ||
	       (op->kind == WEFT_SEND && op->len > chunk);
}

/*
 * Allocates the staging state of op, with `host` bytes of host memory; NULL:
 * out of memory.
 */
static struct stage *stage_new(struct weft_ep *ep, struct weft_nic_op *op,
			       size_t chunk, size_t host)
{
	size_t chunks = op->kind == WEFT_RECV ? op->len / chunk + 1 : 0;
	size_t head = sizeof(struct stage) + chunks * sizeof(uint32_t);
	struct stage *s;

	op->held = malloc(room_for_packet(ep) + head + host);
	if (!op->held)
		return NULL;
	s = stage_of(ep, op);
	memset(s, 0, head);
	s->ep = ep;
	s->chunk = chunk;
	s->bytes = op->len;
	s->got = (uint32_t *)(s + 1);
	s->host = host ? (unsigned char *)s + head : NULL;
	s->count = op->iov_count;
	memcpy(s->device, op->iov, sizeof(*op->iov) * op->iov_count);
	return s;
}

/*
 * Converts the op to one whose bytes the engine requests or delivers in
 * packets.
 */
static void stage_typed(struct stage *s, struct weft_nic_op *op)
{
	s->typed = (struct weft_nic_typed){ stage_pack, stage_unpack, s };
	op->iov[0] = (struct iovec){ &s->typed, op->len };
	op->iov_count = WEFT_IOV_TYPED;
	op->pos = 0; /* nothing is packed yet */
	op->err = 0;
	s->op = op;
}

/*
 * Replaces the op's buffer by host memory; unless the op is a read, copies all
 * bytes to it now.
 */
static void stage_now(struct stage *s, struct weft_nic_op *op)
{
	/*
	 * the caller's buffer of a send or write is not needed after this copy
	 */
	if (op->kind != WEFT_READ)
		stage_move(s, 0, s->host, op->len, false);
	op->iov[0] = (struct iovec){ s->host, op->len };
	op->iov_count = 1;
	op->flags &= (uint16_t)~WEFT_OP_INJECT;
}

/*
 * Describes the buffer of a send in *share, so that a receiver on this host can
 * read it; the send then completes after the read. Returns false if this is not
 * possible. Not used for injected messages, because the caller may reuse their
 * buffer.
 */
static bool send_describe(const struct weft_ep *ep,
			  const struct weft_nic_op *op,
			  const struct weft_mem_kind *k,
			  struct weft_mem_share *share)
{
	return k->share && op->kind == WEFT_SEND && op->iov_count == 1 &&
	       !(op->flags & WEFT_OP_INJECT) &&
	       !ep->carrier->ops->backend->transfers_later &&
	       !k->share(op->iov[0].iov_base, op->len, share);
}

int weft_stage_op_prepare(struct weft_ep *ep, struct weft_nic_op *op)
{
	const struct weft_mem_kind *k =
		op->len ? kind_of(op) : weft_mem_kind_at(0);
	struct weft_mem_share share;
	bool shared, packets;
	struct stage *s;

	if (!k)
		return -EFAULT;
	if (k == weft_mem_kind_at(0))
		return 0;
	if (op->flags & WEFT_OP_MULTI)
		return -ENOSYS;
	shared = send_describe(ep, op, k, &share);
	packets = shared || in_chunks(op, k->stage_bytes);
	s = stage_new(ep, op, k->stage_bytes, packets ? 0 : op->len);
	if (!s)
		return -ENOMEM;
	op->flags |= WEFT_OP_STAGED;
	if (shared) {
		s->share = share;
		op->share = &s->share;
		op->flags |= WEFT_OP_ACK;
	}
	if (packets)
		stage_typed(s, op);
	else
		stage_now(s, op);
	return s->err;
}

/* Copies from a peer's memory to the buffer of a receive. */
static int stage_fetch(void *arg, struct weft_nic_op *op,
		       const struct weft_mem_share *share, uint32_t *ticket_p)
{
	const struct weft_mem_kind *k = weft_mem_kind_iface(share->iface);
	bool staged = op->flags & WEFT_OP_STAGED;
	const struct stage *s = staged ? stage_of(arg, op) : NULL;
	const struct iovec *iov = staged ? s->device : op->iov;
	int count = staged ? s->count : op->iov_count, err = 0;
	size_t pos = 0, n;

	if (!k || !k->fetch || (!staged && count == WEFT_IOV_TYPED))
		return -EOPNOTSUPP;
	*ticket_p = 0;
	for (int i = 0; i < count && pos < op->len && !err; i++) {
		n = op->len - pos < iov[i].iov_len ? op->len - pos
						   : iov[i].iov_len;
		if (n)
			err = k->fetch(share, pos, iov[i].iov_base, n,
				       ticket_p);
		pos += n;
	}
	return err;
}

/*
 * Returns whether the sender should copy instead: of two processes that share a
 * device, the one with the smaller process number copies in both directions.
 */
static bool stage_offer(void *arg, struct weft_nic_op *op,
			const struct weft_mem_share *share,
			struct weft_mem_share *mine)
{
	const struct weft_mem_kind *k = weft_mem_kind_iface(share->iface);
	const struct stage *s;

	if (!(op->flags & WEFT_OP_STAGED) || !k || !k->store)
		return false;
	s = stage_of(arg, op);
	return s->count == 1 &&
	       !k->share(s->device[0].iov_base, op->len, mine) &&
	       mine->device == share->device && share->process < mine->process;
}

static int stage_store(void *arg, struct weft_nic_op *op,
		       const struct weft_mem_share *share, uint64_t bytes,
		       uint32_t *ticket_p)
{
	const struct weft_mem_kind *k = weft_mem_kind_iface(share->iface);

	if (!k || !k->store)
		return -EOPNOTSUPP;
	return k->store(share, stage_of(arg, op)->device[0].iov_base, bytes,
			ticket_p);
}

static int stage_fetched(void *arg, uint32_t ticket)
{
	return weft_mem_cuda.fetched(ticket);
}

/* Copies the received bytes of incomplete chunks to the device. */
static void receive_rest(struct stage *s, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += s->chunk) {
		size_t n = bytes - at < s->chunk ? bytes - at : s->chunk;

		if (s->got[at / s->chunk])
			stage_move(s, at, s->host + at, n, true);
	}
}

static void stage_done(void *arg, struct weft_nic_op *op)
{
	struct stage *s;

	if (op->flags & WEFT_OP_STAGED) {
		s = stage_of(arg, op);
		if (op->kind == WEFT_RECV)
			receive_rest(s, op->len);
		else if (op->kind == WEFT_READ && !op->err)
			stage_move(s, 0, s->host, op->len, true);
		if (s->err && !op->err)
			op->err = s->err;
		op->iov[0] = s->device[0];
		if (s->allocated)
			free(s->host);
	}
	weft_done_callbacks.done(arg, op);
}

static int stage_region(void *arg, const struct weft_mem_access *want,
			void **at_p, void **region_p)
{
	return weft_done_callbacks.region(arg, want, at_p, region_p);
}

static void stage_event(void *arg, struct weft_nic_op *op, void *region)
{
	weft_done_callbacks.event(arg, op, region);
}

const struct weft_nic_up weft_stage_callbacks = {
	.done = stage_done,
	.region = stage_region,
	.event = stage_event,
	.fetch = stage_fetch,
	.offer = stage_offer,
	.store = stage_store,
	.fetched = stage_fetched,
};
