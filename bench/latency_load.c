/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ping-pong with a check of the data between messages, for a host that also
 * runs other processes (option --busy of bench/compare). Round trips of more
 * than a millisecond have waited for the processor: their number and time are
 * reported separately.
 */
#include "bench.h"

#define LATE_S 1e-3

/* Times of the round trips of one size. */
struct trips {
	double all_s;
	double late_s;
	int late;
};

static double trip(char *buf, int n, int rank)
{
	double start = MPI_Wtime();

	if (rank == 0) {
		MPI_Send(buf, n, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
		MPI_Recv(buf, n, MPI_CHAR, 1, 1, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	} else if (rank == 1) {
		MPI_Recv(buf, n, MPI_CHAR, 0, 1, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		MPI_Send(buf, n, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
	}
	return MPI_Wtime() - start;
}

/* Reads the buffer for some microseconds; returns the number of wrong bytes. */
static int check(const volatile char *buf, int n)
{
	int wrong = 0;

	for (int i = 0; i < 4000; i++)
		wrong += buf[i % n] != 'a';
	return wrong;
}

static struct trips run(char *buf, int n, int iters, int rank)
{
	struct trips t = { 0 };

	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = -10; i < iters; i++) {
		double s = trip(buf, n, rank);

		if (check(buf, n))
			MPI_Abort(MPI_COMM_WORLD, 1);
		if (i < 0)
			continue;
		t.all_s += s;
		if (s > LATE_S) {
			t.late_s += s;
			t.late++;
		}
	}
	return t;
}

int main(int argc, char **argv)
{
	struct bench b = { .title = "Latency Test beside Load",
			   .min = 4,
			   .max = 4096,
			   .iters = 20000,
			   .columns = 4,
			   .column = { "Latency(us)", "Under 1 ms(us)",
				       "Late trips", "Each(ms)" } };
	char *buf;

	bench_begin(&b, argc, argv);
	buf = bench_buffer(b.max);
	memset(buf, 'a', b.max);
	for (size_t n = b.min; n <= b.max; n *= 32) {
		int iters = bench_iters(&b, n);
		struct trips t = run(buf, (int)n, iters, b.rank);
		double v[] = { t.all_s / iters / 2 * 1e6,
			       (t.all_s - t.late_s) / (iters - t.late) / 2 *
				       1e6,
			       t.late, t.late ? t.late_s / t.late * 1e3 : 0 };

		bench_row(&b, n, v);
	}
	free(buf);
	return bench_end(&b);
}
