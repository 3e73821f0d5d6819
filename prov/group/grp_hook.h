/* SPDX-License-Identifier: BSD-3-Clause */
/* Interface between the engine and the groups of grp.c. */
#ifndef WEFT_GRP_HOOK_H
#define WEFT_GRP_HOOK_H

#include "prov/nic/nic_int.h"

int grp_open(struct weft_nic *nic, const struct weft_nic_attr *attr);
void grp_close(struct weft_nic *nic);
int nic_got_coll(struct weft_nic *nic, struct weft_peer *src,
		 const struct weft_pkt *pkt, const void *payload);
void grp_poll(struct weft_nic *nic);
void grp_lost(struct weft_nic *nic, struct weft_peer *peer, int err);

#endif
