/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints "threads N private N": the largest number of threads of a rank, and
 * the largest private memory of a rank, in KiB, after communication with its
 * neighbours and a collective.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns the sum of the values of all lines "NAME: N" of a file. */
static long field(const char *file, const char *format)
{
	FILE *f = fopen(file, "r");
	char line[512];
	long sum = 0, n;

	if (!f)
		MPI_Abort(MPI_COMM_WORLD, 1);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, format, &n) == 1)
			sum += n;
	fclose(f);
	return sum;
}

int main(int argc, char **argv)
{
	int rank, size, out, in = -1;
	long mine[2], most[2];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	out = rank;
	MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, 0, &in, 1, MPI_INT,
		     (rank + size - 1) % size, 0, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	if (in != (rank + size - 1) % size)
		MPI_Abort(MPI_COMM_WORLD, 2);
	mine[0] = field("/proc/self/status", "Threads: %ld");
	/* excludes the world, whose pages all ranks share */
	mine[1] = field("/proc/self/status", "RssAnon: %ld");
	MPI_Allreduce(mine, most, 2, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
	if (rank == 0)
		printf("threads %ld private %ld\n", most[0], most[1]);
	MPI_Finalize();
	return 0;
}
