/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time of one MPI_Get_accumulate of longs, including its synchronization
 * (win.h).
 */
#include "win.h"

static void access_one(struct win_bench *w, size_t n)
{
	MPI_Get_accumulate(w->local, (int)(n / 8), MPI_LONG, w->result,
			   (int)(n / 8), MPI_LONG, w->other, w->remote,
			   (int)(n / 8), MPI_LONG, MPI_SUM, w->win);
}

int main(int argc, char **argv)
{
	struct win_bench w = { .b = { .title =
					      "MPI_Get_accumulate Latency Test",
				      .min = 8,
				      .max = 1 << 22,
				      .column = { "Latency (us)" } } };

	win_begin(&w, argc, argv, 1);
	if (w.b.check)
		win_check_sum(&w, access_one);
	win_latency(&w, access_one, 8);
	return win_end(&w);
}
