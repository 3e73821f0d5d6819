/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Endless background traffic for another job in virtual time:
 *
 *   mpicc -o traffic traffic.c
 *   mpiexec --machine bgq:2x2x2x2x2 -n 8 ./program : \
 *           --job --background -n 24 --place random ./traffic random 65536
 *
 * Arguments: the pattern ring, shift (default), random or alltoall; bytes of a
 * message (65536); number of rounds (default: unlimited). The first and the
 * last byte of every message depend on its sender and round, and are checked.
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

/* Marks a message of this rank. */
static void mark(char *message, int bytes, long round)
{
	message[0] = message[bytes - 1] = (char)(7 * rank + round + 1);
}

/* Checks the marks of a received message, and removes them. */
static void check(char *message, int bytes, int from, long round)
{
	char want = (char)(7 * from + round + 1);

	if (message[0] != want || message[bytes - 1] != want) {
		fprintf(stderr,
			"traffic: rank %d, round %ld: wrong data from rank "
			"%d\n",
			rank, round, from);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	message[0] = message[bytes - 1] = (char)(want + 1);
}

static void shift(int by, char *out, char *in, int bytes, long round)
{
	int from = (rank + ranks - by) % ranks;

	mark(out, bytes, round);
	MPI_Sendrecv(out, bytes, MPI_BYTE, (rank + by) % ranks, 0, in, bytes,
		     MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	check(in, bytes, from, round);
}

static void alltoall(char *out, char *in, int bytes, long round)
{
	for (int i = 0; i < ranks; i++)
		mark(out + (size_t)i * (size_t)bytes, bytes, round);
	MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
	for (int i = 0; i < ranks; i++)
		check(in + (size_t)i * (size_t)bytes, bytes, i, round);
}

/* Returns memory for a message to each rank. */
static char *messages(int bytes)
{
	char *p = calloc((size_t)ranks, (size_t)bytes);

	if (p)
		return p;
	fprintf(stderr, "traffic: cannot allocate %d x %d bytes\n", ranks,
		bytes);
	MPI_Abort(MPI_COMM_WORLD, 1);
	exit(1);
}

static int is_pattern(const char *name)
{
	return !strcmp(name, "ring") || !strcmp(name, "shift") ||
	       !strcmp(name, "random") || !strcmp(name, "alltoall");
}

int main(int argc, char **argv)
{
	const char *pattern = argc > 1 ? argv[1] : "shift";
	int bytes = argc > 2 ? atoi(argv[2]) : 65536;
	long rounds = argc > 3 ? atol(argv[3]) : -1;
	char *out, *in;

	if (bytes < 1 || !is_pattern(pattern)) {
		fprintf(stderr, "usage: traffic [ring|shift|random|alltoall "
				"[BYTES [ROUNDS]]]\n");
		return 2;
	}
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	out = messages(bytes);
	in = messages(bytes);
	for (long round = 0; round != rounds; round++)
		if (!strcmp(pattern, "alltoall"))
			alltoall(out, in, bytes, round);
		else
			shift(distance(pattern, round), out, in, bytes, round);
	free(out);
	free(in);
	MPI_Finalize();
	return 0;
}
