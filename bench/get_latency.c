/* SPDX-License-Identifier: BSD-3-Clause */
/* Time of one get, including its synchronization (win.h). */
#include "win.h"

static void access_one(struct win_bench *w, size_t n)
{
	MPI_Get(w->local, (int)n, MPI_CHAR, w->other, w->remote, (int)n,
		MPI_CHAR, w->win);
}

static void check(struct win_bench *w)
{
	for (size_t n = 1; n <= w->b.max; n = bench_next(n)) {
		bench_fill(w->mem, n, (unsigned)n);
		MPI_Barrier(MPI_COMM_WORLD);
		win_run(w, access_one, n, 1);
		bench_check_all(&w->b, n,
				w->b.rank || bench_data_equal(w->local, n,
							      (unsigned)n));
	}
}

int main(int argc, char **argv)
{
	struct win_bench w = { .b = { .title = "MPI_Get Latency Test",
				      .min = 1,
				      .max = 1 << 22,
				      .column = { "Latency (us)" } } };

	win_begin(&w, argc, argv, 1);
	if (w.b.check)
		check(&w);
	win_latency(&w, access_one, 1);
	return win_end(&w);
}
