/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table of the one-sided benchmarks, and the function that runs a row: the time
 * of one access and its synchronization, or the bandwidth of windows of
 * accesses.
 */
#ifndef WEFT_BENCH_WIN_TABLE_H
#define WEFT_BENCH_WIN_TABLE_H

#include "win.h"

/* number of accesses before a synchronization in a bandwidth benchmark */
#define WIN_WINDOW 64

/* One benchmark; check() is called with -c. */
struct win_row {
	const char *name;
	const char *title;
	size_t min, max;
	/* number of accesses in one call of access(): 1 or WIN_WINDOW */
	int accesses;
	bool both; /* whether rank 1 also accesses rank 0 */
	win_access access;
	void (*check)(struct win_bench *w, win_access access);
};

/* ---- accesses ------------------------------------------------------------ */

static void put(struct win_bench *w, size_t n)
{
	MPI_Put(w->local, (int)n, MPI_CHAR, w->other, w->remote, (int)n,
		MPI_CHAR, w->win);
}

static void put_window(struct win_bench *w, size_t n)
{
	for (int i = 0; i < WIN_WINDOW; i++)
		MPI_Put(w->local + (size_t)i * n, (int)n, MPI_CHAR, w->other,
			w->remote + (MPI_Aint)i * (MPI_Aint)n, (int)n, MPI_CHAR,
			w->win);
}

static void get(struct win_bench *w, size_t n)
{
	MPI_Get(w->local, (int)n, MPI_CHAR, w->other, w->remote, (int)n,
		MPI_CHAR, w->win);
}

static void get_window(struct win_bench *w, size_t n)
{
	for (int i = 0; i < WIN_WINDOW; i++)
		MPI_Get(w->local + (size_t)i * n, (int)n, MPI_CHAR, w->other,
			w->remote + (MPI_Aint)i * (MPI_Aint)n, (int)n, MPI_CHAR,
			w->win);
}

static void accumulate(struct win_bench *w, size_t n)
{
	MPI_Accumulate(w->local, (int)(n / 8), MPI_LONG, w->other, w->remote,
		       (int)(n / 8), MPI_LONG, MPI_SUM, w->win);
}

/* Adds characters, as OSU's benchmark does. */
static void accumulate_chars(struct win_bench *w, size_t n)
{
	MPI_Accumulate(w->local, (int)n, MPI_CHAR, w->other, w->remote, (int)n,
		       MPI_CHAR, MPI_SUM, w->win);
}

static void get_accumulate(struct win_bench *w, size_t n)
{
	MPI_Get_accumulate(w->local, (int)(n / 8), MPI_LONG, w->result,
			   (int)(n / 8), MPI_LONG, w->other, w->remote,
			   (int)(n / 8), MPI_LONG, MPI_SUM, w->win);
}

static void fetch_and_add(struct win_bench *w, size_t n)
{
	MPI_Fetch_and_op(w->local, w->result, MPI_LONG, w->other, w->remote,
			 MPI_SUM, w->win);
}

static void compare_and_swap(struct win_bench *w, size_t n)
{
	MPI_Compare_and_swap(w->local, w->local + 8, w->result, MPI_LONG,
			     w->other, w->remote, w->win);
}

/* ---- checks of the data -------------------------------------------------- */

/*
 * Returns the first size that is checked. Benchmarks with several accesses per
 * synchronization are checked with the largest size only.
 */
static size_t first_checked(const struct win_bench *w)
{
	return w->accesses > 1 ? w->b.max : 1;
}

static void check_put(struct win_bench *w, win_access access)
{
	for (size_t n = first_checked(w); n <= w->b.max; n = bench_next(n)) {
		size_t bytes = n * (size_t)w->accesses;

		bench_fill(w->local, bytes, (unsigned)n);
		win_run(w, access, n, 1);
		bench_check_all(
			&w->b, n,
			!win_is_target(w) ||
				bench_data_equal(w->mem, bytes, (unsigned)n));
	}
}

