/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What must be true of our own doing, also in a release build. It is for the
 * paths that are not short: there assert() is enough. What comes from a user
 * or a peer is not checked by this but refused.
 */
#ifndef WEFT_BASE_MUST_H
#define WEFT_BASE_MUST_H

#include "src/base/attr.h"

/* Says where and what on stderr, and aborts. */
void weft_must_failed(const char *what, const char *file,
		      int line) WEFT_COLD WEFT_NORETURN;

#define weft_must(x) \
	(weft_likely(x) ? (void)0 : weft_must_failed(#x, __FILE__, __LINE__))

#endif
