/* SPDX-License-Identifier: BSD-3-Clause */
/* Registered memory. */
#ifndef WEFT_OFI_MR_H
#define WEFT_OFI_MR_H

#include "prov/ofi/queue/weft_cntr.h"
#include "prov/ofi/weft_ofi.h"

extern struct fi_ops_mr weft_mr_ops;

/*
 * A peer's request to access memory. access: FI_REMOTE_READ, FI_REMOTE_WRITE or
 * both.
 */
struct weft_mr_request {
	uint64_t key;
	uint64_t addr;
	size_t len;
	uint64_t access;
};

/*
 * Finds the region that contains the requested bytes, and the address of the
 * first of them in this process. -ENOKEY: no such key; -EACCES: access not
 * allowed; -EFAULT: not inside the region. The caller holds the lock.
 */
int weft_mr_find(struct weft_domain *d, const struct weft_mr_request *want,
		 struct weft_mr **mr_p, void **at_p);

/* Lists all regions of the domain in a new endpoint's table. */
void weft_mr_expose_all(struct weft_ep *ep);

/*
 * Counts a peer's completed access to mr in the counter bound by fi_mr_bind, if
 * any.
 */
static inline void weft_mr_event(struct weft_mr *mr, uint64_t access)
{
	if (mr->cntr && (mr->cntr_flags & access))
		weft_cntr_count(mr->cntr);
}

#endif
