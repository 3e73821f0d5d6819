/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading and writing a peer's memory, by the first of these paths that is
 * possible:
 *
 *   one-sided   the region is listed in the peer's shared area and DMA
 *               works: this process checks and copies, without the peer
 *   by request  DMA works, but the region is not listed: the peer checks
 *               and copies (WRITE_PULL, READ_PUSH), and responds with FIN
 *   by packets  small, or no DMA: the bytes travel in packets (WRITE with
 *               FIN, READ with READ_DATA)
 *
 * Requests wait in the peer's list bulk, in the order of their posts.
 */
#include "prov/nic/nic_rma.h"
#include "prov/nic/nic_dma.h"
#include "prov/nic/nic_int.h"
#include "prov/nic/nic_memory.h"
#include "prov/nic/nic_op.h"
#include "prov/nic/nic_send.h"
#include "prov/nic/nic_share.h"
#include "prov/nic/nic_stream.h"
#include "src/base/must.h"

#include <stdlib.h>

/* limit of requests queued for one peer; beyond it, a post returns -EAGAIN */
#define OPEN_MAX 4096

static bool fits_packet(const struct weft_nic *nic, uint64_t len)
{
	return len <= nic->packet_bytes - sizeof(struct nic_access);
}

/* ---- initiator: requests ------------------------------------------------- */

static void request_enqueue(struct weft_nic *nic, struct weft_nic_op *op,
			    uint8_t type)
{
	struct nic_peer *p = op->peer->up;

	op->request_type = type;
	op->moved = 0;
	op->pos = 0;
	op->limit = type == NIC_WRITE && op->len ? op->len : 1;
	op->state = NIC_PACING;
	nic_op_list_remove(op);
	nic_request_count(op, true);
	nic_op_list_add(p, &p->bulk, op);
	nic_push(nic, p);
}

static void request_select(struct weft_nic *nic, struct weft_nic_op *op)
{
	struct nic_peer *p = op->peer->up;
	bool put = op->kind == WEFT_READ;
	bool bytes = p->dma_refused || nic->no_dma || fits_packet(nic, op->len);

	if (!bytes)
		bytes = nic_memory_open(nic, op,
					put ? WEFT_MR_REMOTE_WRITE
					    : WEFT_MR_REMOTE_READ) != 0;
	if (bytes && nic_stream_may_offer(nic, op))
		request_enqueue(nic, op, NIC_WRITE_OFFER);
	else if (op->kind == WEFT_WRITE)
		request_enqueue(nic, op, bytes ? NIC_WRITE : NIC_WRITE_PULL);
	else
		request_enqueue(nic, op, bytes ? NIC_READ : NIC_READ_PUSH);
}

void nic_access_by_packets(struct weft_nic *nic, struct weft_nic_op *op)
{
	struct nic_peer *p = op->peer->up;

	if (op->request_type == NIC_WRITE_OFFER)
		nic_stream_refused(nic, op);
	p->dma_refused = true;
	request_select(nic, op);
}

/*
 * Returns the number of data bytes in the next packet of a write. The target
 * stores them directly in its memory at the packet's offset.
 */
static size_t write_bytes(const struct weft_nic *nic,
			  const struct weft_nic_op *op)
{
	uint32_t whole = op->peer->whole;
	size_t n = nic->packet_bytes;

	if (whole && n > whole)
		n = whole;
	n -= sizeof(struct nic_access);
	return n < op->len - op->moved ? n : op->len - op->moved;
}

static int push_write(struct weft_nic *nic, struct weft_nic_op *op,
		      struct weft_pkt *pkt, struct nic_access *a)
{
	struct iovec part[WEFT_IOV_MAX + 1] = { { a, sizeof(*a) } };
	size_t n = write_bytes(nic, op);
	int count, err;

