/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rendezvous. The sender announces the segments of its buffer; the receiver,
 * once a receive has matched, fetches the bytes by DMA and sends FIN.
 *
 *      sender                         receiver
 *        | ---- RTS: segments ----------> | match
 *        |                                | get, get, get ...
 *        | <--- FIN --------------------- |
 *
 * Both sides copy a long message (shared copy) while the sender polls: chunks
 * are claimed from its two ends by a word in the sender's shared area. The
 * minimum size depends on whether other messages between the two processes are
 * outstanding, which could be copied meanwhile.
 *
 *        | ---- RTS: segments, cell ----> | match
 *        | <--- COPY_REQUEST: segments -- |
 *        | put the last    count++    get the first
 *        | put one before  count++    get the next
 *        | ---- COPY_DONE: bytes -------> | complete?
 *        | <--- FIN --------------------- |
 *
 * If DMA is refused, the receiver requests bytes, one window at a time.
 *
 *        | <--- CTS: up to byte n ------- |
 *        | ---- BULK, BULK, BULK -------> |
 *        | <--- CTS / FIN --------------- |
 *
 * Typed data on either side uses this protocol, too, with an announcement
 * without segments. The sender packs while the receiver unpacks; the packets
 * are the only copy. If the sender cannot read its buffer (a device has
 * failed), it sends BULK with FAILED and the error, and the receiver ends the
 * message with this error.
 */
#include "prov/nic/nic_rndv.h"
#include "prov/nic/nic_dma.h"
#include "prov/nic/nic_fetch.h"
#include "prov/nic/nic_int.h"
#include "prov/nic/nic_memory.h"
#include "prov/nic/nic_op.h"
#include "prov/nic/nic_rma.h"
#include "prov/nic/nic_send.h"
#include "prov/nic/nic_share.h"
#include "prov/nic/nic_stream.h"
#include "src/base/memcheck.h"
#include "src/base/must.h"

/*
 * Returns whether both sides should copy a message of this size, given the
 * other messages outstanding with this peer.
 */
static bool shared_copy_useful(const struct weft_nic *nic,
			       const struct nic_peer *p, uint64_t bytes)
{
	return bytes >= (weft_list_empty(&p->waiting)
				 ? nic->shared_copy_bytes
				 : nic->shared_copy_busy_bytes);
}

int nic_send_rts(struct weft_nic *nic, struct nic_peer *p,
		 struct weft_nic_op *op)
{
	struct weft_pkt pkt = {
		.type = NIC_RTS,
		.flags = (uint8_t)(op->flags & NIC_WIRE_FLAGS),
		.aux = op->id,
		.tag = op->flags & WEFT_OP_TAGGED ? op->tag : 0,
		.data = op->data,
	};
	struct nic_rts rts = { .len = op->len };
	struct iovec iov[2] = { { &rts, 0 } };
	int count = 1, err;

	if (shared_copy_useful(nic, p, op->len) && !nic->no_dma &&
	    !nic_is_typed(op))
		op->cell = nic_cell_get(nic);
	nic_segs_of(op, &rts.segs);
	/*
	 * if no register is free for the send buffer, the message is sent in
	 * packets
	 */
	if (rts.segs.count && nic_memory_open(nic, op, WEFT_MR_REMOTE_READ)) {
		nic_cell_put(nic, op->cell);
		op->cell = 0;
		rts.segs.count = 0;
		rts.segs.cell = 0;
	}
	iov[0].iov_len =
		offsetof(struct nic_rts, segs) + nic_segs_bytes(&rts.segs);
	if (nic_is_typed(op) && op->share)
		iov[count++] = (struct iovec){ (void *)(uintptr_t)op->share,
					       sizeof(*op->share) };
	pkt.len = (uint16_t)(iov[0].iov_len + iov[1].iov_len);
	err = nic->unit->ops->packet(nic->unit, op->peer, &pkt, iov, count);
	if (err) {
		nic_memory_close(nic, op);
		nic_cell_put(nic, op->cell);
		op->cell = 0;
		return err;
	}
	op->state = NIC_WAITING;
	nic->rendezvous++;
	nic_op_list_add(p, &p->waiting, op);
	return 0;
}

/* ---- receiver ------------------------------------------------------------ */

static void copy_request(struct weft_nic *nic, struct weft_nic_op *op)
{
	struct weft_pkt pkt = {
		.type = NIC_COPY_REQUEST,
		.aux = op->remote_id,
		.tag = op->id,
		.data = op->limit,
	};
	struct nic_segs segs;

	nic_segs_of(op, &segs);
	segs.cell = 0;
	pkt.len = (uint16_t)nic_segs_bytes(&segs);
	nic_ctrl(nic, op->peer, &pkt, &segs);
}

/*
 * Returns whether a shared copy is possible and useful: it requires that a DMA
 * has succeeded with this peer before.
 */
static bool shared_copy_possible(struct weft_nic *nic, struct nic_peer *p,
				 struct weft_nic_op *op,
				 const struct nic_segs *segs)
{
	return segs->cell && segs->cell <= NIC_CELLS &&
	       shared_copy_useful(nic, p, op->limit) && p->dma_works &&
	       !nic_share_peer(nic, p);
}

