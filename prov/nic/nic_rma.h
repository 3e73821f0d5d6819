/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes of a peer's memory. */
#ifndef WEFT_NIC_RMA_H
#define WEFT_NIC_RMA_H

#include "prov/nic/nic_int.h"

/* All of an access that this side could move is moved. */
void nic_access_done(struct weft_nic *nic, struct weft_nic_op *op, int err);

/* The next packet of an access or atomic in its peer's list bulk. */
int nic_push_access(struct weft_nic *nic, struct weft_nic_op *op);
/* The target cannot reach our memory: the bytes go in packets. */
void nic_access_by_packets(struct weft_nic *nic, struct weft_nic_op *op);
/* Tells up of an access of a peer, if the region or the data ask for it. */
void nic_event(struct weft_nic *nic, struct weft_peer *src,
	       const struct weft_nic_op *seen, void *region);
int nic_got_write(struct weft_nic *nic, struct weft_peer *src,
		  const struct weft_pkt *pkt, const void *payload);
int nic_got_dma_request(struct weft_nic *nic, struct weft_peer *src,
			const struct weft_pkt *pkt, const void *payload);
int nic_got_read(struct weft_nic *nic, struct weft_peer *src,
		 const struct weft_pkt *pkt, const void *payload);
int nic_got_read_data(struct weft_nic *nic, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload);
int nic_got_event(struct weft_nic *nic, struct weft_peer *src,
		  const struct weft_pkt *pkt, const void *payload);

/* Tells the peer of an access it did not see. */
void nic_access_tell(struct weft_nic *nic, struct weft_nic_op *op);
/*
 * May an access be made that the peer does not see? -ENOENT: no, it is to be
 * asked; -EAGAIN: not yet; -EACCES, -EFAULT. at_p: where in its memory.
 */
int nic_access_find(struct weft_nic *nic, struct nic_peer *p,
		    struct weft_nic_op *op, uint32_t access, uint64_t *at_p);

#endif
