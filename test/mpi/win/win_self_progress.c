/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank that accesses only its own memory makes progress for the other ranks:
 * rank 0 repeats one kind of epoch on its own memory until the additions of the
 * other ranks are visible.
 */
#include "win_t.h"

enum { TIMES = 5 };

/* Kind of epoch that rank 0 repeats. */
enum how {
	LOCK_FETCH,
	LOCK_GET,
	LOCK_NOCHECK,
	LOCK_ALL,
	FLUSH,
	EXPOSURE,
	HOWS
};

static long fetch(struct wt *w)
{
	long none = 0, seen = -1;

	MT_OK(MPI_Get_accumulate(&none, 1, MPI_LONG, &seen, 1, MPI_LONG, 0,
				 wt_disp(w, 0, 0), 1, MPI_LONG, MPI_SUM,
				 w->win));
	return seen;
}

static long locked(struct wt *w, enum how how)
{
	int alone = how != LOCK_NOCHECK;
	long seen = -1;

	MT_OK(MPI_Win_lock(alone ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0,
			   alone ? 0 : MPI_MODE_NOCHECK, w->win));
	if (how == LOCK_FETCH)
		seen = fetch(w);
	else
		MT_OK(MPI_Get(&seen, 1, MPI_LONG, 0, wt_disp(w, 0, 0), 1,
			      MPI_LONG, w->win));
	MT_OK(MPI_Win_unlock(0, w->win));
	return seen;
}

static long locked_all(struct wt *w)
{
	long seen;

	MT_OK(MPI_Win_lock_all(0, w->win));
	seen = fetch(w);
	MT_OK(MPI_Win_unlock_all(w->win));
	return seen;
}

/* Reads the value repeatedly within one epoch. */
static void flushed(struct wt *w, long want)
{
	MT_OK(MPI_Win_lock_all(0, w->win));
	while (fetch(w) < want)
		MT_OK(MPI_Win_flush(0, w->win));
	MT_OK(MPI_Win_unlock_all(w->win));
}

/*
 * Runs an access and an exposure epoch of this rank with itself, on the window
 * `own`. Returns the value in w.
 */
static long exposed(struct wt *w, struct wt *own)
{
	MPI_Group all, me;

	MT_OK(MPI_Win_get_group(own->win, &all));
	MT_OK(MPI_Group_incl(all, 1, &own->rank, &me));
	MT_OK(MPI_Win_post(me, 0, own->win));
	MT_OK(MPI_Win_start(me, 0, own->win));
	MT_OK(MPI_Win_complete(own->win));
	MT_OK(MPI_Win_wait(own->win));
	MPI_Group_free(&all);
	MPI_Group_free(&me);
	return __atomic_load_n((long *)w->mem, __ATOMIC_ACQUIRE);
}

static void wait_for_others(struct wt *w, struct wt *own, enum how how)
{
	long want = (long)TIMES * (w->size - 1), seen;

	if (how == FLUSH) {
		flushed(w, want);
		return;
	}
	do {
		seen = how == EXPOSURE	 ? exposed(w, own)
		       : how == LOCK_ALL ? locked_all(w)
					 : locked(w, how);
	} while (seen < want);
	MT_IS(seen, want);
}

static void add(struct wt *w)
{
	long one = 1;

	MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w->win));
	MT_OK(MPI_Accumulate(&one, 1, MPI_LONG, 0, wt_disp(w, 0, 0), 1,
			     MPI_LONG, MPI_SUM, w->win));
	MT_OK(MPI_Win_unlock(0, w->win));
}

static void run(enum win_kind kind, enum how how)
{
	struct wt w = wt_open(kind, MPI_COMM_WORLD, sizeof(long), 1);
	struct wt own = wt_open(kind, MPI_COMM_WORLD, sizeof(long), 1);

	if (w.rank == 0)
		wait_for_others(&w, &own, how);
	else
		for (int k = 0; k < TIMES; k++)
			add(&w);
	wt_close(&own);
	wt_close(&w);
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	for (int kind = 0; kind < WT_KINDS; kind++)
		for (int how = 0; how < HOWS; how++)
			run(kind, how);
	return mt_end();
}
