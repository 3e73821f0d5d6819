/* SPDX-License-Identifier: BSD-3-Clause */
/* An accumulate of longs: time of one, with its synchronization (win.h). */
#include "win.h"

static void access_one(struct win_bench *w, size_t n)
{
	MPI_Accumulate(w->local, (int)(n / 8), MPI_LONG, w->other, w->remote,
		       (int)(n / 8), MPI_LONG, MPI_SUM, w->win);
}

/* Three times one is three. */
static void check(struct win_bench *w)
{
	for (size_t n = 8; n <= w->b.max; n = bench_next(n)) {
		long *mem = (long *)w->mem, *in = (long *)w->local;
		bool good = true;

		memset(w->mem, 0, n);
		for (size_t i = 0; i < n / 8; i++)
			in[i] = 1;
		MPI_Barrier(MPI_COMM_WORLD);
		win_run(w, access_one, n, 3);
		for (size_t i = 0; i < n / 8; i++)
			good = good && mem[i] == 3;
		bench_verdict(&w->b, n, !w->b.rank || good);
	}
}

int main(int argc, char **argv)
{
	struct win_bench w = { .b = { .title = "MPI_Accumulate Latency Test",
				      .min = 8,
				      .max = 1 << 22,
				      .column = { "Latency (us)" } } };

	win_begin(&w, argc, argv, 1);
	if (w.b.check)
		check(&w);
	win_latency(&w, access_one, 8);
	return win_end(&w);
}
