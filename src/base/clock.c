/* SPDX-License-Identifier: BSD-3-Clause */
/* The host's monotonic clock and the processor's time counter. */
#include "src/base/clock.h"
#include "src/base/attr.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/*
 * Name of the kernel's clock source that is based on the counter of
 * weft_counter().
 */
#if defined(__x86_64__)
#define COUNTER "tsc"
#elif defined(__aarch64__)
#define COUNTER "arch_sys_counter"
#else
#define COUNTER ""
#endif

WEFT_HOT uint64_t weft_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t weft_now_coarse_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/*
 * Returns whether the kernel's current clock source has this name. The kernel
 * changes the source if the counters of the processors disagree.
 */
static bool clock_source_is(const char *name)
{
	FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/"
			"current_clocksource",
			"re");
	char text[32] = "";

	if (!f)
		return false;
	if (!fgets(text, sizeof(text), f))
		text[0] = '\0';
	fclose(f);
	text[strcspn(text, "\n")] = '\0';
	return !strcmp(text, name);
}

bool weft_counter_usable(void)
{
	return *COUNTER && clock_source_is(COUNTER);
}

/*
 * Reads both clocks several times and returns the values of the shortest
 * attempt, because an interrupt between the two reads makes an attempt longer
 * and less exact.
 */
struct weft_clock_pair weft_clock_pair_now(void)
{
	uint64_t shortest = UINT64_MAX, from, took;
	struct weft_clock_pair m = { 0 }, now;

	for (int i = 0; i < 16; i++) {
		from = weft_counter_after();
		now.ns = weft_now_ns();
		took = weft_counter_after() - from;
		if (took >= shortest)
			continue;
		shortest = took;
		now.counter = from + took / 2;
		m = now;
	}
	return m;
}

static uint64_t wall_now_ps(void *arg)
{
	return weft_now_ns() * 1000u;
}

const struct weft_clock weft_wall_clock = { .now_ps = wall_now_ps };