	/*
	 * packets before the last one may be delivered out of order; they fit
	 * the carrier's packets, so it does not split them
	 */
	if (op->flags & WEFT_OP_RELAXED && op->peer->whole &&
	    op->moved + n < op->len)
		pkt->carrier = nic->loose & WEFT_PKT_SPLIT_OK;
	a->offset = op->moved;
	pkt->len = (uint16_t)(sizeof(*a) + n);
	count = nic_slice(op->iov, op->iov_count, op->moved, n, part + 1);
	err = nic->unit->ops->packet(nic->unit, op->peer, pkt, part, count + 1);
	if (!err)
		op->moved += op->len ? n : 1;
	return err;
}

static int push_request(struct weft_nic *nic, struct weft_nic_op *op,
			struct weft_pkt *pkt, struct nic_access *a)
{
	struct nic_segs segs;
	struct iovec part[2] = { { a, sizeof(*a) }, { &segs, 0 } };
	int count = 1, err;

	if (op->request_type == NIC_READ)
		nic_stream_read_request(nic, op, pkt, a);
	else if (op->request_type == NIC_READ_REST)
		a->offset = op->pos;
	else if (op->request_type != NIC_WRITE_OFFER) {
		nic_segs_of(op, &segs);
		part[1].iov_len = nic_segs_bytes(&segs);
		count = 2;
	}
	pkt->len = (uint16_t)(sizeof(*a) + part[1].iov_len);
	err = nic->unit->ops->packet(nic->unit, op->peer, pkt, part, count);
	if (!err)
		op->moved = op->limit;
	return err;
}

static int push_atomic(struct weft_nic *nic, struct weft_nic_op *op,
		       struct weft_pkt *pkt)
{
	struct iovec iov = { op->held, op->limit };
	int err;

	pkt->len = (uint16_t)op->limit;
	err = nic->unit->ops->packet(nic->unit, op->peer, pkt, &iov, 1);
	if (!err)
		op->moved = op->limit;
	return err;
}

int nic_push_access(struct weft_nic *nic, struct weft_nic_op *op)
{
	struct weft_pkt pkt = {
		.type = op->request_type,
		.flags = (uint8_t)(op->flags & WEFT_OP_DATA),
		.aux = op->id,
		.data = op->data,
	};
	struct nic_access a = {
		.key = op->key,
		.addr = op->addr,
		.len = op->len,
	};

	if (op->request_type == NIC_ATOMIC)
		return push_atomic(nic, op, &pkt);
	if (op->request_type == NIC_WRITE)
		return push_write(nic, op, &pkt, &a);
	return push_request(nic, op, &pkt, &a);
}

/* ---- initiator: one-sided ------------------------------------------------ */

void nic_access_notify(struct weft_nic *nic, struct weft_nic_op *op)
{
	struct weft_pkt pkt = {
		.type = NIC_EVENT,
		.flags = (uint8_t)(op->flags & WEFT_OP_DATA),
		.len = sizeof(struct nic_access),
		.aux = op->kind == WEFT_READ ||
		       (op->kind >= WEFT_ATOMIC && op->at_op == WEFT_NUM_READ),
		.data = op->data,
	};
	struct nic_access a = {
		.key = op->key,
		.addr = op->addr,
		.len = op->len,
	};

	nic_ctrl(nic, op->peer, &pkt, &a);
}

static void one_sided(struct weft_nic *nic, struct nic_peer *p,
		      struct weft_nic_op *op, uint64_t at)
{
	op->remote[0] = at;
	op->remote[1] = op->len;
	op->remote_count = 1;
	op->peer_cell = 0;
	op->put = op->kind == WEFT_WRITE;
	op->limit = op->len;
	op->state = NIC_WAITING;
	p->one_sided_count++;
	nic_op_list_add(p, &p->waiting, op);
	nic_xfer(nic, op);
}

int nic_access_find(struct weft_nic *nic, struct nic_peer *p,
		    struct weft_nic_op *op, uint32_t access, uint64_t *at_p)
{
	const struct weft_mem_access want = {
		.key = op->key,
		.addr = op->addr,
		.len = op->len,
		.access = access,
	};
	uint32_t has = 0;
	int err = -ENOENT;

