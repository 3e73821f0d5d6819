/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the MPI benchmarks share: options, tables, timing, overlap. Plain MPI
 * and C11, header only, so that each benchmark is one source file that any
 * mpicc compiles:  mpicc -O2 -o latency latency.c
 *
 *   -m [MIN:]MAX  message sizes in bytes     -i N  iterations per size
 *   -x N          warm-up iterations         -f    also min, max, iterations
 *   -c            check the received data    --json  one JSON object at the end
 */
#ifndef WEFT_BENCH_H
#define WEFT_BENCH_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BENCH_LARGE   8192 /* from here on fewer iterations */
#define BENCH_COLUMNS 8
#define BENCH_ALIGN   4096

struct bench {
	const char *title;
	size_t min, max; /* bytes; max 0: one row without a size */
	int iters, warmup;
	int iters_large; /* -1: iters / 10 */
	bool full, check, json;
	bool printed;
	const char *extra; /* other arguments, the benchmark's own */
	int rank, size;
	const char *column[BENCH_COLUMNS];
	int columns;
};

static inline void bench_usage(const struct bench *b, const char *prog)
{
	if (b->rank)
		return;
	fprintf(stderr,
		"usage: %s [-m [MIN:]MAX] [-i N] [-x N] [-f] [-c] [--json]\n"
		"%s\n",
		prog, b->title);
}

static inline bool bench_sizes(struct bench *b, const char *s)
{
	char *end;
	size_t v = strtoul(s, &end, 0);

	if (end == s)
		return false;
	if (*end == ':') {
		b->min = v;
		s = end + 1;
		v = strtoul(s, &end, 0);
		if (end == s)
			return false;
	}
	b->max = v;
	return *end == 0 && b->min <= b->max;
}

static inline bool bench_option(struct bench *b, int argc, char **argv, int *i)
{
	const char *a = argv[*i];
	const char *v = *i + 1 < argc ? argv[*i + 1] : NULL;

	if (!strcmp(a, "-f"))
		b->full = true;
	else if (!strcmp(a, "-c"))
		b->check = true;
	else if (!strcmp(a, "--json"))
		b->json = true;
	else if (!strcmp(a, "-m") && v && bench_sizes(b, v))
		(*i)++;
	else if (!strcmp(a, "-i") && v && atoi(v) > 0) {
		b->iters = b->iters_large = atoi(v);
		(*i)++;
	} else if (!strcmp(a, "-x") && v && atoi(v) >= 0) {
		b->warmup = atoi(v);
		(*i)++;
	} else if (a[0] != '-')
		b->extra = a;
	else
		return false;
	return true;
}

/* Starts MPI, reads the options; ends the program on a wrong one. */
static inline void bench_begin(struct bench *b, int argc, char **argv)
{
	int inited;

	MPI_Initialized(&inited);
	if (!inited)
		MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &b->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &b->size);
	if (!b->iters)
		b->iters = 10000;
	if (!b->warmup)
		b->warmup = b->iters / 10;
	if (!b->iters_large)
		b->iters_large = b->iters / 10;
	for (int i = 1; i < argc; i++) {
		if (bench_option(b, argc, argv, &i))
			continue;
		bench_usage(b, argv[0]);
		MPI_Finalize();
		exit(strcmp(argv[i], "-h") && strcmp(argv[i], "--help") ? 2
									: 0);
	}
}

static inline void bench_need(const struct bench *b, bool ok, const char *what)
{
	if (ok)
		return;
	if (b->rank == 0)
		fprintf(stderr, "%s: needs %s\n", b->title, what);
	MPI_Finalize();
	exit(2);
}

static inline int bench_iters(const struct bench *b, size_t bytes)
{
	int n = bytes < BENCH_LARGE ? b->iters : b->iters_large;

	return n > 0 ? n : 1;
}

