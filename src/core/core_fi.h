/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversion of libfabric's error codes. */
#ifndef WEFT_CORE_FI_H
#define WEFT_CORE_FI_H

/* Converts a libfabric result, rc <= 0, to 0 or -errno. */
int weft_fi_errno(int rc);

#endif
