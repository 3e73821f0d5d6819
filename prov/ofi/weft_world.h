/* SPDX-License-Identifier: BSD-3-Clause */
/* Ops table of domains in virtual time. */
#ifndef WEFT_OFI_WORLD_H
#define WEFT_OFI_WORLD_H

#include "prov/ofi/weft_ofi.h"

#include <rdma/fi_ext_weft.h>

extern struct fi_weft_world weft_world_ops;

#endif
