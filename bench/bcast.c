/* SPDX-License-Identifier: BSD-3-Clause */
/* Broadcast Latency: time of one call. */
#include "bench.h"

static void call(void *send, void *recv, size_t bytes)
{
	(void)send;
	MPI_Bcast(recv, (int)bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void fill(const struct bench *b, void *send, void *recv, size_t bytes)
{
	memset(send, 0, bytes);
	memset(recv, 0, bytes);
	if (b->rank == 0)
		bench_fill(recv, bytes, 5);
}

static bool check(const struct bench *b, const void *recv, size_t bytes)
{
	(void)b;
	return bench_same(recv, bytes, 5);
}

int main(int argc, char **argv)
{
	static const struct bench_coll c = {
		.title = "MPI Broadcast Latency Test",
		.min = 1,
		.max = 1 << 20,
		.call = call,
		.fill = fill,
		.check = check,
	};

	return bench_coll_main(argc, argv, &c);
}
