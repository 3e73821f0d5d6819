/* SPDX-License-Identifier: BSD-3-Clause */
/* The border between -errno and -FI_E*. */
#ifndef WEFT_OFI_ERR_H
#define WEFT_OFI_ERR_H

#include "prov/ofi/weft_ofi.h"

/*
 * -errno (or 0, or a positive count) becomes -FI_E*. EOVERFLOW is a message
 * longer than its buffer: FI_ETRUNC.
 */
ssize_t weft_ofi_err(ssize_t err);
/* strerror slots of cq and eq. */
const char *weft_strerror(int prov_errno, char *buf, size_t len);

#endif
