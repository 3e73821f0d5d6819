/* SPDX-License-Identifier: BSD-3-Clause */
/* Aborts a process that has detected an internal error. */
#include "src/base/must.h"

#include "src/base/log.h"

#include <stdlib.h>

void weft_must_fail(const char *what, const char *file, int line)
{
	weft_log(WEFT_LOG_ERROR,
		 "%s:%d: internal error: invariant violated: %s", file, line,
		 what);
	abort();
}
