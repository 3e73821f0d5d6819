/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The communication of a simple solver: in every step each rank exchanges
 * borders with its two neighbours in a ring, and all ranks agree on the sum of
 * a residual. Rank 0 prints the time of a step (doc/tutorial.md).
 * Usage: halo [steps [border bytes]]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct border {
	char *send;
	char *recv;
	int bytes;
};

static void exchange(const struct border *b, int to, int from)
{
	MPI_Sendrecv(b->send, b->bytes, MPI_BYTE, to, 0, b->recv, b->bytes,
		     MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Returns the mean time of a step in seconds. */
static double solve(const struct border *b, int steps, int rank, int size)
{
	int right = (rank + 1) % size, left = (rank + size - 1) % size;
	double residual = 1, sum, start = MPI_Wtime();

	for (int i = 0; i < steps; i++) {
		exchange(b, right, left);
		exchange(b, left, right);
		MPI_Allreduce(&residual, &sum, 1, MPI_DOUBLE, MPI_SUM,
			      MPI_COMM_WORLD);
		residual = sum / (2 * size);
	}
	return (MPI_Wtime() - start) / steps;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 100;
	int bytes = argc > 2 ? atoi(argv[2]) : 8192;
	struct border b;
	double t;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (steps < 1 || bytes < 0)
		MPI_Abort(MPI_COMM_WORLD, 2);
	b = (struct border){ calloc(1, bytes + 1), calloc(1, bytes + 1),
			     bytes };
	if (!b.send || !b.recv)
		MPI_Abort(MPI_COMM_WORLD, 1);
	t = solve(&b, steps, rank, size);
	if (rank == 0)
		printf("%d ranks, borders of %d bytes: %.2f us per step\n",
		       size, bytes, t * 1e6);
	free(b.send);
	free(b.recv);
	MPI_Finalize();
	return 0;
}