static void paced_streamed(struct weft_stream_xfer *x, int err);

/*
 * Allows the sender to send more bytes: all remaining bytes by a stream if
 * possible, otherwise packets up to byte `upto`.
 */
static void paced_grant(struct weft_nic *nic, struct weft_nic_op *op,
			uint64_t upto, uint8_t flags)
{
	struct nic_grant g = { .start = op->moved };
	struct weft_pkt pkt = {
		.type = NIC_CTS,
		.flags = flags,
		.aux = op->remote_id,
		.tag = op->id,
		.data = upto < op->limit ? upto : op->limit,
	};

	WEFT_ASSERT(op->state == NIC_PACED && op->id && upto > op->moved);
	/*
	 * no packet is outstanding, so the stream carries all remaining bytes
	 */
	if (!flags && op->moved == op->end)
		pkt.flags = nic_stream_expect(nic, op, &g, op->limit,
					      paced_streamed);
	if (pkt.flags & NIC_CTS_STREAM)
		pkt.data = op->limit;
	else
		op->end = pkt.data;
	if (pkt.flags & (NIC_CTS_STREAM | NIC_CTS_RESTART))
		pkt.len = sizeof(g);
	nic_ctrl(nic, op->peer, &pkt, &g);
}

/*
 * Called at the end of a stream's transfer; if bytes are missing, requests the
 * rest in packets.
 */
static void paced_streamed(struct weft_stream_xfer *x, int err)
{
	struct weft_nic_op *op =
		weft_container_of(x, struct weft_nic_op, stream);
	struct weft_nic *nic = op->nic;

	op->streams = false;
	op->moved += x->moved;
	op->end = op->moved;
	if (op->moved == op->limit)
		nic_fin_then_done(nic, op, 0);
	else
		paced_grant(nic, op, op->moved + NIC_WINDOW, NIC_CTS_RESTART);
}

/*
 * Grants the next window before all bytes of the previous one have arrived. If
 * a stream was opened meanwhile, waits until all have arrived.
 */
static void paced_continue(struct weft_nic *nic, struct weft_nic_op *op)
{
	uint64_t outstanding = op->end - op->moved;

	if (op->end == op->limit)
		return;
	if (nic_stream_ready(nic, op, op->limit - op->end)
		    ? !outstanding
		    : outstanding <= NIC_WINDOW / 2)
		paced_grant(nic, op, op->moved + NIC_WINDOW, 0);
}

static void paced_begin(struct weft_nic *nic, struct weft_nic_op *op)
{
	if (!op->id && nic_id_new(nic, op)) {
		nic_fin_then_done(nic, op, -ENOMEM);
		return;
	}
	op->state = NIC_PACED;
	nic->paced++;
	op->moved = 0;
	op->end = 0;
	op->peer_cell = 0;
	paced_grant(nic, op, NIC_WINDOW, 0);
}

void nic_paced(struct weft_nic *nic, struct weft_nic_op *op)
{
	if (op->limit)
		paced_begin(nic, op);
	else
		nic_fin_then_done(nic, op, 0);
}

void nic_pull(struct weft_nic *nic, struct weft_nic_op *op,
	      const struct nic_segs *segs, const struct weft_mem_share *memory)
{
	struct nic_peer *p = nic_peer_of(nic, op->peer);
	bool share;

	WEFT_ASSERT(p && op->state == NIC_NEW && !op->linked);
	nic_segs_set(op, segs);
	op->limit = op->len;
	share = shared_copy_possible(nic, p, op, segs);
	op->put = false;
	op->peer_cell = 0;
	op->redo = UINT64_MAX;
	op->state = NIC_WAITING;
	nic_op_list_add(p, &p->waiting, op);
	if (nic_is_typed(op) || !segs->count) {
		if (!memory || !op->limit || !nic_fetch(nic, op, memory))
			nic_paced(nic, op);
		return;
	}
	if (share && !nic_id_new(nic, op) &&
	    !nic_memory_open(nic, op, WEFT_MR_REMOTE_WRITE)) {
		op->peer_cell = segs->cell;
		copy_request(nic, op);
	}
	nic_xfer(nic, op);
}

/* ---- end of a transfer --------------------------------------------------- */

/*
 * Ends the sender's part of a shared copy: reports the number of bytes copied
 * and, if the copy failed, the offset at which it failed.
 */
static void copy_end(struct weft_nic *nic, struct weft_nic_op *op, int err)
{
	struct weft_pkt pkt = {
		.type = NIC_COPY_DONE,
		.flags = err ? 1 : 0,
		.aux = op->remote_id,
		.tag = op->moved,
		.data = op->pos,
	};

	WEFT_ASSERT(op->cell && op->state == NIC_WAITING);
	if (op->moved || err)
		nic_ctrl(nic, op->peer, &pkt, NULL);
}

