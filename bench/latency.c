/* SPDX-License-Identifier: BSD-3-Clause */
/* Ping-pong between ranks 0 and 1: one-way time. */
#include "p2p.h"

int main(int argc, char **argv)
{
	struct bench b = { .title = "MPI Latency Test",
			   .max = 1 << 22,
			   .column = { "Latency (us)", "Iterations" } };
	struct pair p;

	bench_begin(&b, argc, argv);
	bench_require(&b, b.size >= 2, "2 ranks");
	b.columns = b.full ? 2 : 1;
	pair_open(&p, &b, 1, false);
	for (size_t n = b.min; n <= b.max; n = bench_next(n)) {
		int iters = bench_iters(&b, n);
		double t = pair_time(&p, &b, n, pair_ping_pong);
		const double v[] = { t * 1e6 / (2.0 * iters), iters };

		bench_row(&b, n, v);
	}
	return pair_close(&p, &b);
}
