/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Large messages: announcement, pull by the receiver, shared copy, paced
 * packets.
 */
#ifndef WEFT_NIC_RNDV_H
#define WEFT_NIC_RNDV_H

#include "prov/nic/nic_int.h"

/*
 * Called when this process has completed its transfer for a message or an
 * access.
 */
void nic_xfer_done(struct weft_nic *nic, struct weft_nic_op *op, int err);

int nic_send_rts(struct weft_nic *nic, struct nic_peer *p,
		 struct weft_nic_op *op);
/*
 * Starts to fetch a matched message. memory: NULL, or the description of the
 * sender's memory for a device.
 */
void nic_pull(struct weft_nic *nic, struct weft_nic_op *op,
	      const struct nic_segs *segs, const struct weft_mem_share *memory);
/*
 * Requests the bytes of a message in packets; if the receive buffer has no
 * space for any, completes the receive.
 */
void nic_paced(struct weft_nic *nic, struct weft_nic_op *op);
int nic_got_cts(struct weft_nic *nic, struct weft_peer *src,
		const struct weft_pkt *pkt, const void *payload);
int nic_got_bulk(struct weft_nic *nic, struct weft_peer *src,
		 const struct weft_pkt *pkt, const void *payload);
int nic_got_copy_request(struct weft_nic *nic, struct weft_peer *src,
			 const struct weft_pkt *pkt, const void *payload);
int nic_got_copy_done(struct weft_nic *nic, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload);

#endif
