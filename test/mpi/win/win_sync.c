/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Synchronization: guarantees of fences, exposure epochs, locks and flushes,
 * and the allowed sequences of epochs.
 */
#include "win_t.h"

/* ---- fence --------------------------------------------------------------- */

static void fences(struct wt *w)
{
	int *mem = (int *)w->mem, x, next = (w->rank + 1) % w->size;

	MT_OK(MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSTORE, w->win));
	for (int k = 1; k <= 20; k++) {
		x = k * 100 + w->rank;
		MT_OK(MPI_Put(&x, 1, MPI_INT, next, wt_disp(w, next, 0), 1,
			      MPI_INT, w->win));
		MT_OK(MPI_Win_fence(k % 2 ? MPI_MODE_NOSTORE : 0, w->win));
		MT_IS(mem[0], k * 100 + (w->rank + w->size - 1) % w->size);
		MT_OK(MPI_Win_fence(MPI_MODE_NOPUT, w->win));
	}
	MT_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win));
}

/* ---- post, start, complete, wait ----------------------------------------- */

static MPI_Group group_of(struct wt *w, int n, const int *ranks)
{
	MPI_Group all, some;

	MPI_Win_get_group(w->win, &all);
	MPI_Group_incl(all, n, ranks, &some);
	MPI_Group_free(&all);
	return some;
}

/*
 * Every rank exposes its memory to its left neighbour and accesses the memory
 * of its right neighbour.
 */
static void ring(struct wt *w)
{
	int right = (w->rank + 1) % w->size;
	int left = (w->rank + w->size - 1) % w->size, x, flag;
	MPI_Group to = group_of(w, 1, &right), from = group_of(w, 1, &left);

	for (int k = 0; k < 30; k++) {
		x = k * 10 + w->rank;
		MT_OK(MPI_Win_post(from, 0, w->win));
		MT_OK(MPI_Win_start(to, 0, w->win));
		MT_OK(MPI_Put(&x, 1, MPI_INT, right, wt_disp(w, right, 4), 1,
			      MPI_INT, w->win));
		MT_OK(MPI_Win_complete(w->win));
		if (k % 2) {
			MT_OK(MPI_Win_wait(w->win));
		} else {
			do
				MT_OK(MPI_Win_test(w->win, &flag));
			while (!flag);
		}
		MT_IS(((int *)w->mem)[1], k * 10 + left);
	}
	MPI_Group_free(&to);
	MPI_Group_free(&from);
}

/*
 * All ranks access rank 0, then rank 0 accesses all ranks; also with empty
 * groups.
 */
static void star(struct wt *w)
{
	int all[64], zero = 0, x = w->rank + 1;
	MPI_Group others, root, none = MPI_GROUP_EMPTY;

	for (int i = 1; i < w->size; i++)
		all[i - 1] = i;
	others = group_of(w, w->size - 1, all);
	root = group_of(w, 1, &zero);
	memset(w->mem, 0, 512);
	MPI_Barrier(w->comm);
	if (w->rank == 0) {
		MT_OK(MPI_Win_post(others, MPI_MODE_NOSTORE, w->win));
		MT_OK(MPI_Win_wait(w->win));
		for (int i = 1; i < w->size; i++)
			MT_IS(((int *)w->mem)[i], i + 1);
		MT_OK(MPI_Win_start(others, 0, w->win));
		for (int i = 1; i < w->size; i++)
			MT_OK(MPI_Put(&x, 1, MPI_INT, i, wt_disp(w, i, 0), 1,
				      MPI_INT, w->win));
		MT_OK(MPI_Win_complete(w->win));
	} else {
		MT_OK(MPI_Win_start(root, 0, w->win));
		MT_OK(MPI_Put(&x, 1, MPI_INT, 0,
			      wt_disp(w, 0, 4 * (size_t)w->rank), 1, MPI_INT,
			      w->win));
		MT_OK(MPI_Win_complete(w->win));
		MT_OK(MPI_Win_post(root, 0, w->win));
		MT_OK(MPI_Win_wait(w->win));
		MT_IS(*(int *)w->mem, 1);
	}
	MT_OK(MPI_Win_post(none, 0, w->win));
	MT_OK(MPI_Win_start(none, 0, w->win));
	MT_OK(MPI_Win_complete(w->win));
	MT_OK(MPI_Win_wait(w->win));
	/* MPI_MODE_NOCHECK: the barrier replaces the notification */
	MPI_Barrier(w->comm);
	if (w->rank == 0)
		MT_OK(MPI_Win_post(others, MPI_MODE_NOCHECK, w->win));
	MPI_Barrier(w->comm);
	if (w->rank)
		MT_OK(MPI_Win_start(root, MPI_MODE_NOCHECK, w->win));
	if (w->rank)
		MT_OK(MPI_Win_complete(w->win));
	else
		MT_OK(MPI_Win_wait(w->win));
	MPI_Group_free(&others);
	MPI_Group_free(&root);
}

