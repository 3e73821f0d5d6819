/* SPDX-License-Identifier: BSD-3-Clause */
/* Bandwidth between ranks 0 and 1 in both directions at once, added up. */
#include "bench.h"

#define WINDOW 64

static MPI_Request req[2 * WINDOW];

static void window(int rank, char *send, char *recv, int n)
{
	if (rank > 1)
		return;
	for (int i = 0; i < WINDOW; i++)
		MPI_Irecv(recv, n, MPI_CHAR, 1 - rank, 10, MPI_COMM_WORLD,
			  &req[i]);
	for (int i = 0; i < WINDOW; i++)
		MPI_Isend(send, n, MPI_CHAR, 1 - rank, 10, MPI_COMM_WORLD,
			  &req[WINDOW + i]);
	MPI_Waitall(2 * WINDOW, req, MPI_STATUSES_IGNORE);
}

static void check(struct bench *b, char *send, char *recv, size_t n)
{
	bench_fill(send, n, (unsigned)b->rank);
	memset(recv, 0, n);
	window(b->rank, send, recv, (int)n);
	bench_verdict(b, n,
		      b->rank > 1 ||
			      bench_same(recv, n, (unsigned)(1 - b->rank)));
}

int main(int argc, char **argv)
{
	struct bench b = { .title = "MPI Bi-Directional Bandwidth Test",
			   .min = 1,
			   .max = 1 << 22,
			   .iters = 100,
			   .iters_large = 20,
			   .column = { "Bandwidth (MB/s)", "Iterations" } };
	char *send, *recv;

	bench_begin(&b, argc, argv);
	bench_need(&b, b.size >= 2, "2 ranks");
	b.columns = b.full ? 2 : 1;
	send = bench_buffer(b.max);
	recv = bench_buffer(b.max);
	for (size_t n = b.min; n <= b.max; n = bench_next(n)) {
		int iters = bench_iters(&b, n);
		double start = 0, v[2];

		if (b.check)
			check(&b, send, recv, n);
		MPI_Barrier(MPI_COMM_WORLD);
		for (int i = -bench_warmup(&b, n); i < iters; i++) {
			if (i == 0)
				start = MPI_Wtime();
			window(b.rank, send, recv, (int)n);
		}
		v[0] = 2.0 * (double)n * WINDOW * iters /
		       (MPI_Wtime() - start) / 1e6;
		v[1] = iters;
		bench_row(&b, n, v);
	}
	free(send);
	free(recv);
	return bench_end(&b);
}
