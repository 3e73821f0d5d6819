/* SPDX-License-Identifier: BSD-3-Clause */
/* Ping-pong between ranks 0 and 1: time of one way. */
#include "bench.h"

static void ping_pong(int rank, char *send, char *recv, int n)
{
	if (rank == 0) {
		MPI_Send(send, n, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
		MPI_Recv(recv, n, MPI_CHAR, 1, 1, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	} else if (rank == 1) {
		MPI_Recv(recv, n, MPI_CHAR, 0, 1, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		MPI_Send(send, n, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
	}
}

static void check(struct bench *b, char *send, char *recv, size_t n)
{
	bench_fill(send, n, (unsigned)b->rank);
	memset(recv, 0, n);
	ping_pong(b->rank, send, recv, (int)n);
	bench_verdict(b, n,
		      b->rank > 1 ||
			      bench_same(recv, n, (unsigned)(1 - b->rank)));
}

int main(int argc, char **argv)
{
	struct bench b = { .title = "MPI Latency Test",
			   .max = 1 << 22,
			   .column = { "Latency (us)", "Iterations" } };
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
			ping_pong(b.rank, send, recv, (int)n);
		}
		v[0] = (MPI_Wtime() - start) * 1e6 / (2.0 * iters);
		v[1] = iters;
		bench_row(&b, n, v);
	}
	free(send);
	free(recv);
	return bench_end(&b);
}
