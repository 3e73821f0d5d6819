/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of a monotonic host clock and of a virtual clock. */
#include "test/t.h"
#include "src/base/clock.h"

static void wall_clock_is_monotonic(void **state)
{
	uint64_t last = weft_clock_now_ps(&weft_wall_clock);

	for (int i = 0; i < 10000; i++) {
		uint64_t now = weft_clock_now_ps(&weft_wall_clock);

		T_TRUE(now >= last);
		last = now;
	}
	T_TRUE(last / 1000 <= weft_now_ns());
}

static uint64_t read_time(void *arg)
{
	return *(uint64_t *)arg;
}

static void virtual_clock_calls_owner(void **state)
{
	uint64_t t = 7;
	struct weft_clock c = { read_time, &t };

	T_IS(weft_clock_now_ps(&c), 7);
	t = 9;
	T_IS(weft_clock_now_ps(&c), 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(wall_clock_is_monotonic),
		T_CASE(virtual_clock_calls_owner),
	};

	return T_RUN(tests);
}
