/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages and answers out. */
#ifndef WEFT_NIC_SEND_H
#define WEFT_NIC_SEND_H

#include "prov/nic/nic_int.h"

/*
 * Sends a packet that must arrive; queued when there is no room. Ends the
 * process when there is no memory for that, either, which nic_ready prevents
 * for packets of up to sizeof(struct nic_segs).
 */
void nic_ctrl(struct weft_nic *nic, struct weft_peer *peer,
	      const struct weft_pkt *pkt, const void *payload);
/* The same for one whose memory the caller has got; takes it. */
void nic_ctrl_give(struct weft_nic *nic, struct weft_peer *peer,
		   struct nic_ctrl *c);
/* NIC_FIN for the sender's op; err is 0 or -errno. */
void nic_fin(struct weft_nic *nic, struct weft_peer *peer, uint32_t id,
	     int err);
/* Asks the receiver of a message that it has all of to forget it. */
void nic_cancel_ask(struct weft_nic *nic, struct weft_nic_op *op);
/* Sends what waits for room, for all peers. */
void nic_push_all(struct weft_nic *nic);
/* Sends what waits for room to one peer. */
void nic_push(struct weft_nic *nic, struct nic_peer *p);
/* The peer has something that waits for room. */
void nic_busy(struct weft_nic *nic, struct nic_peer *p);
/* Is the peer alive, nothing before this op, its fence fulfilled? */
int nic_may_post(struct nic_peer *p, const struct weft_nic_op *op);
/* FIN, CTS, HELP and their kind came. */
int nic_got_fin(struct weft_nic *nic, struct weft_peer *src,
		const struct weft_pkt *pkt, const void *payload);

/*
 * Says FIN to the sender of a message and ends the receive that has it, once
 * that word has left: who sees the receive complete need not come back.
 */
void nic_say_fin(struct weft_nic *nic, struct weft_nic_op *op, int err);

#endif
