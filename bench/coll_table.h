/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of the measured collectives, one row each; coll.h runs them. */
#ifndef WEFT_BENCH_COLL_TABLE_H
#define WEFT_BENCH_COLL_TABLE_H

#include "bench.h"

/*
 * One collective. call() runs it once with `bytes` bytes per rank; icall()
 * starts it. The send buffer has send_ranks times `bytes` bytes, the receive
 * buffer recv_ranks times `bytes` (0 means 1, -1 the number of ranks). fill()
 * and check() are for -c; check() returns whether this rank's result is
 * correct. root: only rank 0 has a result.
 */
struct coll {
	const char *name;
	const char *title;
	int send_ranks, recv_ranks;
	size_t min, max;
	void (*call)(void *send, void *recv, size_t bytes);
	void (*icall)(void *send, void *recv, size_t bytes, MPI_Request *r);
	void (*fill)(const struct bench *b, void *send, void *recv,
		     size_t bytes);
	bool (*check)(const struct bench *b, const void *recv, size_t bytes);
	bool root;
};

/* ---- counts of the v collectives ----------------------------------------- */

/* Sets entry i of v to n + i * step; allocates v if it is NULL. */
static int *coll_blocks(int *v, int n, int step)
{
	int size;

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (!v)
		v = malloc((size_t)size * sizeof(*v));
	for (int i = 0; i < size; i++)
		v[i] = n + i * step;
	return v;
}

static int *coll_counts(int n)
{
	static int *v;

	if (!v || v[0] != n)
		v = coll_blocks(v, n, 0);
	return v;
}

static int *coll_displs(int n)
{
	static int *v;
	static int last = -1;

	if (last != n)
		v = coll_blocks(v, 0, n);
	last = n;
	return v;
}

/* ---- data and checks ----------------------------------------------------- */

/*
 * Fills block i of the buffer with data generated from the seed i * times +
 * plus.
 */
static void fill_blocks(void *buf, int n, size_t bytes, unsigned times,
			unsigned plus)
{
	for (int i = 0; i < n; i++)
		bench_fill((char *)buf + (size_t)i * bytes, bytes,
			   (unsigned)i * times + plus);
}

static bool same_blocks(const void *buf, int n, size_t bytes, unsigned times,
			unsigned plus)
{
	for (int i = 0; i < n; i++) {
		if (!bench_data_equal((const char *)buf + (size_t)i * bytes,
				      bytes, (unsigned)i * times + plus))
			return false;
	}
	return true;
}

static void fill_own(const struct bench *b, void *send, void *recv,
		     size_t bytes)
{
	bench_fill(send, bytes, (unsigned)b->rank);
	memset(recv, 0, bytes * (size_t)b->size);
}

static bool check_all(const struct bench *b, const void *recv, size_t bytes)
{
	return same_blocks(recv, b->size, bytes, 1, 0);
}

static void fill_each(const struct bench *b, void *send, void *recv,
		      size_t bytes)
{
	fill_blocks(send, b->size, bytes, 1, (unsigned)b->rank * 31);
	memset(recv, 0, bytes * (size_t)b->size);
}

static bool check_each(const struct bench *b, const void *recv, size_t bytes)
{
	return same_blocks(recv, b->size, bytes, 31, (unsigned)b->rank);
}

static void fill_scatter(const struct bench *b, void *send, void *recv,
			 size_t bytes)
{
	if (b->rank == 0)
		fill_blocks(send, b->size, bytes, 1, 0);
	memset(recv, 0, bytes);
}

static bool check_own(const struct bench *b, const void *recv, size_t bytes)
{
	return bench_data_equal(recv, bytes, (unsigned)b->rank);
}

static void fill_root(const struct bench *b, void *send, void *recv,
		      size_t bytes)
{
	memset(send, 0, bytes);
	memset(recv, 0, bytes);
	if (b->rank == 0)
		bench_fill(recv, bytes, 5);
}

static bool check_root(const struct bench *b, const void *recv, size_t bytes)
{
	return bench_data_equal(recv, bytes, 5);
}

static void fill_floats(const struct bench *b, float *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (float)(b->rank + (int)(i % 5));
}

