/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thousands of collectives back to back, with ranks that are sometimes late:
 * data of one collective must never reach another.
 */
#include "coll_t.h"

static int rank, size;

static void run_collective(int round, unsigned what, int root)
{
	int x = rank + round, y = -1, i, *all = coll_malloc(sizeof(int) * 4096);

	switch (what % 6) {
	case 0:
		MPI_Barrier(MPI_COMM_WORLD);
		break;
	case 1:
		y = rank == root ? round : -1;
		MPI_Bcast(&y, 1, MPI_INT, root, MPI_COMM_WORLD);
		CHECK(y == round);
		break;
	case 2:
		MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		CHECK(y == size * (size - 1) / 2 + size * round);
		break;
	case 3:
		MPI_Reduce(&x, &y, 1, MPI_INT, MPI_MAX, root, MPI_COMM_WORLD);
		CHECK(rank != root || y == size - 1 + round);
		break;
	case 4:
		MPI_Allgather(&x, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
		for (i = 0; i < size; i++)
			CHECK(all[i] == i + round);
		break;
	default:
		MPI_Scan(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		CHECK(y == rank * (rank + 1) / 2 + (rank + 1) * round);
		break;
	}
	free(all);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 3000, i, root;
	unsigned draw = 99, late = 5, what;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (i = 0; i < rounds; i++) {
		what = coll_rand(&draw);
		root = (int)(coll_rand(&draw) % (unsigned)size);
		run_collective(i, what, root);
		coll_skew(&late, rank);
	}
	MPI_Finalize();
	if (!rank)
		printf("coll_stress: %d operations are correct\n", rounds);
	return 0;
}
