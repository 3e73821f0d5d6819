/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts beyond an int: a broadcast, an allgather of two halves and a
 * reduction of more than 2^31 bytes. Needs about 5 GB for 2 ranks.
 */
#include "coll_t.h"

int main(int argc, char **argv)
{
	MPI_Count n = ((MPI_Count)1 << 31) + 1000, i, half = n / 2;
	unsigned char *b;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	CHECK(size == 2);
	b = coll_malloc((size_t)n);
	memset(b, rank ? 0 : 1, (size_t)n);
	for (i = 0; i < n && !rank; i += 4099)
		b[i] = (unsigned char)(i % 251);
	MPI_Bcast_c(b, n, MPI_BYTE, 0, MPI_COMM_WORLD);
	for (i = 0; i < n; i++)
		CHECK(b[i] == (i % 4099 ? 1 : (unsigned char)(i % 251)));
	memset(b, 7, (size_t)n);
	memset(b + rank * half, rank + 1, (size_t)half);
	MPI_Allgather_c(MPI_IN_PLACE, 0, MPI_BYTE, b, half, MPI_BYTE,
			MPI_COMM_WORLD);
	for (i = 0; i < n; i += 509)
		CHECK(b[i] == 1 + (i >= half));
	MPI_Allreduce_c(MPI_IN_PLACE, b, n, MPI_UNSIGNED_CHAR, MPI_SUM,
			MPI_COMM_WORLD);
	for (i = 0; i < n; i += 509)
		CHECK(b[i] == 2 * (1 + (i >= half)));
	free(b);
	MPI_Finalize();
	if (!rank)
		printf("coll_huge: all counts are correct\n");
	return 0;
}
