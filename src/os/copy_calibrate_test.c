/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the thresholds, and of a measurement on a busy host. */
#include "src/os/copy_calibrate.h"
#include "test/t.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>

static void rendezvous_threshold_from_measurement(void **state)
{
	static const struct {
		uint64_t twice[3], once[3];
		size_t threshold;
	} rows[] = {
		{ { 4, 6, 11 }, { 2, 3, 5 }, 8192 },
		{ { 2, 6, 11 }, { 2, 5, 9 }, 16384 },
		{ { 1, 2, 11 }, { 2, 3, 9 }, 32768 },
		{ { 1, 2, 3 }, { 2, 3, 9 }, 65536 },
		/* the largest size decides for the smaller ones */
		{ { 9, 9, 3 }, { 2, 3, 9 }, 65536 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct weft_copy_calibration c;

		for (int k = 0; k < 3; k++) {
			c.twice_ns[k] = rows[i].twice[k];
			c.once_ns[k] = rows[i].once[k];
		}
		T_IS(weft_copy_calibrate_threshold(&c), rows[i].threshold);
	}
}

static void shared_copy_threshold(void **state)
{
	static const struct {
		uint64_t once[3];
		size_t least;
	} rows[] = {
		/* fixed cost 1100 ns, 800 ns per 16 KiB */
		{ { 1900, 2700, 4300 }, 65536 },
		/* fixed cost 834 ns, 866 ns per 16 KiB */
		{ { 1700, 2600, 4300 }, 32768 },
		{ { 900, 1900, 3900 }, 16384 },
		{ { 4000, 4500, 5500 }, 262144 },
		/* unusable measurements give the upper limit */
		{ { 4000, 4000, 4000 }, 1048576 },
		{ { 4000, 3000, 2000 }, 1048576 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct weft_copy_calibration c = { 0 };

		for (int k = 0; k < 3; k++)
			c.once_ns[k] = rows[i].once[k];
		T_IS(weft_copy_calibrate_shared_least(&c), rows[i].least);
	}
}

static void copy_loop_limit_from_measurement(void **state)
{
	static const struct {
		uint64_t loop[4], call[4];
		size_t most;
	} rows[] = {
		{ { 1, 2, 3, 4 }, { 2, 3, 4, 5 }, 4096 },
		{ { 1, 2, 3, 5 }, { 2, 3, 4, 5 }, 2048 },
		{ { 1, 2, 5, 9 }, { 2, 3, 4, 5 }, 1024 },
		/*
		 * first the longer pieces save more time than the shorter ones
		 * lose, then less
		 */
		{ { 1, 4, 2, 6 }, { 2, 3, 4, 5 }, 2048 },
		{ { 1, 9, 3, 4 }, { 2, 3, 4, 5 }, 512 },
		{ { 3, 2, 3, 5 }, { 2, 2, 4, 4 }, 0 },
		{ { 2, 3, 4, 5 }, { 2, 3, 4, 5 }, 0 },
		/* nothing was measured */
		{ { -1, -1, -1, -1 }, { -1, -1, -1, -1 }, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct weft_copy_calibration c = { 0 };

		for (int k = 0; k < 4; k++) {
			c.loop_ns[k] = rows[i].loop[k];
			c.call_ns[k] = rows[i].call[k];
		}
		T_IS(weft_copy_calibrate_loop(&c), rows[i].most);
	}
}

/* Returns whether the times of the loop, which is measured last, are valid. */
static bool loop_is_known(const struct weft_copy_calibration *c)
{
	for (unsigned i = 0; i < WEFT_COPY_CALIBRATE_LOOPS; i++) {
		T_IS(c->call_ns[i] == UINT64_MAX, c->loop_ns[i] == UINT64_MAX);
		T_IS(c->loop_ns[i] == UINT64_MAX, c->loop_ns[0] == UINT64_MAX);
		T_TRUE(c->call_ns[i] && c->loop_ns[i]);
	}
	if (c->loop_ns[0] == UINT64_MAX)
		T_IS(weft_copy_calibrate_loop(c), 0);
	return c->loop_ns[0] != UINT64_MAX;
}

static void measurement_succeeds_or_returns_ebusy(void **state)
{
	struct weft_copy_calibration c;
	int ret = weft_copy_calibrate_measure(&c);

	for (int i = 0; i < 100 && (ret == -EBUSY || !loop_is_known(&c)); i++)
		ret = weft_copy_calibrate_measure(&c);
	if (ret == -EBUSY || ret == -ENOTSUP)
		skip();
	T_OK(ret);
	for (unsigned i = 0; i < WEFT_COPY_CALIBRATE_SIZES; i++)
		T_TRUE(c.twice_ns[i] && c.twice_ns[i] < 1000000000 &&
		       c.once_ns[i] && c.once_ns[i] < 1000000000);
	for (unsigned i = 0; loop_is_known(&c) && i < WEFT_COPY_CALIBRATE_LOOPS;
	     i++)
		T_TRUE(c.call_ns[i] < 1000000000 && c.loop_ns[i] < 1000000000);
}

static void one_cpu_returns_enotsup(void **state)
{
	struct weft_copy_calibration c;
	cpu_set_t all, one;

	T_OK(sched_getaffinity(0, sizeof(all), &all));
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	T_OK(sched_setaffinity(0, sizeof(one), &one));
	T_IS(weft_copy_calibrate_measure(&c), -ENOTSUP);
	T_IS(weft_copy_calibrate_loop(&c), 0);
	T_OK(sched_setaffinity(0, sizeof(all), &all));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(rendezvous_threshold_from_measurement),
		T_CASE(shared_copy_threshold),
		T_CASE(copy_loop_limit_from_measurement),
		T_CASE(measurement_succeeds_or_returns_ebusy),
		T_CASE(one_cpu_returns_enotsup),
	};

	return T_RUN(tests);
}
