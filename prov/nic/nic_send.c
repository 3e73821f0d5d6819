/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sending messages. A message of one packet is sent at once or refused. A
 * longer eager message starts at once or is refused; its later packets wait in
 * its peer's list `sending` for space in the carrier. While a message waits
 * there, posts of later messages to that peer return -EAGAIN, which keeps the
 * messages in order. Requested bytes (paced rendezvous, reads) wait in `bulk`
 * and delay no other message.
 */
#include "prov/nic/nic_send.h"
#include "prov/backend/backend.h"
#include "prov/nic/nic_dma.h"
#include "prov/nic/nic_int.h"
#include "prov/nic/nic_op.h"
#include "prov/nic/nic_rma.h"
#include "prov/nic/nic_rndv.h"
#include "src/base/must.h"

#include <stdlib.h>

/* ---- packets that must be delivered -------------------------------------- */

void nic_peer_busy(struct weft_nic *nic, struct nic_peer *p)
{
	if (weft_list_empty(&p->busy))
		weft_list_push_back(&nic->busy, &p->busy);
}

static int ctrl_try(struct weft_nic *nic, struct weft_peer *peer,
		    const struct weft_pkt *pkt, const void *payload)
{
	struct iovec iov = { (void *)(uintptr_t)payload, pkt->len };

	return nic->unit->ops->packet(nic->unit, peer, pkt, &iov, !!pkt->len);
}

/*
 * Allocates a packet with a payload of `len` bytes, or returns a spare packet;
 * NULL: neither is available.
 */
static struct nic_ctrl *ctrl_new(struct weft_nic *nic, size_t len)
{
	struct nic_ctrl *c = malloc(sizeof(*c) + len);

	if (c || !nic->spares || len > sizeof(struct nic_segs))
		return c;
	WEFT_ASSERT(!weft_list_empty(&nic->spare));
	nic->spares--;
	return weft_container_of(weft_list_pop_front(&nic->spare),
				 struct nic_ctrl, link);
}

void nic_ctrl(struct weft_nic *nic, struct weft_peer *peer,
	      const struct weft_pkt *pkt, const void *payload)
{
	struct nic_peer *p = peer->up;
	struct nic_ctrl *c;

	if (peer->lost)
		return;
	WEFT_ASSERT(p && p->peer == peer);
	if (weft_list_empty(&p->ctrl) &&
	    ctrl_try(nic, peer, pkt, payload) != -EAGAIN)
		return;
	c = ctrl_new(nic, pkt->len);
	nic_peer_busy(nic, p);
	if (!c) {
		/*
		 * the loss is reported by the next poll, since it may complete
		 * an op that the caller is still using
		 */
		p->starved = nic->starved = true;
		return;
	}
	c->pkt = *pkt;
	memcpy(c->payload, payload ? payload : "", pkt->len);
	weft_list_push_back(&p->ctrl, &c->link);
}

void nic_ctrl_send(struct weft_nic *nic, struct weft_peer *peer,
		   struct nic_ctrl *c)
{
	struct nic_peer *p = peer->up;

	if (peer->lost ||
	    (weft_list_empty(&p->ctrl) &&
	     ctrl_try(nic, peer, &c->pkt, c->payload) != -EAGAIN)) {
		free(c);
		return;
	}
	weft_list_push_back(&p->ctrl, &c->link);
	nic_peer_busy(nic, p);
}

static void fin_of(struct weft_pkt *pkt, uint32_t id, int err)
{
	*pkt = (struct weft_pkt){
		.type = NIC_FIN,
		.aux = id,
		.tag = (uint64_t)-err,
	};
}

void nic_fin(struct weft_nic *nic, struct weft_peer *peer, uint32_t id, int err)
{
	struct weft_pkt pkt;

	fin_of(&pkt, id, err);
	nic_ctrl(nic, peer, &pkt, NULL);
}

/*
 * Tries to send FIN. Returns 0 if FIN was sent or the peer has closed or died,
 * otherwise -EAGAIN.
 */
static int fin_try(struct weft_nic *nic, struct weft_nic_op *op, int err)
{
	struct weft_pkt pkt;

	if (op->peer->lost)
		return 0;
	fin_of(&pkt, op->remote_id, err);
	return ctrl_try(nic, op->peer, &pkt, NULL) == -EAGAIN ? -EAGAIN : 0;
}

