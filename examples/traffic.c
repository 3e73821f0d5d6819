/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Endless background traffic for another job in virtual time:
 *
 *   mpicc -o traffic traffic.c
 *   mpiexec --machine bgq:2x2x2x2x2 -n 8 ./program : \
 *           --job --background -n 24 --place random ./traffic random 65536
 *
 * Arguments: the pattern ring, shift (default), random or alltoall; bytes of a
 * message (65536); number of rounds (default: without end).
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

/* Returns the next number of a sequence that is the same in all ranks. */
static unsigned next_random(void)
{
	static unsigned long long state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33);
}

/* Returns the distance from a rank to its receiver in this round. */
static int distance(const char *pattern, long round)
{
	if (!strcmp(pattern, "ring"))
		return 1;
	if (!strcmp(pattern, "shift"))
		return (int)(round % ranks);
	return (int)(next_random() % (unsigned)ranks);
}

static void shift(int by, char *out, char *in, int bytes)
{
	MPI_Sendrecv(out, bytes, MPI_BYTE, (rank + by) % ranks, 0, in, bytes,
		     MPI_BYTE, (rank + ranks - by) % ranks, 0, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	const char *pattern = argc > 1 ? argv[1] : "shift";
	int bytes = argc > 2 ? atoi(argv[2]) : 65536;
	long rounds = argc > 3 ? atol(argv[3]) : -1;
	int all = !strcmp(pattern, "alltoall");
	char *out, *in;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	out = calloc((size_t)ranks, (size_t)bytes);
	in = calloc((size_t)ranks, (size_t)bytes);
	if (!out || !in || bytes < 1) {
		fprintf(stderr, "traffic: cannot allocate %d x %d bytes\n",
			ranks, bytes);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	for (long round = 0; round != rounds; round++) {
		if (all)
			MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE,
				     MPI_COMM_WORLD);
		else
			shift(distance(pattern, round), out, in, bytes);
	}
	free(out);
	free(in);
	MPI_Finalize();
	return 0;
}
