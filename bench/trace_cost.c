/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Program that bench/trace runs: makes TIMES short calls and nothing else.
 *   trace_cost allreduce|pingpong|alltoall TIMES
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, size;

static void allreduce(void)
{
	double x = 1, y;

	MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Ping-pong between pairs of ranks. */
static void pingpong(void)
{
	int other = me ^ 1;
	char byte[8] = { 0 };

	if (other >= size)
		return;
	for (int parity = 0; parity < 2; parity++)
		if ((me & 1) == parity)
			MPI_Send(byte, 8, MPI_CHAR, other, 0, MPI_COMM_WORLD);
		else
			MPI_Recv(byte, 8, MPI_CHAR, other, 0, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
}

static void alltoall(void)
{
	static char *in, *out;

	if (!in) {
		in = calloc((size_t)size, 8);
		out = calloc((size_t)size, 8);
	}
	if (!in || !out)
		MPI_Abort(MPI_COMM_WORLD, 1);
	MPI_Alltoall(out, 8, MPI_CHAR, in, 8, MPI_CHAR, MPI_COMM_WORLD);
}

static const struct {
	const char *name;
	void (*once)(void);
} patterns[] = {
	{ "allreduce", allreduce },
	{ "pingpong", pingpong },
	{ "alltoall", alltoall },
};

int main(int argc, char **argv)
{
	long times = argc > 2 ? atol(argv[2]) : 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		if (argc > 2 && !strcmp(argv[1], patterns[i].name))
			for (long n = 0; n < times; n++)
				patterns[i].once();
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
