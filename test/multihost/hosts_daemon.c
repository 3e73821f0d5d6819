/* SPDX-License-Identifier: BSD-3-Clause */
/* Job of hosts_daemon.sh: prints each rank's host, then runs an action. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void act(const char *what, int rank, int size)
{
	char line[256];

	if (!strcmp(what, "read") && !rank)
		while (fgets(line, sizeof(line), stdin))
			printf("read %s", line);
	if (!strcmp(what, "sleep"))
		sleep(1000);
	if (rank != size - 1)
		return;
	if (!strcmp(what, "kill"))
		raise(SIGKILL);
	if (!strcmp(what, "exit"))
		exit(3);
	if (!strcmp(what, "abort"))
		MPI_Abort(MPI_COMM_WORLD, 5);
}

int main(int argc, char **argv)
{
	int rank, size, sum = 0, len;
	char name[MPI_MAX_PROCESSOR_NAME];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Get_processor_name(name, &len);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	printf("rank %d of %d on %s: %s of %s there, sum %d, E=%s\n", rank,
	       size, name, getenv("MPI_LOCALRANKID"), getenv("MPI_LOCALNRANKS"),
	       sum, getenv("E") ? getenv("E") : "");
	fflush(stdout);
	if (argc > 1)
		act(argv[1], rank, size);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return argc > 1 && !strcmp(argv[1], "exit-late") && rank == size - 1
		       ? 3
		       : 0;
}
