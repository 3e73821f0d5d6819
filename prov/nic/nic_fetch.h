/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that a device copies between the memories of two processes. */
#ifndef WEFT_NIC_FETCH_H
#define WEFT_NIC_FETCH_H

#include "prov/mem/mem.h"
#include "prov/nic/nic_int.h"

/*
 * Starts a copy of the sender's shared memory to the buffer of op, a receive in
 * state WAITING. Returns false: not possible, the bytes must be requested.
 */
bool nic_fetch(struct weft_nic *nic, struct weft_nic_op *op,
	       const struct weft_mem_share *share);
int nic_got_store(struct weft_nic *nic, struct weft_peer *src,
		  const struct weft_pkt *pkt, const void *payload);
int nic_got_stored(struct weft_nic *nic, struct weft_peer *src,
		   const struct weft_pkt *pkt, const void *payload);
/* Completes operations whose copy is complete. */
void nic_fetch_poll(struct weft_nic *nic);
/* Frees the records of copies that are not complete; at close. */
void nic_fetch_fini(struct weft_nic *nic);

#endif
