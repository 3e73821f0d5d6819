/* SPDX-License-Identifier: BSD-3-Clause */
/* Times to open and close an existing file, and to create and delete a file. */
#include "file.h"

/* Returns the microseconds of the fastest open and close. */
static double open_close_us(int mode, int iters)
{
	double best = 1e9, time;

	bench_realtime(true);
	for (int i = 0; i < iters; i++) {
		MPI_File f;

		MPI_Barrier(MPI_COMM_WORLD);
		time = -MPI_Wtime();
		f = file_open(mode);
		MPI_File_close(&f);
		MPI_Barrier(MPI_COMM_WORLD);
		time += MPI_Wtime();
		best = time < best ? time : best;
	}
	bench_realtime(false);
	return best * 1e6;
}

int main(int argc, char **argv)
{
	struct bench b = { .title = "MPI_File_open and MPI_File_close Test",
			   .iters = 200,
			   .columns = 2,
			   .column = { "Open(us)", "Create(us)" } };
	double v[2];
	MPI_File f;

	bench_begin(&b, argc, argv);
	f = file_open(0);
	v[0] = open_close_us(0, b.iters);
	MPI_File_close(&f);
	v[1] = open_close_us(MPI_MODE_DELETE_ON_CLOSE, b.iters);
	bench_row(&b, 0, v);
	return bench_end(&b);
}
