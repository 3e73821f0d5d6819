/* SPDX-License-Identifier: BSD-3-Clause */
/* Ping-pong of many pairs at once: mean one-way time. */
#include "p2p.h"

int main(int argc, char **argv)
{
	struct bench b = { .title = "MPI Multi Latency Test",
			   .max = 1 << 22,
			   .column = { "Latency (us)", "Min Latency(us)",
				       "Max Latency(us)", "Iterations" } };
	struct pair p;

	bench_begin(&b, argc, argv);
	bench_require(&b, b.size >= 2 && b.size % 2 == 0,
		      "an even number of ranks");
	b.columns = b.full ? 4 : 1;
	pair_open(&p, &b, b.size / 2, true);
	for (size_t n = b.min; n <= b.max; n = bench_next(n)) {
		int iters = bench_iters(&b, n);
		double t = pair_time(&p, &b, n, pair_ping_pong), v[4];

		bench_spread(&b, t * 1e6 / (2.0 * iters), v);
		v[3] = iters;
		bench_row(&b, n, v);
	}
	return pair_close(&p, &b);
}
