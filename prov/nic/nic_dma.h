/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfers between the memories of two processes. */
#ifndef WEFT_NIC_DMA_H
#define WEFT_NIC_DMA_H

#include "prov/nic/nic_int.h"

/* Chunk size of a message of limit bytes that both sides copy. */
static inline uint64_t nic_chunk(uint64_t limit)
{
	return limit < 2 * NIC_CHUNK ? (limit + 1) / 2 : NIC_CHUNK;
}

/* Returns the segments of an op's buffer, for a peer to access. */
void nic_segs_of(const struct weft_nic_op *op, struct nic_segs *segs);
size_t nic_segs_bytes(const struct nic_segs *segs);
/* Copies and checks the segments in len bytes of a packet; -EPROTO. */
int nic_segs_get(struct nic_segs *segs, const void *from, size_t len,
		 uint64_t *sum_p);
/* Sets the peer's memory of an op. */
void nic_segs_set(struct weft_nic_op *op, const struct nic_segs *segs);
/*
 * Copies op->limit bytes between op->iov and op->remote; op->put: to the peer.
 * Ends in nic_xfer_done, possibly before it returns.
 */
void nic_xfer(struct weft_nic *nic, struct weft_nic_op *op);
/* Continues a transfer after pos and end were set. */
void nic_xfer_run(struct weft_nic *nic, struct weft_nic_op *op);
/* Retries transfers that found no room; 1: some still have none. */
int nic_xfer_again(struct weft_nic *nic, struct nic_peer *p);
/* Allocates a cursor for a message that both sides may copy; 0: none free. */
uint8_t nic_cell_get(struct weft_nic *nic);
void nic_cell_put(struct weft_nic *nic, uint32_t cell);

#endif
