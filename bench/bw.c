/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bandwidth from rank 0 to rank 1: windows of sends, with one reply per window.
 */
#include "p2p.h"

int main(int argc, char **argv)
{
	struct bench b = { .title = "MPI Bandwidth Test",
			   .min = 1,
			   .max = 1 << 22,
			   .iters = 100,
			   .iters_large = 20,
			   .column = { "Bandwidth (MB/s)", "Iterations" } };
	struct pair p;

	bench_begin(&b, argc, argv);
	bench_require(&b, b.size >= 2, "2 ranks");
	b.columns = b.full ? 2 : 1;
	pair_open(&p, &b, 1, true);
	for (size_t n = b.min; n <= b.max; n = bench_next(n)) {
		int iters = bench_iters(&b, n);
		double t = pair_time(&p, &b, n, pair_window);
		const double v[] = { (double)n * WINDOW * iters / t / 1e6,
				     iters };

		bench_row(&b, n, v);
	}
	return pair_close(&p, &b);
}
