/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfers by the carrier's streams (prov/carrier/stream). */
#ifndef WEFT_NIC_STREAM_H
#define WEFT_NIC_STREAM_H

#include "prov/nic/nic_int.h"

/* Returns whether `bytes` more bytes of op should arrive by a stream now. */
bool nic_stream_ready(struct weft_nic *nic, const struct weft_nic_op *op,
		      uint64_t bytes);
/*
 * Prepares to receive bytes [start, end) of op by a stream; done is called by
 * poll. Returns NIC_CTS_STREAM, and the ticket for the sender; NIC_CTS_CONNECT:
 * the peer should open a stream for later; or 0: no stream.
 */
uint8_t nic_stream_expect(struct weft_nic *nic, struct weft_nic_op *op,
			  struct nic_grant *g, uint64_t end,
			  void (*done)(struct weft_stream_xfer *x, int err));
/*
 * Handles a CTS with flags for a message or a write. Returns 1: the bytes are
 * sent by a stream; 0: op->moved is the first byte to send in packets; -EPROTO.
 */
int nic_stream_granted(struct weft_nic *nic, struct weft_nic_op *op,
		       const struct weft_pkt *pkt, const void *payload);
/* Withdraws the transfer of op, if any. */
void nic_stream_end(struct weft_nic *nic, struct weft_nic_op *op);

#endif
