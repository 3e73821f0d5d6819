/* SPDX-License-Identifier: BSD-3-Clause */
/* Sending messages and responses. */
#ifndef WEFT_NIC_SEND_H
#define WEFT_NIC_SEND_H

#include "prov/nic/nic_int.h"

/*
 * Sends a packet that must be delivered; queued when there is no room. Aborts
 * the process if there is no memory for the queue, which nic_ready prevents for
 * packets of up to sizeof(struct nic_segs).
 */
void nic_ctrl(struct weft_nic *nic, struct weft_peer *peer,
	      const struct weft_pkt *pkt, const void *payload);
/* As nic_ctrl, with a packet that the caller allocated; takes ownership. */
void nic_ctrl_send(struct weft_nic *nic, struct weft_peer *peer,
		   struct nic_ctrl *c);
/* Sends NIC_FIN for the sender's op; err is 0 or -errno. */
void nic_fin(struct weft_nic *nic, struct weft_peer *peer, uint32_t id,
	     int err);
/* Requests that the receiver drops a message that was sent completely. */
void nic_cancel_request(struct weft_nic *nic, struct weft_nic_op *op);
/* Sends queued packets of all peers. */
void nic_push_all(struct weft_nic *nic);
/* Sends queued packets of one peer. */
void nic_push(struct weft_nic *nic, struct nic_peer *p);
/* Marks a peer as having queued packets. */
void nic_peer_busy(struct weft_nic *nic, struct nic_peer *p);
/* Is the peer alive, nothing queued before this op, its fence fulfilled? */
int nic_may_post(struct nic_peer *p, const struct weft_nic_op *op);
/* Handlers of FIN, CTS, HELP and similar packets. */
int nic_got_fin(struct weft_nic *nic, struct weft_peer *src,
		const struct weft_pkt *pkt, const void *payload);

/*
 * Sends FIN to the sender of a message, then completes the receive: a process
 * that sees the receive complete may not poll again.
 */
void nic_fin_then_done(struct weft_nic *nic, struct weft_nic_op *op, int err);

#endif
