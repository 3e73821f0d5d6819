/* SPDX-License-Identifier: BSD-3-Clause */
/* Many pairs: bandwidth and message rate of all together. */
#include "bench.h"

#define WINDOW 64

static MPI_Request req[WINDOW];

static void window(bool first, int peer, char *buf, int n)
{
	char ack = 0;

	if (first) {
		for (int i = 0; i < WINDOW; i++)
			MPI_Isend(buf, n, MPI_CHAR, peer, 100, MPI_COMM_WORLD,
				  &req[i]);
		MPI_Waitall(WINDOW, req, MPI_STATUSES_IGNORE);
		MPI_Recv(&ack, 1, MPI_CHAR, peer, 101, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	} else {
		for (int i = 0; i < WINDOW; i++)
			MPI_Irecv(buf, n, MPI_CHAR, peer, 100, MPI_COMM_WORLD,
				  &req[i]);
		MPI_Waitall(WINDOW, req, MPI_STATUSES_IGNORE);
		MPI_Send(&ack, 1, MPI_CHAR, peer, 101, MPI_COMM_WORLD);
	}
}

static void check(struct bench *b, bool first, int peer, char *buf, size_t n)
{
	if (first)
		bench_fill(buf, n, 9);
	else
		memset(buf, 0, n);
	window(first, peer, buf, (int)n);
	bench_verdict(b, n, bench_same(buf, n, 9));
}

int main(int argc, char **argv)
{
	struct bench b = { .title = "MPI Multiple Bandwidth, Message Rate Test",
			   .min = 1,
			   .max = 1 << 22,
			   .iters = 100,
			   .iters_large = 20,
			   .columns = 2,
			   .column = { "MB/s", "Messages/s" } };
	int pairs, peer;
	char *buf;
	bool first;

	bench_begin(&b, argc, argv);
	bench_need(&b, b.size >= 2 && b.size % 2 == 0,
		   "an even number of ranks");
	pairs = b.size / 2;
	first = b.rank < pairs;
	peer = first ? b.rank + pairs : b.rank - pairs;
	buf = bench_buffer(b.max);
	for (size_t n = b.min; n <= b.max; n = bench_next(n)) {
		int iters = bench_iters(&b, n);
		double start = 0, t, slowest, v[2];

		if (b.check)
			check(&b, first, peer, buf, n);
		MPI_Barrier(MPI_COMM_WORLD);
		for (int i = -bench_warmup(&b, n); i < iters; i++) {
			if (i == 0)
				start = MPI_Wtime();
			window(first, peer, buf, (int)n);
		}
		t = MPI_Wtime() - start;
		MPI_Reduce(&t, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0,
			   MPI_COMM_WORLD);
		v[1] = (double)pairs * WINDOW * iters / slowest;
		v[0] = v[1] * (double)n / 1e6;
		bench_row(&b, n, v);
	}
	free(buf);
	return bench_end(&b);
}
