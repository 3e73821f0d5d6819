/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of the core (diag_count.h). */
#include "src/diag/diag_count.h"

weft_au64 weft_counts[WEFT_COUNTS];
