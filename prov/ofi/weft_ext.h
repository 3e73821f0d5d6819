/* SPDX-License-Identifier: BSD-3-Clause */
/* Entry point of the extension rdma/fi_ext_weft.h. */
#ifndef WEFT_OFI_EXT_H
#define WEFT_OFI_EXT_H

#include "prov/ofi/weft_ofi.h"

/* Implements ops_open of endpoint and domain. */
int weft_ops_open(struct fid *fid, const char *name, uint64_t flags, void **ops,
		  void *context);

#endif
