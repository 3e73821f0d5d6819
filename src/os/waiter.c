/* SPDX-License-Identifier: BSD-3-Clause */
/* Slices of blocking waits; see waiter.h. */
#include "src/os/waiter.h"

#include "src/base/atomic.h"
#include "src/base/attr.h"

#include <stdlib.h>

bool weft_wait_is_unbounded(void)
{
	enum { UNKNOWN, BOUNDED, UNBOUNDED };
	static weft_au32 mode;
	/* relaxed: every thread computes the same value */
	uint32_t is = weft_load32_relaxed(&mode);

	if (weft_unlikely(is == UNKNOWN)) {
		is = getenv("WEFT_WAIT_UNBOUNDED") ? UNBOUNDED : BOUNDED;
		weft_store32_relaxed(&mode, is);
	}
	return is == UNBOUNDED;
}

uint64_t weft_wait_slice(uint64_t ns)
{
	return weft_wait_is_unbounded() ? UINT64_MAX : ns;
}
