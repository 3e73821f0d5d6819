/* SPDX-License-Identifier: BSD-3-Clause */
/* Bandwidth between ranks 0 and 1 in both directions at once: sum of both. */
#include "p2p.h"

static void bidirectional(struct pair *p, int n)
{
	for (int i = 0; i < WINDOW; i++)
		MPI_Irecv(p->recv, n, MPI_CHAR, p->peer, 10, MPI_COMM_WORLD,
			  &p->req[i]);
	for (int i = 0; i < WINDOW; i++)
		MPI_Isend(p->send, n, MPI_CHAR, p->peer, 10, MPI_COMM_WORLD,
			  &p->req[WINDOW + i]);
	MPI_Waitall(2 * WINDOW, p->req, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
	struct bench b = { .title = "MPI Bi-Directional Bandwidth Test",
			   .min = 1,
			   .max = 1 << 22,
			   .iters = 100,
			   .iters_large = 20,
			   .column = { "Bandwidth (MB/s)", "Iterations" } };
	struct pair p;

	bench_begin(&b, argc, argv);
	bench_require(&b, b.size >= 2, "2 ranks");
	b.columns = b.full ? 2 : 1;
	pair_open(&p, &b, 1, false);
	for (size_t n = b.min; n <= b.max; n = bench_next(n)) {
		int iters = bench_iters(&b, n);
		double t = pair_time(&p, &b, n, bidirectional);
		const double v[] = { 2.0 * (double)n * WINDOW * iters / t / 1e6,
				     iters };

		bench_row(&b, n, v);
	}
	return pair_close(&p, &b);
}