static inline int bench_warmup(const struct bench *b, size_t bytes)
{
	return bytes < BENCH_LARGE ? b->warmup : (b->warmup + 9) / 10;
}

/* The size after bytes: 0, 1, 2, 4, ... */
static inline size_t bench_next(size_t bytes)
{
	return bytes ? bytes * 2 : 1;
}

static inline void bench_head(struct bench *b)
{
	if (b->rank || b->printed)
		return;
	b->printed = true;
	if (b->json) {
		printf("{ \"title\": \"%s\", \"ranks\": %d, \"rows\": [",
		       b->title, b->size);
		return;
	}
	printf("# %s\n", b->title);
	if (b->max)
		printf("%-10s", "# Size");
	for (int i = 0; i < b->columns; i++)
		printf("%*s", b->max || i ? 20 : 10, b->column[i]);
	putchar('\n');
}

/* One row of b->columns values; printed by rank 0. */
static inline void bench_row(struct bench *b, size_t bytes, const double *v)
{
	static int rows;

	bench_head(b);
	if (b->rank)
		return;
	if (b->json) {
		printf("%s\n  { \"size\": %zu", rows++ ? "," : "", bytes);
		for (int i = 0; i < b->columns; i++)
			printf(", \"%s\": %.4f", b->column[i], v[i]);
		fputs(" }", stdout);
	} else {
		if (b->max)
			printf("%-10zu", bytes);
		for (int i = 0; i < b->columns; i++)
			printf("%*.2f", b->max || i ? 20 : 10, v[i]);
		putchar('\n');
	}
	fflush(stdout);
}

static inline int bench_end(struct bench *b)
{
	if (b->rank == 0 && b->json)
		puts("\n] }");
	MPI_Finalize();
	return 0;
}

