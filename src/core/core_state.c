/* SPDX-License-Identifier: BSD-3-Clause */
/* State of this process (core_state.h). */
#include "src/core/core_state.h"

WEFT_HOT_DATA struct weft_core weft_core = {
	.job = { .size = 1, .local_size = 1 },
};
