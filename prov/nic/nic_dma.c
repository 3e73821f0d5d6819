/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transfers between an op's buffer and its peer's memory, split into several
 * DMAs. If one side copies, it copies the bytes [0, limit). In a shared copy
 * both sides copy: they claim chunks by incrementing an atomic word in the
 * shared area of the message's sender, the receiver from the front, the sender
 * from the back. If the buffer is reused, each side copies about the same half
 * again, and may find it in its cache.
 *
 *      pos      end
 *       v        v
 *   |===|--------|      limit    pos: next byte; end: end of the claimed chunk;
 *   +---+--------+--------+      moved: bytes this side has copied
 */
#include "prov/nic/nic_dma.h"
#include "prov/nic/nic_int.h"
#include "prov/nic/nic_op.h"
#include "prov/nic/nic_rndv.h"
#include "prov/nic/nic_send.h"
#include "prov/nic/nic_share.h"
#include "src/base/must.h"

/* ---- segments ------------------------------------------------------------ */

void nic_segs_of(const struct weft_nic_op *op, struct nic_segs *segs)
{
	uint32_t i;

	segs->count = nic_is_typed(op) ? 0 : op->iov_count;
	WEFT_ASSERT(segs->count <= WEFT_IOV_MAX);
	segs->cell = op->cell;
	for (i = 0; i < segs->count; i++) {
		segs->seg[2 * i] = (uint64_t)(uintptr_t)op->iov[i].iov_base;
		segs->seg[2 * i + 1] = op->iov[i].iov_len;
	}
}

size_t nic_segs_bytes(const struct nic_segs *segs)
{
	return offsetof(struct nic_segs, seg) + 16 * (size_t)segs->count;
}

int nic_segs_get(struct nic_segs *segs, const void *from, size_t len,
		 uint64_t *sum_p)
{
	uint32_t i;

	if (len < offsetof(struct nic_segs, seg) || len > sizeof(*segs))
		return -EPROTO;
	memcpy(segs, from, len);
	if (!segs->count || segs->count > WEFT_IOV_MAX ||
	    len != nic_segs_bytes(segs))
		return -EPROTO;
	*sum_p = 0;
	for (i = 0; i < segs->count; i++) {
		if (segs->seg[2 * i + 1] > UINT64_MAX - *sum_p)
			return -EPROTO;
		*sum_p += segs->seg[2 * i + 1];
	}
	return 0;
}

void nic_segs_set(struct weft_nic_op *op, const struct nic_segs *segs)
{
	WEFT_ASSERT(segs->count <= WEFT_IOV_MAX);
	op->region = 0;
	op->remote_count = (uint8_t)segs->count;
	memcpy(op->remote, segs->seg, 16 * (size_t)segs->count);
}

/* ---- cursors ------------------------------------------------------------- */

uint8_t nic_cell_get(struct weft_nic *nic)
{
	unsigned i;

	if (!nic->share || !nic->cells_free)
		return 0;
	i = (unsigned)__builtin_ctzll(nic->cells_free);
	nic->cells_free &= nic->cells_free - 1;
	/*
	 * the packet that contains the cell's number is sent after this store
	 */
	weft_store64(nic_share_cell(nic->share, i), 0);
	return (uint8_t)(i + 1);
}

void nic_cell_put(struct weft_nic *nic, uint32_t cell)
{
	WEFT_ASSERT(cell <= NIC_CELLS);
	WEFT_ASSERT(!cell || !(nic->cells_free >> (cell - 1) & 1));
	if (weft_unlikely(cell))
		nic->cells_free |= 1ull << (cell - 1);
}

/*
 * Returns the cursor of a shared copy; NULL if the peer that owns it has closed
 * or died.
 */
static weft_au64 *xfer_cell(struct weft_nic *nic, struct weft_nic_op *op)
{
	struct nic_peer *p = op->peer->up;

	if (op->cell)
		return nic_share_cell(nic->share, op->cell - 1);
	return p->share ? nic_share_cell(p->share, op->peer_cell - 1) : NULL;
}

/* unit of the receiver's count of claimed chunks */
#define CLAIM_FRONT 1ull
/* unit of the sender's count of claimed chunks */
#define CLAIM_BACK  (1ull << 32)

/*
 * Claims the next chunk; returns false if none is left. Each claim increments
 * the cursor, so at most `chunks` consecutive claims succeed, even if a peer
 * has written an arbitrary value to it.
 */
