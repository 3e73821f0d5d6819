/* SPDX-License-Identifier: BSD-3-Clause */
/* Fabrics. */
#ifndef WEFT_OFI_FABRIC_H
#define WEFT_OFI_FABRIC_H

#include "prov/ofi/weft_ofi.h"

int weft_fabric_open(struct fi_fabric_attr *attr, struct fid_fabric **fabric_p,
		     void *context);

#endif
