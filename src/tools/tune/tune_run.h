/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of weft-tune: the grid of measurements, and the check. */
#ifndef WEFT_TUNE_RUN_H
#define WEFT_TUNE_RUN_H

#include "src/tools/tune/tune.h"

struct tune_run {
	int rank, world;
	bool check, verbose;
	const char *only; /* name of the only operation, or NULL */
	unsigned rank_count, size_count;
	uint64_t ranks[TUNE_GRID_MAX], sizes[TUNE_GRID_MAX];
};

/* Measures all algorithms; returns the time of the fastest and its name. */
double tune_fastest(enum tune_op op, int ranks, size_t bytes,
		    char best[TUNE_NAME]);
/* Checks one cell of the grid; returns the number of violations. */
unsigned tune_check(const struct tune_run *t, enum tune_op op, int ranks,
		    size_t bytes);

#endif
