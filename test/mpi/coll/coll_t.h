/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Support for the tests of collectives: a check that ends the job with file and
 * line, values that identify their source, and random skew.
 */
#ifndef WEFT_TEST_COLL_T_H
#define WEFT_TEST_COLL_T_H

#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/*
 * Constants of the ABI such as MPI_UNWEIGHTED are not addresses of objects; GCC
 * warns when they are passed.
 */
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

/* Returns element e of the block that rank `from` sends to rank `to`. */
static inline int coll_val(int from, int to, int e)
{
	return from * 10007 + to * 101 + e;
}

/* Returns a random number that is the same on all ranks. */
static inline unsigned coll_rand(unsigned *state)
{
	*state = *state * 1103515245u + 12345u;
	return *state >> 16;
}

/* Sometimes delays this rank; the random delay differs between ranks. */
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

static inline void *coll_malloc(size_t bytes)
{
	void *p = malloc(bytes ? bytes : 1);

	CHECK(p != NULL);
	return p;
}

/* Returns counters in memory that the ranks share without MPI. */
static inline _Atomic int *coll_counters(int rank, int size)
{
	char name[64];
	void *board;
	int id = (int)getpid(), fd;

	for (int i = 1; rank == 0 && i < size; i++)
		MPI_Send(&id, 1, MPI_INT, i, 90, MPI_COMM_WORLD);
	if (rank)
		MPI_Recv(&id, 1, MPI_INT, 0, 90, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	snprintf(name, sizeof(name), "/weft-coll-board.%d", id);
	fd = shm_open(name, O_CREAT | O_RDWR, 0600);
	CHECK(fd >= 0 && !ftruncate(fd, 4096));
	board = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(board != MAP_FAILED);
	close(fd);
	for (int i = 1; rank == 0 && i < size; i++)
		MPI_Recv(&id, 1, MPI_INT, i, 91, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	if (rank)
		MPI_Send(&id, 1, MPI_INT, 0, 91, MPI_COMM_WORLD);
	else
		shm_unlink(name);
	return board;
}

/*
 * Waits outside MPI until the counter reaches `count`; only the launcher of the
 * test has a time limit.
 */
static inline void coll_wait_count(_Atomic int *board, int count)
{
	while (atomic_load(board) < count)
		sched_yield();
}

/*
 * Returns whether the clock is live. In virtual time no rank continues while
 * another one computes.
 */
static inline int coll_is_live(void)
{
	int *global, found;

	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &global, &found);
	return !found || !*global;
}

/*
 * Returns whether a communicator of this size gets a class route: not with
 * datagrams, since the collective unit is in shared memory; on Blue Gene/Q only
 * on rectangles of nodes.
 */
static inline int coll_expects_route(int ranks)
{
	const char *machine = getenv("FI_WEFT_MACHINE");
	const char *carrier = getenv("FI_WEFT_CARRIER");

	if (carrier && !strcmp(carrier, "sock"))
		return 0;
	return !machine || strncmp(machine, "bgq", 3) || !(ranks & (ranks - 1));
}

/*
 * Returns the longest message, in bytes, for which this number of ranks uses
 * the collective unit. In virtual time Gemini, which has no hardware for
 * collectives, uses messages for two ranks and for longer vectors.
 */
static inline size_t coll_route_bytes(int ranks)
{
	const char *machine = getenv("FI_WEFT_MACHINE");
	const char *clock = getenv("FI_WEFT_CLOCK");

	if (!coll_expects_route(ranks))
		return 0;
	if (!machine || strncmp(machine, "gemini", 6) || !clock ||
	    strcmp(clock, "virtual"))
		return 16384;
	return ranks > 2 ? 1024 : 0;
}

#endif
