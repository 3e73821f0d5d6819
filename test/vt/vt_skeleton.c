/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A skeleton: large buffers whose data is not read, and counts that are. Rank 0
 * prints "folded" if all ranks share the memory of the buffers, else "private".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/skeleton.h>

#define BYTES (256 << 10)

static int rank, size, failed;

static void check(int ok, const char *what)
{
	if (!ok)
		fprintf(stderr, "rank %d: %s\n", rank, what);
	failed |= !ok;
}

/* Data in ordinary memory arrives, regardless of its length. */
static void carry(void)
{
	int next = (rank + 1) % size, last = (rank + size - 1) % size;
	char *out = malloc(BYTES), *in = calloc(1, BYTES);
	int *all = calloc((size_t)size, sizeof(*all)), *small;

	memset(out, rank + 1, BYTES);
	MPI_Sendrecv(out, BYTES, MPI_BYTE, next, 0, in, BYTES, MPI_BYTE, last,
		     0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	check(in[0] == last + 1 && in[BYTES - 1] == last + 1, "no data");
	MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
	check(all[last] == last, "no data of a collective");
	/* small blocks of MPI_Alloc_mem, such as counts, are not folded */
	MPI_Alloc_mem(100, MPI_INFO_NULL, &small);
	*small = rank;
	MPI_Barrier(MPI_COMM_WORLD);
	check(*small == rank, "a small block is shared");
	MPI_Free_mem(small);
	free(out);
	free(in);
	free(all);
}

/* Returns whether the ranks share the first byte of their buffers. */
static int is_folded(int *buf)
{
	int low, high, n = 0;

	*buf = rank;
	MPI_Barrier(MPI_COMM_WORLD);
	n = *buf;
	MPI_Allreduce(&n, &low, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	MPI_Allreduce(&n, &high, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	return low == high;
}

/* Exchanges buffers of several sizes, with protocols of all kinds. */
static void skeleton(void)
{
	int next = (rank + 1) % size, last = (rank + size - 1) % size;
	double *grid = WEFT_SHARED_MALLOC((size_t)256 << 20);
	double *halo = WEFT_SHARED_MALLOC(BYTES);
	int folded;

	check(grid && halo, "no memory");
	folded = is_folded((int *)(void *)grid);
	for (int n = 8; n <= BYTES; n *= 8)
		MPI_Sendrecv(grid, n, MPI_BYTE, next, 1, halo, n, MPI_BYTE,
			     last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Allreduce(grid, halo, BYTES / 8, MPI_DOUBLE, MPI_MAX,
		      MPI_COMM_WORLD);
	MPI_Bcast(grid, 1 << 20, MPI_BYTE, 0, MPI_COMM_WORLD);
	/* a folded buffer can be written */
	memset(halo, 1, 8);
	WEFT_SHARED_FREE(grid);
	WEFT_SHARED_FREE(halo);
	if (!rank)
		puts(folded ? "folded" : "private");
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	carry();
	skeleton();
	MPI_Finalize();
	return failed;
}
