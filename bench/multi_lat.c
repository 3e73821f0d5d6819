/* SPDX-License-Identifier: BSD-3-Clause */
/* Ping-pong of many pairs at once: the mean time of one way. */
#include "bench.h"

static void ping_pong(bool first, int peer, char *buf, int n)
{
	if (first) {
		MPI_Send(buf, n, MPI_CHAR, peer, 1, MPI_COMM_WORLD);
		MPI_Recv(buf, n, MPI_CHAR, peer, 1, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(buf, n, MPI_CHAR, peer, 1, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		MPI_Send(buf, n, MPI_CHAR, peer, 1, MPI_COMM_WORLD);
	}
}

static void check(struct bench *b, bool first, int peer, char *buf, size_t n)
{
	bench_fill(buf, n, (unsigned)b->rank);
	ping_pong(first, peer, buf, (int)n);
	/* the answer echoes the first rank's bytes on both sides */
	bench_verdict(b, n,
		      bench_same(buf, n, (unsigned)(first ? b->rank : peer)));
}

int main(int argc, char **argv)
{
	struct bench b = { .title = "MPI Multi Latency Test",
			   .max = 1 << 22,
			   .column = { "Latency (us)", "Min Latency(us)",
				       "Max Latency(us)", "Iterations" } };
	int pairs, peer;
	char *buf;
	bool first;

	bench_begin(&b, argc, argv);
	bench_need(&b, b.size >= 2 && b.size % 2 == 0,
		   "an even number of ranks");
	b.columns = b.full ? 4 : 1;
	pairs = b.size / 2;
	first = b.rank < pairs;
	peer = first ? b.rank + pairs : b.rank - pairs;
	buf = bench_buffer(b.max);
	for (size_t n = b.min; n <= b.max; n = bench_next(n)) {
		int iters = bench_iters(&b, n);
		double start = 0, v[4];

		if (b.check)
			check(&b, first, peer, buf, n);
		MPI_Barrier(MPI_COMM_WORLD);
		for (int i = -bench_warmup(&b, n); i < iters; i++) {
			if (i == 0)
				start = MPI_Wtime();
			ping_pong(first, peer, buf, (int)n);
		}
		bench_spread(&b, (MPI_Wtime() - start) * 1e6 / (2.0 * iters),
			     v);
		v[3] = iters;
		bench_row(&b, n, v);
	}
	free(buf);
	return bench_end(&b);
}
