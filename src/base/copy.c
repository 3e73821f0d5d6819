/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copy loop of copy.h as a function, for callers whose copies are mostly
 * shorter.
 */
#include "src/base/copy.h"

void weft_copy_loop(void *to, const void *from, size_t len)
{
	weft_copy(to, from, len);
}
