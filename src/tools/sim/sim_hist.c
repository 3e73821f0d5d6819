/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See sim_hist.h. Each of the first buckets counts one value; above them, the
 * range between two powers of two is split into equal buckets.
 */
#include "src/tools/sim/sim_hist.h"

#include <string.h>

void sim_hist_clear(struct sim_hist *h)
{
	memset(h, 0, sizeof(*h));
	h->min = UINT64_MAX;
}

static unsigned cell_of(uint64_t value)
{
	unsigned shift = 0, cell;

	while (value >> shift >= 2 * SIM_HIST_STEPS)
		shift++;
	cell = shift * SIM_HIST_STEPS + (unsigned)(value >> shift);
	return cell < SIM_HIST_CELLS ? cell : SIM_HIST_CELLS - 1;
}

uint64_t sim_hist_from(unsigned cell)
{
	unsigned shift;

	if (cell < 2 * SIM_HIST_STEPS)
		return cell;
	shift = cell / SIM_HIST_STEPS - 1;
	return (uint64_t)(cell - shift * SIM_HIST_STEPS) << shift;
}

void sim_hist_add(struct sim_hist *h, uint64_t value)
{
	h->count++;
	h->sum += value;
	h->min = value < h->min ? value : h->min;
	h->max = value > h->max ? value : h->max;
	h->cell[cell_of(value)]++;
}

double sim_hist_mean(const struct sim_hist *h)
{
	return h->count ? (double)h->sum / (double)h->count : 0;
}

uint64_t sim_hist_quantile(const struct sim_hist *h, double part)
{
	uint64_t want = (uint64_t)(part * (double)h->count), seen = 0, mid;

	if (!h->count)
		return 0;
	for (unsigned c = 0; c + 1 < SIM_HIST_CELLS; c++) {
		seen += h->cell[c];
		if (seen <= want)
			continue;
		mid = (sim_hist_from(c) + sim_hist_from(c + 1)) / 2;
		mid = mid < h->min ? h->min : mid;
		return mid > h->max ? h->max : mid;
	}
	return h->max;
}
