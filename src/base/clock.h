/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time in picoseconds behind one call. The wall clock is the monotonic one of
 * the host; a virtual clock is whatever its owner answers.
 */
#ifndef WEFT_BASE_CLOCK_H
#define WEFT_BASE_CLOCK_H

#include <stdint.h>

struct weft_clock {
	uint64_t (*now_ps)(void *arg);
	void *arg;
};

/* The host's monotonic clock. */
extern const struct weft_clock weft_wall_clock;

static inline uint64_t weft_clock_now_ps(const struct weft_clock *c)
{
	return c->now_ps(c->arg);
}

/* Nanoseconds of the host's monotonic clock, without the indirection. */
uint64_t weft_now_ns(void);

#endif
