/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop of copy.h out of line, for callers that mostly copy less. */
#include "src/base/copy.h"

void weft_copy_loop(void *to, const void *from, size_t len)
{
	weft_copy(to, from, len);
}