	/* a one-sided access must not overtake an outstanding request */
	if (!nic->no_dma && !p->dma_refused && !p->requests)
		err = nic_share_find(nic, p, &want, at_p, &op->region, &has);
	op->events = has & WEFT_MR_EVENTS;
	/* a request must not overtake a one-sided access, nor vice versa */
	if (err == -ENOENT ? p->one_sided_count > 0
			   : !err &&
				     nic->unit->carrier->ops->backend
					     ->transfers_later &&
				     !weft_list_empty(&p->busy))
		return -EAGAIN;
	return !err && !nic_ready(nic) ? -EAGAIN : err;
}

/*
 * Copies the data of an injected access, because the transfer may read it after
 * the call returns. Returns 0 or -ENOMEM.
 */
static int inject_copy(struct weft_nic_op *op)
{
	void *copy;

	if (!(op->flags & WEFT_OP_INJECT) || !op->len)
		return 0;
	copy = malloc(op->len);
	if (!copy)
		return -ENOMEM;
	nic_gather(op->iov, op->iov_count, 0, copy, op->len);
	op->held = copy;
	op->iov[0].iov_base = copy;
	op->iov[0].iov_len = op->len;
	op->iov_count = 1;
	return 0;
}

int weft_nic_rma(struct weft_nic *nic, struct weft_nic_op *op)
{
	struct nic_peer *p = nic_peer_of(nic, op->peer);
	uint64_t at = 0;
	int err = nic_may_post(p, op);

	if (err)
		return err;
	if (p->open_ops >= OPEN_MAX)
		return -EAGAIN;
	err = nic_access_find(nic, p, op,
			      op->kind == WEFT_READ ? WEFT_MR_REMOTE_READ
						    : WEFT_MR_REMOTE_WRITE,
			      &at);
	if (err == -EAGAIN || (!err && inject_copy(op)))
		return -EAGAIN;
	if (!err) {
		one_sided(nic, p, op, at);
		return 0;
	}
	if (err != -ENOENT) {
		nic_done(nic, op, err);
		return 0;
	}
	err = inject_copy(op);
	if (!err)
		err = nic_id_new(nic, op);
	if (!err)
		request_select(nic, op);
	return err;
}

int weft_nic_rma_now(struct weft_nic *nic, struct weft_peer *peer,
		     const struct weft_mem_access *want, void *buf)
{
	struct nic_peer *p = nic_peer_of(nic, peer);
	struct weft_carrier *c = nic->unit->carrier;
	const struct iovec local = { buf, want->len };
	uint64_t at, region;
	uint32_t has;
	int err;

	/* a unit with its own DMA must execute the access itself */
	if (!nic->unit->ops->bare || nic->no_dma ||
	    c->ops->backend->transfers_later || !p || p->dma_refused ||
	    p->requests || p->one_sided_count ||
	    !weft_list_empty(&p->sending) ||
	    nic_share_find(nic, p, want, &at, &region, &has) ||
	    (has & WEFT_MR_EVENTS))
		return -EAGAIN;
	err = want->access == WEFT_MR_REMOTE_READ
		      ? c->ops->read(c, peer, &local, 1, at)
		      : c->ops->write(c, peer, &local, 1, at);
	if (err)
		return -EAGAIN;
	nic->dma_bytes += want->len;
	return 0;
}

/* ---- target -------------------------------------------------------------- */

void nic_event(struct weft_nic *nic, struct weft_peer *src,
	       const struct weft_nic_op *seen, void *region)
{
	struct weft_nic_op op = *seen;

	op.flags &= WEFT_OP_DATA;
	op.peer = src;
	op.nic = nic;
	nic->up->event(nic->up_arg, &op, region);
}

/* Checks a peer's access against the local regions. Returns 0 or -errno. */
static int access_check(struct weft_nic *nic, const struct nic_access *a,
			uint32_t access, void **at_p, void **region_p)
{
	const struct weft_mem_access want = {
		.key = a->key,
		.addr = a->addr,
		.len = a->len,
		.access = access,
	};

	return nic->up->region(nic->up_arg, &want, at_p, region_p);
}

