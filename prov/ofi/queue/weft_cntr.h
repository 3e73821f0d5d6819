/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters. */
#ifndef WEFT_OFI_CNTR_H
#define WEFT_OFI_CNTR_H

#include "prov/ofi/weft_ofi.h"
#include "prov/ofi/queue/weft_wait.h"

int weft_cntr_open(struct fid_domain *domain, struct fi_cntr_attr *attr,
		   struct fid_cntr **cntr_p, void *context);

/* Counts one success or failure; inside the lock; cntr may be NULL. */
static inline void weft_cntr_count(struct weft_cntr *cntr)
{
	if (!cntr)
		return;
	/* relaxed: only changed inside the lock, and orders nothing */
	weft_store64(&cntr->value, weft_load64_relaxed(&cntr->value) + 1);
	weft_watch_notify(&cntr->watch);
}

void weft_cntr_count_err(struct weft_cntr *cntr);
/* fi_trywait for one counter: 0, or -EAGAIN: do not block. */
int weft_cntr_trywait(struct weft_cntr *cntr);

#endif
