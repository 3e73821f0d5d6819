/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfers between the memories of two processes. */
#ifndef WEFT_NIC_DMA_H
#define WEFT_NIC_DMA_H

#include "prov/nic/nic_int.h"

/*
 * Returns the chunk size for a shared copy of `limit` bytes: NIC_CHUNK for long
 * messages, otherwise a quarter of the message, but at least NIC_CHUNK_MIN or,
 * for very short messages, a half. With only two chunks, a side that begins
 * late would often find none left, and the half that each side copies would
 * change from message to message.
 */
static inline uint64_t nic_chunk(uint64_t limit)
{
	uint64_t half = (limit + 1) / 2, quarter = (limit + 3) / 4;

	if (limit >= 2 * NIC_CHUNK)
		return NIC_CHUNK;
	if (quarter < NIC_CHUNK_MIN)
		quarter = NIC_CHUNK_MIN;
	return half < quarter ? half : quarter;
}

/* Sets *segs to the segments of an op's buffer, for access by a peer. */
void nic_segs_of(const struct weft_nic_op *op, struct nic_segs *segs);
size_t nic_segs_bytes(const struct nic_segs *segs);
/*
 * Reads and checks the segments in `len` bytes of a packet, and sets *sum_p to
 * their total length. -EPROTO: they are invalid.
 */
int nic_segs_get(struct nic_segs *segs, const void *from, size_t len,
		 uint64_t *sum_p);
void nic_segs_set(struct weft_nic_op *op, const struct nic_segs *segs);
/*
 * Copies op->limit bytes between op->iov and op->remote: to the peer if op->put
 * is set, otherwise from the peer. Calls nic_xfer_done at the end, possibly
 * before nic_xfer returns.
 */
void nic_xfer(struct weft_nic *nic, struct weft_nic_op *op);
/* Continues a transfer from op->pos to op->end. */
void nic_xfer_run(struct weft_nic *nic, struct weft_nic_op *op);
/*
 * Retries transfers for which the unit's queue was full (NIC_DMA_AGAIN).
 * Returns 1 if some still wait.
 */
int nic_xfer_retry(struct weft_nic *nic, struct nic_peer *p);
/*
 * Allocates a cursor for a shared copy. Returns its number plus one, or 0 if
 * none is free.
 */
uint8_t nic_cell_get(struct weft_nic *nic);
void nic_cell_put(struct weft_nic *nic, uint32_t cell);

#endif
