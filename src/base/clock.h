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

/*
 * The processor's counter of time, where programs may read one that runs at a
 * known rate and is the same on all processors: cheaper than asking the host,
 * above all where caches are cold.
 */
#if defined(__aarch64__)
#define WEFT_HAS_TICKS 1

static inline uint64_t weft_ticks(void)
{
	uint64_t ticks;

	/* the barrier: what was called before is over, as programs expect */
	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks)::"memory");
	return ticks;
}

static inline uint64_t weft_ticks_hz(void)
{
	uint64_t hz;

	__asm__("mrs %0, cntfrq_el0" : "=r"(hz));
	return hz;
}
#else
#define WEFT_HAS_TICKS 0

static inline uint64_t weft_ticks(void)
{
	return 0;
}

static inline uint64_t weft_ticks_hz(void)
{
	return 1;
}
#endif

/* Nanoseconds of the host's monotonic clock, without the indirection. */
uint64_t weft_now_ns(void);

/* The same as of the host's last tick, up to ten milliseconds ago, for a
 * fraction of the price. */
uint64_t weft_now_rough_ns(void);

#endif
