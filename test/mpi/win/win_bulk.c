/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accumulates of many elements. They are applied by a loop without atomics,
 * under an exclusive lock of the application or the accumulate lock of the
 * target: no update may be lost when accumulates of one or many elements are
 * concurrent.
 */
#include "win_t.h"

#include <stdbool.h>

#define N      4096
#define ROUNDS 60
#define ONES   16

/*
 * All ranks add to all elements of rank 0 under exclusive locks, so all
 * elements are always equal.
 */
static void adds_alone(enum win_kind kind)
{
	struct wt w = wt_open(kind, MPI_COMM_WORLD, N * sizeof(long), 8);
	long *in = malloc(N * sizeof(long)), *old = malloc(N * sizeof(long));
	long *mem = (long *)(void *)w.mem;

	for (int i = 0; i < N; i++)
		in[i] = 1;
	for (int r = 0; r < ROUNDS / 10; r++) {
		MT_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w.win));
		MT_OK(MPI_Get_accumulate(in, N, MPI_LONG, old, N, MPI_LONG, 0,
					 wt_disp(&w, 0, 0), N, MPI_LONG,
					 MPI_SUM, w.win));
		MT_OK(MPI_Accumulate(in, N, MPI_LONG, 0, wt_disp(&w, 0, 0), N,
				     MPI_LONG, MPI_SUM, w.win));
		MT_OK(MPI_Win_unlock(0, w.win));
		for (int i = 0; i < N; i++)
			MT_IS(old[i], old[0]);
		MT_IS(old[0] % 2, 0);
	}
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	MT_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, w.rank, 0, w.win));
	for (int i = 0; i < N && !w.rank; i++)
		MT_IS(mem[i], 2 * w.size * (ROUNDS / 10));
	MT_OK(MPI_Win_unlock(w.rank, w.win));
	free(in);
	free(old);
	wt_close(&w);
}

/* Opens a window whose members request a number of bytes under one lock. */
static struct wt open_granular(enum win_kind kind, size_t bytes)
{
	MPI_Info info;
	struct wt w;

	MPI_Info_create(&info);
	MPI_Info_set(info, "mpi_accumulate_granularity", "8192");
	w = wt_open_with(kind, MPI_COMM_WORLD, bytes, 8, info);
	MPI_Info_free(&info);
	return w;
}

/* Adds to one element with each accumulate function. */
static void add_one(struct wt *w, size_t at)
{
	MPI_Aint disp = wt_disp(w, 0, at);
	long one = 1, old = 0, seen, next;

	MT_OK(MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, disp, MPI_SUM, w->win));
	MT_OK(MPI_Accumulate(&one, 1, MPI_LONG, 0, disp, 1, MPI_LONG, MPI_SUM,
			     w->win));
	MT_OK(MPI_Win_flush(0, w->win));
	seen = old;
	do {
		old = seen;
		next = old + 1;
		MT_OK(MPI_Compare_and_swap(&next, &old, &seen, MPI_LONG, 0,
					   disp, w->win));
		MT_OK(MPI_Win_flush(0, w->win));
	} while (seen != old);
}

/* All ranks add to all elements, and to single elements, at the same time. */
static void adds_together(enum win_kind kind, bool granular)
{
	struct wt w =
		granular ? open_granular(kind, N * sizeof(long))
			 : wt_open(kind, MPI_COMM_WORLD, N * sizeof(long), 8);
	long *in = malloc(N * sizeof(long)), *mem = (long *)(void *)w.mem, n;

	for (int i = 0; i < N; i++)
		in[i] = 1;
	MT_OK(MPI_Win_lock_all(0, w.win));
	for (int r = 0; r < ROUNDS; r++) {
		MT_OK(MPI_Accumulate(in, N, MPI_LONG, 0, wt_disp(&w, 0, 0), N,
				     MPI_LONG, MPI_SUM, w.win));
		for (size_t i = 0; i < ONES; i++)
			add_one(&w, i * (N / ONES) * sizeof(long));
	}
	MT_OK(MPI_Win_unlock_all(w.win));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	MT_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, w.rank, 0, w.win));
	for (int i = 0; i < N && !w.rank; i++) {
		n = i % (N / ONES) ? 1 : 4;
		MT_IS(mem[i], n * w.size * ROUNDS);
	}
	MT_OK(MPI_Win_unlock(w.rank, w.win));
	free(in);
	wt_close(&w);
}

#define PART (N / ONES)

/*
 * Adds one to all elements, to every PART-th element, and to the three elements
 * after it, which begin in the middle of a word.
 */
static void add_parts(struct wt *w, MPI_Datatype type, size_t bytes,
		      const void *ones)
{
	int64_t old;

	MT_OK(MPI_Accumulate(ones, N, type, 0, wt_disp(w, 0, 0), N, type,
			     MPI_SUM, w->win));
	for (size_t i = 0; i < N; i += PART) {
		MT_OK(MPI_Fetch_and_op(ones, &old, type, 0,
				       wt_disp(w, 0, i * bytes), MPI_SUM,
				       w->win));
		MT_OK(MPI_Accumulate(ones, 3, type, 0,
				     wt_disp(w, 0, (i + 1) * bytes), 3, type,
				     MPI_SUM, w->win));
	}
	MT_OK(MPI_Win_flush(0, w->win));
}

/* All ranks add to arrays of integers of each size at the same time. */
static void adds_of_size(enum win_kind kind, MPI_Datatype type, size_t bytes)
{
	struct wt w = wt_open(kind, MPI_COMM_WORLD, N * bytes, 1);
	char *ones = calloc(N, bytes);
	uint64_t is, mask = bytes < 8 ? (UINT64_C(1) << 8 * bytes) - 1 : ~0u;

	for (size_t i = 0; i < N; i++)
		ones[i * bytes] = 1;
	MT_OK(MPI_Win_lock_all(0, w.win));
	for (int r = 0; r < ROUNDS / 3; r++)
		add_parts(&w, type, bytes, ones);
	MT_OK(MPI_Win_unlock_all(w.win));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	MT_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, w.rank, 0, w.win));
	for (size_t i = 0; i < N && !w.rank; i++) {
		is = 0;
		memcpy(&is, w.mem + i * bytes, bytes);
		MT_IS(is, ((i % PART < 4 ? 2 : 1) * (uint64_t)w.size *
			   (ROUNDS / 3)) &
				  mask);
	}
	MT_OK(MPI_Win_unlock(w.rank, w.win));
	free(ones);
	wt_close(&w);
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	for (int k = 0; k < WT_KINDS; k++) {
		adds_alone(k);
		adds_together(k, false);
		adds_together(k, true);
		adds_of_size(k, MPI_INT8_T, 1);
		adds_of_size(k, MPI_INT16_T, 2);
		adds_of_size(k, MPI_INT32_T, 4);
		adds_of_size(k, MPI_INT64_T, 8);
	}
	return mt_end();
}
