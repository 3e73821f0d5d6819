/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by the benchmarks of one-sided communication: the window, and the
 * synchronization of accesses of rank 0 to rank 1 and, with win_bench.both,
 * also of rank 1 to rank 0.
 *
 *   -w create|allocate|dynamic                       the window (allocate)
 *   -s flush|flush_local|lock|lock_all|pscw|fence    around accesses (flush)
 *
 * flush: one epoch of MPI_Win_lock_all, a flush after the accesses; lock and
 * lock_all: one epoch for each iteration.
 */
#ifndef WEFT_BENCH_WIN_H
#define WEFT_BENCH_WIN_H

#include "bench.h"

struct win_bench {
	struct bench b;
	const char *window;
	const char *sync;
	int accesses; /* number of accesses before each synchronization */
	bool both;    /* whether rank 1 also accesses rank 0 */
	MPI_Win win;
	MPI_Group peer;
	int other;	 /* target rank */
	MPI_Aint remote; /* displacement of the target's memory */
	char *mem, *local, *result;
};

typedef void (*win_access)(struct win_bench *w, size_t n);

static const char *const win_windows[] = { "create", "allocate", "dynamic" };
static const char *const win_syncs[] = { "flush",    "flush_local", "lock",
					 "lock_all", "pscw",	    "fence" };

static inline const char *win_choice(const char *const *all, size_t n,
				     const char *v)
{
	for (size_t i = 0; v && i < n; i++)
		if (!strcmp(all[i], v))
			return all[i];
	fprintf(stderr, "unknown choice %s; one of:", v ? v : "");
	for (size_t i = 0; i < n; i++)
		fprintf(stderr, " %s", all[i]);
	fputc('\n', stderr);
	exit(2);
}

/* Parses -w and -s and removes them from the arguments. */
static inline int win_options(struct win_bench *w, int argc, char **argv)
{
	int n = 1;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-w"))
			w->window = win_choice(win_windows, 3, argv[++i]);
		else if (!strcmp(argv[i], "-s"))
			w->sync = win_choice(win_syncs, 6, argv[++i]);
		else
			argv[n++] = argv[i];
	}
	argv[n] = NULL;
	return n;
}

static inline void win_open(struct win_bench *w, size_t room)
{
	MPI_Aint mine = 0, both[2];
	MPI_Group all;

	if (!strcmp(w->window, "allocate")) {
		MPI_Win_allocate((MPI_Aint)room, 1, MPI_INFO_NULL,
				 MPI_COMM_WORLD, &w->mem, &w->win);
		memset(w->mem, 0, room);
	} else {
		w->mem = bench_buffer(room);
	}
	if (!strcmp(w->window, "create"))
		MPI_Win_create(w->mem, (MPI_Aint)room, 1, MPI_INFO_NULL,
			       MPI_COMM_WORLD, &w->win);
	if (!strcmp(w->window, "dynamic")) {
		MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &w->win);
		MPI_Win_attach(w->win, w->mem, (MPI_Aint)room);
		MPI_Get_address(w->mem, &mine);
	}
	w->other = 1 - w->b.rank;
	MPI_Allgather(&mine, 1, MPI_AINT, both, 1, MPI_AINT, MPI_COMM_WORLD);
	w->remote = both[w->other];
	MPI_Win_get_group(w->win, &all);
	MPI_Group_incl(all, 1, &w->other, &w->peer);
	MPI_Group_free(&all);
}

static inline void win_close(struct win_bench *w)
{
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Group_free(&w->peer);
	if (!strcmp(w->window, "dynamic"))
		MPI_Win_detach(w->win, w->mem);
	MPI_Win_free(&w->win);
	if (strcmp(w->window, "allocate"))
		free(w->mem);
	free(w->local);
	free(w->result);
}

/*
 * Parses options and sets up two ranks, a window of the longest size and two
 * local buffers.
 */
