/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many ranks want the same: until the first has done its share, nobody has done
 * less than a third of the mean. Argument: the share of the first.
 */
#include "win_t.h"

static void one_turn(struct wt *w, int how, long *count)
{
	long one = 1, was;

	if (how == 0) { /* a lock for one at a time */
		MT_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w->win));
		MT_OK(MPI_Accumulate(&one, 1, MPI_LONG, 0, wt_disp(w, 0, 0), 1,
				     MPI_LONG, MPI_SUM, w->win));
		MT_OK(MPI_Win_unlock(0, w->win));
	} else { /* no lock at all */
		MT_OK(MPI_Fetch_and_op(&one, &was, MPI_LONG, 0,
				       wt_disp(w, 0, 0), MPI_SUM, w->win));
		MT_OK(MPI_Win_flush(0, w->win));
	}
	++*count;
}

/* All begin together, and end when the sum is reached. */
static void hammer(enum win_kind kind, int how, long share)
{
	struct wt w = wt_open(kind, MPI_COMM_WORLD, 64, 1);
	long goal = share * mt_size, sum = 0, count = 0, least, zero = 0;

	if (how)
		MT_OK(MPI_Win_lock_all(0, w.win));
	MPI_Barrier(MPI_COMM_WORLD);
	while (sum < goal) {
		one_turn(&w, how, &count);
		if (!how)
			MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w.win));
		MT_OK(MPI_Fetch_and_op(&zero, &sum, MPI_LONG, 0,
				       wt_disp(&w, 0, 0), MPI_NO_OP, w.win));
		if (!how)
			MT_OK(MPI_Win_unlock(0, w.win));
		else
			MT_OK(MPI_Win_flush(0, w.win));
	}
	if (how)
		MT_OK(MPI_Win_unlock_all(w.win));
	MPI_Allreduce(&count, &least, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
	MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_LONG, MPI_SUM,
		      MPI_COMM_WORLD);
	if (mt_rank == 0)
		fprintf(stderr, "kind %d, way %d: least %ld of mean %ld\n",
			kind, how, least, count / mt_size);
	MT_TRUE(least * 3 >= count / mt_size);
	wt_close(&w);
}

int main(int argc, char **argv)
{
	long share = argc > 1 ? atol(argv[1]) : 500;

	mt_begin(&argc, &argv);
	hammer(WT_ALLOCATE, 0, share);
	hammer(WT_CREATE, 0, share);
	return mt_end();
}