static void access_event(struct weft_nic *nic, struct weft_peer *src,
			 const struct weft_pkt *pkt, const struct nic_access *a,
			 void *region)
{
	const struct weft_nic_op seen = {
		.kind = pkt->type == NIC_READ || pkt->type == NIC_READ_PUSH
				? WEFT_REMOTE_READ
				: WEFT_REMOTE_WRITE,
		.flags = pkt->flags & WEFT_OP_DATA,
		.len = a->len,
		.data = pkt->data,
		.addr = a->addr,
		.key = a->key,
	};

	nic_event(nic, src, &seen, region);
}

static int access_get(struct nic_access *a, const struct weft_pkt *pkt,
		      const void *payload)
{
	if (pkt->len < sizeof(*a))
		return -EPROTO;
	memcpy(a, payload, sizeof(*a));
	return 0;
}

int nic_got_write(struct weft_nic *nic, struct weft_peer *src,
		  const struct weft_pkt *pkt, const void *payload)
{
	struct nic_access a;
	void *at, *region;
	size_t n = pkt->len - sizeof(a);
	int err;

	if (access_get(&a, pkt, payload) || a.offset > a.len ||
	    n > a.len - a.offset)
		return -EPROTO;
	err = access_check(nic, &a, WEFT_MR_REMOTE_WRITE, &at, &region);
	if (!err)
		memcpy((char *)at + a.offset, (const char *)payload + sizeof(a),
		       n);
	if (a.offset + n < a.len)
		return 0;
	nic_fin(nic, src, pkt->aux, err);
	if (!err)
		access_event(nic, src, pkt, &a, region);
	return 0;
}

/*
 * Allocates an op that serves a peer's request; the local memory starts at `at`
 * and has a->len bytes. NULL: out of memory.
 */
static struct weft_nic_op *serve_op_new(struct weft_nic *nic,
					struct weft_peer *src,
					const struct weft_pkt *pkt,
					const struct nic_access *a, void *at)
{
	struct weft_nic_op *op = weft_nic_op_get(nic);

	if (!op)
		return NULL;
	op->kind = WEFT_SERVE;
	op->peer = src;
	op->flags = pkt->flags & WEFT_OP_DATA;
	op->data = pkt->data;
	op->key = a->key;
	op->addr = a->addr;
	op->len = a->len;
	op->limit = a->len;
	op->remote_id = pkt->aux;
	op->request_type = pkt->type;
	op->peer_cell = 0;
	op->iov[0] = (struct iovec){ at, a->len };
	op->iov_count = 1;
	return op;
}

/* Serves WRITE_PULL and READ_PUSH by a DMA of this process. */
int nic_got_dma_request(struct weft_nic *nic, struct weft_peer *src,
			const struct weft_pkt *pkt, const void *payload)
{
	bool put = pkt->type == NIC_READ_PUSH;
	struct nic_peer *p = src->up;
	struct nic_access a;
	struct nic_segs segs;
	struct weft_nic_op *op;
	void *at, *region;
	uint64_t sum;
	int err;

	if (access_get(&a, pkt, payload) ||
	    nic_segs_get(&segs, (const char *)payload + sizeof(a),
			 pkt->len - sizeof(a), &sum) ||
	    sum < a.len)
		return -EPROTO;
	err = access_check(nic, &a,
			   put ? WEFT_MR_REMOTE_READ : WEFT_MR_REMOTE_WRITE,
			   &at, &region);
	if (err) {
		nic_fin(nic, src, pkt->aux, err);
		return 0;
	}
	op = serve_op_new(nic, src, pkt, &a, at);
	if (!op)
		return -EAGAIN;
	op->put = put;
	op->context = region;
	nic_segs_set(op, &segs);
	op->state = NIC_WAITING;
	nic_op_list_add(p, &p->waiting, op);
	nic_xfer(nic, op);
	return 0;
}

/* A peer's request that is served in packets or by a stream. */
struct serve {
	struct nic_access a;
	struct weft_nic_op *op;
	void *region;
};

