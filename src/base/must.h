/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks of internal invariants. Invalid input from users or peers must not
 * abort the process; it is refused with an error.
 */
#ifndef WEFT_BASE_MUST_H
#define WEFT_BASE_MUST_H

#include "src/base/attr.h"

/* Logs the failed condition and its source line, and aborts. */
void weft_must_fail(const char *what, const char *file,
		    int line) WEFT_COLD WEFT_NORETURN;

/* A check that is made in all builds; for slow paths. */
#define weft_must(x) \
	(weft_likely(x) ? (void)0 : weft_must_fail(#x, __FILE__, __LINE__))

/*
 * A check that is made with configure --enable-asserts; otherwise the condition
 * is not evaluated.
 */
#ifdef WEFT_ASSERTS
#define WEFT_ASSERT(x) weft_must(x)
#else
#define WEFT_ASSERT(x) ((void)sizeof(!(x)))
#endif

#endif
