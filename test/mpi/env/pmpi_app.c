/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Program for the test of the profiling interface: 3 sends and receives in a
 * ring, 2 allreduces, and functions that use messages internally, which must
 * not be counted.
 */
#include "mpi_t.h"

int main(int argc, char **argv)
{
	int i, sum, x;
	MPI_Comm c;

	mt_begin(&argc, &argv);
	for (i = 0; i < 3; i++) {
		MPI_Send(&i, 1, MPI_INT, (mt_rank + 1) % mt_size, 0,
			 MPI_COMM_WORLD);
		MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		MT_IS(x, i);
	}
	for (i = 0; i < 2; i++)
		MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Comm_dup(MPI_COMM_WORLD, &c);
	MPI_Barrier(c);
	MPI_Comm_free(&c);
	return mt_end();
}
