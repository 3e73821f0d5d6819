/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A first program: every rank prints a greeting, then ranks 0 and 1 exchange
 * messages (ping-pong) and rank 0 prints latency and bandwidth. Compile with
 * mpicc, run with mpiexec.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES (1 << 20)

static void greet(int rank, int size)
{
	char host[MPI_MAX_PROCESSOR_NAME];
	char version[MPI_MAX_LIBRARY_VERSION_STRING];
	int len;

	MPI_Get_processor_name(host, &len);
	MPI_Get_library_version(version, &len);
	version[strcspn(version, "\n")] = 0;
	printf("rank %d of %d on %s: hello\n", rank, size, host);
	fflush(stdout);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		printf("\n%s\n", version);
}

/* Returns the mean one-way time of a message, in seconds. */
static double one_way(int rank, char *buf, int bytes, int rounds)
{
	double start = MPI_Wtime();

	for (int i = 0; i < rounds; i++) {
		if (rank == 0) {
			MPI_Send(buf, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
			MPI_Recv(buf, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		} else {
			MPI_Recv(buf, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
			MPI_Send(buf, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
		}
	}
	return (MPI_Wtime() - start) / (2.0 * rounds);
}

static void ping_pong(int rank)
{
	char *buf = calloc(1, MAX_BYTES);

	if (rank == 0)
		printf("%10s %14s %18s\n", "bytes", "latency (us)",
		       "bandwidth (MB/s)");
	for (int bytes = 8; bytes <= MAX_BYTES; bytes *= 8) {
		int rounds = bytes < 65536 ? 2000 : 200;
		double t;

		one_way(rank, buf, bytes, rounds / 10);
		t = one_way(rank, buf, bytes, rounds);
		if (rank == 0)
			printf("%10d %14.2f %18.1f\n", bytes, t * 1e6,
			       bytes / t / 1e6);
	}
	free(buf);
}

int main(int argc, char **argv)
{
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	greet(rank, size);
	if (size > 1 && rank < 2)
		ping_pong(rank);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
