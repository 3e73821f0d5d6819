/* SPDX-License-Identifier: BSD-3-Clause */
/* See core_count.h. */
#include "src/core/core_count.h"

weft_au64 weft_counts[WEFT_COUNTS];
