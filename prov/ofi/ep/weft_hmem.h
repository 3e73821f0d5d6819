/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory kinds other than host memory: weft_hmem.c, weft_hmem_mem.c. */
#ifndef WEFT_OFI_HMEM_H
#define WEFT_OFI_HMEM_H

#include "prov/mem/mem.h"
#include "prov/ofi/weft_ofi.h"

#include <rdma/fi_ext_weft.h>

/*
 * How an endpoint accesses memory other than host memory (weft_ep.hmem); 0: not
 * at all.
 */
enum weft_hmem {
	WEFT_HMEM_PEER = 1, /* the interface accesses the memory directly */
	WEFT_HMEM_STAGED,   /* staged through host memory */
};

/* Makes the calls with segments accept memory other than host memory. */
void weft_hmem_use(struct weft_ep *ep);
/* Makes all calls accept memory other than host memory (FI_HMEM). */
void weft_hmem_enable(struct weft_ep *ep);
/*
 * Sets the engine's callbacks for an endpoint with FI_HMEM, after the engine
 * has been opened.
 */
void weft_hmem_callbacks_set(struct weft_ep *ep);
/*
 * Sets the option FI_OPT_FI_HMEM_P2P to p2p (an enum in rdma/fi_endpoint.h).
 * Returns 0 or -FI_E*.
 */
int weft_hmem_set(struct weft_ep *ep, int p2p);

/*
 * On an endpoint with FI_HMEM: replaces the addresses of an op by those that
 * the interface uses. -EFAULT: a segment spans memory of two kinds; -ENOMEM,
 * -ENOSYS.
 */
int weft_hmem_op_translate(struct weft_ep *ep, struct weft_nic_op *op);

/* Ops table FI_WEFT_MEM of fi_open_ops. */
extern struct fi_weft_mem weft_mem_ops;

#endif
