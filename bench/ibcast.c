/* SPDX-License-Identifier: BSD-3-Clause */
/* Nonblocking broadcast latency: overlap with computation. */
#include "bench.h"

static void icall(void *send, void *recv, size_t bytes,
		  MPI_Request *r)
{
	(void)send;
	MPI_Ibcast(recv, (int)bytes, MPI_CHAR, 0, MPI_COMM_WORLD, r);
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
		.title = "MPI Nonblocking Broadcast Latency Test",
		.min = 1,
		.max = 1 << 20,
		.icall = icall,
		.fill = fill,
		.check = check,
	};

	return bench_coll_main(argc, argv, &c);
}