/*
 * Checks a request and allocates its op. Returns 0; 1 if the request was
 * refused or has no bytes, and a FIN has been sent; -EPROTO; or -EAGAIN.
 */
static int serve_begin(struct weft_nic *nic, struct weft_peer *src,
		       const struct weft_pkt *pkt, const void *payload,
		       uint32_t access, struct serve *s)
{
	void *at;
	int err = access_get(&s->a, pkt, payload);

	if (err || (pkt->type == NIC_READ_REST && s->a.offset >= s->a.len))
		return -EPROTO;
	err = access_check(nic, &s->a, access, &at, &s->region);
	if (err || !s->a.len) {
		nic_fin(nic, src, pkt->aux, err);
		return 1;
	}
	s->op = serve_op_new(nic, src, pkt, &s->a, at);
	return s->op ? 0 : -EAGAIN;
}

int nic_got_read(struct weft_nic *nic, struct weft_peer *src,
		 const struct weft_pkt *pkt, const void *payload)
{
	struct nic_peer *p = src->up;
	bool rest = pkt->type == NIC_READ_REST;
	struct serve s;
	int ret = serve_begin(nic, src, pkt, payload, WEFT_MR_REMOTE_READ, &s);

	if (ret)
		return ret > 0 ? 0 : ret;
	/* the access was reported when the first request arrived */
	if (!rest)
		access_event(nic, src, pkt, &s.a, s.region);
	if (!rest && nic_stream_serve(nic, s.op, pkt, s.a.offset))
		return 0;
	s.op->moved = rest ? s.a.offset : 0;
	s.op->state = NIC_PACING;
	nic_op_list_add(p, &p->bulk, s.op);
	nic_push(nic, p);
	return 0;
}

/* Accepts a write by a stream, or refuses it: the origin sends packets. */
int nic_got_write_offer(struct weft_nic *nic, struct weft_peer *src,
			const struct weft_pkt *pkt, const void *payload)
{
	struct serve s;
	int ret = serve_begin(nic, src, pkt, payload, WEFT_MR_REMOTE_WRITE, &s);

	if (ret)
		return ret > 0 ? 0 : ret;
	s.op->put = false;
	s.op->context = s.region;
	if (nic_stream_accept(nic, s.op))
		return 0;
	weft_nic_op_put(s.op);
	nic_fin(nic, src, pkt->aux, -EOPNOTSUPP);
	return 0;
}

/* ---- completion ---------------------------------------------------------- */

/* Ends a transfer that served a peer's request: sends FIN to the requester. */
static void serve_done(struct weft_nic *nic, struct weft_nic_op *op, int err)
{
	const struct weft_nic_op seen = {
		.kind = op->put ? WEFT_REMOTE_READ : WEFT_REMOTE_WRITE,
		.flags = op->flags,
		.len = op->len,
		.data = op->data,
		.addr = op->addr,
		.key = op->key,
	};

	WEFT_ASSERT(op->kind == WEFT_SERVE && op->linked);
	nic_fin(nic, op->peer, op->remote_id, err);
	if (!err)
		nic_event(nic, op->peer, &seen, op->context);
	nic_end(nic, op, err);
}

void nic_access_done(struct weft_nic *nic, struct weft_nic_op *op, int err)
{
	if (op->kind == WEFT_SERVE) {
		serve_done(nic, op, err);
		return;
	}
	WEFT_ASSERT(((struct nic_peer *)op->peer->up)->one_sided_count);
	((struct nic_peer *)op->peer->up)->one_sided_count--;
	if (err == -EOPNOTSUPP) {
		err = nic_id_new(nic, op);
		if (!err) {
			nic_access_by_packets(nic, op);
			return;
		}
	}
	if (!err && (op->events || (op->flags & WEFT_OP_DATA)))
		nic_access_notify(nic, op);
	nic_end(nic, op, err);
}

