/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that a device copies from the memory of one process to that of
 * another.
 */
#ifndef WEFT_NIC_FETCH_H
#define WEFT_NIC_FETCH_H

#include "prov/mem/mem.h"
#include "prov/nic/nic_int.h"

/*
 * Starts a copy from the sender's shared memory to the buffer of op, a receive
 * in state WAITING. Returns false if this is not possible, so that the bytes
 * must be requested in packets.
 */
bool nic_fetch(struct weft_nic *nic, struct weft_nic_op *op,
	       const struct weft_mem_share *share);
int nic_got_store(struct weft_nic *nic, struct weft_peer *src,
		  const struct weft_pkt *pkt, const void *payload);
int nic_got_stored(struct weft_nic *nic, struct weft_peer *src,
		   const struct weft_pkt *pkt, const void *payload);
/* Completes the operations whose device copies are complete. */
void nic_fetch_poll(struct weft_nic *nic);
/* Frees the records of copies that have not completed; called at close. */
void nic_fetch_fini(struct weft_nic *nic);

#endif
