/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of the benchmarks of pairs of ranks, and the function that runs a row.
 */
#ifndef WEFT_BENCH_P2P_TABLE_H
#define WEFT_BENCH_P2P_TABLE_H

#include "p2p.h"

/*
 * One benchmark. all: every rank has a peer; otherwise only ranks 0 and 1.
 * values() computes the columns from t, the seconds of all rounds with n bytes.
 */
struct pair_row {
	const char *name;
	const char *title;
	int columns, full; /* number of columns without and with -f */
	const char *const *column;
	bool all, one_buffer;
	void (*pattern)(struct pair *p, int n);
	void (*values)(const struct bench *b, size_t n, double t, double *v);
};

/* Sends a window of messages in both directions at once. */
static void pair_both(struct pair *p, int n)
{
	for (int i = 0; i < WINDOW; i++)
		MPI_Irecv(p->recv, n, MPI_CHAR, p->peer, 10, MPI_COMM_WORLD,
			  &p->req[i]);
	for (int i = 0; i < WINDOW; i++)
		MPI_Isend(p->send, n, MPI_CHAR, p->peer, 10, MPI_COMM_WORLD,
			  &p->req[WINDOW + i]);
	MPI_Waitall(2 * WINDOW, p->req, MPI_STATUSES_IGNORE);
}

/* ---- values of the columns ----------------------------------------------- */

static void one_way(const struct bench *b, size_t n, double t, double *v)
{
	v[1] = bench_iters(b, n);
	v[0] = t * 1e6 / (2.0 * v[1]);
}

static void mean_one_way(const struct bench *b, size_t n, double t, double *v)
{
	one_way(b, n, t, v);
	bench_spread(b, v[0], v);
	v[3] = bench_iters(b, n);
}

static void bandwidth(const struct bench *b, size_t n, double t, double *v)
{
	v[1] = bench_iters(b, n);
	v[0] = (double)n * WINDOW * v[1] / t / 1e6;
}

static void sum_of_both(const struct bench *b, size_t n, double t, double *v)
{
	bandwidth(b, n, t, v);
	v[0] *= 2;
}

static void message_rate(const struct bench *b, size_t n, double t, double *v)
{
	double slowest;

	MPI_Reduce(&t, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	v[1] = b->size / 2.0 * WINDOW * bench_iters(b, n) / slowest;
	v[0] = v[1] * (double)n / 1e6;
}

/* ---- table --------------------------------------------------------------- */

static const char *const time_column[] = { "Latency (us)", "Iterations" };
static const char *const times_column[] = { "Latency (us)", "Min Latency(us)",
					    "Max Latency(us)", "Iterations" };
static const char *const bw_column[] = { "Bandwidth (MB/s)", "Iterations" };
static const char *const rate_column[] = { "MB/s", "Messages/s" };

static const struct pair_row pair_table[] = {
	{ "latency", "MPI Latency Test", 1, 2, time_column, false, false,
	  pair_ping_pong, one_way },
	{ "multi_lat", "MPI Multi Latency Test", 1, 4, times_column, true, true,
	  pair_ping_pong, mean_one_way },
	{ "bw", "MPI Bandwidth Test", 1, 2, bw_column, false, true, pair_window,
	  bandwidth },
	{ "bibw", "MPI Bi-Directional Bandwidth Test", 1, 2, bw_column, false,
	  false, pair_both, sum_of_both },
	{ "mbw_mr", "MPI Multiple Bandwidth, Message Rate Test", 2, 2,
	  rate_column, true, true, pair_window, message_rate },
	{ 0 }
};

/* Runs the row with this name; returns -1 if there is none. */
static int pair_main(int argc, char **argv, const char *name)
{
	const struct pair_row *r = pair_table;
	struct bench b = { .max = 1 << 22 };
	MPI_Status statuses[WINDOW];
	struct pair p;

	while (r->name && strcmp(r->name, name))
		r++;
	if (!r->name)
		return -1;
	b.title = r->title;
	memcpy(b.column, r->column, (size_t)r->full * sizeof(b.column[0]));
	if (r->pattern != pair_ping_pong) {
		b.min = 1;
		b.iters = 100;
		b.iters_large = 20;
	}
	bench_begin(&b, argc, argv);
	bench_require(&b, b.size >= 2 && !(r->all && b.size % 2),
		      r->all ? "an even number of ranks" : "2 ranks");
	b.columns = b.full ? r->full : r->columns;
	pair_open(&p, &b, r->all ? b.size / 2 : 1, r->one_buffer);
	if (r->values == message_rate && b.extra &&
	    !strcmp(b.extra, "statuses")) {
		p.statuses = statuses;
		b.column[1] = "With statuses/s";
	}
	for (size_t n = b.min; n <= b.max; n = bench_next(n)) {
		double v[BENCH_COLUMNS];

		r->values(&b, n, pair_time(&p, &b, n, r->pattern), v);
		bench_row(&b, n, v);
	}
	return pair_close(&p, &b);
}

#endif
