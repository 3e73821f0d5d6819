/* SPDX-License-Identifier: BSD-3-Clause */
/* See copy.h: the loop, apart from callers that mostly have less to copy. */
#include "src/base/copy.h"

void weft_copy_loop(void *to, const void *from, size_t len)
{
	weft_copy(to, from, len);
}
