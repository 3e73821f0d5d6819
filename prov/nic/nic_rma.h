/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes of a peer's memory. */
#ifndef WEFT_NIC_RMA_H
#define WEFT_NIC_RMA_H

#include "prov/nic/nic_int.h"

/* Called when this process has completed its transfer for an access. */
void nic_access_done(struct weft_nic *nic, struct weft_nic_op *op, int err);

/*
 * Sends the next packet of an access or atomic that is in its peer's list
 * `bulk`.
 */
int nic_push_access(struct weft_nic *nic, struct weft_nic_op *op);
/*
 * Sends the data of an access in packets, because the target cannot access
 * local memory.
 */
void nic_access_by_packets(struct weft_nic *nic, struct weft_nic_op *op);
/* Reports a peer's access to the layer above, if the region requires it. */
void nic_event(struct weft_nic *nic, struct weft_peer *src,
	       const struct weft_nic_op *seen, void *region);
int nic_got_write(struct weft_nic *nic, struct weft_peer *src,
		  const struct weft_pkt *pkt, const void *payload);
int nic_got_dma_request(struct weft_nic *nic, struct weft_peer *src,
			const struct weft_pkt *pkt, const void *payload);
int nic_got_read(struct weft_nic *nic, struct weft_peer *src,
		 const struct weft_pkt *pkt, const void *payload);
int nic_got_write_offer(struct weft_nic *nic, struct weft_peer *src,
			const struct weft_pkt *pkt, const void *payload);
int nic_got_read_data(struct weft_nic *nic, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload);
int nic_got_event(struct weft_nic *nic, struct weft_peer *src,
		  const struct weft_pkt *pkt, const void *payload);

void nic_access_notify(struct weft_nic *nic, struct weft_nic_op *op);
/*
 * Looks up the target of an access. Returns 0: the access can be one-sided, at
 * address *at_p of the peer; -ENOENT: a request must be sent; -EAGAIN: not
 * possible yet; -EACCES or -EFAULT: the access is invalid.
 */
int nic_access_find(struct weft_nic *nic, struct nic_peer *p,
		    struct weft_nic_op *op, uint32_t access, uint64_t *at_p);

#endif
