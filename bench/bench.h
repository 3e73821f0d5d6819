/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by the MPI benchmarks: options, tables, timing, overlap. Plain MPI
 * and C11, header only, so that each program is one source file that any mpicc
 * compiles:  mpicc -O2 -o dt dt.c
 *
 *   -m [MIN:]MAX  message sizes in bytes     -i N  iterations per size
 *   -x N          warm-up iterations         -f    also min, max, iterations
 *   -c            check the received data    --json  one JSON object at the end
 */
#ifndef WEFT_BENCH_H
#define WEFT_BENCH_H

#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* size in bytes from which fewer iterations are run */
#define BENCH_LARGE   8192
#define BENCH_COLUMNS 8
#define BENCH_ALIGN   4096

struct bench {
	const char *title;
	/* smallest and largest size in bytes; max 0: one row without a size */
	size_t min, max;
	int iters, warmup;
	int iters_large; /* iterations for large messages; -1: iters / 10 */
	bool full, check, json;
	bool printed;
	/* argument that is not an option; NULL: none */
	const char *extra;
	int rank, size;
	const char *column[BENCH_COLUMNS];
	int columns;
	int digits; /* decimal places of values; 0: 2 */
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

/* Starts MPI and parses the options; exits on an invalid option. */
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

/*
 * If BENCH_ALONE is set (needs root): gives this thread a real-time scheduling
 * class during a measurement, so that other processes of a shared host do not
 * run.
 */
static inline void bench_realtime(bool on)
{
	struct sched_param p = { .sched_priority = on ? 1 : 0 };

	if (getenv("BENCH_ALONE") &&
	    sched_setscheduler(0, on ? SCHED_RR : SCHED_OTHER, &p))
		fprintf(stderr, "bench: BENCH_ALONE is set, but the real-time "
				"class is refused; run as root\n");
}

static inline void bench_require(const struct bench *b, bool ok,
				 const char *what)
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

/* Returns the size that follows `bytes` in the sequence 0, 1, 2, 4, ... */
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

/* Prints one row of b->columns values on rank 0. */
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
			printf("%*.*f", b->max || i ? 20 : 10,
			       b->digits ? b->digits : 2, v[i]);
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

static inline bool bench_data_equal(const void *buf, size_t bytes,
				    unsigned seed)
{
	const unsigned char *p = buf;

	for (size_t i = 0; i < bytes; i++) {
		if (p[i] != (unsigned char)(seed + i * 7))
			return false;
	}
	return true;
}

/* Ends the job if a check failed on any rank. */
static inline void bench_check_all(struct bench *b, size_t bytes, bool ok)
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

/* Computes average, minimum and maximum over the ranks, on rank 0 only. */
static inline void bench_spread(const struct bench *b, double mine, double *v)
{
	MPI_Reduce(&mine, &v[0], 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Reduce(&mine, &v[1], 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
	MPI_Reduce(&mine, &v[2], 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	v[0] /= b->size;
}

#endif
