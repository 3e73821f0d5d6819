/* SPDX-License-Identifier: BSD-3-Clause */
/* Time of one fetch and add, including its synchronization (win.h). */
#include "win.h"

static void access_one(struct win_bench *w, size_t n)
{
	(void)n;
	MPI_Fetch_and_op(w->local, w->result, MPI_LONG, w->other, w->remote,
			 MPI_SUM, w->win);
}

static void check(struct win_bench *w)
{
	*(long *)w->local = 1;
	*(long *)w->mem = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	win_run(w, access_one, 8, 5);
	bench_check_all(&w->b, 8,
			w->b.rank ? *(long *)w->mem == 5
				  : *(long *)w->result == 4);
}

int main(int argc, char **argv)
{
	struct win_bench w = { .b = { .title = "MPI_Fetch_and_op Latency Test",
				      .min = 8,
				      .max = 8,
				      .column = { "Latency (us)" } } };

	win_begin(&w, argc, argv, 1);
	if (w.b.check)
		check(&w);
	win_latency(&w, access_one, 8);
	return win_end(&w);
}
