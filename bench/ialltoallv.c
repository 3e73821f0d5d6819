/* SPDX-License-Identifier: BSD-3-Clause */
/* Nonblocking all-to-allv latency: overlap with computation. */
#include "bench.h"

static void icall(void *send, void *recv, size_t bytes,
		  MPI_Request *r)
{
	int *counts = bench_counts((int)bytes);
	int *displs = bench_displs((int)bytes);

	MPI_Ialltoallv(send, counts, displs, MPI_CHAR, recv, counts, displs,
		       MPI_CHAR, MPI_COMM_WORLD, r);
}

static void fill(const struct bench *b, void *send, void *recv, size_t bytes)
{
	for (int i = 0; i < b->size; i++)
		bench_fill((char *)send + (size_t)i * bytes, bytes,
			   (unsigned)(b->rank * 31 + i));
	memset(recv, 0, bytes * (size_t)b->size);
}

static bool check(const struct bench *b, const void *recv, size_t bytes)
{
	for (int i = 0; i < b->size; i++) {
		if (!bench_same((const char *)recv + (size_t)i * bytes, bytes,
				(unsigned)(i * 31 + b->rank)))
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	static const struct bench_coll c = {
		.title = "MPI Nonblocking All-to-Allv Latency Test",
		.send_ranks = -1,
		.recv_ranks = -1,
		.min = 1,
		.max = 1 << 20,
		.icall = icall,
		.fill = fill,
		.check = check,
	};

	return bench_coll_main(argc, argv, &c);
}
