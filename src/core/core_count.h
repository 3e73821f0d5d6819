/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the core counts: which way messages went, and their bytes. Writers
 * hold the core's lock (or are the only thread), so that counting is a load,
 * an addition and a store; readers need nothing.
 */
#ifndef WEFT_CORE_COUNT_H
#define WEFT_CORE_COUNT_H

#include "src/base/atomic.h"
#include "src/base/attr.h"

enum weft_count {
	WEFT_COUNT_SEND_INJECT, /* short: no request, data copied at once */
	WEFT_COUNT_SEND_WHOLE,	/* one run of bytes, as it lies */
	WEFT_COUNT_SEND_PIECES, /* several runs, as they lie */
	WEFT_COUNT_SEND_TYPED,	/* packed on their way */
	WEFT_COUNT_SEND_PACKED, /* through a buffer */
	WEFT_COUNT_SEND_BYTES,
	WEFT_COUNT_RECV,
	WEFT_COUNT_RECV_PACKED, /* through a buffer */
	WEFT_COUNT_RECV_BYTES,
	WEFT_COUNT_WIN_FABRIC,	 /* accesses to windows: by fi_write ... */
	WEFT_COUNT_WIN_MESSAGES, /* requests to the target */
	WEFT_COUNTS,
};

extern weft_au64 weft_counts[WEFT_COUNTS] WEFT_HIDDEN;

static inline void weft_count(enum weft_count c, uint64_t n)
{
	/* relaxed: a number for people, ordered by the core's lock */
	weft_store64_relaxed(&weft_counts[c],
			     weft_load64_relaxed(&weft_counts[c]) + n);
}

#endif
