/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks of a window exclude each other as they must: rank 2 requests a lock of
 * rank 0 while rank 1, and rank 3 if there is one, hold theirs. A pair of
 * shared locks is held at once; in every other pair the request waits, and the
 * holder sees nothing that rank 2 writes.
 */
#include "win_t.h"

#include <stdbool.h>

#define READS 200

static long get(struct wt *w)
{
	long x = -1;

	MT_OK(MPI_Get(&x, 1, MPI_LONG, 0, wt_disp(w, 0, 0), 1, MPI_LONG,
		      w->win));
	MT_OK(MPI_Win_flush(0, w->win));
	return x;
}

static void signal_to(int rank)
{
	MT_OK(MPI_Send(NULL, 0, MPI_BYTE, rank, 1, MPI_COMM_WORLD));
}

static void wait_for(int rank)
{
	MT_OK(MPI_Recv(NULL, 0, MPI_BYTE, rank, 1, MPI_COMM_WORLD,
		       MPI_STATUS_IGNORE));
}

/*
 * Rank 1 holds a lock; if `others` is set, rank 3 holds one as well and
 * releases it.
 */
static void hold(struct wt *w, int kind, int wanted, bool others, long old)
{
	MT_OK(MPI_Win_lock(kind, 0, 0, w->win));
	if (others)
		wait_for(3);
	MT_IS(get(w), old);
	signal_to(2);
	if (kind == MPI_LOCK_SHARED && wanted == MPI_LOCK_SHARED) {
		wait_for(2);
	} else {
		for (int i = 0; i < READS; i++)
			MT_IS(get(w), old);
	}
	MT_OK(MPI_Win_unlock(0, w->win));
}

static void request(struct wt *w, int held, int kind, long new)
{
	wait_for(1);
	MT_OK(MPI_Win_lock(kind, 0, 0, w->win));
	if (held == MPI_LOCK_SHARED && kind == MPI_LOCK_SHARED)
		signal_to(1);
	MT_OK(MPI_Put(&new, 1, MPI_LONG, 0, wt_disp(w, 0, 0), 1, MPI_LONG,
		      w->win));
	MT_OK(MPI_Win_unlock(0, w->win));
}

static void hold_first(struct wt *w)
{
	MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w->win));
	signal_to(1);
	MT_OK(MPI_Win_unlock(0, w->win));
}

static void pair(struct wt *w, int held, int wanted, long old)
{
	bool others = held == MPI_LOCK_SHARED && mt_size > 3;

	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	if (mt_rank == 1)
		hold(w, held, wanted, others, old);
	else if (mt_rank == 2)
		request(w, held, wanted, old + 1);
	else if (mt_rank == 3 && others)
		hold_first(w);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
	static const int kind[] = { MPI_LOCK_SHARED, MPI_LOCK_EXCLUSIVE };

	mt_begin(&argc, &argv);
	for (int k = 0; k < WT_KINDS; k++) {
		struct wt w = wt_open(k, MPI_COMM_WORLD, 64, 1);
		long value = 0;

		MT_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, mt_rank, 0, w.win));
		*(long *)w.mem = 0;
		MT_OK(MPI_Win_unlock(mt_rank, w.win));
		for (int i = 0; i < 4; i++)
			pair(&w, kind[i / 2], kind[i % 2], value++);
		if (!mt_rank) {
			MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w.win));
			MT_IS(*(long *)w.mem, value);
			MT_OK(MPI_Win_unlock(0, w.win));
		}
		wt_close(&w);
	}
	return mt_end();
}
