/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of a job: the last rank comes late to MPI_Finalize, and nobody must
 * be out of it before. A communicator with a route of its own is left behind.
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { LATE_US = 700000, COLLECTIVES = 40 };

int main(void)
{
	MPI_Comm left;
	double since;
	int rank, size;

	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_dup(MPI_COMM_WORLD, &left);
	for (int i = 0; i < COLLECTIVES; i++)
		MPI_Barrier(left);
	since = MPI_Wtime();
	if (rank == size - 1)
		usleep(LATE_US);
	MPI_Finalize();
	/* half of it: the barrier is not left by all at once */
	if (MPI_Wtime() - since < LATE_US / 2e6) {
		printf("rank %d left before the last one came\n", rank);
		return 1;
	}
	printf("rank %d: good\n", rank);
	return 0;
}
