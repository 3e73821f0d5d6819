/* SPDX-License-Identifier: BSD-3-Clause */
/* Polls an endpoint once; weft_done.c handles each completion. */
#include "prov/ofi/ep/weft_progress.h"

void weft_ep_progress(struct weft_ep *ep)
{
	weft_nic_poll(ep->nic, WEFT_POLL_BUDGET);
}
