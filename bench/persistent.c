/* SPDX-License-Identifier: BSD-3-Clause */
/* Ping-pong between ranks 0 and 1 with persistent requests. */
#include "bench.h"

static void start_wait(MPI_Request *r)
{
	MPI_Start(r);
	MPI_Wait(r, MPI_STATUS_IGNORE);
}

static double one_way(struct bench *b, char *send, char *recv, size_t n)
{
	int iters = bench_iters(b, n), peer = 1 - b->rank;
	MPI_Request s, r;
	double start = 0;

	MPI_Send_init(send, (int)n, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &s);
	MPI_Recv_init(recv, (int)n, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &r);
	for (int i = -bench_warmup(b, n); i < iters; i++) {
		if (i == 0)
			start = MPI_Wtime();
		start_wait(b->rank == 0 ? &s : &r);
		start_wait(b->rank == 0 ? &r : &s);
	}
	start = (MPI_Wtime() - start) * 1e6 / (2.0 * iters);
	MPI_Request_free(&s);
	MPI_Request_free(&r);
	return start;
}

int main(int argc, char **argv)
{
	struct bench b = { .title = "MPI Persistent Latency Test",
			   .max = 1 << 22,
			   .columns = 1,
			   .column = { "Latency (us)" } };
	char *send, *recv;

	bench_begin(&b, argc, argv);
	bench_require(&b, b.size >= 2, "2 ranks");
	send = bench_buffer(b.max);
	recv = bench_buffer(b.max);
	for (size_t n = b.min; n <= b.max; n = bench_next(n)) {
		double v = 0;

		bench_fill(send, n, (unsigned)b.rank);
		MPI_Barrier(MPI_COMM_WORLD);
		if (b.rank < 2)
			v = one_way(&b, send, recv, n);
		if (b.check)
			bench_check_all(
				&b, n,
				b.rank > 1 || bench_data_equal(
						      recv, n,
						      (unsigned)(1 - b.rank)));
		bench_row(&b, n, &v);
	}
	free(send);
	free(recv);
	return bench_end(&b);
}
