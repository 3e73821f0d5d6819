/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Histogram of times with 32 steps per factor of two: percentiles have an error
 * of at most 3 %; sum, minimum and maximum are exact.
 */
#ifndef WEFT_SIM_HIST_H
#define WEFT_SIM_HIST_H

#include <stdint.h>

#define SIM_HIST_STEPS 32u
#define SIM_HIST_CELLS (SIM_HIST_STEPS * 60u)

struct sim_hist {
	uint64_t count, sum, min, max;
	uint64_t cell[SIM_HIST_CELLS];
};

void sim_hist_clear(struct sim_hist *h);
void sim_hist_add(struct sim_hist *h, uint64_t value);
double sim_hist_mean(const struct sim_hist *h);
/* Returns the quantile of `part` (0 to 1); 0: the histogram is empty. */
uint64_t sim_hist_quantile(const struct sim_hist *h, double part);
/* Returns the lower bound of a cell. */
uint64_t sim_hist_from(unsigned cell);

#endif