int nic_got_read_data(struct weft_nic *nic, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload)
{
	struct weft_nic_op *op = nic_id_op(nic, pkt->aux, src);

	if (!op || op->kind != WEFT_READ || op->state != NIC_WAITING ||
	    pkt->tag > op->len || pkt->len > op->len - pkt->tag ||
	    pkt->len > op->len - op->pos)
		return -EPROTO;
	nic_scatter(op->iov, op->iov_count, pkt->tag, payload, pkt->len);
	op->pos += pkt->len;
	if (op->pos == op->len)
		nic_end(nic, op, 0);
	return 0;
}

/* Handles a peer's notice that it has accessed local memory one-sided. */
int nic_got_event(struct weft_nic *nic, struct weft_peer *src,
		  const struct weft_pkt *pkt, const void *payload)
{
	struct weft_nic_op seen = { .kind = WEFT_REMOTE_WRITE };
	struct nic_access a;
	void *at, *region;

	if (access_get(&a, pkt, payload))
		return -EPROTO;
	if (pkt->aux)
		seen.kind = WEFT_REMOTE_READ;
	seen.flags = pkt->flags & WEFT_OP_DATA;
	seen.len = a.len;
	seen.data = pkt->data;
	seen.addr = a.addr;
	seen.key = a.key;
	if (access_check(nic, &a,
			 pkt->aux ? WEFT_MR_REMOTE_READ : WEFT_MR_REMOTE_WRITE,
			 &at, &region))
		region = NULL;
	nic_event(nic, src, &seen, region);
	return 0;
}

/* ---- streams ------------------------------------------------------------- */

/*
 * Long reads and writes of a peer's memory by streams. As for messages, the
 * receiver of the bytes decides, and continues in packets after a break:
 *
 *   origin of a read                     target
 *     | ---- READ: STREAM, ticket -------> |
 *     | <=== bytes ======================= |
 *     | ---- READ_REST: offset ----------> | after a break
 *
 *   origin of a write                    target
 *     | ---- WRITE_OFFER ----------------> |
 *     | <--- CTS: STREAM, ticket --------- | or FIN: EOPNOTSUPP
 *     | ==== bytes ======================> |
 *     | <--- FIN ------------------------- | or CTS: RESTART
 *
 * A write uses a stream only if later accesses may overtake it.
 */
static const struct weft_stream_ops *stream_ops(const struct weft_nic *nic)
{
	return nic->unit->carrier->ops->stream;
}

/* Queues op again, to send a further request or the packets of a write. */
static void access_push(struct weft_nic *nic, struct weft_nic_op *op,
			uint8_t type)
{
	struct nic_peer *p = op->peer->up;

	op->request_type = type;
	op->limit = type == NIC_WRITE ? op->len : 1;
	op->state = NIC_PACING;
	nic_op_list_remove(op);
	nic_op_list_add(p, &p->bulk, op);
	nic_push(nic, p);
}

/* ---- reads by streams ---------------------------------------------------- */

/* Handles the end of the stream's transfer; requests the rest in packets. */
static void read_streamed(struct weft_stream_xfer *x, int err)
{
	struct weft_nic_op *op =
		weft_container_of(x, struct weft_nic_op, stream);

	op->streams = false;
	/* the request is not sent yet, and will be sent without a ticket */
	if (op->state == NIC_PACING)
		return;
	op->pos += x->moved;
	if (op->pos == op->len) {
		nic_end(op->nic, op, 0);
		return;
	}
	op->moved = 0;
	access_push(op->nic, op, NIC_READ_REST);
}

void nic_stream_read_request(struct weft_nic *nic, struct weft_nic_op *op,
			     struct weft_pkt *pkt, struct nic_access *a)
{
	struct nic_grant g = { .start = 0 };
	uint8_t flags = 0;

	/* a retried request has a ticket already */
	if (!op->streams)
		flags = nic_stream_expect(nic, op, &g, op->len, read_streamed);
	if (op->streams) {
		pkt->flags |= NIC_READ_STREAM;
		a->offset = op->stream.ticket;
	} else if (flags & NIC_CTS_CONNECT) {
		pkt->flags |= NIC_READ_CONNECT;
	}
}

