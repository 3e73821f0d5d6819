/* SPDX-License-Identifier: BSD-3-Clause */
/* Bandwidth from rank 0 to rank 1: windows of sends, one answer each. */
#include "bench.h"

#define WINDOW 64

static MPI_Request req[WINDOW];

static void window(int rank, char *buf, int n, int count)
{
	char ack = 0;

	if (rank == 0) {
		for (int i = 0; i < count; i++)
			MPI_Isend(buf, n, MPI_CHAR, 1, 100, MPI_COMM_WORLD,
				  &req[i]);
		MPI_Waitall(count, req, MPI_STATUSES_IGNORE);
		MPI_Recv(&ack, 1, MPI_CHAR, 1, 101, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	} else if (rank == 1) {
		for (int i = 0; i < count; i++)
			MPI_Irecv(buf, n, MPI_CHAR, 0, 100, MPI_COMM_WORLD,
				  &req[i]);
		MPI_Waitall(count, req, MPI_STATUSES_IGNORE);
		MPI_Send(&ack, 1, MPI_CHAR, 0, 101, MPI_COMM_WORLD);
	}
}

static void check(struct bench *b, char *buf, size_t n)
{
	if (b->rank == 0)
		bench_fill(buf, n, 9);
	else
		memset(buf, 0, n);
	window(b->rank, buf, (int)n, WINDOW);
	bench_verdict(b, n, b->rank > 1 || bench_same(buf, n, 9));
}

int main(int argc, char **argv)
{
	struct bench b = { .title = "MPI Bandwidth Test",
			   .min = 1,
			   .max = 1 << 22,
			   .iters = 100,
			   .iters_large = 20,
			   .column = { "Bandwidth (MB/s)", "Iterations" } };
	char *buf;

	bench_begin(&b, argc, argv);
	bench_need(&b, b.size >= 2, "2 ranks");
	b.columns = b.full ? 2 : 1;
	buf = bench_buffer(b.max);
	for (size_t n = b.min; n <= b.max; n = bench_next(n)) {
		int iters = bench_iters(&b, n);
		double start = 0, v[2];

		if (b.check)
			check(&b, buf, n);
		MPI_Barrier(MPI_COMM_WORLD);
		for (int i = -bench_warmup(&b, n); i < iters; i++) {
			if (i == 0)
				start = MPI_Wtime();
			window(b.rank, buf, (int)n, WINDOW);
		}
		v[0] = (double)n * WINDOW * iters / (MPI_Wtime() - start) / 1e6;
		v[1] = iters;
		bench_row(&b, n, v);
	}
	free(buf);
	return bench_end(&b);
}
