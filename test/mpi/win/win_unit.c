/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomics of one element in windows of every kind, with operations that the
 * machines' interfaces have and operations that they lack: all of them change
 * the same elements, from all ranks at once, and must be atomic with respect to
 * each other. Checks with an MPI_T counter that the interface executes what it
 * can.
 */
#include "win_t.h"

#include <stdbool.h>

#define ROUNDS 50

static unsigned long long unit_atomics(void)
{
	static MPI_T_pvar_session session;
	static MPI_T_pvar_handle handle;
	static bool open;
	unsigned long long v = 0;
	int index, n;

	if (getenv("FI_PROVIDER")) /* other providers do not count atomics */
		return 0;
	if (!open) {
		MT_OK(MPI_T_pvar_get_index("unit_atomics",
					   MPI_T_PVAR_CLASS_COUNTER, &index));
		MT_OK(MPI_T_pvar_session_create(&session));
		MT_OK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle,
					      &n));
		MT_OK(MPI_T_pvar_start(session, handle));
		open = true;
	}
	MT_OK(MPI_T_pvar_read(session, handle, &v));
	return v;
}

/* Returns whether the machine's interface executes atomics of windows, live. */
static bool unit_has_atomics(void)
{
	const char *machine = getenv("FI_WEFT_MACHINE");
	const char *clock = getenv("CLOCK");
	const char *dma = getenv("FI_WEFT_DMA");

	if (!machine || getenv("FI_PROVIDER") || getenv("WEFT_WIN_PATH") ||
	    (clock && !strcmp(clock, "virtual")) || (dma && *dma == '0') ||
	    mt_size == 1 || mt_local_ranks(MPI_COMM_WORLD) != mt_size)
		return false;
	return !strcmp(machine, "bgq") || !strcmp(machine, "gemini") ||
	       !strcmp(machine, "qsnet2");
}

/*
 * Element 0: increments that fetch, sums of 3 that do not, and sums of 5 that
 * fetch; element 1: compare and swap; element 2: bits; element 3: a maximum;
 * elements 4 and 5: a double and two ints.
 */
static void change_all(struct wt *w, int to)
{
	int64_t one = 1, three = 3, five = 5, old, bit, big;
	double d = 0.5;
	int32_t i = 1, i_old;

	bit = INT64_C(1) << w->rank;
	big = 1000 + w->rank;
	MT_OK(MPI_Fetch_and_op(&one, &old, MPI_INT64_T, to, wt_disp(w, to, 0),
			       MPI_SUM, w->win));
	MT_OK(MPI_Accumulate(&three, 1, MPI_INT64_T, to, wt_disp(w, to, 0), 1,
			     MPI_INT64_T, MPI_SUM, w->win));
	MT_OK(MPI_Fetch_and_op(&five, &old, MPI_INT64_T, to, wt_disp(w, to, 0),
			       MPI_SUM, w->win));
	MT_OK(MPI_Accumulate(&bit, 1, MPI_INT64_T, to, wt_disp(w, to, 16), 1,
			     MPI_INT64_T, MPI_BOR, w->win));
	MT_OK(MPI_Accumulate(&big, 1, MPI_INT64_T, to, wt_disp(w, to, 24), 1,
			     MPI_INT64_T, MPI_MAX, w->win));
	MT_OK(MPI_Accumulate(&d, 1, MPI_DOUBLE, to, wt_disp(w, to, 32), 1,
			     MPI_DOUBLE, MPI_SUM, w->win));
	MT_OK(MPI_Fetch_and_op(&i, &i_old, MPI_INT32_T, to, wt_disp(w, to, 40),
			       MPI_SUM, w->win));
	MT_OK(MPI_Win_flush(to, w->win));
}

/* Increments element 1 by compare and swap. */
static void swap_until_changed(struct wt *w, int to)
{
	int64_t nil = 0, seen, next, old;

	MT_OK(MPI_Fetch_and_op(&nil, &seen, MPI_INT64_T, to, wt_disp(w, to, 8),
			       MPI_NO_OP, w->win));
	MT_OK(MPI_Win_flush(to, w->win));
	for (;;) {
		next = seen + 1;
		MT_OK(MPI_Compare_and_swap(&next, &seen, &old, MPI_INT64_T, to,
					   wt_disp(w, to, 8), w->win));
		MT_OK(MPI_Win_flush(to, w->win));
		if (old == seen)
			return;
		seen = old;
	}
}

/* Returns the old value of element 6, which becomes v. */
static int64_t swap_in(struct wt *w, int to, int64_t v)
{
	int64_t old = -1;

	MT_OK(MPI_Fetch_and_op(&v, &old, MPI_INT64_T, to, wt_disp(w, to, 48),
			       MPI_REPLACE, w->win));
	MT_OK(MPI_Win_flush(to, w->win));
	return old;
}

static void check_all(const struct wt *w)
{
	const int64_t *e = (const void *)w->mem;
	int64_t n = (int64_t)ROUNDS * w->size;
	double d;
	int32_t i;

	memcpy(&d, &e[4], sizeof(d));
	memcpy(&i, &e[5], sizeof(i));
	MT_IS(e[0], 9 * n);
	MT_IS(e[1], n);
	MT_IS(e[2], (INT64_C(1) << w->size) - 1);
	MT_IS(e[3], 1000 + w->size - 1);
	MT_IS(d == 0.5 * (double)n, 1);
	MT_IS(i, n);
	MT_IS(e[6], 0);
}

static void all_ranks_change_all(enum win_kind kind)
{
	unsigned long long before = unit_atomics();
	struct wt w = wt_open(kind, MPI_COMM_WORLD, 64, 8);

	MT_OK(MPI_Win_lock_all(0, w.win));
	for (int k = 0; k < ROUNDS; k++)
		for (int to = 0; to < w.size; to++) {
			change_all(&w, to);
			swap_until_changed(&w, to);
		}
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	MT_IS(swap_in(&w, (w.rank + 1) % w.size, 7), 0);
	MT_IS(swap_in(&w, (w.rank + 1) % w.size, 0), 7);
	MT_OK(MPI_Win_unlock_all(w.win));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	check_all(&w);
	if (unit_has_atomics())
		/*
		 * at least an increment, a sum and an or, by every other rank
		 */
		MT_IS(unit_atomics() - before >=
			      3ull * ROUNDS * (unsigned)(w.size - 1),
		      1);
	else
		MT_IS(unit_atomics() - before, 0);
	wt_close(&w);
}

int main(int argc, char **argv)
{
	int have;

	MT_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &have));
	mt_begin(&argc, &argv);
	for (int k = 0; k < WT_KINDS; k++)
		all_ranks_change_all(k);
	MT_OK(MPI_T_finalize());
	return mt_end();
}
