/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Resources of a rank as a function of the number of ranks: runs some
 * collectives, checks their results, and prints "maps N pte N" of the rank with
 * the largest values: mappings of other endpoints' memory, and KiB of page
 * tables.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 1024

static int rank, size;

static void need(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "rank %d: wrong %s\n", rank, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static void reduce(void)
{
	long in = rank, out;
	int i, from;

	for (i = 0; i < 5; i++) {
		MPI_Allreduce(&in, &out, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
		need(out == (long)size * (size - 1) / 2, "sum");
		MPI_Barrier(MPI_COMM_WORLD);
		from = i * (size - 1) / 4;
		out = rank == from ? 77 : 0;
		MPI_Bcast(&out, 1, MPI_LONG, from, MPI_COMM_WORLD);
		need(out == 77, "bcast");
	}
}

static void test_alltoall(void)
{
	unsigned char *in = malloc((size_t)size * BLOCK);
	unsigned char *out = malloc((size_t)size * BLOCK);
	int i;

	for (i = 0; i < size; i++)
		memset(in + (size_t)i * BLOCK, rank * 7 + i, BLOCK);
	MPI_Alltoall(in, BLOCK, MPI_BYTE, out, BLOCK, MPI_BYTE, MPI_COMM_WORLD);
	for (i = 0; i < size; i++)
		need(out[(size_t)i * BLOCK + BLOCK / 2] ==
			     (unsigned char)(i * 7 + rank),
		     "alltoall");
	free(in);
	free(out);
}

static void print_worst(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	FILE *status = fopen("/proc/self/status", "r");
	long mine[2] = { 0, 0 }, worst[2];
	char line[512];

	need(maps && status, "/proc");
	while (fgets(line, sizeof(line), maps))
		mine[0] += strstr(line, "memfd:weft-shm") != NULL;
	while (fgets(line, sizeof(line), status))
		sscanf(line, "VmPTE: %ld", &mine[1]);
	fclose(maps);
	fclose(status);
	need(mine[0] > 0 && mine[1] > 0, "/proc");
	MPI_Allreduce(mine, worst, 2, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
	if (rank == 0)
		printf("maps %ld pte %ld\n", worst[0], worst[1]);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	reduce();
	test_alltoall();
	print_worst();
	MPI_Finalize();
	return 0;
}
