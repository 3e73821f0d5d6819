/* SPDX-License-Identifier: BSD-3-Clause */
/* Address of an endpoint, its carrier, and its key. */
#ifndef WEFT_EP_ADDR_H
#define WEFT_EP_ADDR_H

#include "prov/ofi/ep/weft_ep.h"

/*
 * Completes the address in ep->name (the loopback address unless the user
 * requested another one) and chooses the carrier. -EADDRNOTAVAIL; -EACCES:
 * other hosts could reach the endpoint, and there is no key.
 */
int weft_ep_addr_choose(struct weft_ep *ep,
			const struct weft_carrier_ops **carrier_p);

/* Sets the key of attr: the endpoint's key if it has one, else FI_WEFT_KEY. */
void weft_ep_key_set(const struct weft_ep *ep, struct weft_nic_attr *attr);

#endif
