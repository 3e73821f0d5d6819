/* SPDX-License-Identifier: BSD-3-Clause */
/* Poll sets. */
#ifndef WEFT_OFI_POLL_H
#define WEFT_OFI_POLL_H

#include "prov/ofi/weft_ofi.h"

int weft_poll_open(struct fid_domain *domain, struct fi_poll_attr *attr,
		   struct fid_poll **poll_p);

int weft_trywait(struct fid_fabric *fabric, struct fid **fids, int count);

#endif
