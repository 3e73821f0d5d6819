/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program for jobs that share a machine. Arguments: KIND BYTES.
 *   main     ten steps of messages to the next rank and an allreduce
 *   traffic  messages to the rank half the job away, without end
 *   fail     as main; the last rank then exits with code 3
 *   stuck    each rank receives a message that the next one does not send
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *out, *in;
static int rank, ranks, bytes;

static void shift(int by)
{
	MPI_Sendrecv(out, bytes, MPI_BYTE, (rank + by) % ranks, 1, in, bytes,
		     MPI_BYTE, (rank + ranks - by) % ranks, 1, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
}

/* Checks that the messages and the sum are those of this job alone. */
static int check(int sum, int by)
{
	return in[0] == (char)((rank + ranks - by) % ranks) &&
	       sum == ranks * (ranks - 1) / 2;
}

static void steps(void)
{
	double begin = MPI_Wtime();
	int *app, flag, sum = 0, first = 0, good = 1;

	for (int i = 0; i < 10; i++) {
		shift(1);
		MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		good = good && check(sum, 1);
	}
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &app, &flag);
	MPI_Reduce(app, &first, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("%d ranks %s, app numbers %d, %s: %.3f us\n", ranks,
		       getenv("PMI_SIZE"), first, good ? "good" : "BAD",
		       (MPI_Wtime() - begin) * 1e6);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "main";

	bytes = argc > 2 ? atoi(argv[2]) : 1024;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	out = malloc((size_t)bytes);
	in = malloc((size_t)bytes);
	memset(out, rank, (size_t)bytes);
	if (atoi(getenv("PMI_RANK")) != rank)
		MPI_Abort(MPI_COMM_WORLD, 9);
	while (!strcmp(kind, "traffic"))
		shift(ranks / 2);
	if (!strcmp(kind, "stuck"))
		MPI_Recv(in, bytes, MPI_BYTE, (rank + 1) % ranks, 7,
			 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	steps();
	MPI_Finalize();
	return !strcmp(kind, "fail") && rank == ranks - 1 ? 3 : 0;
}
