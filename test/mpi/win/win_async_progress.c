/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In virtual time a target that computes for 20 ms does not delay locks, puts,
 * gets and atomics. The interfaces of sunway and apenet have no atomics: there
 * the target's processor executes atomics and locks, which complete late.
 */
#include "win_t.h"

#include <stdbool.h>

#define BUSY 20e-3

static void compute(void)
{
	double start = MPI_Wtime();

	while (MPI_Wtime() - start < BUSY)
		;
}

static void use(struct wt *w, int type)
{
	long one = 1, was, x = 5 + type, y = 0;

	MT_OK(MPI_Win_lock(type, 0, 0, w->win));
	MT_OK(MPI_Put(&x, 1, MPI_LONG, 0,
		      wt_disp(w, 0, 8 + 8 * (size_t)w->rank), 1, MPI_LONG,
		      w->win));
	MT_OK(MPI_Win_flush(0, w->win));
	MT_OK(MPI_Get(&y, 1, MPI_LONG, 0,
		      wt_disp(w, 0, 8 + 8 * (size_t)w->rank), 1, MPI_LONG,
		      w->win));
	MT_OK(MPI_Win_flush(0, w->win));
	MT_IS(x, y);
	MT_OK(MPI_Fetch_and_op(&one, &was, MPI_LONG, 0, wt_disp(w, 0, 0),
			       MPI_SUM, w->win));
	MT_OK(MPI_Win_unlock(0, w->win));
}

static void one_kind(enum win_kind kind)
{
	const char *machine = getenv("FI_WEFT_MACHINE");
	bool slow = machine && (!strncmp(machine, "sunway", 6) ||
				!strncmp(machine, "apenet", 6));
	struct wt w = wt_open(kind, MPI_COMM_WORLD, 1024, 1);
	double start;

	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	start = MPI_Wtime();
	if (!mt_rank) {
		compute();
	} else {
		for (int k = 0; k < 4; k++)
			use(&w, k % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE);
		MT_TRUE(slow || MPI_Wtime() - start < BUSY / 4);
	}
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	if (!mt_rank)
		MT_IS(*(long *)w.mem, 4L * (mt_size - 1));
	wt_close(&w);
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	for (int k = 0; k < WT_KINDS; k++)
		one_kind(k);
	return mt_end();
}