/*
 * Returns whether the elements [first, first + n) are the sums over the ranks.
 */
static bool same_sums(const struct bench *b, const float *p, size_t n,
		      size_t first)
{
	int ranks = b->size * (b->size - 1) / 2;

	for (size_t i = 0; i < n; i++) {
		if (p[i] != (float)(ranks + b->size * (int)((first + i) % 5)))
			return false;
	}
	return true;
}

static void fill_sum(const struct bench *b, void *send, void *recv,
		     size_t bytes)
{
	fill_floats(b, send, bytes / sizeof(float));
	memset(recv, 0, bytes);
}

static bool check_sum(const struct bench *b, const void *recv, size_t bytes)
{
	return same_sums(b, recv, bytes / sizeof(float), 0);
}

static void fill_sums(const struct bench *b, void *send, void *recv,
		      size_t bytes)
{
	fill_floats(b, send, bytes / sizeof(float) * (size_t)b->size);
	memset(recv, 0, bytes);
}

static bool check_part(const struct bench *b, const void *recv, size_t bytes)
{
	size_t n = bytes / sizeof(float);

	return same_sums(b, recv, n, (size_t)b->rank * n);
}

/* ---- MPI calls ----------------------------------------------------------- */

static void allgather(void *send, void *recv, size_t bytes)
{
	int n = (int)bytes;

	MPI_Allgather(send, n, MPI_CHAR, recv, n, MPI_CHAR, MPI_COMM_WORLD);
}

static void iallgather(void *send, void *recv, size_t bytes, MPI_Request *r)
{
	int n = (int)bytes;

	MPI_Iallgather(send, n, MPI_CHAR, recv, n, MPI_CHAR, MPI_COMM_WORLD, r);
}

static void allgatherv(void *send, void *recv, size_t bytes)
{
	int n = (int)bytes;

	MPI_Allgatherv(send, n, MPI_CHAR, recv, coll_counts(n), coll_displs(n),
		       MPI_CHAR, MPI_COMM_WORLD);
}

static void iallgatherv(void *send, void *recv, size_t bytes, MPI_Request *r)
{
	int n = (int)bytes;

	MPI_Iallgatherv(send, n, MPI_CHAR, recv, coll_counts(n), coll_displs(n),
			MPI_CHAR, MPI_COMM_WORLD, r);
}

