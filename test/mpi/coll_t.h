/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the test programs of collectives share: a check that ends the job with
 * the place, values that tell where they come from, and random skew.
 */
#ifndef WEFT_TEST_COLL_T_H
#define WEFT_TEST_COLL_T_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Constants of the ABI like MPI_UNWEIGHTED are addresses without memory. */
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wstringop-overread"
#pragma GCC diagnostic ignored "-Wstringop-overflow"

#define CHECK(x) coll_check(!!(x), #x, __FILE__, __LINE__)
#define N_OF(a)	 (sizeof(a) / sizeof((a)[0]))

static inline void coll_check(int ok, const char *what, const char *file,
			      int line)
{
	int rank;

	if (ok)
		return;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	fprintf(stderr, "rank %d: %s:%d: %s\n", rank, file, line, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
	exit(1);
}

/* Element e that rank from has for rank to. */
static inline int coll_val(int from, int to, int e)
{
	return from * 10007 + to * 101 + e;
}

/* Numbers that are equal on all ranks. */
static inline unsigned coll_rand(unsigned *state)
{
	*state = *state * 1103515245u + 12345u;
	return *state >> 16;
}

/* Now and then this rank comes late; other ranks draw otherwise. */
static inline void coll_skew(unsigned *state, int rank)
{
	struct timespec t = { 0, 0 };
	unsigned own = *state + (unsigned)rank * 7919u;

	coll_rand(state);
	if (coll_rand(&own) % 16)
		return;
	t.tv_nsec = (long)(coll_rand(&own) % 200) * 1000;
	nanosleep(&t, NULL);
}

static inline void *coll_room(size_t bytes)
{
	void *p = malloc(bytes ? bytes : 1);

	CHECK(p != NULL);
	return p;
}

/* Seconds of the host, whatever clock MPI has. */
static inline double coll_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Outside MPI. */
static inline void coll_compute(double seconds)
{
	double end = coll_now() + seconds;

	while (coll_now() < end)
		;
}

/* Blue Gene/Q has class routes on rectangles of nodes only. */
static inline int coll_has_route(int ranks)
{
	const char *machine = getenv("FI_WEFT_MACHINE");

	return !machine || strncmp(machine, "bgq", 3) ||
	       !(ranks & (ranks - 1));
}

#endif