/* Copies the rest of a chunk that the sender claimed but failed to copy. */
static void pull_redo(struct weft_nic *nic, struct weft_nic_op *op)
{
	uint64_t bytes = nic_chunk(op->limit);
	uint64_t end = (op->redo / bytes + 1) * bytes;

	WEFT_ASSERT(op->redo < op->limit);
	op->pos = op->redo;
	op->end = end < op->limit ? end : op->limit;
	op->redo = UINT64_MAX;
	nic_xfer_run(nic, op);
}

/*
 * Completes a receive; a part of its bytes may have been written by the sender.
 */
static void copy_completed(struct weft_nic *nic, struct weft_nic_op *op,
			   int err)
{
	if (!err)
		weft_peer_wrote_iov(op->iov, (int)op->iov_count, op->limit);
	nic_fin_then_done(nic, op, err);
}

static void pull_done(struct weft_nic *nic, struct weft_nic_op *op, int err)
{
	if (err == -EOPNOTSUPP && !op->moved && !op->peer_cell)
		paced_begin(nic, op);
	else if (err || op->moved == op->limit)
		copy_completed(nic, op, err);
	else if (op->redo < op->limit)
		pull_redo(nic, op);
	else
		op->state = NIC_WAITING_COPY;
}

void nic_xfer_done(struct weft_nic *nic, struct weft_nic_op *op, int err)
{
	if (op->kind == WEFT_SEND)
		copy_end(nic, op, err);
	else if (op->kind == WEFT_RECV)
		pull_done(nic, op, err);
	else
		nic_access_done(nic, op, err);
}

/* ---- packets ------------------------------------------------------------- */

/* Handles the receiver's request for a shared copy of a message. */
int nic_got_copy_request(struct weft_nic *nic, struct weft_peer *src,
			 const struct weft_pkt *pkt, const void *payload)
{
	struct weft_nic_op *op = nic_id_op(nic, pkt->aux, src);
	struct nic_segs segs;
	uint64_t sum;

	if (!op || op->kind != WEFT_SEND || op->state != NIC_WAITING ||
	    !op->cell || !pkt->data || pkt->data > op->len)
		return -EPROTO;
	if (nic_segs_get(&segs, payload, pkt->len, &sum) || sum < pkt->data)
		return -EPROTO;
	nic_segs_set(op, &segs);
	op->limit = pkt->data;
	op->remote_id = (uint32_t)pkt->tag;
	op->put = true;
	op->peer_cell = 0;
	nic_xfer(nic, op);
	return 0;
}

int nic_got_copy_done(struct weft_nic *nic, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload)
{
	struct weft_nic_op *op = nic_id_op(nic, pkt->aux, src);

	if (!op || op->kind != WEFT_RECV || !op->peer_cell ||
	    pkt->tag > op->limit - op->moved)
		return -EPROTO;
	op->moved += pkt->tag;
	if (pkt->flags && pkt->data < op->limit)
		op->redo = pkt->data;
	if (op->state == NIC_WAITING_COPY)
		pull_done(nic, op, 0);
	return 0;
}

int nic_got_cts(struct weft_nic *nic, struct weft_peer *src,
		const struct weft_pkt *pkt, const void *payload)
{
	struct weft_nic_op *op = nic_id_op(nic, pkt->aux, src);
	struct nic_peer *p = src->up;
	int ret;

	if (op && op->kind == WEFT_WRITE)
		return nic_stream_write_granted(nic, op, pkt, payload);
	/* the request was sent before the receiver learned of the failure */
	if (op && op->kind == WEFT_SEND && nic_pack_failed(op))
		return 0;
	if (!op || op->kind != WEFT_SEND ||
	    (op->state != NIC_WAITING && op->state != NIC_PACING) ||
	    pkt->data > op->len || pkt->data <= op->moved)
		return -EPROTO;
	ret = nic_stream_granted(nic, op, pkt, payload);
	if (ret < 0)
		return ret;
	op->remote_id = (uint32_t)pkt->tag;
	if (ret)
		return 0;
	op->limit = pkt->data;
	op->state = NIC_PACING;
	nic_op_list_remove(op);
	nic_op_list_add(p, &p->bulk, op);
	nic_push(nic, p);
	return 0;
}

int nic_got_bulk(struct weft_nic *nic, struct weft_peer *src,
		 const struct weft_pkt *pkt, const void *payload)
{
	struct weft_nic_op *op = nic_id_op(nic, pkt->aux, src);
	bool failed = pkt->flags & NIC_BULK_FAILED;

	if (!op || op->kind != WEFT_RECV || op->state != NIC_PACED ||
	    (failed && (!pkt->tag || pkt->tag > 4095)))
		return -EPROTO;
	if (failed) {
		nic_fin_then_done(nic, op, -(int)pkt->tag);
		return 0;
	}
	if (pkt->tag > op->end || pkt->len > op->end - pkt->tag ||
	    pkt->len > op->end - op->moved)
		return -EPROTO;
	nic_scatter(op->iov, op->iov_count, pkt->tag, payload, pkt->len);
	op->moved += pkt->len;
	if (op->moved == op->limit)
		nic_fin_then_done(nic, op, 0);
	else
		paced_continue(nic, op);
	return 0;
}
