/* SPDX-License-Identifier: BSD-3-Clause */
/* Nonblocking barrier: overlap with computation. */
#include "bench.h"

static void icall(void *send, void *recv, size_t bytes,
		  MPI_Request *r)
{
	(void)send;
	(void)recv;
	(void)bytes;
	MPI_Ibarrier(MPI_COMM_WORLD, r);
}

int main(int argc, char **argv)
{
	static const struct bench_coll c = {
		.title = "MPI Nonblocking Barrier Test",
		.icall = icall,
	};

	return bench_coll_main(argc, argv, &c);
}