/* ---- locks --------------------------------------------------------------- */

/* An update by read and write under an exclusive lock is not lost. */
static void exclusive(struct wt *w)
{
	enum { TIMES = 40 };
	int x, *mem = (int *)w->mem;

	memset(w->mem, 0, 64);
	MPI_Barrier(w->comm);
	for (int k = 0; k < TIMES; k++) {
		int t = k % w->size;

		MT_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, w->win));
		MT_OK(MPI_Get(&x, 1, MPI_INT, t, wt_disp(w, t, 8), 1, MPI_INT,
			      w->win));
		MT_OK(MPI_Win_flush(t, w->win));
		x++;
		MT_OK(MPI_Put(&x, 1, MPI_INT, t, wt_disp(w, t, 8), 1, MPI_INT,
			      w->win));
		MT_OK(MPI_Win_unlock(t, w->win));
	}
	MPI_Barrier(w->comm);
	MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, w->rank, 0, w->win));
	x = (TIMES - w->rank + w->size - 1) / w->size;
	MT_IS(mem[2], w->rank < TIMES ? x * w->size : 0);
	MT_OK(MPI_Win_unlock(w->rank, w->win));
	MPI_Barrier(w->comm);
}

/*
 * Several origins hold a shared lock at once: every rank reaches the barrier
 * inside its epoch.
 */
static void shared(struct wt *w)
{
	MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w->win));
	MPI_Barrier(w->comm);
	MT_OK(MPI_Win_flush_local(0, w->win));
	MT_OK(MPI_Win_flush_all(w->win));
	MT_OK(MPI_Win_unlock(0, w->win));
	MT_OK(MPI_Win_lock_all(0, w->win));
	MPI_Barrier(w->comm);
	MT_OK(MPI_Win_flush_local_all(w->win));
	MT_OK(MPI_Win_unlock_all(w->win));
}

/* Readers see a write completely or not at all. */
static void mixed(struct wt *w)
{
	int two[2], odd = w->rank % 2;

	memset(w->mem, 0, 64);
	MPI_Barrier(w->comm);
	for (int k = 0; k < 40; k++) {
		MT_OK(MPI_Win_lock(odd ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE,
				   0, 0, w->win));
		if (odd) {
			MT_OK(MPI_Get(&two[0], 1, MPI_INT, 0, wt_disp(w, 0, 0),
				      1, MPI_INT, w->win));
			MT_OK(MPI_Get(&two[1], 1, MPI_INT, 0, wt_disp(w, 0, 32),
				      1, MPI_INT, w->win));
		} else {
			two[0] = two[1] = w->rank * 100 + k;
			MT_OK(MPI_Put(&two[0], 1, MPI_INT, 0, wt_disp(w, 0, 0),
				      1, MPI_INT, w->win));
			MT_OK(MPI_Put(&two[1], 1, MPI_INT, 0, wt_disp(w, 0, 32),
				      1, MPI_INT, w->win));
		}
		MT_OK(MPI_Win_unlock(0, w->win));
		MT_IS(two[0], two[1]);
	}
	MPI_Barrier(w->comm);
}

