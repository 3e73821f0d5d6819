/* SPDX-License-Identifier: BSD-3-Clause */
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
 * Only a write that later accesses may overtake uses a stream.
 */
#include "prov/nic/nic_op.h"
#include "prov/nic/nic_rma.h"
#include "prov/nic/nic_send.h"
#include "prov/nic/nic_stream.h"

static const struct weft_stream_ops *stream_ops(const struct weft_nic *nic)
{
	return nic->unit->carrier->ops->stream;
}

/* Queues a request again, or the packets of a write. */
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

/* ---- reads --------------------------------------------------------------- */

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

	/* a request that is sent again has a ticket already */
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

/* ---- writes -------------------------------------------------------------- */

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

/* ---- regions ------------------------------------------------------------- */

static void peer_region_closed(struct weft_nic *nic, struct nic_peer *p,
			       uint64_t key)
{
	struct weft_list *i, *tmp;

	weft_list_each(i, tmp, &p->waiting) {
		struct weft_nic_op *op =
			weft_container_of(i, struct weft_nic_op, link);

		if (op->kind != WEFT_SERVE || !op->streams || op->key != key)
			continue;
		nic_fin(nic, op->peer, op->remote_id, -EACCES);
		nic_end(nic, op, -EACCES);
	}
}

void nic_stream_region_closed(struct weft_nic *nic, uint64_t key)
{
	struct weft_list *n;

	if (!nic->stream_min)
		return;
	for (n = nic->peers.next; n != &nic->peers; n = n->next)
		peer_region_closed(
			nic, weft_container_of(n, struct nic_peer, link), key);
}
