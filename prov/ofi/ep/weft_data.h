/* SPDX-License-Identifier: BSD-3-Clause */
/* Ops tables of the data path, and the callbacks for the engine. */
#ifndef WEFT_OFI_DATA_H
#define WEFT_OFI_DATA_H

#include "prov/ofi/weft_ofi.h"

#include <rdma/fi_ext_weft.h>

extern struct fi_ops_msg weft_msg_ops;
extern struct fi_ops_tagged weft_tagged_ops;
extern struct fi_ops_rma weft_rma_ops;
extern struct fi_ops_atomic weft_atomic_ops;

/* receives without a CQ entry: weft_recv.c */
extern struct fi_weft_recv weft_recv_ops;
extern struct fi_weft_peers weft_peers_ops;	  /* weft_peers.c */
extern struct fi_weft_rma_sync weft_rma_sync_ops; /* weft_rma_sync.c */
extern struct fi_weft_amo_sync weft_amo_sync_ops; /* weft_amo_sync.c */
extern struct fi_weft_typed weft_typed_ops;	  /* weft_typed.c */
void weft_recv_complete(struct weft_ep *ep, const struct weft_nic_op *op);

/*
 * Callbacks for completions, regions and events, passed to the engine:
 * weft_done.c.
 */
extern const struct weft_nic_up weft_done_callbacks;

#endif
