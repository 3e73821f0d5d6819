/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One table: microseconds per collective by size, for all collectives. The
 * printed time is that of the slowest rank: the median over several batches of
 * calls. A plain MPI program, which any mpicc compiles.
 *
 *   coll_scan [most bytes] [milliseconds per cell] [operation]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 7 };

struct bufs {
	int rank;
	int size;
	char *s;
	char *r;
	int *counts;
	int *displs;
};

static void do_barrier(struct bufs *b, int n)
{
	MPI_Barrier(MPI_COMM_WORLD);
}

static void do_bcast(struct bufs *b, int n)
{
	MPI_Bcast(b->s, n, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void do_reduce(struct bufs *b, int n)
{
	MPI_Reduce(b->s, b->r, n / 8, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void do_allreduce(struct bufs *b, int n)
{
	MPI_Allreduce(b->s, b->r, n / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void do_gather(struct bufs *b, int n)
{
	MPI_Gather(b->s, n, MPI_BYTE, b->r, n, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void do_scatter(struct bufs *b, int n)
{
	MPI_Scatter(b->s, n, MPI_BYTE, b->r, n, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void do_allgather(struct bufs *b, int n)
{
	MPI_Allgather(b->s, n, MPI_BYTE, b->r, n, MPI_BYTE, MPI_COMM_WORLD);
}

static void do_alltoall(struct bufs *b, int n)
{
	MPI_Alltoall(b->s, n, MPI_BYTE, b->r, n, MPI_BYTE, MPI_COMM_WORLD);
}

static void do_alltoallv(struct bufs *b, int n)
{
	int i;

	for (i = 0; i < b->size; i++) {
		b->counts[i] = n;
		b->displs[i] = i * n;
	}
	MPI_Alltoallv(b->s, b->counts, b->displs, MPI_BYTE, b->r, b->counts,
		      b->displs, MPI_BYTE, MPI_COMM_WORLD);
}

static void do_redscat(struct bufs *b, int n)
{
	MPI_Reduce_scatter_block(b->s, b->r, n / 8, MPI_DOUBLE, MPI_SUM,
				 MPI_COMM_WORLD);
}

static void do_scan(struct bufs *b, int n)
{
	MPI_Scan(b->s, b->r, n / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

struct op {
	const char *name;
	void (*run)(struct bufs *b, int n);
	int blocks; /* whether n is the number of bytes per rank */
};

static const struct op ops[] = {
	{ "barrier", do_barrier, 0 },	  { "bcast", do_bcast, 0 },
	{ "reduce", do_reduce, 0 },	  { "allreduce", do_allreduce, 0 },
	{ "gather", do_gather, 1 },	  { "scatter", do_scatter, 1 },
	{ "allgather", do_allgather, 1 }, { "alltoall", do_alltoall, 1 },
	{ "alltoallv", do_alltoallv, 1 }, { "red_scat", do_redscat, 1 },
	{ "scan", do_scan, 0 },
};

#define NOPS (sizeof(ops) / sizeof(ops[0]))

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Returns the seconds per call on the slowest rank. */
static double batch(const struct op *op, struct bufs *b, int n, int calls)
{
	double t, worst;
	int i;

	MPI_Barrier(MPI_COMM_WORLD);
	t = MPI_Wtime();
	for (i = 0; i < calls; i++)
		op->run(b, n);
	t = (MPI_Wtime() - t) / calls;
	MPI_Allreduce(&t, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return worst;
}

static double measure(const struct op *op, struct bufs *b, int n, double budget)
{
	double t[REPEATS], once = batch(op, b, n, 3);
	int i, calls = (int)(budget / REPEATS / (once > 1e-9 ? once : 1e-9));

	if (calls < 2)
		calls = 2;
	if (calls > 20000)
		calls = 20000;
	for (i = 0; i < REPEATS; i++)
		t[i] = batch(op, b, n, calls);
	qsort(t, REPEATS, sizeof(t[0]), by_value);
	return t[REPEATS / 2];
}

static void row(struct bufs *b, int n, double budget, const char *only)
{
	size_t k;

	if (b->rank == 0)
		printf("%9d", n);
	for (k = 0; k < NOPS; k++) {
		if (only && strcmp(only, ops[k].name))
			continue;
		if (b->rank == 0)
			printf(" %9.2f", 1e6 * measure(&ops[k], b, n, budget));
		else
			measure(&ops[k], b, n, budget);
	}
	if (b->rank == 0) {
		printf("\n");
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	int most = argc > 1 ? atoi(argv[1]) : 65536, n;
	double budget = (argc > 2 ? atoi(argv[2]) : 20) * 1e-3;
	const char *only = argc > 3 ? argv[3] : NULL;
	struct bufs b;
	size_t room, k;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &b.size);
	room = (size_t)most * (size_t)b.size + 8;
	b.s = calloc(room, 1);
	b.r = calloc(room, 1);
	b.counts = calloc((size_t)b.size, sizeof(int));
	b.displs = calloc((size_t)b.size, sizeof(int));
	if (!b.s || !b.r || !b.counts || !b.displs)
		MPI_Abort(MPI_COMM_WORLD, 1);
	if (b.rank == 0) {
		printf("# %d ranks, microseconds per call\n# bytes  ", b.size);
		for (k = 0; k < NOPS; k++)
			if (!only || !strcmp(only, ops[k].name))
				printf(" %9s", ops[k].name);
		printf("\n");
	}
	for (n = 8; n <= most; n *= 8)
		row(&b, n, budget, only);
	free(b.s);
	free(b.r);
	free(b.counts);
	free(b.displs);
	MPI_Finalize();
	return 0;
}