/* All bytes are sent, or the stream is broken: the origin requests the rest. */
static void read_served(struct weft_stream_xfer *x, int err)
{
	struct weft_nic_op *op =
		weft_container_of(x, struct weft_nic_op, stream);

	op->streams = false;
	nic_end(op->nic, op, 0);
}

bool nic_stream_serve(struct weft_nic *nic, struct weft_nic_op *op,
		      const struct weft_pkt *pkt, uint64_t ticket)
{
	struct nic_peer *p = op->peer->up;

	if (nic->stream_min && pkt->flags & NIC_READ_CONNECT)
		stream_ops(nic)->connect(nic->unit->carrier, op->peer);
	if (!nic->stream_min || !(pkt->flags & NIC_READ_STREAM))
		return false;
	op->state = NIC_WAITING;
	nic_op_list_add(p, &p->waiting, op);
	nic_stream_set(op, 0, op->len);
	op->stream.ticket = ticket;
	op->stream.done = read_served;
	/* without a stream, the origin detects its end and requests packets */
	if (stream_ops(nic)->supply(nic->unit->carrier, op->peer, &op->stream))
		nic_end(nic, op, 0);
	return true;
}

/* ---- writes by streams --------------------------------------------------- */

bool nic_stream_may_offer(struct weft_nic *nic, const struct weft_nic_op *op)
{
	struct weft_carrier *c = nic->unit->carrier;

	if (op->kind != WEFT_WRITE || !(op->flags & WEFT_OP_RELAXED) ||
	    !nic_stream_wanted(nic, op, op->len))
		return false;
	if (stream_ops(nic)->writable(c, op->peer))
		return true;
	stream_ops(nic)->connect(c, op->peer);
	return false;
}

void nic_stream_refused(struct weft_nic *nic, const struct weft_nic_op *op)
{
	stream_ops(nic)->reset(nic->unit->carrier, op->peer);
}

static void write_grant(struct weft_nic *nic, struct weft_nic_op *op,
			const struct nic_grant *g, uint8_t flags)
{
	const struct weft_pkt pkt = {
		.type = NIC_CTS,
		.flags = flags,
		.len = sizeof(*g),
		.aux = op->remote_id,
		.data = op->len,
	};

	nic_ctrl(nic, op->peer, &pkt, g);
}

static void write_streamed(struct weft_stream_xfer *x, int err)
{
	struct weft_nic_op *op =
		weft_container_of(x, struct weft_nic_op, stream);
	struct weft_nic *nic = op->nic;
	const struct nic_grant g = { .start = x->moved };

	op->streams = false;
	if (x->moved == x->bytes) {
		nic_access_done(nic, op, 0);
		return;
	}
	write_grant(nic, op, &g, NIC_CTS_RESTART);
	nic_end(nic, op, 0);
}

bool nic_stream_accept(struct weft_nic *nic, struct weft_nic_op *op)
{
	struct nic_peer *p = op->peer->up;
	struct nic_grant g = { .start = 0 };

	if (nic_stream_expect(nic, op, &g, op->len, write_streamed) !=
	    NIC_CTS_STREAM)
		return false;
	op->state = NIC_WAITING;
	nic_op_list_add(p, &p->waiting, op);
	write_grant(nic, op, &g, NIC_CTS_STREAM);
	return true;
}

int nic_stream_write_granted(struct weft_nic *nic, struct weft_nic_op *op,
			     const struct weft_pkt *pkt, const void *payload)
{
	int ret;

	if (op->request_type != NIC_WRITE_OFFER || op->state != NIC_WAITING ||
	    pkt->data != op->len ||
	    !(pkt->flags & (NIC_CTS_STREAM | NIC_CTS_RESTART)))
		return -EPROTO;
	op->moved = 0;
	ret = nic_stream_granted(nic, op, pkt, payload);
	if (ret)
		return ret < 0 ? ret : 0;
	access_push(nic, op, NIC_WRITE);
	return 0;
}
