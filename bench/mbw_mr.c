/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Total bandwidth and message rate of many pairs; with the argument "statuses"
 * MPI_Waitall returns a status for every message.
 */
#include "p2p.h"

int main(int argc, char **argv)
{
	struct bench b = { .title = "MPI Multiple Bandwidth, Message Rate Test",
			   .min = 1,
			   .max = 1 << 22,
			   .iters = 100,
			   .iters_large = 20,
			   .columns = 2,
			   .column = { "MB/s", "Messages/s" } };
	MPI_Status statuses[WINDOW];
	struct pair p;

	bench_begin(&b, argc, argv);
	bench_require(&b, b.size >= 2 && b.size % 2 == 0,
		      "an even number of ranks");
	pair_open(&p, &b, b.size / 2, true);
	if (b.extra && !strcmp(b.extra, "statuses")) {
		p.statuses = statuses;
		b.column[1] = "With statuses/s";
	}
	for (size_t n = b.min; n <= b.max; n = bench_next(n)) {
		double t = pair_time(&p, &b, n, pair_window), slowest, v[2];

		MPI_Reduce(&t, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0,
			   MPI_COMM_WORLD);
		v[1] = b.size / 2.0 * WINDOW * bench_iters(&b, n) / slowest;
		v[0] = v[1] * (double)n / 1e6;
		bench_row(&b, n, v);
	}
	return pair_close(&p, &b);
}
