/* SPDX-License-Identifier: BSD-3-Clause */
/* Receiving messages. */
#ifndef WEFT_NIC_RECV_H
#define WEFT_NIC_RECV_H

#include "prov/nic/nic_int.h"

int nic_got_msg(struct weft_nic *nic, struct weft_peer *src,
		const struct weft_pkt *pkt, const void *payload);
int nic_got_first(struct weft_nic *nic, struct weft_peer *src,
		  const struct weft_pkt *pkt, const void *payload);
int nic_got_next(struct weft_nic *nic, struct weft_peer *src,
		 const struct weft_pkt *pkt, const void *payload);
int nic_got_rts(struct weft_nic *nic, struct weft_peer *src,
		const struct weft_pkt *pkt, const void *payload);
/*
 * Completes a receive without sending a FIN: updates its multi buffer, if any,
 * and calls up->done.
 */
void nic_recv_done(struct weft_nic *nic, struct weft_nic_op *op, int err);
/*
 * Removes a posted receive and completes it with err; a multi buffer completes
 * after the messages that are being received into it.
 */
void nic_recv_fail(struct weft_nic *nic, struct weft_nic_op *op, int err);
/*
 * Frees an unexpected message. If it was the last kept message of a peer that
 * has closed or died, removes the peer from nic->gone.
 */
void nic_msg_free(struct weft_nic *nic, struct nic_msg *u);
/*
 * Drops the message from src with this id, if no receive has matched it.
 * Returns whether it was dropped.
 */
bool nic_msg_cancel(struct weft_nic *nic, struct weft_peer *src, unsigned flags,
		    uint32_t id);
/*
 * Fails all receives that wait for a peer that has closed or died, and drops
 * its incomplete messages.
 */
void nic_recv_lost(struct weft_nic *nic, struct weft_peer *peer, int err);
void nic_recv_fini(struct weft_nic *nic);

#endif
