/* SPDX-License-Identifier: BSD-3-Clause */
/* Time to create and free a window of each kind. */
#include "bench.h"

enum kind { CREATE, ALLOCATE, DYNAMIC, KINDS };

static void open_one(enum kind k, void *mem, MPI_Aint n, MPI_Win *win)
{
	void *base;

	if (k == CREATE)
		MPI_Win_create(mem, n, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win);
	else if (k == ALLOCATE)
		MPI_Win_allocate(n, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
				 win);
	else
		MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win);
}

/* Returns the microseconds to create and free one window. */
static double create_free_us(enum kind k, void *mem, size_t n, int iters)
{
	MPI_Win win;
	double start = 0;

	MPI_Barrier(MPI_COMM_WORLD);
	bench_realtime(true);
	for (int i = -1; i < iters; i++) {
		if (i == 0)
			start = MPI_Wtime();
		open_one(k, mem, (MPI_Aint)n, &win);
		MPI_Win_free(&win);
	}
	start = MPI_Wtime() - start;
	bench_realtime(false);
	return start * 1e6 / iters;
}

int main(int argc, char **argv)
{
	struct bench b = { .title = "MPI_Win_create and MPI_Win_free Test",
			   .min = 4096,
			   .max = 1 << 20,
			   .iters = 100,
			   .columns = KINDS,
			   .column = { "Create(us)", "Allocate(us)",
				       "Dynamic(us)" } };
	double v[KINDS];
	void *mem;

	bench_begin(&b, argc, argv);
	mem = bench_buffer(b.max);
	for (size_t n = b.min; n <= b.max; n *= 16) {
		for (enum kind k = 0; k < KINDS; k++)
			v[k] = create_free_us(k, mem, n, bench_iters(&b, n));
		bench_row(&b, n, v);
	}
	free(mem);
	return bench_end(&b);
}
