/* SPDX-License-Identifier: BSD-3-Clause */
/* Nonblocking reduce latency: overlap with computation. */
#include "bench.h"

static void icall(void *send, void *recv, size_t bytes,
		  MPI_Request *r)
{
	int n = (int)(bytes / sizeof(float));

	MPI_Ireduce(send, recv, n, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD, r);
}

static void fill(const struct bench *b, void *send, void *recv, size_t bytes)
{
	float *p = send;

	for (size_t i = 0; i < bytes / sizeof(float); i++)
		p[i] = (float)(b->rank + (int)(i % 5));
	memset(recv, 0, bytes);
}

static bool check(const struct bench *b, const void *recv, size_t bytes)
{
	const float *p = recv;
	int ranks = b->size * (b->size - 1) / 2;

	for (size_t i = 0; b->rank == 0 && i < bytes / sizeof(float); i++) {
		if (p[i] != (float)(ranks + b->size * (int)(i % 5)))
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	static const struct bench_coll c = {
		.title = "MPI Nonblocking Reduce Latency Test",
		.min = 4,
		.max = 1 << 20,
		.icall = icall,
		.fill = fill,
		.check = check,
	};

	return bench_coll_main(argc, argv, &c);
}
