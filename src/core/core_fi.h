/* SPDX-License-Identifier: BSD-3-Clause */
/* What libfabric says, in our own words. */
#ifndef WEFT_CORE_FI_H
#define WEFT_CORE_FI_H

/* An error of libfabric as -errno; the only table. rc <= 0. */
int weft_fi_errno(int rc);

#endif
