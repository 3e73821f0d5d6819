/* SPDX-License-Identifier: BSD-3-Clause */
/* The host's clock. */
#include "src/base/clock.h"

#include <stddef.h>
#include <time.h>

uint64_t weft_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t weft_now_rough_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t wall_now_ps(void *arg)
{
	return weft_now_ns() * 1000u;
}

const struct weft_clock weft_wall_clock = { .now_ps = wall_now_ps };
