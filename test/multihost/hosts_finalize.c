/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of a job: the last rank calls MPI_Finalize late, and no other rank
 * may return from MPI_Finalize before that. A communicator with a class route
 * is not freed.
 *   hosts_finalize FILE    the last rank creates FILE before MPI_Finalize
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { LATE_US = 700000, COLLECTIVES = 40 };

static void make(const char *file)
{
	FILE *f = fopen(file, "w");

	if (f)
		fclose(f);
}

int main(int argc, char **argv)
{
	MPI_Comm left;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_dup(MPI_COMM_WORLD, &left);
	for (int i = 0; i < COLLECTIVES; i++)
		MPI_Barrier(left);
	if (rank == size - 1) {
		usleep(LATE_US);
		make(argv[1]);
	}
	MPI_Finalize();
	if (access(argv[1], F_OK)) {
		printf("rank %d left MPI_Finalize before the last rank called "
		       "it\n",
		       rank);
		return 1;
	}
	printf("rank %d: good\n", rank);
	return 0;
}
