/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ping-pong between rank 0 and several threads of rank 1 (MPI_THREAD_MULTIPLE).
 * The argument sets the number of threads, default 2.
 */
#include "bench.h"

#include <pthread.h>

#define MAX_THREADS 64

struct echo {
	pthread_t thread;
	size_t bytes;
	int rounds;
};

static void *echo(void *arg)
{
	struct echo *e = arg;
	char *buf = bench_buffer(e->bytes);

	for (int i = 0; i < e->rounds; i++) {
		MPI_Recv(buf, (int)e->bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		MPI_Send(buf, (int)e->bytes, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
	}
	free(buf);
	return NULL;
}

static void serve_pings(struct echo *e, int threads, int rounds, size_t bytes)
{
	for (int t = 0; t < threads; t++) {
		e[t].bytes = bytes;
		e[t].rounds = rounds / threads + (t < rounds % threads);
		pthread_create(&e[t].thread, NULL, echo, &e[t]);
	}
	for (int t = 0; t < threads; t++)
		pthread_join(e[t].thread, NULL);
}

static double ping(char *buf, int rounds, int warmup, int n)
{
	double start = 0;

	for (int i = -warmup; i < rounds; i++) {
		if (i == 0)
			start = MPI_Wtime();
		MPI_Send(buf, n, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
		MPI_Recv(buf, n, MPI_CHAR, 1, 2, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	}
	return (MPI_Wtime() - start) * 1e6 / (2.0 * rounds);
}

int main(int argc, char **argv)
{
	struct bench b = { .title = "MPI Multi-threaded Latency Test",
			   .max = 1 << 20,
			   .iters = 1000,
			   .columns = 1,
			   .column = { "Latency (us)" } };
	struct echo e[MAX_THREADS];
	int provided, threads;
	char *buf;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	bench_begin(&b, argc, argv);
	bench_require(&b, provided == MPI_THREAD_MULTIPLE,
		      "MPI_THREAD_MULTIPLE");
	bench_require(&b, b.size == 2, "2 ranks");
	threads = b.extra ? atoi(b.extra) : 2;
	bench_require(&b, threads > 0 && threads <= MAX_THREADS,
		      "1-64 threads");
	buf = bench_buffer(b.max);
	for (size_t n = b.min; n <= b.max; n = bench_next(n)) {
		int rounds = bench_iters(&b, n);
		int warmup = bench_warmup(&b, n);
		double v = 0;

		MPI_Barrier(MPI_COMM_WORLD);
		if (b.rank == 0)
			v = ping(buf, rounds, warmup, (int)n);
		else
			serve_pings(e, threads, rounds + warmup, n);
		bench_row(&b, n, &v);
	}
	free(buf);
	return bench_end(&b);
}
