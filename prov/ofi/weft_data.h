/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of the data path, and what connects endpoint and engine. */
#ifndef WEFT_OFI_DATA_H
#define WEFT_OFI_DATA_H

#include "prov/ofi/weft_ofi.h"

extern struct fi_ops_msg weft_msg_ops;
extern struct fi_ops_tagged weft_tagged_ops;
extern struct fi_ops_rma weft_rma_ops;
extern struct fi_ops_atomic weft_atomic_ops;

/* Completions, regions and events: weft_progress.c. */
extern const struct weft_nic_up weft_nic_calls;

#endif
