/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program with an error: every rank receives from its left neighbour before
 * it sends to its right neighbour, so no rank ever sends (doc/tutorial.md).
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, size, token = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Recv(&token, 1, MPI_INT, (rank + size - 1) % size, 0,
		 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
	printf("rank %d is done\n", rank);
	MPI_Finalize();
	return 0;
}
