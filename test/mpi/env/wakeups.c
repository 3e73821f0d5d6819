/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting ranks do not use the processors: counts the wakeups of a rank while
 * rank 0 is late, first when the communicator joins a class route, then in
 * MPI_Finalize. A thousand ranks that poll every millisecond would leave no CPU
 * time for the join.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define LATE_S 1.0

static int rank, size;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long switches(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return u.ru_nvcsw;
}

static void arrive_late(void)
{
	double end = now() + LATE_S;

	while (rank == 0 && now() < end)
		;
}

/*
 * Checks that there are at most `rate` wakeups per second, plus a few at the
 * start and end, when every other rank may send a message.
 */
static void check(const char *what, long woken, double waited, double rate)
{
	if (rank == 0 || (double)woken <= 15 + 5 * size + rate * waited)
		return;
	fprintf(stderr, "rank %d woke %ld times in %.2f s of %s\n", rank, woken,
		waited, what);
	exit(1);
}

static int finalize(void)
{
	return MPI_Finalize();
}

static void measure(const char *what, int (*call)(void), double rate)
{
	long before;
	double start;

	arrive_late();
	before = switches();
	start = now();
	call();
	check(what, switches() - before, now() - start, rate);
}

static MPI_Comm comm;

static int barrier(void)
{
	return MPI_Barrier(comm);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Barrier(comm);
	/* at its second collective, a communicator joins a class route */
	measure("a join", barrier, 100);
	MPI_Comm_free(&comm);
	measure("MPI_Finalize", finalize, 40);
	return 0;
}
