/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress: polling endpoints. */
#ifndef WEFT_OFI_PROGRESS_H
#define WEFT_OFI_PROGRESS_H

#include "prov/ofi/weft_ofi.h"

/* Maximum number of packets that one poll handles. */
#define WEFT_POLL_BUDGET 64

/* Polls the engine of an endpoint once. The caller holds the lock. */
void weft_ep_progress(struct weft_ep *ep);

/* Polls all endpoints of the domain; called by fi_cq_read and similar calls. */
static inline void weft_domain_progress(struct weft_domain *d)
{
	for (size_t i = 0; i < d->ep_count; i++)
		weft_ep_progress(d->eps[i]);
}

#endif
