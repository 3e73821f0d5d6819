/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters. */
#ifndef WEFT_OFI_CNTR_H
#define WEFT_OFI_CNTR_H

#include "prov/ofi/weft_ofi.h"
#include "prov/ofi/queue/weft_wait.h"

int weft_cntr_open(struct fid_domain *domain, struct fi_cntr_attr *attr,
		   struct fid_cntr **cntr_p, void *context);

/*
 * Counts one success or failure; cntr may be NULL. The caller holds the lock.
 */
static inline void weft_cntr_count(struct weft_cntr *cntr)
{
	if (!cntr)
		return;
	/*
	 * relaxed: value changes only with the lock held, and orders nothing
	 * else
	 */
	weft_store64(&cntr->value, weft_load64_relaxed(&cntr->value) + 1);
	weft_watch_notify(&cntr->watch);
}

void weft_cntr_count_err(struct weft_cntr *cntr);
/*
 * Implements fi_trywait for one counter. Returns 0, or -EAGAIN if the caller
 * must not block.
 */
int weft_cntr_trywait(struct weft_cntr *cntr);

#endif