static inline void *bench_buffer(size_t bytes)
{
	size_t room = (bytes / BENCH_ALIGN + 1) * BENCH_ALIGN;
	void *p = aligned_alloc(BENCH_ALIGN, room);

	if (!p) {
		fprintf(stderr, "no memory for %zu bytes\n", room);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	memset(p, 0, room);
	return p;
}

static inline void bench_fill(void *buf, size_t bytes, unsigned seed)
{
	unsigned char *p = buf;

	for (size_t i = 0; i < bytes; i++)
		p[i] = (unsigned char)(seed + i * 7);
}

static inline bool bench_same(const void *buf, size_t bytes, unsigned seed)
{
	const unsigned char *p = buf;

	for (size_t i = 0; i < bytes; i++) {
		if (p[i] != (unsigned char)(seed + i * 7))
			return false;
	}
	return true;
}

/* Ends the job when a check failed anywhere. */
static inline void bench_verdict(struct bench *b, size_t bytes, bool ok)
{
	int mine = ok, all;

	MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	if (all)
		return;
	if (b->rank == 0)
		fprintf(stderr, "%s: wrong data at %zu bytes\n", b->title,
			bytes);
	MPI_Abort(MPI_COMM_WORLD, 3);
}

/* Average, minimum and maximum over the ranks; whole on rank 0. */
static inline void bench_spread(const struct bench *b, double mine, double *v)
{
	MPI_Reduce(&mine, &v[0], 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Reduce(&mine, &v[1], 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
	MPI_Reduce(&mine, &v[2], 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	v[0] /= b->size;
}

/* ---- collectives --------------------------------------------------------- */

/*
 * One collective. call runs it once with bytes per rank; icall starts it and
 * returns the request (nonblocking benchmarks). Buffers hold send_ranks and
 * recv_ranks times bytes (0 means 1, -1 means one per rank). fill and check
 * are for -c: check tells whether this rank's result is right.
 */
struct bench_coll {
	const char *title;
	int send_ranks, recv_ranks;
	size_t min, max;
	void (*call)(void *send, void *recv, size_t bytes);
	void (*icall)(void *send, void *recv, size_t bytes, MPI_Request *r);
	void (*fill)(const struct bench *b, void *send, void *recv,
		     size_t bytes);
	bool (*check)(const struct bench *b, const void *recv, size_t bytes);
};

static inline size_t bench_times(const struct bench *b, int ranks)
{
	return ranks == 0 ? 1 : ranks < 0 ? (size_t)b->size : (size_t)ranks;
}

/* Equal counts for the v collectives, and where each block begins. */
static inline int *bench_blocks(int *v, int n, int step)
{
	int size;

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (!v)
		v = malloc((size_t)size * sizeof(*v));
	for (int i = 0; i < size; i++)
		v[i] = n + i * step;
	return v;
}

static inline int *bench_counts(int n)
{
	static int *v;

	if (!v || v[0] != n)
		v = bench_blocks(v, n, 0);
	return v;
}

static inline int *bench_displs(int n)
{
	static int *v;
	static int last = -1;

	if (last != n)
		v = bench_blocks(v, 0, n);
	last = n;
	return v;
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

static inline void bench_coll_check(struct bench *b, const struct bench_coll *c,
				    void *send, void *recv, size_t bytes)
{
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
	bench_verdict(b, bytes, c->check(b, recv, bytes));
}

/*
 * Microseconds of one call, timed apart from the barriers between calls; the
 * barrier itself needs none.
 */
static inline double bench_coll_time(const struct bench *b,
				     const struct bench_coll *c, void *send,
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

/* Work without memory traffic; the result (positive) must be looked at. */
static inline double bench_work(long turns)
{
	double x = 1.0;

	for (long i = 0; i < turns; i++)
		x = x * 1.0000001 + 0.0000001;
	return x;
}

/* Turns of bench_work in a microsecond, measured; at least 1. */
static inline double bench_work_rate(void)
{
	const long turns = 50000;
	double start, us, best = 0;

	/* the best of short runs: others may use the processor meanwhile */
	for (int i = 0; i < 30; i++) {
		start = MPI_Wtime();
		if (bench_work(turns) < 0)
			break;
		us = (MPI_Wtime() - start) * 1e6;
		if (us > 1 && turns / us > best)
			best = turns / us;
	}
	return best > 1 ? best : 1;
}

/*
 * Computes for so long, in slices of a us, by the clock of MPI: on a modelled
 * machine arithmetic takes no time, but looking at the clock does.
 */
static inline void bench_compute(double us, double rate)
{
	double end = MPI_Wtime() + us * 1e-6, left = us;

	while (left > 0 &&
	       bench_work(1 + (long)((left < 1 ? left : 1) * rate)) >= 0)
		left = (end - MPI_Wtime()) * 1e6;
}

static inline double bench_icoll_pure(const struct bench *b,
				      const struct bench_coll *c, void *send,
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

/* Overall time with as much computation as the pure call takes. */
static inline void bench_icoll_time(const struct bench *b,
				    const struct bench_coll *c, void *send,
				    void *recv, size_t bytes, double *v)
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

static inline void bench_coll_row(struct bench *b, const struct bench_coll *c,
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

/* The whole program of a collective benchmark. */
static inline int bench_coll_main(int argc, char **argv,
				  const struct bench_coll *c)
{
	struct bench b = { .title = c->title, .min = c->min, .max = c->max,
			   .iters = 1000 };
	void *send, *recv;

	bench_begin(&b, argc, argv);
	if (!c->max)
		b.min = b.max = 0; /* a barrier has no size */
	bench_coll_columns(&b, c->icall != NULL);
	send = bench_buffer(b.max * bench_times(&b, c->send_ranks));
	recv = bench_buffer(b.max * bench_times(&b, c->recv_ranks));
	for (size_t n = b.min; n <= b.max; n = bench_next(n)) {
		bench_coll_check(&b, c, send, recv, n);
		bench_coll_row(&b, c, send, recv, n);
	}
	free(send);
	free(recv);
	return bench_end(&b);
}

#endif
