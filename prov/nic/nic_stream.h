/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfers by the carrier's streams (prov/carrier/stream). */
#ifndef WEFT_NIC_STREAM_H
#define WEFT_NIC_STREAM_H

#include "prov/nic/nic_int.h"

/*
 * Returns whether a transfer is long enough for a stream and has no typed data.
 */
bool nic_stream_wanted(const struct weft_nic *nic, const struct weft_nic_op *op,
		       uint64_t bytes);
/*
 * Returns whether the next `bytes` bytes of op should be received by a stream
 * that is open now.
 */
bool nic_stream_ready(struct weft_nic *nic, const struct weft_nic_op *op,
		      uint64_t bytes);
/*
 * Prepares to receive bytes [start, end) of op by a stream; done is called by
 * poll. Returns NIC_CTS_STREAM and sets g->ticket, the ticket for the sender;
 * NIC_CTS_CONNECT if the peer should open a stream for later transfers; or 0
 * for no stream.
 */
uint8_t nic_stream_expect(struct weft_nic *nic, struct weft_nic_op *op,
			  struct nic_grant *g, uint64_t end,
			  void (*done)(struct weft_stream_xfer *x, int err));
/*
 * Handles a CTS with flags for a message or a write. Returns 1 if the bytes are
 * sent by a stream; 0 if they must be sent in packets, from byte op->moved on;
 * or -EPROTO.
 */
int nic_stream_granted(struct weft_nic *nic, struct weft_nic_op *op,
		       const struct weft_pkt *pkt, const void *payload);
/* Sets op->stream to describe bytes [start, end) of op's buffer. */
void nic_stream_set(struct weft_nic_op *op, uint64_t start, uint64_t end);

/* nic_rma.c */
/*
 * Origin of a read: adds the request for a stream to the packet, if possible.
 */
void nic_stream_read_request(struct weft_nic *nic, struct weft_nic_op *op,
			     struct weft_pkt *pkt, struct nic_access *a);
/* Target of a read: returns whether a stream carries the bytes. */
bool nic_stream_serve(struct weft_nic *nic, struct weft_nic_op *op,
		      const struct weft_pkt *pkt, uint64_t ticket);
/* Origin of a write: returns whether to offer its bytes by a stream. */
bool nic_stream_may_offer(struct weft_nic *nic, const struct weft_nic_op *op);
/*
 * Handles the refusal of an offer: the target has no stream from this process.
 */
void nic_stream_refused(struct weft_nic *nic, const struct weft_nic_op *op);
/* Target of a write: returns whether a stream will carry its bytes. */
bool nic_stream_accept(struct weft_nic *nic, struct weft_nic_op *op);
int nic_stream_write_granted(struct weft_nic *nic, struct weft_nic_op *op,
			     const struct weft_pkt *pkt, const void *payload);
/* Withdraws op's transfer from the stream, if there is one. */
void nic_stream_end(struct weft_nic *nic, struct weft_nic_op *op);

#endif
