/* SPDX-License-Identifier: BSD-3-Clause */
/* Interface between the engine and the groups of nic_coll.c. */
#ifndef WEFT_NIC_COLL_HOOK_H
#define WEFT_NIC_COLL_HOOK_H

#include "prov/nic/nic_int.h"

int nic_coll_open(struct weft_nic *nic, const struct weft_nic_attr *attr);
void nic_coll_close(struct weft_nic *nic);
int nic_got_coll(struct weft_nic *nic, struct weft_peer *src,
		 const struct weft_pkt *pkt, const void *payload);
void nic_coll_poll(struct weft_nic *nic);
void nic_coll_lost(struct weft_nic *nic, struct weft_peer *peer, int err);

#endif
