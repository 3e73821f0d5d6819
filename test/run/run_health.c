/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_health GO PID: writes its pid to PID.RANK, waits until the file GO
 * exists, and receives a message from its neighbour. A rank that gets an error
 * prints it and exits.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int size, rank;

static void leave_pid(const char *name)
{
	char path[4096], part[4096 + 8];
	FILE *f;

	snprintf(path, sizeof(path), "%s.%d", name, rank);
	snprintf(part, sizeof(part), "%s.part", path);
	f = fopen(part, "w");
	if (!f)
		return;
	fprintf(f, "%d\n", getpid());
	fclose(f);
	rename(part, path);
}

static void exit_on_error(int rc)
{
	char text[MPI_MAX_ERROR_STRING];
	int len;

	if (rc == MPI_SUCCESS)
		return;
	MPI_Error_string(rc, text, &len);
	printf("survivor: %s\n", text);
	fflush(stdout);
	/* MPI_Finalize would not complete */
	_exit(3);
}

int main(int argc, char **argv)
{
	int word = 0, to;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	to = (rank + 1) % size;
	/*
	 * connect all neighbours: only ranks that communicate with a dead rank
	 * detect its death
	 */
	exit_on_error(MPI_Sendrecv(&rank, 1, MPI_INT, to, 1, &word, 1, MPI_INT,
				   (rank + size - 1) % size, 1, MPI_COMM_WORLD,
				   MPI_STATUS_IGNORE));
	leave_pid(argv[2]);
	while (access(argv[1], F_OK))
		usleep(10000);
	/*
	 * the receiver may have exited; a rank that waits for a dead rank gets
	 * an error
	 */
	MPI_Send(&rank, 1, MPI_INT, to, 2, MPI_COMM_WORLD);
	exit_on_error(MPI_Recv(&word, 1, MPI_INT, (rank + size - 1) % size, 2,
			       MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	MPI_Finalize();
	return 0;
}
