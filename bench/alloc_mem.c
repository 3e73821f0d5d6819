/* SPDX-License-Identifier: BSD-3-Clause */
/* Time of one pair of MPI_Alloc_mem and MPI_Free_mem, called alternately. */
#include "bench.h"

/*
 * Returns the time of one pair in microseconds; writes the first byte of each
 * block.
 */
static double pair(size_t n, int iters)
{
	double start = 0;
	char *mem;

	MPI_Barrier(MPI_COMM_WORLD);
	bench_realtime(true);
	for (int i = -10; i < iters; i++) {
		if (i == 0)
			start = MPI_Wtime();
		MPI_Alloc_mem((MPI_Aint)n, MPI_INFO_NULL, &mem);
		mem[0] = 1;
		MPI_Free_mem(mem);
	}
	start = MPI_Wtime() - start;
	bench_realtime(false);
	return start * 1e6 / iters;
}

int main(int argc, char **argv)
{
	struct bench b = { .title = "MPI_Alloc_mem and MPI_Free_mem Test",
			   .min = 8,
			   .max = 16 << 20,
			   .iters = 10000,
			   .columns = 1,
			   .column = { "Pair(us)" } };
	double us;

	bench_begin(&b, argc, argv);
	for (size_t n = b.min; n <= b.max; n *= 8) {
		us = pair(n, bench_iters(&b, n));
		bench_row(&b, n, &us);
	}
	return bench_end(&b);
}
