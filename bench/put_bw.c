/* SPDX-License-Identifier: BSD-3-Clause */
/* Bandwidth of puts, in windows of 64 accesses. */
#include "win.h"

static void access_window(struct win_bench *w, size_t n)
{
	for (int i = 0; i < WIN_WINDOW; i++)
		MPI_Put(w->local + (size_t)i * n, (int)n, MPI_CHAR, w->other,
			w->remote + (MPI_Aint)i * (MPI_Aint)n, (int)n, MPI_CHAR,
			w->win);
}

static void check(struct win_bench *w)
{
	size_t all = w->b.max * WIN_WINDOW;

	bench_fill(w->local, all, 5);
	win_run(w, access_window, w->b.max, 1);
	bench_check_all(&w->b, w->b.max,
			!w->b.rank || bench_data_equal(w->mem, all, 5));
}

int main(int argc, char **argv)
{
	struct win_bench w = { .b = { .title = "MPI_Put Bandwidth Test",
				      .min = 1,
				      .max = 1 << 20,
				      .iters = 1000,
				      .column = { "Bandwidth (MB/s)" } },
			       .both = false };

	win_begin(&w, argc, argv, WIN_WINDOW);
	if (w.b.check)
		check(&w);
	win_bandwidth(&w, access_window);
	return win_end(&w);
}
