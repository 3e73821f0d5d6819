/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes of long messages by the carrier's streams, instead of packets:
 *
 *      sender                         receiver
 *        | ---- RTS: segments ----------> | match, expect
 *        | <--- CTS: STREAM, ticket ----- |
 *        | ==== bytes =================== |
 *        | <--- FIN --------------------- |
 *
 * The receiver alone decides: a stream that it does not have is not used. If
 * the stream breaks, the receiver requests the rest in packets, from the first
 * byte that has not arrived (RESTART). So every byte is requested until it has
 * arrived, and is stored once.
 */
#include "prov/nic/nic_stream.h"

static const struct weft_stream_ops *stream_ops(const struct weft_nic *nic)
{
	return nic->unit->carrier->ops->stream;
}

bool nic_stream_wanted(const struct weft_nic *nic, const struct weft_nic_op *op,
		       uint64_t bytes)
{
	/*
	 * a sender that announced no segments sends typed data, for which
	 * streams are not used
	 */
	if (op->kind == WEFT_RECV && !op->remote_count)
		return false;
	return nic->stream_min && bytes >= nic->stream_min && !nic_is_typed(op);
}

bool nic_stream_ready(struct weft_nic *nic, const struct weft_nic_op *op,
		      uint64_t bytes)
{
	return nic_stream_wanted(nic, op, bytes) &&
	       stream_ops(nic)->ready(nic->unit->carrier, op->peer);
}

void nic_stream_set(struct weft_nic_op *op, uint64_t start, uint64_t end)
{
	op->streams = true;
	op->stream = (struct weft_stream_xfer){
		.iov = op->iov,
		.iov_count = op->iov_count,
		.start = start,
		.bytes = end - start,
	};
}

uint8_t nic_stream_expect(struct weft_nic *nic, struct weft_nic_op *op,
			  struct nic_grant *g, uint64_t end,
			  void (*done)(struct weft_stream_xfer *x, int err))
{
	int ret;

	if (!nic_stream_wanted(nic, op, end - g->start))
		return 0;
	nic_stream_set(op, g->start, end);
	op->stream.done = done;
	ret = stream_ops(nic)->expect(nic->unit->carrier, op->peer,
				      &op->stream);
	op->streams = !ret;
	g->ticket = op->stream.ticket;
	if (!ret)
		return NIC_CTS_STREAM;
	return ret == -EAGAIN ? NIC_CTS_CONNECT : 0;
}

/*
 * Nothing to do when all bytes have been sent or the stream is broken: the
 * receiver responds.
 */
static void stream_sent(struct weft_stream_xfer *x, int err)
{
}

/*
 * Sends the granted bytes by the stream. If that fails, the receiver detects it
 * and requests a restart. Returns 1 or -EPROTO.
 */
static int stream_supply(struct weft_nic *nic, struct weft_nic_op *op,
			 const struct nic_grant *g, uint64_t end)
{
	if (op->state != NIC_WAITING || g->start != op->moved ||
	    g->start >= end || nic_is_typed(op))
		return -EPROTO;
	nic_stream_end(nic, op);
	nic_stream_set(op, g->start, end);
	op->stream.ticket = g->ticket;
	op->stream.done = stream_sent;
	stream_ops(nic)->supply(nic->unit->carrier, op->peer, &op->stream);
	return 1;
}

int nic_stream_granted(struct weft_nic *nic, struct weft_nic_op *op,
		       const struct weft_pkt *pkt, const void *payload)
{
	struct nic_grant g;

	if (!nic->stream_min)
		return pkt->flags & NIC_CTS_STREAM ? -EPROTO : 0;
	if (pkt->flags & NIC_CTS_CONNECT)
		stream_ops(nic)->connect(nic->unit->carrier, op->peer);
	if (!(pkt->flags & (NIC_CTS_STREAM | NIC_CTS_RESTART)))
		return 0;
	if (pkt->len != sizeof(g))
		return -EPROTO;
	memcpy(&g, payload, sizeof(g));
	if (pkt->flags & NIC_CTS_STREAM)
		return stream_supply(nic, op, &g, pkt->data);
	if (!op->streams || g.start < op->moved || g.start >= pkt->data)
		return -EPROTO;
	nic_stream_end(nic, op);
	stream_ops(nic)->reset(nic->unit->carrier, op->peer);
	op->moved = g.start;
	return 0;
}

void nic_stream_end(struct weft_nic *nic, struct weft_nic_op *op)
{
	if (weft_likely(!op->streams))
		return;
	op->streams = false;
	stream_ops(nic)->withdraw(nic->unit->carrier, op->peer, &op->stream);
}