void nic_fin_then_done(struct weft_nic *nic, struct weft_nic_op *op, int err)
{
	struct nic_peer *p = op->peer->up;

	WEFT_ASSERT(op->kind == WEFT_RECV && op->state != NIC_DMA);
	if (weft_likely(weft_list_empty(&p->ctrl) &&
			weft_list_empty(&p->fin_wait)) &&
	    weft_likely(!fin_try(nic, op, err))) {
		nic_end(nic, op, err);
		return;
	}
	nic_op_list_remove(op);
	op->state = NIC_FIN_WAIT;
	op->err = err;
	nic_op_list_add(p, &p->fin_wait, op);
	nic_peer_busy(nic, p);
}

static int push_fin_wait(struct weft_nic *nic, struct nic_peer *p)
{
	struct weft_nic_op *op;

	while (!weft_list_empty(&p->fin_wait)) {
		op = weft_container_of(p->fin_wait.next, struct weft_nic_op,
				       link);
		WEFT_ASSERT(op->state == NIC_FIN_WAIT);
		if (fin_try(nic, op, op->err))
			return -EAGAIN;
		nic_end(nic, op, op->err);
	}
	return 0;
}

static int push_ctrl(struct weft_nic *nic, struct nic_peer *p)
{
	struct nic_ctrl *c;
	int err;

	while (!weft_list_empty(&p->ctrl)) {
		c = weft_container_of(p->ctrl.next, struct nic_ctrl, link);
		err = ctrl_try(nic, p->peer, &c->pkt, c->payload);
		if (err == -EAGAIN)
			return err;
		weft_list_remove(&c->link);
		free(c);
	}
	return push_fin_wait(nic, p);
}

/* ---- queued packets of messages ------------------------------------------ */

/*
 * Packs typed data for a packet into memory of the op, so that the data is not
 * packed again if the carrier has no space now.
 */
static int typed_pack_own(struct weft_nic *nic, struct weft_nic_op *op,
			  size_t n)
{
	const struct weft_nic_typed *t = op->iov[0].iov_base;

	if (!op->held) {
		op->held = malloc(nic->packet_bytes);
		op->pos = op->moved;
	}
	if (!op->held)
		return -EAGAIN;
	if (op->pos != op->moved + n) {
		t->pack(t->arg, op->moved, op->held, n);
		op->pos = op->moved + n;
	}
	return 0;
}

/*
 * Packs the next n bytes of typed data. Returns the number of segments in
 * `part`, or -EAGAIN. A full packet is packed directly into memory of the
 * carrier, if the carrier provides it and packing cannot fail.
 */
static int typed_pack(struct weft_nic *nic, struct weft_nic_op *op, size_t n,
		      struct iovec *part, struct weft_fill *fill)
{
	const struct weft_nic_typed *t = op->iov[0].iov_base;
	int err;

	if (nic->unit->fills && n == nic->unit->carrier->mtu &&
	    !(op->flags & WEFT_OP_STAGED)) {
		*fill = (struct weft_fill){ t->pack, t->arg, op->moved };
		*part = (struct iovec){ fill, n };
		return WEFT_IOV_FILL;
	}
	err = typed_pack_own(nic, op, n);
	if (err)
		return err;
	*part = (struct iovec){ op->held, n };
	return 1;
}

/* Notifies the receiver that the rest of the bytes cannot be read. */
static int push_failed(struct weft_nic *nic, struct weft_nic_op *op)
{
	const struct weft_pkt pkt = {
		.type = NIC_BULK,
		.flags = NIC_BULK_FAILED,
		.aux = op->remote_id,
		.tag = (uint64_t)-op->err,
	};
	int err = ctrl_try(nic, op->peer, &pkt, NULL);

	if (!err)
		op->moved = op->limit;
	return err;
}

