/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by the applications: random numbers, arguments, the result line. Each
 * application is one plain MPI program that solves a problem, verifies the
 * answer, prints one line with the residual and PASSED or FAILED on rank 0, and
 * exits 0 when it passed.
 */
#ifndef WEFT_BENCH_APP_H
#define WEFT_BENCH_APP_H

#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void *app_alloc(size_t n, size_t bytes)
{
	void *p = calloc(n ? n : 1, bytes);

	if (!p) {
		fprintf(stderr, "out of memory\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	return p;
}

/*
 * Returns number i of a stream of pseudo-random bits, the same on every rank.
 */
static inline uint64_t app_hash(uint64_t i)
{
	i += UINT64_C(0x9e3779b97f4a7c15);
	i = (i ^ (i >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	i = (i ^ (i >> 27)) * UINT64_C(0x94d049bb133111eb);
	return i ^ (i >> 31);
}

/* Returns number i of a pseudo-random stream that is uniform in [-0.5, 0.5). */
static inline double app_unit(uint64_t i)
{
	return (double)(app_hash(i) >> 11) * 0x1p-53 - 0.5;
}

/* Returns argument i as a number, or the default. */
static inline int app_arg(int argc, char **argv, int i, int fallback)
{
	return argc > i ? atoi(argv[i]) : fallback;
}

/* Prints the result line on rank 0. Returns the exit code. */
static inline int app_end(const char *name, int rank, double seconds,
			  double residual, double limit)
{
	int ok = residual <= limit && isfinite(residual);

	if (rank == 0)
		printf("%s: %.3f s, residual %.3e (limit %.0e) %s\n", name,
		       seconds, residual, limit, ok ? "PASSED" : "FAILED");
	return ok ? 0 : 1;
}

#endif
