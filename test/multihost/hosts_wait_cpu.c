/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPU time used while waiting for a late rank on another host: the waiting rank
 * must yield the processor. CPU time, not wall time, is measured, so that load
 * on the host has little effect.
 */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#define TURNS	100
#define AWAY_NS 5000000 /* much longer than the spin of any wait policy */
#define MOST_US 400

static double cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void delay(void)
{
	const struct timespec t = { .tv_nsec = AWAY_NS };

	nanosleep(&t, NULL);
}

int main(int argc, char **argv)
{
	double us;
	int rank, word = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	us = cpu_us();
	for (int i = 0; i < TURNS; i++) {
		if (rank == 0) {
			MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
			continue;
		}
		delay();
		MPI_Send(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	us = (cpu_us() - us) / TURNS;
	printf("rank %d: %.0f us of CPU time per message\n", rank, us);
	printf("rank %d: %s\n", rank, us < MOST_US ? "good" : "too much");
	MPI_Finalize();
	return 0;
}
