/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters of the core: messages and bytes by path. A thread that counts holds
 * the core's lock (or is the only thread), so counting is a load, an addition
 * and a store; readers need no lock.
 */
#ifndef WEFT_DIAG_COUNT_H
#define WEFT_DIAG_COUNT_H

#include "src/base/atomic.h"
#include "src/base/attr.h"

enum weft_count {
	/* short messages: no request, data copied immediately */
	WEFT_COUNT_SEND_INJECT,
	WEFT_COUNT_SEND_WHOLE,	/* one contiguous block, not copied */
	WEFT_COUNT_SEND_PIECES, /* several contiguous blocks, not copied */
	WEFT_COUNT_SEND_TYPED,	/* packed by the provider, packet by packet */
	WEFT_COUNT_SEND_PACKED, /* packed into a buffer */
	WEFT_COUNT_SEND_BYTES,
	WEFT_COUNT_RECV,
	WEFT_COUNT_RECV_PACKED, /* unpacked from a buffer */
	WEFT_COUNT_RECV_BYTES,
	/* accesses to windows by fi_read, fi_write, fi_atomic */
	WEFT_COUNT_WIN_FABRIC,
	/* accesses to windows by messages to the target */
	WEFT_COUNT_WIN_MESSAGES,
	WEFT_COUNTS,
};

extern weft_au64 weft_counts[WEFT_COUNTS] WEFT_HIDDEN;

static inline void weft_count(enum weft_count c, uint64_t n)
{
	/* relaxed: statistics only, updates are ordered by the core's lock */
	weft_store64_relaxed(&weft_counts[c],
			     weft_load64_relaxed(&weft_counts[c]) + n);
}

#endif
