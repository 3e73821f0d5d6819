/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce_scatter Latency: time of one call. */
#include "bench.h"

static void call(void *send, void *recv, size_t bytes)
{
	int *counts = bench_counts((int)(bytes / sizeof(float)));

	MPI_Reduce_scatter(send, recv, counts, MPI_FLOAT, MPI_SUM,
			   MPI_COMM_WORLD);
}

static void fill(const struct bench *b, void *send, void *recv, size_t bytes)
{
	float *p = send;

	for (size_t i = 0; i < bytes / sizeof(float) * (size_t)b->size; i++)
		p[i] = (float)(b->rank + (int)(i % 5));
	memset(recv, 0, bytes);
}

static bool check(const struct bench *b, const void *recv, size_t bytes)
{
	const float *p = recv;
	size_t n = bytes / sizeof(float);
	int ranks = b->size * (b->size - 1) / 2;

	for (size_t i = 0; i < n; i++) {
		size_t at = (size_t)b->rank * n + i;

		if (p[i] != (float)(ranks + b->size * (int)(at % 5)))
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	static const struct bench_coll c = {
		.title = "MPI Reduce_scatter Latency Test",
		.send_ranks = -1,
		.min = 4,
		.max = 1 << 20,
		.call = call,
		.fill = fill,
		.check = check,
	};

	return bench_coll_main(argc, argv, &c);
}
