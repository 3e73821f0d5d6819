/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many ranks on few processors contend for one object for some time: no rank
 * gets less than a third of the mean number of accesses. Argument:
 * milliseconds.
 */
#include "win_t.h"

#include <stdbool.h>
#include <time.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

enum method { ALONE, COUNTER };

static void one_access(struct wt *w, enum method method)
{
	long one = 1, was;

	if (method == ALONE) {
		MT_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w->win));
		MT_OK(MPI_Accumulate(&one, 1, MPI_LONG, 0, wt_disp(w, 0, 0), 1,
				     MPI_LONG, MPI_SUM, w->win));
		MT_OK(MPI_Win_unlock(0, w->win));
	} else {
		MT_OK(MPI_Fetch_and_op(&one, &was, MPI_LONG, 0,
				       wt_disp(w, 0, 0), MPI_SUM, w->win));
		MT_OK(MPI_Win_flush(0, w->win));
	}
}

static bool contend(enum win_kind kind, enum method method, double ms)
{
	struct wt w = wt_open(kind, MPI_COMM_WORLD, 64, 1);
	long count = 0, least, sum;
	double end;

	if (method == COUNTER)
		MT_OK(MPI_Win_lock_all(0, w.win));
	MPI_Barrier(MPI_COMM_WORLD);
	for (end = now() + ms; now() < end; count++)
		one_access(&w, method);
	MPI_Barrier(MPI_COMM_WORLD);
	if (method == COUNTER)
		MT_OK(MPI_Win_unlock_all(w.win));
	MPI_Allreduce(&count, &least, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
	MPI_Allreduce(&count, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	if (mt_rank == 0)
		MT_IS(*(long *)w.mem, sum);
	if (mt_rank == 0)
		printf("window %d, method %d: least %ld of mean %ld\n",
		       (int)kind, (int)method, least, sum / mt_size);
	wt_close(&w);
	return least * 3 >= sum / mt_size;
}

/*
 * Repeats the measurement: on a loaded host a rank may get no CPU time for most
 * of a round, but a rank that the lock starves is starved in every round.
 */
static void attempt(enum win_kind kind, enum method method, double ms)
{
	int rounds = 5;

	while (!contend(kind, method, ms) && --rounds)
		;
	MT_TRUE(rounds);
}

int main(int argc, char **argv)
{
	double ms = argc > 1 ? atof(argv[1]) : 1000;

	mt_begin(&argc, &argv);
	attempt(WT_ALLOCATE, ALONE, ms);
	attempt(WT_ALLOCATE, COUNTER, ms);
	attempt(WT_CREATE, ALONE, ms);
	return mt_end();
}