/* Sends the next packet of an eager message or of requested bytes. */
static int push_packet(struct weft_nic *nic, struct weft_nic_op *op,
		       uint8_t type, uint64_t end)
{
	struct weft_pkt pkt = {
		.type = type,
		.aux = op->remote_id,
		.tag = op->moved,
	};
	struct iovec part[WEFT_IOV_MAX];
	struct weft_fill fill;
	size_t n = nic->packet_bytes;
	int count, err;

	WEFT_ASSERT(op->moved < end && end <= op->len);
	if (n > end - op->moved)
		n = end - op->moved;
	pkt.len = (uint16_t)n;
	/* requested bytes carry their offset, so they may be reordered */
	if (type != NIC_NEXT)
		pkt.carrier = nic->loose;
	count = nic_is_typed(op)
			? typed_pack(nic, op, n, part, &fill)
			: nic_slice(op->iov, op->iov_count, op->moved, n, part);
	if (count < 0)
		return count;
	if (nic_pack_failed(op))
		return push_failed(nic, op);
	err = nic->unit->ops->packet(nic->unit, op->peer, &pkt, part, count);
	if (!err)
		op->moved += n;
	return err;
}

void nic_cancel_request(struct weft_nic *nic, struct weft_nic_op *op)
{
	const struct weft_pkt pkt = {
		.type = NIC_CANCEL,
		.flags = (uint8_t)(op->flags & WEFT_OP_TAGGED),
		.aux = op->id,
	};

	nic_ctrl(nic, op->peer, &pkt, NULL);
}

/* Called when all packets of an eager message have been sent. */
static void eager_out(struct weft_nic *nic, struct nic_peer *p,
		      struct weft_nic_op *op)
{
	WEFT_ASSERT(op->state == NIC_SENDING || op->state == NIC_KEPT);
	if (!(op->flags & WEFT_OP_ACK)) {
		nic_end(nic, op, 0);
		return;
	}
	op->state = NIC_WAITING;
	nic_op_list_remove(op);
	nic_op_list_add(p, &p->waiting, op);
	if (weft_unlikely(op->cancel))
		nic_cancel_request(nic, op);
}

static void pkt_of(const struct weft_nic_op *op, uint8_t type,
		   struct weft_pkt *pkt)
{
	*pkt = (struct weft_pkt){
		.type = type,
		.flags = (uint8_t)(op->flags & NIC_WIRE_FLAGS),
		.aux = op->id,
		.tag = op->flags & WEFT_OP_TAGGED ? op->tag : 0,
		.data = op->data,
	};
}

/* Sends a message of one packet. */
static int push_whole(struct weft_nic *nic, struct weft_nic_op *op)
{
	struct weft_pkt pkt;

	pkt_of(op, NIC_MSG, &pkt);
	WEFT_ASSERT(op->len <= nic->packet_bytes);
	pkt.len = (uint16_t)op->len;
	return nic->unit->ops->packet(nic->unit, op->peer, &pkt, op->iov,
				      op->iov_count);
}

/* Sends the rest of the oldest message, or a whole message that was kept. */
static int push_rest(struct weft_nic *nic, struct weft_nic_op *op)
{
	int err = 0;

	if (op->state == NIC_KEPT)
		return push_whole(nic, op);
	WEFT_ASSERT(op->state == NIC_SENDING);
	while (!err && op->moved < op->len)
		err = push_packet(nic, op, NIC_NEXT, op->len);
	return err;
}

static int push_sending(struct weft_nic *nic, struct nic_peer *p)
{
	struct weft_nic_op *op;
	int err = 0;

	while (!err && !weft_list_empty(&p->sending)) {
		op = weft_container_of(p->sending.next, struct weft_nic_op,
				       link);
		err = push_rest(nic, op);
		if (!err)
			eager_out(nic, p, op);
	}
	return err;
}

/*
 * Called when the granted bytes have been sent: a served read is then complete,
 * a message waits for the next grant.
 */
static void bulk_out(struct weft_nic *nic, struct nic_peer *p,
		     struct weft_nic_op *op)
{
	WEFT_ASSERT(op->moved == op->limit);
	if (op->kind == WEFT_SERVE) {
		nic_end(nic, op, 0);
		return;
	}
	op->state = NIC_WAITING;
	nic_op_list_remove(op);
	nic_op_list_add(p, &p->waiting, op);
}

/* Charges the software cost of starting a message of several packets. */
static void long_message_begin(struct weft_nic *nic)
{
	struct weft_carrier *c = nic->unit->carrier;

	c->ops->backend->long_message(c);
}

