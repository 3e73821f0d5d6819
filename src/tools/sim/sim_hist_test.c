/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of histograms: cells, percentiles. */
#include "src/tools/sim/sim_hist.h"
#include "test/t.h"

static void cells_are_contiguous(void **state)
{
	for (unsigned c = 1; c + 1 < SIM_HIST_CELLS; c++)
		if (sim_hist_from(c) && sim_hist_from(c - 1) < (1ull << 60))
			T_TRUE(sim_hist_from(c) > sim_hist_from(c - 1));
}

static void percentiles_are_within_three_percent(void **state)
{
	static struct sim_hist h;

	sim_hist_clear(&h);
	T_IS(sim_hist_quantile(&h, 0.5), 0);
	for (uint64_t v = 1; v <= 100000; v++)
		sim_hist_add(&h, v * 1000);
	T_IS(h.min, 1000);
	T_IS(h.max, 100000000);
	T_TRUE(sim_hist_mean(&h) == 50000500);
	for (unsigned p = 1; p < 100; p++) {
		double got = (double)sim_hist_quantile(&h, p / 100.0);

		T_TRUE(got > 0.97 * p * 1e6 && got < 1.03 * p * 1e6);
	}
}

static void large_values_are_in_the_last_cell(void **state)
{
	static struct sim_hist h;

	sim_hist_clear(&h);
	sim_hist_add(&h, UINT64_MAX);
	T_IS(sim_hist_quantile(&h, 0.5), UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(cells_are_contiguous),
		T_CASE(percentiles_are_within_three_percent),
		T_CASE(large_values_are_in_the_last_cell),
	};

	return T_RUN(tests);
}
