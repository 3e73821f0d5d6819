/* SPDX-License-Identifier: BSD-3-Clause */
/* One look at what came for an endpoint; weft_done.c is called for it. */
#include "prov/ofi/weft_progress.h"

void weft_ep_progress(struct weft_ep *ep)
{
	weft_nic_poll(ep->nic, WEFT_POLL_BUDGET);
}
