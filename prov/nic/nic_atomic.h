/* SPDX-License-Identifier: BSD-3-Clause */
/* Handlers of the packets of atomic operations. */
#ifndef WEFT_NIC_ATOMIC_H
#define WEFT_NIC_ATOMIC_H

#include "prov/nic/nic_int.h"

int nic_got_atomic(struct weft_nic *nic, struct weft_peer *src,
		   const struct weft_pkt *pkt, const void *payload);
int nic_got_result(struct weft_nic *nic, struct weft_peer *src,
		   const struct weft_pkt *pkt, const void *payload);

#endif
