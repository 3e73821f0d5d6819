/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clocks in picoseconds. The wall clock is the host's monotonic clock; a
 * virtual clock returns the time that its owner provides.
 */
#ifndef WEFT_BASE_CLOCK_H
#define WEFT_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct weft_clock {
	uint64_t (*now_ps)(void *arg);
	void *arg;
};

extern const struct weft_clock weft_wall_clock;

static inline uint64_t weft_clock_now_ps(const struct weft_clock *c)
{
	return c->now_ps(c->arg);
}

/*
 * The processor's time counter, on architectures where programs can read a
 * counter that has a known rate and is equal on all processors. Reading it is
 * cheaper than calling the host's clock, especially with cold caches.
 */
#if defined(__aarch64__)
#define WEFT_HAS_TICKS 1

static inline uint64_t weft_ticks(void)
{
	uint64_t ticks;

	/* the barrier orders the read after earlier instructions */
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

/*
 * Returns the time of the host's monotonic clock, ns, without an indirect call.
 */
uint64_t weft_now_ns(void);

/*
 * Returns the time of the host's monotonic clock, ns, at the last kernel tick,
 * which is up to ten milliseconds ago; this costs a fraction of an exact read.
 */
uint64_t weft_now_coarse_ns(void);

/*
 * Return the processor's counter, whose rate is unspecified, for callers that
 * record many time stamps and convert them to ns later (src/job/job_trace.h).
 * weft_counter() may read the counter before earlier instructions have
 * completed, weft_counter_after() does not.
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

/*
 * Returns whether weft_counter() can be used as a clock, because the kernel
 * treats the counters of all processors as equal.
 */
bool weft_counter_usable(void);

/* Values of the processor counter and the clock, read at the same time. */
struct weft_clock_pair {
	uint64_t counter, ns;
};

struct weft_clock_pair weft_clock_pair_now(void);

#endif
