/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_health GO PID: leaves its pid in PID.RANK, waits until the file GO is
 * there, and receives a message of its neighbour. Who cannot says why and ends.
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

static void told(int rc)
{
	char text[MPI_MAX_ERROR_STRING];
	int len;

	if (rc == MPI_SUCCESS)
		return;
	MPI_Error_string(rc, text, &len);
	printf("survivor: %s\n", text);
	fflush(stdout);
	/* there is nobody to finalize with */
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
	/* all have met: a death is noticed by those who spoke */
	told(MPI_Sendrecv(&rank, 1, MPI_INT, to, 1, &word, 1, MPI_INT,
			  (rank + size - 1) % size, 1, MPI_COMM_WORLD,
			  MPI_STATUS_IGNORE));
	leave_pid(argv[2]);
	while (access(argv[1], F_OK))
		usleep(10000);
	/* its receiver may have gone; whoever waits for the dead is told */
	MPI_Send(&rank, 1, MPI_INT, to, 2, MPI_COMM_WORLD);
	told(MPI_Recv(&word, 1, MPI_INT, (rank + size - 1) % size, 2,
		      MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	MPI_Finalize();
	return 0;
}
