/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sample sort of n 64-bit keys per rank: local sort, regular samples gathered
 * and broadcast as splitters, one alltoallv, local sort. Verified: order
 * within and between ranks, number and checksum of the keys.
 * Usage: app_sort [keys per rank]
 */
#include "app.h"

static int rank, size;

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Returns `size` - 1 splitters, selected from `size` samples of each rank. */
static uint64_t *splitters(const uint64_t *key, int n)
{
	size_t all = (size_t)size * (size_t)size;
	uint64_t *mine = app_alloc((size_t)size, sizeof(*mine));
	uint64_t *samples = app_alloc(all, sizeof(*samples));
	uint64_t *split = app_alloc((size_t)size, sizeof(*split));
	int i;

	for (i = 0; i < size; i++)
		mine[i] = key[(long)n * i / size];
	MPI_Gather(mine, size, MPI_UINT64_T, samples, size, MPI_UINT64_T, 0,
		   MPI_COMM_WORLD);
	if (rank == 0) {
		qsort(samples, all, sizeof(*samples), by_value);
		for (i = 1; i < size; i++)
			split[i - 1] = samples[(size_t)i * (size_t)size];
	}
	MPI_Bcast(split, size - 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	free(mine);
	free(samples);
	return split;
}

/* Counts the keys of the sorted array that belong to each rank. */
static void partition(const uint64_t *key, int n, const uint64_t *split,
		      int *count)
{
	int i = 0, to;

	memset(count, 0, sizeof(*count) * (size_t)size);
	for (to = 0; to < size; to++)
		while (i < n && (to == size - 1 || key[i] < split[to])) {
			count[to]++;
			i++;
		}
}

static int offsets(const int *count, int *displ)
{
	int i, sum = 0;

	for (i = 0; i < size; i++) {
		displ[i] = sum;
		sum += count[i];
	}
	return sum;
}

static uint64_t *exchange_keys(const uint64_t *key, int n, int *got)
{
	size_t p = (size_t)size;
	int *sc = app_alloc(p, sizeof(int)), *sd = app_alloc(p, sizeof(int));
	int *rc = app_alloc(p, sizeof(int)), *rd = app_alloc(p, sizeof(int));
	uint64_t *split = splitters(key, n), *mine;

	partition(key, n, split, sc);
	offsets(sc, sd);
	MPI_Alltoall(sc, 1, MPI_INT, rc, 1, MPI_INT, MPI_COMM_WORLD);
	*got = offsets(rc, rd);
	mine = app_alloc((size_t)*got, sizeof(*mine));
	MPI_Alltoallv(key, sc, sd, MPI_UINT64_T, mine, rc, rd, MPI_UINT64_T,
		      MPI_COMM_WORLD);
	free(sc);
	free(sd);
	free(rc);
	free(rd);
	free(split);
	return mine;
}

/*
 * Returns the number of keys that are out of order on this rank, including the
 * left neighbour's last key.
 */
static uint64_t disorder(const uint64_t *key, int n)
{
	uint64_t bad = 0, last = 0, before = 0;
	int i;

	for (i = 1; i < n; i++)
		bad += key[i - 1] > key[i];
	if (n)
		last = key[n - 1];
	MPI_Exscan(&last, &before, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
	if (rank && n)
		bad += before > key[0];
	return bad;
}

static uint64_t sum_of(const uint64_t *key, int n)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < n; i++)
		sum += app_hash(key[i]);
	return sum;
}

int main(int argc, char **argv)
{
	uint64_t *key, *mine, local[3], total[3];
	double start, seconds;
	int n, got, i, rc;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	n = app_arg(argc, argv, 1, 200000);
	key = app_alloc((size_t)n, sizeof(*key));
	for (i = 0; i < n; i++)
		key[i] = app_hash((uint64_t)rank * (uint64_t)n + (uint64_t)i);
	local[1] = sum_of(key, n);
	start = MPI_Wtime();
	qsort(key, (size_t)n, sizeof(*key), by_value);
	mine = exchange_keys(key, n, &got);
	qsort(mine, (size_t)got, sizeof(*mine), by_value);
	seconds = MPI_Wtime() - start;
	local[0] = disorder(mine, got);
	local[1] -= sum_of(mine, got);
	local[2] = (uint64_t)got - (uint64_t)n;
	MPI_Allreduce(local, total, 3, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	rc = app_end("sort", rank, seconds,
		     (double)total[0] + (total[1] != 0) + (total[2] != 0), 0);
	free(key);
	free(mine);
	MPI_Finalize();
	return rc;
}
