/* SPDX-License-Identifier: BSD-3-Clause */
/* Sending messages and responses. */
#ifndef WEFT_NIC_SEND_H
#define WEFT_NIC_SEND_H

#include "prov/nic/nic_int.h"

/*
 * Sends a packet that must be delivered, or queues it if the carrier has no
 * space. The peer must have a record (nic_peer_of). If there is no memory for
 * the queue, the next poll reports the loss of the peer with ENOMEM, since the
 * peer would wait for the packet; nic_ready prevents this for packets of up to
 * sizeof(struct nic_segs).
 */
void nic_ctrl(struct weft_nic *nic, struct weft_peer *peer,
	      const struct weft_pkt *pkt, const void *payload);
/*
 * Like nic_ctrl, for a packet that the caller has allocated; takes ownership of
 * c.
 */
void nic_ctrl_send(struct weft_nic *nic, struct weft_peer *peer,
		   struct nic_ctrl *c);
/* Sends NIC_FIN for the peer's op `id`; err is 0 or -errno. */
void nic_fin(struct weft_nic *nic, struct weft_peer *peer, uint32_t id,
	     int err);
/*
 * Requests that the receiver drop a message all packets of which have been
 * sent.
 */
void nic_cancel_request(struct weft_nic *nic, struct weft_nic_op *op);
void nic_push_all(struct weft_nic *nic);
void nic_push(struct weft_nic *nic, struct nic_peer *p);
/* Marks a peer as having queued packets. */
void nic_peer_busy(struct weft_nic *nic, struct nic_peer *p);
/*
 * Returns 0 if op may be posted: the peer is alive, no message to it is queued,
 * and op's fence is satisfied. Otherwise returns -errno.
 */
int nic_may_post(struct nic_peer *p, const struct weft_nic_op *op);
int nic_got_fin(struct weft_nic *nic, struct weft_peer *src,
		const struct weft_pkt *pkt, const void *payload);

/*
 * Sends FIN to the sender of a message and then completes the receive: FIN is
 * sent first because after the completion this process may stop polling.
 */
void nic_fin_then_done(struct weft_nic *nic, struct weft_nic_op *op, int err);

#endif
