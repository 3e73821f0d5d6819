/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ends of connected jobs, for run_exit_modes.sh: two ranks spawn two children,
 * and all wait for each other. The argument selects the process that fails: a
 * child for "abort", "exit" and "kill", a parent for "parent". The other
 * processes must end.
 */
#include "mpi_t.h"

#include <signal.h>

int main(int argc, char **argv)
{
	char *args[] = { argv[1], NULL };
	MPI_Comm c;
	int v;

	mt_begin(&argc, &argv);
	MT_OK(MPI_Comm_get_parent(&c));
	if (c == MPI_COMM_NULL) {
		MT_OK(MPI_Comm_spawn(argv[0], args, 2, MPI_INFO_NULL, 0,
				     MPI_COMM_WORLD, &c, MPI_ERRCODES_IGNORE));
		if (!strcmp(argv[1], "parent") && !mt_rank)
			raise(SIGKILL);
	} else if (mt_rank) {
		if (!strcmp(argv[1], "abort"))
			MPI_Abort(MPI_COMM_WORLD, 5);
		if (!strcmp(argv[1], "exit"))
			exit(3);
		if (!strcmp(argv[1], "kill"))
			raise(SIGKILL);
	}
	MT_OK(MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 0, c,
		       MPI_STATUS_IGNORE));
	return mt_end();
}
