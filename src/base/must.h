/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal invariants that are checked in release builds, too. For slow paths;
 * on fast paths assert() is enough. Input from users or peers is not checked by
 * this but refused.
 */
#ifndef WEFT_BASE_MUST_H
#define WEFT_BASE_MUST_H

#include "src/base/attr.h"

/* Logs the place and the condition, and aborts. */
void weft_must_fail(const char *what, const char *file,
		    int line) WEFT_COLD WEFT_NORETURN;

#define weft_must(x) \
	(weft_likely(x) ? (void)0 : weft_must_fail(#x, __FILE__, __LINE__))

#endif
