/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomic operations. */
#ifndef WEFT_OFI_ATOMIC_H
#define WEFT_OFI_ATOMIC_H

#include "prov/ofi/weft_ofi.h"

/* fi_query_atomic. */
int weft_query_atomic(struct fid_domain *domain, enum fi_datatype datatype,
		      enum fi_op op, struct fi_atomic_attr *attr,
		      uint64_t flags);

#endif
