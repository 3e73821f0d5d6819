/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The collective benchmarks, blocking and nonblocking: the measurement of one
 * collective, and the function that runs a row of coll_table.h by its name. A
 * name with a leading "i" selects the nonblocking form, which is overlapped
 * with computation.
 */
#ifndef WEFT_BENCH_COLL_H
#define WEFT_BENCH_COLL_H

#include "bench.h"
#include "coll_table.h"

/* ---- measurement --------------------------------------------------------- */

static inline size_t bench_times(const struct bench *b, int ranks)
{
	return ranks == 0 ? 1 : ranks < 0 ? (size_t)b->size : (size_t)ranks;
}

static inline void bench_coll_columns(struct bench *b, bool overlap)
{
	static const char *const plain[] = { "Avg Latency(us)",
					     "Min Latency(us)",
					     "Max Latency(us)", "Iterations" };
	static const char *const nb[] = { "Overall(us)", "Compute(us)",
					  "Pure Comm.(us)", "Overlap(%)" };

	b->columns = overlap ? 4 : b->full ? 4 : 1;
	for (int i = 0; i < b->columns; i++)
		b->column[i] = overlap ? nb[i] : plain[i];
}

static inline void bench_coll_check(struct bench *b, const struct coll *c,
				    void *send, void *recv, size_t bytes)
{
	bool ok;

	if (!b->check || !c->check)
		return;
	c->fill(b, send, recv, bytes);
	if (c->call) {
		c->call(send, recv, bytes);
	} else {
		MPI_Request r;

		c->icall(send, recv, bytes, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
	ok = (c->root && b->rank) || c->check(b, recv, bytes);
	bench_check_all(b, bytes, ok);
}

/*
 * Returns the microseconds of one call, excluding the barriers between calls;
 * the barrier benchmark has no barriers between calls.
 */
static inline double bench_coll_time(const struct bench *b,
				     const struct coll *c, void *send,
				     void *recv, size_t bytes)
{
	int iters = bench_iters(b, bytes);
	double sum = 0, start;

	for (int i = -bench_warmup(b, bytes); i < iters; i++) {
		start = MPI_Wtime();
		c->call(send, recv, bytes);
		if (i >= 0)
			sum += MPI_Wtime() - start;
		if (b->max)
			MPI_Barrier(MPI_COMM_WORLD);
	}
	return sum * 1e6 / iters;
}

/*
 * Computes without memory traffic. The caller must use the result, which is
 * positive, so that the compiler does not remove the loop.
 */
static inline double bench_work(long iterations)
{
	double x = 1.0;

	for (long i = 0; i < iterations; i++)
		x = x * 1.0000001 + 0.0000001;
	return x;
}

/* Returns the measured iterations of bench_work per microsecond; at least 1. */
static inline double bench_work_rate(void)
{
	const long iterations = 50000;
	double start, us, best = 0;

	/* the best of short runs: other processes may use the processor */
	for (int i = 0; i < 30; i++) {
		start = MPI_Wtime();
		if (bench_work(iterations) < 0)
			break;
		us = (MPI_Wtime() - start) * 1e6;
		if (us > 1 && iterations / us > best)
			best = iterations / us;
	}
	return best > 1 ? best : 1;
}

/*
 * Computes for `us` microseconds, in slices of 1 us, measured by MPI_Wtime():
 * on a modelled machine arithmetic takes no time, but reading the clock does.
 */
static inline void bench_compute(double us, double rate)
{
	double end = MPI_Wtime() + us * 1e-6, left = us;

	while (left > 0 &&
	       bench_work(1 + (long)((left < 1 ? left : 1) * rate)) >= 0)
		left = (end - MPI_Wtime()) * 1e6;
}

static inline double bench_icoll_pure(const struct bench *b,
				      const struct coll *c, void *send,
				      void *recv, size_t bytes)
{
	int iters = bench_iters(b, bytes);
	double sum = 0, start;
	MPI_Request r;

	for (int i = -bench_warmup(b, bytes); i < iters; i++) {
		start = MPI_Wtime();
		c->icall(send, recv, bytes, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		if (i >= 0)
			sum += MPI_Wtime() - start;
		MPI_Barrier(MPI_COMM_WORLD);
	}
	return sum * 1e6 / iters;
}

/*
 * Measures a call that overlaps with computation that takes as long as the call
 * alone.
 */
static inline void bench_icoll_time(const struct bench *b, const struct coll *c,
				    void *send, void *recv, size_t bytes,
				    double *v)
{
	int iters = bench_iters(b, bytes);
	double rate = bench_work_rate();
	double pure = bench_icoll_pure(b, c, send, recv, bytes);
	double overall = 0, compute = 0, start, mid;
	MPI_Request r;

	for (int i = 0; i < iters; i++) {
		start = MPI_Wtime();
		c->icall(send, recv, bytes, &r);
		mid = MPI_Wtime();
		bench_compute(pure, rate);
		compute += MPI_Wtime() - mid;
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		overall += MPI_Wtime() - start;
		MPI_Barrier(MPI_COMM_WORLD);
	}
	v[0] = overall * 1e6 / iters;
	v[1] = compute * 1e6 / iters;
	v[2] = pure;
	v[3] = 100.0 - (v[0] - v[1]) / pure * 100.0;
	if (v[3] < 0)
		v[3] = 0;
	if (v[3] > 100)
		v[3] = 100;
}

static inline void bench_coll_row(struct bench *b, const struct coll *c,
				  void *send, void *recv, size_t bytes)
{
	double v[BENCH_COLUMNS], mine[4];

	MPI_Barrier(MPI_COMM_WORLD);
	if (c->call) {
		bench_spread(b, bench_coll_time(b, c, send, recv, bytes), v);
		v[3] = bench_iters(b, bytes);
	} else {
		bench_icoll_time(b, c, send, recv, bytes, mine);
		MPI_Reduce(mine, v, 4, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
		for (int i = 0; i < 4; i++)
			v[i] /= b->size;
	}
	bench_row(b, bytes, v);
}

/*
 * Finds the row with this name, blocking or nonblocking; returns false if there
 * is none.
 */
static inline bool bench_coll_find(const char *name, struct coll *c)
{
	bool later = name[0] == 'i';
	const struct coll *row = coll_table;

	while (row->name && strcmp(row->name, name + later))
		row++;
	if (!row->name)
		return false;
	*c = *row;
	if (later)
		c->call = NULL;
	else
		c->icall = NULL;
	return true;
}

/* Runs the row with this name; returns -1 if there is none. */
static inline int bench_coll_main(int argc, char **argv, const char *name)
{
	struct bench b = { .iters = 1000 };
	void *send, *recv;
	char title[80];
	struct coll c;

	if (!bench_coll_find(name, &c))
		return -1;
	snprintf(title, sizeof(title), "MPI %s%s Test",
		 c.icall ? "Nonblocking " : "", c.title);
	b.title = title;
	b.min = c.min;
	b.max = c.max;
	bench_begin(&b, argc, argv);
	if (!c.max)
		b.min = b.max = 0; /* a barrier has no size */
	bench_coll_columns(&b, c.icall != NULL);
	send = bench_buffer(b.max * bench_times(&b, c.send_ranks));
	recv = bench_buffer(b.max * bench_times(&b, c.recv_ranks));
	for (size_t n = b.min; n <= b.max; n = bench_next(n)) {
		bench_coll_check(&b, &c, send, recv, n);
		bench_coll_row(&b, &c, send, recv, n);
	}
	free(send);
	free(recv);
	return bench_end(&b);
}

#endif
