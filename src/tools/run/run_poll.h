/* SPDX-License-Identifier: BSD-3-Clause */
/* Deadlines of the loops that watch a job. */
#ifndef WEFT_RUN_POLL_H
#define WEFT_RUN_POLL_H

#include "src/base/clock.h"

/* Returns the earlier of two times in ns; a time of 0 means "none". */
static inline uint64_t run_poll_earlier(uint64_t a, uint64_t b)
{
	return b && (!a || b < a) ? b : a;
}

/*
 * Returns the timeout for poll(), in ms, that corresponds to a deadline in ns;
 * at 0: no deadline.
 */
static inline int run_poll_ms(uint64_t at)
{
	uint64_t now = weft_now_ns();

	if (!at)
		return -1;
	if (at <= now)
		return 0;
	at = (at - now) / 1000000 + 1;
	return at > 1000000 ? 1000000 : (int)at;
}

#endif
