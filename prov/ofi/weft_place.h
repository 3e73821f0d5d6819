/* SPDX-License-Identifier: BSD-3-Clause */
/* Where an endpoint can be reached, by which carrier, and with which key. */
#ifndef WEFT_OFI_PLACE_H
#define WEFT_OFI_PLACE_H

#include "prov/ofi/weft_ep.h"

/*
 * Completes the address in ep->name, which is the loopback where the user did
 * not ask for another one, and chooses the carrier. -EADDRNOTAVAIL, -EACCES:
 * other hosts could reach it, and there is no key.
 */
int weft_place_choose(struct weft_ep *ep,
		      const struct weft_carrier_ops **carrier_p);

/* The key of attr: the endpoint's own before the environment's. */
void weft_place_key(const struct weft_ep *ep, struct weft_nic_attr *attr);

#endif