static void allreduce(void *send, void *recv, size_t bytes)
{
	int n = (int)(bytes / sizeof(float));

	MPI_Allreduce(send, recv, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void iallreduce(void *send, void *recv, size_t bytes, MPI_Request *r)
{
	int n = (int)(bytes / sizeof(float));

	MPI_Iallreduce(send, recv, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, r);
}

static void alltoall(void *send, void *recv, size_t bytes)
{
	int n = (int)bytes;

	MPI_Alltoall(send, n, MPI_CHAR, recv, n, MPI_CHAR, MPI_COMM_WORLD);
}

static void ialltoall(void *send, void *recv, size_t bytes, MPI_Request *r)
{
	int n = (int)bytes;

	MPI_Ialltoall(send, n, MPI_CHAR, recv, n, MPI_CHAR, MPI_COMM_WORLD, r);
}

static void alltoallv(void *send, void *recv, size_t bytes)
{
	int n = (int)bytes;

	MPI_Alltoallv(send, coll_counts(n), coll_displs(n), MPI_CHAR, recv,
		      coll_counts(n), coll_displs(n), MPI_CHAR, MPI_COMM_WORLD);
}

static void ialltoallv(void *send, void *recv, size_t bytes, MPI_Request *r)
{
	int n = (int)bytes;

	MPI_Ialltoallv(send, coll_counts(n), coll_displs(n), MPI_CHAR, recv,
		       coll_counts(n), coll_displs(n), MPI_CHAR, MPI_COMM_WORLD,
		       r);
}

static void barrier(void *send, void *recv, size_t bytes)
{
	MPI_Barrier(MPI_COMM_WORLD);
}

static void ibarrier(void *send, void *recv, size_t bytes, MPI_Request *r)
{
	MPI_Ibarrier(MPI_COMM_WORLD, r);
}

static void bcast(void *send, void *recv, size_t bytes)
{
	int n = (int)bytes;

	MPI_Bcast(recv, n, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void ibcast(void *send, void *recv, size_t bytes, MPI_Request *r)
{
	int n = (int)bytes;

	MPI_Ibcast(recv, n, MPI_CHAR, 0, MPI_COMM_WORLD, r);
}

static void gather(void *send, void *recv, size_t bytes)
{
	int n = (int)bytes;

	MPI_Gather(send, n, MPI_CHAR, recv, n, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void igather(void *send, void *recv, size_t bytes, MPI_Request *r)
{
	int n = (int)bytes;

	MPI_Igather(send, n, MPI_CHAR, recv, n, MPI_CHAR, 0, MPI_COMM_WORLD, r);
}

static void reduce(void *send, void *recv, size_t bytes)
{
	int n = (int)(bytes / sizeof(float));

	MPI_Reduce(send, recv, n, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void ireduce(void *send, void *recv, size_t bytes, MPI_Request *r)
{
	int n = (int)(bytes / sizeof(float));

	MPI_Ireduce(send, recv, n, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD, r);
}

static void reduce_scatter(void *send, void *recv, size_t bytes)
{
	int n = (int)(bytes / sizeof(float));

	MPI_Reduce_scatter(send, recv, coll_counts(n), MPI_FLOAT, MPI_SUM,
			   MPI_COMM_WORLD);
}

static void ireduce_scatter(void *send, void *recv, size_t bytes,
			    MPI_Request *r)
{
	int n = (int)(bytes / sizeof(float));

	MPI_Ireduce_scatter(send, recv, coll_counts(n), MPI_FLOAT, MPI_SUM,
			    MPI_COMM_WORLD, r);
}

static void scatter(void *send, void *recv, size_t bytes)
{
	int n = (int)bytes;

	MPI_Scatter(send, n, MPI_CHAR, recv, n, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void iscatter(void *send, void *recv, size_t bytes, MPI_Request *r)
{
	int n = (int)bytes;

	MPI_Iscatter(send, n, MPI_CHAR, recv, n, MPI_CHAR, 0, MPI_COMM_WORLD,
		     r);
}

/* ---- table --------------------------------------------------------------- */

#define COLL_MAX (1 << 20)

static const struct coll coll_table[] = {
	{ "allgather", "Allgather Latency", 0, -1, 1, COLL_MAX, allgather,
	  iallgather, fill_own, check_all, false },
	{ "allgatherv", "Allgatherv Latency", 0, -1, 1, COLL_MAX, allgatherv,
	  iallgatherv, fill_own, check_all, false },
	{ "allreduce", "Allreduce Latency", 0, 0, 4, COLL_MAX, allreduce,
	  iallreduce, fill_sum, check_sum, false },
	{ "alltoall", "All-to-All Latency", -1, -1, 1, COLL_MAX, alltoall,
	  ialltoall, fill_each, check_each, false },
	{ "alltoallv", "All-to-Allv Latency", -1, -1, 1, COLL_MAX, alltoallv,
	  ialltoallv, fill_each, check_each, false },
	{ "barrier", "Barrier", 0, 0, 0, 0, barrier, ibarrier, NULL, NULL,
	  false },
	{ "bcast", "Broadcast Latency", 0, 0, 1, COLL_MAX, bcast, ibcast,
	  fill_root, check_root, false },
	{ "gather", "Gather Latency", 0, -1, 1, COLL_MAX, gather, igather,
	  fill_own, check_all, true },
	{ "reduce", "Reduce Latency", 0, 0, 4, COLL_MAX, reduce, ireduce,
	  fill_sum, check_sum, true },
	{ "reduce_scatter", "Reduce_scatter Latency", -1, 0, 4, COLL_MAX,
	  reduce_scatter, ireduce_scatter, fill_sums, check_part, false },
	{ "scatter", "Scatter Latency", -1, 0, 1, COLL_MAX, scatter, iscatter,
	  fill_scatter, check_own, false },
	{ 0 }
};

#endif
