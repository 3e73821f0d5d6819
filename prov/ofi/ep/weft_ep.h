/* SPDX-License-Identifier: BSD-3-Clause */
/* Endpoints. */
#ifndef WEFT_OFI_EP_H
#define WEFT_OFI_EP_H

#include "prov/ofi/weft_ofi.h"

/*
 * Implements fi_endpoint; the other functions of an endpoint are in its ops
 * tables.
 */
int weft_ep_open(struct fid_domain *domain, struct fi_info *info,
		 struct fid_ep **ep_p, void *context);

#endif
