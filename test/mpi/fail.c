/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends the way its argument says; run_fail.sh looks at what is left. */
#include "mt.h"

int main(int argc, char **argv)
{
	int x = 0;

	mt_begin(&argc, &argv);
	MPI_Barrier(MPI_COMM_WORLD);
	if (!strcmp(argv[1], "abort") && mt_rank == mt_size - 1)
		MPI_Abort(MPI_COMM_WORLD, 33);
	if (!strcmp(argv[1], "rank") && mt_rank == 0)
		MPI_Send(&x, 1, MPI_INT, mt_size, 0, MPI_COMM_WORLD);
	if (!strcmp(argv[1], "trunc")) {
		int y[2] = { 1, 2 };

		MPI_Send(y, 2, MPI_INT, mt_rank, 0, MPI_COMM_WORLD);
		MPI_Recv(&x, 1, MPI_INT, mt_rank, 0, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	}
	/* everybody else waits for what never comes */
	if (strcmp(argv[1], "good"))
		MPI_Recv(&x, 1, MPI_INT, mt_rank, 1, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	return mt_end();
}
