/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A target that computes without calling MPI delays no other rank: locks, puts,
 * gets, accumulates and flushes of other ranks complete. Rank 0 computes until
 * all other ranks have finished, which they report in a page of shared memory
 * outside MPI.
 */
#include "win_t.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Makes every kind of access by an origin to a target. */
static void use(struct wt *w, int times)
{
	long one = 1, was, x = w->rank, y;

	for (int k = 0; k < times; k++) {
		MT_OK(MPI_Win_lock(k % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE,
				   0, 0, w->win));
		MT_OK(MPI_Put(&x, 1, MPI_LONG, 0,
			      wt_disp(w, 0, 64 + 8 * (size_t)w->rank), 1,
			      MPI_LONG, w->win));
		MT_OK(MPI_Win_flush(0, w->win));
		MT_OK(MPI_Get(&y, 1, MPI_LONG, 0,
			      wt_disp(w, 0, 64 + 8 * (size_t)w->rank), 1,
			      MPI_LONG, w->win));
		MT_OK(MPI_Win_flush(0, w->win));
		MT_IS(x, y);
		MT_OK(MPI_Fetch_and_op(&one, &was, MPI_LONG, 0,
				       wt_disp(w, 0, 0), MPI_SUM, w->win));
		MT_OK(MPI_Accumulate(&one, 1, MPI_LONG, 0, wt_disp(w, 0, 8), 1,
				     MPI_LONG, MPI_SUM, w->win));
		MT_OK(MPI_Compare_and_swap(&one, &x, &y, MPI_LONG, 0,
					   wt_disp(w, 0, 16), w->win));
		MT_OK(MPI_Win_unlock(0, w->win));
	}
}

static void one_kind(enum win_kind kind, volatile int *done)
{
	enum { TIMES = 50 };
	struct wt w = wt_open(kind, MPI_COMM_WORLD, 1024, 1);
	double start;

	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	if (mt_rank) {
		use(&w, TIMES);
		__atomic_fetch_add(done, 1, __ATOMIC_SEQ_CST);
	} else {
		/* this loop does not end if another rank waits for this rank */
		start = now();
		while (__atomic_load_n(done, __ATOMIC_SEQ_CST) < mt_size - 1)
			MT_TRUE(now() - start < 600);
		MT_IS(((long *)w.mem)[0], (long)TIMES * (mt_size - 1));
		MT_IS(((long *)w.mem)[1], (long)TIMES * (mt_size - 1));
	}
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	if (!mt_rank)
		__atomic_store_n(done, 0, __ATOMIC_SEQ_CST);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	wt_close(&w);
}

int main(int argc, char **argv)
{
	int *done, unit;
	MPI_Aint size;
	MPI_Win page;

	mt_begin(&argc, &argv);
	MT_OK(MPI_Win_allocate_shared(mt_rank ? 0 : 64, 1, MPI_INFO_NULL,
				      MPI_COMM_WORLD, &done, &page));
	MT_OK(MPI_Win_shared_query(page, 0, &size, &unit, &done));
	for (int k = 0; k < WT_KINDS; k++)
		one_kind(k, done);
	MT_OK(MPI_Win_free(&page));
	return mt_end();
}
