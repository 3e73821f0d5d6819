/* SPDX-License-Identifier: BSD-3-Clause */
/* Spawns a process, for run_launchers.sh, and prints the error of every rank.
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	char text[MPI_MAX_ERROR_STRING] = "no error";
	MPI_Comm parent, made;
	int rank, err, class = MPI_SUCCESS, len;

	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (parent == MPI_COMM_NULL) {
		err = MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL,
				     0, MPI_COMM_WORLD, &made,
				     MPI_ERRCODES_IGNORE);
		if (err) {
			MPI_Error_class(err, &class);
			MPI_Error_string(err, text, &len);
		}
		printf("rank %d, %s: %s\n", rank,
		       class == MPI_ERR_SPAWN ? "MPI_ERR_SPAWN" : "other class",
		       text);
	}
	MPI_Finalize();
	return 0;
}
