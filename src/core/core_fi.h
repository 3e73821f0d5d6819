/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversion of libfabric's error codes. */
#ifndef WEFT_CORE_FI_H
#define WEFT_CORE_FI_H

/*
 * Converts an error of libfabric, rc <= 0, to -errno; the only conversion
 * table.
 */
int weft_fi_errno(int rc);

#endif