static inline void win_begin(struct win_bench *w, int argc, char **argv)
{
	size_t room;

	w->window = "allocate";
	w->sync = "flush";
	argc = win_options(w, argc, argv);
	bench_begin(&w->b, argc, argv);
	bench_require(&w->b, w->b.size == 2, "2 ranks");
	w->b.columns = 1;
	room = w->b.max * (size_t)w->accesses + 64;
	win_open(w, room);
	w->local = bench_buffer(room);
	w->result = bench_buffer(room);
}

static inline int win_end(struct win_bench *w)
{
	win_close(w);
	return bench_end(&w->b);
}

/* ---- one iteration ------------------------------------------------------- */

/* Returns whether this rank is an origin. */
static inline bool win_is_origin(const struct win_bench *w)
{
	return w->both || w->b.rank == 0;
}

static inline bool win_is_target(const struct win_bench *w)
{
	return w->both || w->b.rank == 1;
}

static inline bool win_is(const struct win_bench *w, const char *sync)
{
	return !strcmp(w->sync, sync);
}

static inline void win_pscw(struct win_bench *w, win_access access, size_t n)
{
	if (win_is_target(w))
		MPI_Win_post(w->peer, 0, w->win);
	if (win_is_origin(w)) {
		MPI_Win_start(w->peer, 0, w->win);
		access(w, n);
		MPI_Win_complete(w->win);
	}
	if (win_is_target(w))
		MPI_Win_wait(w->win);
}

/* Runs the access and its synchronization iters times. Returns seconds. */
static inline double win_run(struct win_bench *w, win_access access, size_t n,
			     int iters)
{
	bool flush = win_is(w, "flush"), local = win_is(w, "flush_local");
	bool acts = win_is_origin(w), all = win_is(w, "lock_all");
	double start;

	if (flush || local)
		MPI_Win_lock_all(0, w->win);
	if (win_is(w, "fence"))
		MPI_Win_fence(0, w->win);
	MPI_Barrier(MPI_COMM_WORLD);
	bench_realtime(true);
	start = MPI_Wtime();
	for (int i = 0; i < iters; i++) {
		if (flush || local) {
			if (!acts)
				break;
			access(w, n);
			if (flush)
				MPI_Win_flush(w->other, w->win);
			else
				MPI_Win_flush_local(w->other, w->win);
		} else if (win_is(w, "pscw")) {
			win_pscw(w, access, n);
		} else if (win_is(w, "fence")) {
			if (acts)
				access(w, n);
			MPI_Win_fence(0, w->win);
		} else if (acts) {
			if (all)
				MPI_Win_lock_all(0, w->win);
			else
				MPI_Win_lock(MPI_LOCK_SHARED, w->other, 0,
					     w->win);
			access(w, n);
			if (all)
				MPI_Win_unlock_all(w->win);
			else
				MPI_Win_unlock(w->other, w->win);
		}
	}
	start = MPI_Wtime() - start;
	if (flush || local)
		MPI_Win_unlock_all(w->win);
	if (win_is(w, "fence"))
		MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win);
	/* a target may have to make progress until this barrier */
	MPI_Barrier(MPI_COMM_WORLD);
	bench_realtime(false);
	return start;
}

/*
 * Prints a row for each size, starting with the size `first`: microseconds per
 * access, or megabytes per second if there are several accesses before a
 * synchronization.
 */
static inline void win_measure(struct win_bench *w, win_access access,
			       size_t first)
{
	for (size_t n = first > w->b.min ? first : w->b.min; n <= w->b.max;
	     n = bench_next(n)) {
		int iters = bench_iters(&w->b, n);
		double s, v;

		win_run(w, access, n, bench_warmup(&w->b, n));
		s = win_run(w, access, n, iters);
		v = s * 1e6 / iters;
		if (w->accesses > 1)
			v = (double)n * w->accesses * iters *
			    (w->both ? 2 : 1) / (s * 1e6);
		bench_row(&w->b, n, &v);
	}
}

#endif
