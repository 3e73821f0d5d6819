/* SPDX-License-Identifier: BSD-3-Clause */
/* weft_copy_loop(): the loop of copy.h in a function that is not inlined. */
#include "src/base/copy.h"

void weft_copy_loop(void *to, const void *from, size_t len)
{
	weft_copy(to, from, len);
}