static int push_next_bulk(struct weft_nic *nic, struct weft_nic_op *op)
{
	/*
	 * bytes that serve a peer's read have no software cost: a unit would
	 * send them by itself
	 */
	if (!op->moved && op->kind != WEFT_SERVE &&
	    op->limit > nic->packet_bytes)
		long_message_begin(nic);
	if (op->kind == WEFT_SEND)
		return push_packet(nic, op, NIC_BULK, op->limit);
	if (op->kind == WEFT_SERVE)
		return push_packet(nic, op, NIC_READ_DATA, op->limit);
	return nic_push_access(nic, op);
}

static int push_bulk(struct weft_nic *nic, struct nic_peer *p)
{
	struct weft_nic_op *op;
	int err = 0;

	while (!err && !weft_list_empty(&p->bulk)) {
		op = weft_container_of(p->bulk.next, struct weft_nic_op, link);
		WEFT_ASSERT(op->state == NIC_PACING);
		while (!err && op->moved < op->limit)
			err = push_next_bulk(nic, op);
		if (!err)
			bulk_out(nic, p, op);
	}
	return err;
}

void nic_push(struct weft_nic *nic, struct nic_peer *p)
{
	int left;

	weft_list_remove(&p->busy);
	left = push_ctrl(nic, p);
	left |= push_sending(nic, p);
	left |= push_bulk(nic, p);
	left |= nic_xfer_retry(nic, p);
	if (left)
		nic_peer_busy(nic, p);
}

void nic_push_all(struct weft_nic *nic)
{
	struct weft_list todo, *n;

	weft_list_init(&todo);
	weft_list_splice_back(&todo, &nic->busy);
	while ((n = weft_list_pop_front(&todo)))
		nic_push(nic, weft_container_of(n, struct nic_peer, busy));
}

/* ---- first packets ------------------------------------------------------- */

static int post_refused(struct nic_peer *p)
{
	if (!p)
		return -ENOMEM;
	return p->peer->lost ? -(int)p->peer->lost : -EAGAIN;
}

int nic_may_post(struct nic_peer *p, const struct weft_nic_op *op)
{
	if (weft_unlikely(!p || p->peer->lost || !weft_list_empty(&p->sending)))
		return post_refused(p);
	if (weft_unlikely((op->flags & WEFT_OP_FENCE) && p->open_ops))
		return -EAGAIN;
	return 0;
}

WEFT_HOT int weft_nic_inject(struct weft_nic *nic, struct weft_peer *peer,
			     unsigned flags, const struct iovec *iov,
			     uint64_t tag, uint64_t data)
{
	struct nic_peer *p = nic_peer_of(nic, peer);
	struct weft_pkt pkt = {
		.type = NIC_MSG,
		.flags = (uint8_t)(flags & NIC_WIRE_FLAGS),
		.len = (uint16_t)iov->iov_len,
		.tag = tag,
		.data = data,
	};

	if (weft_unlikely(!p || !weft_list_empty(&p->sending)))
		return post_refused(p);
	return nic->unit->ops->packet(nic->unit, peer, &pkt, iov, 1);
}

/*
 * Keeps a message for which the carrier has no space, if the peer was contacted
 * before: a unit that waits for acknowledgements has no space until the peer
 * polls, and the caller may make no further call after its last message. Later
 * messages are refused until this one is sent.
 */
static int send_enqueue(struct weft_nic *nic, struct nic_peer *p,
			struct weft_nic_op *op)
{
	WEFT_ASSERT(weft_list_empty(&p->sending));
	if (op->flags & WEFT_OP_INJECT) {
		op->held = malloc(op->len + 1);
		if (!op->held)
			return -ENOMEM;
		nic_gather(op->iov, op->iov_count, 0, op->held, op->len);
		op->iov[0] = (struct iovec){ op->held, op->len };
		op->iov_count = 1;
	}
	op->state = NIC_KEPT;
	nic_op_list_add(p, &p->sending, op);
	nic_peer_busy(nic, p);
	return 0;
}

static int send_one(struct weft_nic *nic, struct nic_peer *p,
		    struct weft_nic_op *op)
{
	int err = push_whole(nic, op);