static void check_get(struct win_bench *w, win_access access)
{
	for (size_t n = first_checked(w); n <= w->b.max; n = bench_next(n)) {
		size_t bytes = n * (size_t)w->accesses;

		bench_fill(w->mem, bytes, (unsigned)n);
		MPI_Barrier(MPI_COMM_WORLD);
		win_run(w, access, n, 1);
		bench_check_all(
			&w->b, n,
			!win_is_origin(w) ||
				bench_data_equal(w->local, bytes, (unsigned)n));
	}
}

/*
 * Runs the accumulate three times with operands 1; checks that each sum is 3.
 */
static void check_sums(struct win_bench *w, win_access access)
{
	for (size_t n = 8; n <= w->b.max; n = bench_next(n)) {
		long *mem = (long *)w->mem, *in = (long *)w->local;
		bool good = true;

		memset(w->mem, 0, n);
		for (size_t i = 0; i < n / 8; i++)
			in[i] = 1;
		MPI_Barrier(MPI_COMM_WORLD);
		win_run(w, access, n, 3);
		for (size_t i = 0; i < n / 8; i++)
			good = good && mem[i] == 3;
		bench_check_all(&w->b, n, !w->b.rank || good);
	}
}

static void check_fetch(struct win_bench *w, win_access access)
{
	*(long *)w->local = 1;
	*(long *)w->mem = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	win_run(w, access, 8, 5);
	bench_check_all(&w->b, 8,
			w->b.rank ? *(long *)w->mem == 5
				  : *(long *)w->result == 4);
}

static void check_swap(struct win_bench *w, win_access access)
{
	((long *)w->local)[0] = 7;
	((long *)w->local)[1] = 0;
	*(long *)w->mem = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	win_run(w, access, 8, 2);
	bench_check_all(&w->b, 8,
			w->b.rank ? *(long *)w->mem == 7
				  : *(long *)w->result == 7);
	((long *)w->local)[1] = 7;
}

/* ---- table --------------------------------------------------------------- */

static const struct win_row win_table[] = {
	{ "put_latency", "MPI_Put Latency Test", 1, 1 << 22, 1, false, put,
	  check_put },
	{ "get_latency", "MPI_Get Latency Test", 1, 1 << 22, 1, false, get,
	  check_get },
	{ "acc_latency", "MPI_Accumulate Latency Test", 8, 1 << 22, 1, false,
	  accumulate, check_sums },
	{ "acc_char_latency", "MPI_Accumulate Latency Test, characters", 1,
	  1 << 22, 1, false, accumulate_chars, check_sums },
	{ "get_acc_latency", "MPI_Get_accumulate Latency Test", 8, 1 << 22, 1,
	  false, get_accumulate, check_sums },
	{ "fop_latency", "MPI_Fetch_and_op Latency Test", 8, 8, 1, false,
	  fetch_and_add, check_fetch },
	{ "cas_latency", "MPI_Compare_and_swap Latency Test", 8, 8, 1, false,
	  compare_and_swap, check_swap },
	{ "put_bw", "MPI_Put Bandwidth Test", 1, 1 << 20, WIN_WINDOW, false,
	  put_window, check_put },
	{ "get_bw", "MPI_Get Bandwidth Test", 1, 1 << 20, WIN_WINDOW, false,
	  get_window, check_get },
	{ "put_bibw", "MPI_Put Bi-Directional Bandwidth Test", 1, 1 << 20,
	  WIN_WINDOW, true, put_window, check_put },
	{ 0 }
};

/* Runs the row with this name; returns -1 if there is none. */
static int win_main(int argc, char **argv, const char *name)
{
	const struct win_row *r = win_table;
	struct win_bench w = { 0 };

	while (r->name && strcmp(r->name, name))
		r++;
	if (!r->name)
		return -1;
	w.accesses = r->accesses;
	w.both = r->both;
	w.b = (struct bench){ .title = r->title, .min = r->min, .max = r->max };
	if (w.accesses > 1) {
		w.b.iters = 1000;
		w.b.column[0] = "Bandwidth (MB/s)";
	} else {
		w.b.digits = 4;
		w.b.column[0] = "Latency (us)";
	}
	win_begin(&w, argc, argv);
	if (w.b.check)
		r->check(&w, r->access);
	win_measure(&w, r->access, r->min);
	return win_end(&w);
}

#endif
