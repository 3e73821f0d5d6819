/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages in. */
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
/* Ends a receive: multi buffers, answer to the sender, up. */
void nic_recv_done(struct weft_nic *nic, struct weft_nic_op *op, int err);
/* Takes a posted receive out for good; a multi buffer waits for its parts. */
void nic_recv_fail(struct weft_nic *nic, struct weft_nic_op *op, int err);
/* A message that waits no longer; who has left it may have left no other. */
void nic_msg_free(struct weft_nic *nic, struct nic_msg *u);
/* Forgets the message that src calls id if no receive has met it. */
bool nic_msg_forget(struct weft_nic *nic, struct weft_peer *src, unsigned flags,
		    uint32_t id);
/* Everything of a dead peer that waits for a receive, or a receive for it. */
void nic_recv_lost(struct weft_nic *nic, struct weft_peer *peer, int err);
void nic_recv_fini(struct weft_nic *nic);

#endif