/*
 * Locks on several targets at once, with MPI_MODE_NOCHECK where it is allowed.
 */
static void several_targets(struct wt *w)
{
	int x = w->rank;

	for (int i = 0; i < w->size; i++)
		MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, i,
				   i % 2 ? MPI_MODE_NOCHECK : 0, w->win));
	for (int i = 0; i < w->size; i++)
		MT_OK(MPI_Put(&x, 1, MPI_INT, i,
			      wt_disp(w, i, 64 + 4 * (size_t)w->rank), 1,
			      MPI_INT, w->win));
	MT_OK(MPI_Win_flush_all(w->win));
	for (int i = w->size - 1; i >= 0; i--)
		MT_OK(MPI_Win_unlock(i, w->win));
	MPI_Barrier(w->comm);
	for (int i = 0; i < w->size; i++)
		MT_IS(((int *)(w->mem + 64))[i], i);
	MPI_Barrier(w->comm);
}

/* A rank polls a flag; data written before the flag is visible. */
static void flag(struct wt *w)
{
	int one = 1, x = 42, see = 0, last = w->size - 1;

	if (w->size == 1)
		return;
	memset(w->mem, 0, 256);
	MPI_Barrier(w->comm);
	MT_OK(MPI_Win_lock_all(0, w->win));
	if (w->rank == 0) {
		MT_OK(MPI_Put(&x, 1, MPI_INT, last, wt_disp(w, last, 128), 1,
			      MPI_INT, w->win));
		MT_OK(MPI_Win_flush(last, w->win));
		MT_OK(MPI_Accumulate(&one, 1, MPI_INT, last,
				     wt_disp(w, last, 0), 1, MPI_INT,
				     MPI_REPLACE, w->win));
		MT_OK(MPI_Win_flush(last, w->win));
	}
	if (w->rank == last) {
		while (!see) {
			MT_OK(MPI_Fetch_and_op(NULL, &see, MPI_INT, last,
					       wt_disp(w, last, 0), MPI_NO_OP,
					       w->win));
			MT_OK(MPI_Win_flush(last, w->win));
		}
		MT_IS(*(volatile int *)(w->mem + 128), 42);
	}
	MT_OK(MPI_Win_unlock_all(w->win));
	MPI_Barrier(w->comm);
}

/* Runs different kinds of epochs in succession, with messages in between. */
static void consecutive_epoch_kinds(struct wt *w)
{
	int x = w->rank, y, next = (w->rank + 1) % w->size;
	int prev = (w->rank + w->size - 1) % w->size;

	MT_OK(MPI_Win_fence(0, w->win));
	/* no access was made, so a lock may follow */
	MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, w->win));
	MT_OK(MPI_Put(&x, 1, MPI_INT, next, wt_disp(w, next, 0), 1, MPI_INT,
		      w->win));
	MT_OK(MPI_Win_unlock(next, w->win));
	MPI_Sendrecv(&x, 1, MPI_INT, next, 1, &y, 1, MPI_INT, prev, 1, w->comm,
		     MPI_STATUS_IGNORE);
	MT_IS(y, prev);
	MT_OK(MPI_Win_fence(0, w->win));
	MT_IS(*(int *)w->mem, prev);
	MT_OK(MPI_Get(&y, 1, MPI_INT, next, wt_disp(w, next, 0), 1, MPI_INT,
		      w->win));
	MT_OK(MPI_Win_fence(0, w->win));
	MT_IS(y, w->rank);
	MT_OK(MPI_Win_lock_all(0, w->win));
	MT_OK(MPI_Win_unlock_all(w->win));
	MPI_Barrier(w->comm);
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	for (int k = 0; k < WT_KINDS; k++) {
		struct wt w = wt_open(k, MPI_COMM_WORLD, 4096, 1);

		fences(&w);
		ring(&w);
		star(&w);
		exclusive(&w);
		shared(&w);
		mixed(&w);
		several_targets(&w);
		flag(&w);
		consecutive_epoch_kinds(&w);
		wt_close(&w);
	}
	return mt_end();
}
