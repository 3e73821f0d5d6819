/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversion from -errno to -FI_E*. */
#ifndef WEFT_OFI_ERR_H
#define WEFT_OFI_ERR_H

#include "prov/ofi/weft_ofi.h"

/*
 * Converts -errno (or 0, or a positive count) to -FI_E*. EOVERFLOW, for a
 * message longer than its buffer, becomes FI_ETRUNC.
 */
ssize_t weft_ofi_err(ssize_t err);
/* Implements the strerror functions of completion and event queues. */
const char *weft_strerror(int prov_errno, char *buf, size_t len);

#endif
