/* SPDX-License-Identifier: BSD-3-Clause */
/* Cancelling sends. */
#ifndef WEFT_NIC_CANCEL_H
#define WEFT_NIC_CANCEL_H

#include "prov/nic/nic_int.h"

int nic_got_cancel(struct weft_nic *nic, struct weft_peer *src,
		   const struct weft_pkt *pkt, const void *payload);

#endif
