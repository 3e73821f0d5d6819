/* SPDX-License-Identifier: BSD-3-Clause */
/* Domains, and the endpoints that their progress polls. */
#ifndef WEFT_OFI_DOMAIN_H
#define WEFT_OFI_DOMAIN_H

#include "prov/ofi/weft_ofi.h"

/*
 * Add an endpoint with its carrier to the endpoints that the domain's progress
 * and waits poll (last step of fi_enable), and remove it from them (first step
 * of close). The caller holds the lock. weft_domain_ep_add returns 0 or
 * -ENOMEM.
 */
int weft_domain_ep_add(struct weft_domain *d, struct weft_ep *ep);
void weft_domain_ep_del(struct weft_domain *d, struct weft_ep *ep);

int weft_domain_open(struct fid_fabric *fabric, struct fi_info *info,
		     struct fid_domain **domain_p, void *context);

#endif
