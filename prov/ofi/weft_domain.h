/* SPDX-License-Identifier: BSD-3-Clause */
/* A domain, and the endpoints that its progress polls. */
#ifndef WEFT_OFI_DOMAIN_H
#define WEFT_OFI_DOMAIN_H

#include "prov/ofi/weft_ofi.h"

/*
 * Adds an endpoint with its carrier (last step of fi_enable) to the endpoints
 * that the domain's progress and waits poll, and removes it (first step of
 * close). Inside the lock. add: 0 or -ENOMEM.
 */
int weft_domain_ep_add(struct weft_domain *d, struct weft_ep *ep);
void weft_domain_ep_del(struct weft_domain *d, struct weft_ep *ep);

int weft_domain_open(struct fid_fabric *fabric, struct fi_info *info,
		     struct fid_domain **domain_p, void *context);

#endif
