/* SPDX-License-Identifier: BSD-3-Clause */
/* Barrier: time of one call. */
#include "bench.h"

static void call(void *send, void *recv, size_t bytes)
{
	(void)send;
	(void)recv;
	(void)bytes;
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	static const struct bench_coll c = {
		.title = "MPI Barrier Test",
		.call = call,
	};

	return bench_coll_main(argc, argv, &c);
}