static bool xfer_claim(struct weft_nic *nic, struct weft_nic_op *op)
{
	uint64_t bytes, chunks, claimed, front, back;
	weft_au64 *cell;

	if (!op->cell && !op->peer_cell)
		return false;
	cell = xfer_cell(nic, op);
	if (!cell)
		return false;
	bytes = nic_chunk(op->limit);
	chunks = (op->limit + bytes - 1) / bytes;
	claimed = weft_add64(cell, op->cell ? CLAIM_BACK : CLAIM_FRONT);
	front = claimed & UINT32_MAX;
	back = claimed >> 32;
	if (front + back >= chunks)
		return false;
	op->pos = (op->cell ? chunks - 1 - back : front) * bytes;
	op->end = op->limit - op->pos < bytes ? op->limit : op->pos + bytes;
	WEFT_ASSERT(op->pos < op->end && op->end <= op->limit);
	return true;
}

/* ---- pieces of a transfer ------------------------------------------------ */

static void xfer_continue(struct weft_nic *nic, struct weft_nic_op *op,
			  int err);

/*
 * Completes a piece of a transfer. Called before the post returns or, if the
 * unit has a queue, in a later poll.
 */
static void piece_done(struct weft_dma *d, int err)
{
	struct weft_nic_op *op = weft_container_of(d, struct weft_nic_op, dma);

	d->done = NULL;
	op->err = err;
	if (!err) {
		((struct nic_peer *)op->peer->up)->dma_works = true;
		op->pos += d->bytes;
		op->moved += d->bytes;
		WEFT_ASSERT(op->pos <= op->end);
		op->nic->dma_bytes += d->bytes;
	}
	if (op->state == NIC_DMA)
		xfer_continue(op->nic, op, err);
}

/*
 * Posts the DMA of the bytes from op->pos up to op->end, but of at most one
 * remote segment.
 */
static int piece_post(struct weft_nic *nic, struct weft_nic_op *op)
{
	const struct weft_unit_ops *unit = nic->unit->ops;
	struct weft_dma *d = &op->dma;
	uint64_t skip = op->pos, bytes = op->end - op->pos;
	unsigned i = 0;

	WEFT_ASSERT(op->pos < op->end && op->end <= op->limit);
	while (i < op->remote_count && skip >= op->remote[2 * i + 1])
		skip -= op->remote[2 * i++ + 1];
	if (i == op->remote_count)
		return -EFAULT;
	if (bytes > op->remote[2 * i + 1] - skip)
		bytes = op->remote[2 * i + 1] - skip;
	if (bytes > NIC_PIECE)
		bytes = NIC_PIECE;
	d->remote = op->remote[2 * i] + skip;
	d->region = op->region;
	d->key = op->key;
	d->bytes = bytes;
	d->local_count =
		nic_slice(op->iov, op->iov_count, op->pos, bytes, d->local);
	WEFT_ASSERT(d->local_count > 0 && bytes);
	d->ordered = (op->kind == WEFT_WRITE || op->kind == WEFT_READ) &&
		     !(op->flags & WEFT_OP_RELAXED);
	d->by_line = op->flags & WEFT_OP_LINES;
	d->done = piece_done;
	return op->put ? unit->put(nic->unit, op->peer, d)
		       : unit->get(nic->unit, op->peer, d);
}

/* Continues a transfer after a piece; err: result of that piece. */
static void xfer_continue(struct weft_nic *nic, struct weft_nic_op *op, int err)
{
	WEFT_ASSERT(op->linked &&
		    (op->state == NIC_WAITING || op->state == NIC_DMA ||
		     op->state == NIC_DMA_AGAIN ||
		     op->state == NIC_WAITING_COPY));
	while (!err && (op->pos < op->end || xfer_claim(nic, op))) {
		err = piece_post(nic, op);
		if (err == -EAGAIN) {
			op->state = NIC_DMA_AGAIN;
			nic_peer_busy(nic, op->peer->up);
			return;
		}
		if (err)
			break;
		if (op->dma.done) {
			op->state = NIC_DMA;
			return;
		}
		err = op->err;
	}
	op->state = NIC_WAITING;
	op->err = 0;
	nic_xfer_done(nic, op, err);
}

void nic_xfer_run(struct weft_nic *nic, struct weft_nic_op *op)
{
	xfer_continue(nic, op, 0);
}

void nic_xfer(struct weft_nic *nic, struct weft_nic_op *op)
{
	op->moved = 0;
	op->pos = 0;
	op->end = op->cell || op->peer_cell ? 0 : op->limit;
	nic_xfer_run(nic, op);
}

int nic_xfer_retry(struct weft_nic *nic, struct nic_peer *p)
{
	struct weft_list *n, *tmp;
	struct weft_nic_op *op;

	weft_list_each(n, tmp, &p->waiting) {
		op = weft_container_of(n, struct weft_nic_op, link);
		if (op->state != NIC_DMA_AGAIN)
			continue;
		if (!nic_ready(nic))
			return 1;
		nic_xfer_run(nic, op);
		/*
		 * the unit's queue is full for this transfer, so it is full for
		 * the others as well
		 */
		if (!weft_list_empty(&p->busy))
			return 1;
	}
	return 0;
}
