/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfers between the memories of two processes. */
#ifndef WEFT_NIC_DMA_H
#define WEFT_NIC_DMA_H

#include "prov/nic/nic_int.h"

/* The chunks of a message of limit bytes that both sides copy. */
static inline uint64_t nic_chunk(uint64_t limit)
{
	return limit < 2 * NIC_CHUNK ? (limit + 1) / 2 : NIC_CHUNK;
}

/* The segments of an op's buffer, for a peer to read or write. */
void nic_segs_of(const struct weft_nic_op *op, struct nic_segs *segs);
size_t nic_segs_bytes(const struct nic_segs *segs);
/* Copies and checks segments of len bytes of a packet; -EPROTO. */
int nic_segs_get(struct nic_segs *segs, const void *from, size_t len,
		 uint64_t *sum_p);
/* Names the peer's memory of an op. */
void nic_segs_set(struct weft_nic_op *op, const struct nic_segs *segs);
/*
 * Moves op->limit bytes between op->iov and op->remote, op->put: there. Ends
 * in nic_xfer_done, perhaps before it returns.
 */
void nic_xfer(struct weft_nic *nic, struct weft_nic_op *op);
/* Goes on with a transfer after pos and end were set. */
void nic_xfer_run(struct weft_nic *nic, struct weft_nic_op *op);
/* Tries again what found no room; 1: some still does not. */
int nic_xfer_again(struct weft_nic *nic, struct nic_peer *p);
/* A cursor for a message that both sides may copy, or none: 0. */
uint8_t nic_cell_get(struct weft_nic *nic);
void nic_cell_put(struct weft_nic *nic, uint32_t cell);

#endif
