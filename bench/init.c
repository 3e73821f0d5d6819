/* SPDX-License-Identifier: BSD-3-Clause */
/* Time of MPI_Init over all ranks. */
#include "bench.h"

#include <time.h>

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	struct bench b = { .title = "MPI Init Test",
			   .columns = 3,
			   .column = { "Avg(ms)", "Min(ms)", "Max(ms)" } };
	double start = now_ms(), v[3];

	MPI_Init(&argc, &argv);
	start = now_ms() - start;
	bench_begin(&b, argc, argv);
	bench_spread(&b, start, v);
	bench_row(&b, 0, v);
	return bench_end(&b);
}