	if (weft_unlikely(err == -EAGAIN && p->contacted))
		return send_enqueue(nic, p, op);
	if (weft_unlikely(err))
		return err;
	p->contacted = true;
	if (weft_likely(!(op->flags & WEFT_OP_ACK))) {
		nic_done(nic, op, 0);
		return 0;
	}
	op->state = NIC_WAITING;
	nic_op_list_add(p, &p->waiting, op);
	return 0;
}

static int send_eager(struct weft_nic *nic, struct nic_peer *p,
		      struct weft_nic_op *op)
{
	struct iovec part[WEFT_IOV_MAX + 1];
	size_t n = nic->packet_bytes - sizeof(op->len);
	struct weft_pkt pkt;
	int count, err;

	WEFT_ASSERT(op->len > nic->packet_bytes && !op->linked);
	pkt_of(op, NIC_FIRST, &pkt);
	pkt.len = (uint16_t)nic->packet_bytes;
	part[0].iov_base = &op->len;
	part[0].iov_len = sizeof(op->len);
	count = nic_slice(op->iov, op->iov_count, 0, n, part + 1);
	long_message_begin(nic);
	err = nic->unit->ops->packet(nic->unit, op->peer, &pkt, part,
				     count + 1);
	if (err)
		return err;
	op->moved = n;
	op->state = NIC_SENDING;
	nic_op_list_add(p, &p->sending, op);
	if (push_sending(nic, p) == -EAGAIN)
		nic_peer_busy(nic, p);
	return 0;
}

/*
 * Returns the size of the largest eager message. With streams the limit is
 * lower, so that longer messages are announced by RTS.
 */
static size_t eager_limit(const struct weft_nic *nic,
			  const struct weft_nic_op *op)
{
	/*
	 * a payload limit (`whole`) of 0 means a path without datagrams, thus
	 * without streams
	 */
	if (weft_likely(!nic->stream_min || !op->peer->whole ||
			nic->stream_min > nic->eager_bytes))
		return nic->eager_bytes;
	return nic->stream_min - 1;
}

/*
 * Sends a message that is announced, split or acknowledged. An injected message
 * is sent in one packet regardless of the eager limit, since the caller may
 * reuse its buffer.
 */
static int send_long(struct weft_nic *nic, struct nic_peer *p,
		     struct weft_nic_op *op)
{
	bool whole =
		op->len <= nic->whole_bytes ||
		((op->flags & WEFT_OP_INJECT) && op->len <= nic->packet_bytes);
	bool eager = whole || op->len <= eager_limit(nic, op);
	int err = 0;

	if (nic_is_typed(op))
		whole = eager = false;

	if (!eager || (op->flags & WEFT_OP_ACK))
		err = nic_id_new(nic, op);
	if (err)
		return err;
	if (whole)
		err = send_one(nic, p, op);
	else if (eager)
		err = send_eager(nic, p, op);
	else
		err = nic_send_rts(nic, p, op);
	if (weft_unlikely(err))
		nic_id_free(nic, op);
	return err;
}

WEFT_HOT int weft_nic_send(struct weft_nic *nic, struct weft_nic_op *op)
{
	struct nic_peer *p = nic_peer_of(nic, op->peer);
	int err = nic_may_post(p, op);

	if (weft_unlikely(err))
		return err;
	if (weft_likely(op->len <= nic->whole_bytes &&
			!(op->flags & WEFT_OP_ACK)))
		return send_one(nic, p, op);
	return send_long(nic, p, op);
}

/* ---- responses ----------------------------------------------------------- */

int nic_got_fin(struct weft_nic *nic, struct weft_peer *src,
		const struct weft_pkt *pkt, const void *payload)
{
	struct weft_nic_op *op = nic_id_op(nic, pkt->aux, src);

	/* FIN may complete only an op that waits for the peer */
	if (!op || op->kind == WEFT_RECV || op->kind == WEFT_SERVE ||
	    op->state == NIC_SENDING || op->state == NIC_KEPT ||
	    pkt->tag > 4095 || (pkt->tag == ECANCELED && !op->cancel))
		return -EPROTO;
	if (pkt->tag == EOPNOTSUPP && op->kind != WEFT_SEND)
		nic_access_by_packets(nic, op);
	else
		nic_end(nic, op, -(int)pkt->tag);
	return 0;
}
