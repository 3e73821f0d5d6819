/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time in picoseconds behind one call. The wall clock is the monotonic one of
 * the host; a virtual clock returns what its owner provides.
 */
#ifndef WEFT_BASE_CLOCK_H
#define WEFT_BASE_CLOCK_H

#include <stdbool.h>
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
 * The processor's time counter, on architectures where programs can read one
 * that has a known rate and is equal on all processors: cheaper than a call of
 * the host's clock, above all with cold caches.
 */
#if defined(__aarch64__)
#define WEFT_HAS_TICKS 1

static inline uint64_t weft_ticks(void)
{
	uint64_t ticks;

	/*
	 * the barrier orders the read behind earlier instructions, as programs
	 * expect
	 */
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

/*
 * Nanoseconds of the host's monotonic clock at its last tick, up to ten
 * milliseconds ago, for a fraction of the cost.
 */
uint64_t weft_now_coarse_ns(void);

/*
 * The counter at an unspecified rate, for callers that record many times and
 * convert them to ns later (src/job/job_trace.h). weft_counter() may be read
 * before earlier instructions have completed, weft_counter_after() is not.
 */
#if defined(__x86_64__)
static inline uint64_t weft_counter(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high)::"memory");
	return (uint64_t)high << 32 | low;
}

static inline uint64_t weft_counter_after(void)
{
	__asm__ volatile("lfence" ::: "memory");
	return weft_counter();
}
#elif defined(__aarch64__)
static inline uint64_t weft_counter(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks)::"memory");
	return ticks;
}

static inline uint64_t weft_counter_after(void)
{
	return weft_ticks();
}
#else
static inline uint64_t weft_counter(void)
{
	return 0;
}

static inline uint64_t weft_counter_after(void)
{
	return 0;
}
#endif

/* Whether there is a counter that is equal on all processors. */
bool weft_counter_usable(void);

/* Counter and clock at one time. */
struct weft_clock_pair {
	uint64_t counter, ns;
};

struct weft_clock_pair weft_clock_pair_now(void);

#endif
