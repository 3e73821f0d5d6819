/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A solver that survives the failure of ranks (rod.h). When a rank fails, the
 * others repair the communicator, divide the rod again, and continue.
 *
 *   mpicc survive.c -o survive
 *   mpiexec --survive -n 4 ./survive        no failure
 *   mpiexec --survive -n 4 ./survive 2 35   rank 2 kills itself at step 35
 */
#include "rod.h"

/*
 * Replaces comm by a communicator of the survivors, and returns to the last
 * state that all of them have.
 */
static void repair(void)
{
	MPI_Comm made;
	int last, common;

	MPIX_Comm_revoke(comm);
	MPIX_Comm_shrink(comm, &made);
	if (comm != MPI_COMM_WORLD)
		MPI_Comm_free(&comm);
	comm = made;
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	last = last_kept();
	/* if another rank fails here, repair() is called again */
	if (MPI_Allreduce(&last, &common, 1, MPI_INT, MPI_MIN, comm))
		return;
	now = kept[common / INTERVAL % 2];
	if (!rank)
		printf("%d ranks continue at step %d\n", size, common);
}

int main(int argc, char **argv)
{
	int victim = argc > 2 ? atoi(argv[1]) : -1;
	int when = argc > 2 ? atoi(argv[2]) : 0;

	MPI_Init(&argc, &argv);
	begin();
	run(victim, when, repair);
	print_result();
	return MPI_Finalize();
}
