/* SPDX-License-Identifier: BSD-3-Clause */
/* Scatter Latency: time of one call. */
#include "bench.h"

static void call(void *send, void *recv, size_t bytes)
{
	int n = (int)bytes;

	MPI_Scatter(send, n, MPI_CHAR, recv, n, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void fill(const struct bench *b, void *send, void *recv, size_t bytes)
{
	for (int i = 0; b->rank == 0 && i < b->size; i++)
		bench_fill((char *)send + (size_t)i * bytes, bytes,
			   (unsigned)i);
	memset(recv, 0, bytes);
}

static bool check(const struct bench *b, const void *recv, size_t bytes)
{
	return bench_same(recv, bytes, (unsigned)b->rank);
}

int main(int argc, char **argv)
{
	static const struct bench_coll c = {
		.title = "MPI Scatter Latency Test",
		.send_ranks = -1,
		.min = 1,
		.max = 1 << 20,
		.call = call,
		.fill = fill,
		.check = check,
	};

	return bench_coll_main(argc, argv, &c);
}
