/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times of file accesses in virtual time: one rank's write of 8 bytes, its
 * write and read of BYTES bytes, and those of all ranks at the same time. The
 * times are rounded: a few ns depend on the phase of the network's clock at the
 * start.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define BYTES (1 << 20)

static char buf[BYTES];
static int rank;

/* Returns the ns of an access; the ranks that take part start together. */
static double access_ns(MPI_File f, int bytes, int write, int all)
{
	double start, mine = 0, longest;

	MPI_Barrier(MPI_COMM_WORLD);
	start = MPI_Wtime();
	if (all || rank == 0) {
		if (write)
			MPI_File_write_at(f, (MPI_Offset)rank * BYTES, buf,
					  bytes, MPI_BYTE, MPI_STATUS_IGNORE);
		else
			MPI_File_read_at(f, (MPI_Offset)rank * BYTES, buf,
					 bytes, MPI_BYTE, MPI_STATUS_IGNORE);
		mine = MPI_Wtime() - start;
	}
	MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	return longest * 1e9;
}

int main(int argc, char **argv)
{
	double ns[5];
	MPI_File f;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc < 2 || MPI_File_open(MPI_COMM_WORLD, argv[1],
				      MPI_MODE_CREATE | MPI_MODE_RDWR |
					      MPI_MODE_DELETE_ON_CLOSE,
				      MPI_INFO_NULL, &f))
		MPI_Abort(MPI_COMM_WORLD, 1);
	ns[0] = access_ns(f, 8, 1, 0);
	ns[1] = access_ns(f, BYTES, 1, 0);
	ns[2] = access_ns(f, BYTES, 0, 0);
	ns[3] = access_ns(f, BYTES, 1, 1);
	ns[4] = access_ns(f, BYTES, 0, 1);
	if (rank == 0)
		printf("8 B %.0f ns; write %.0f read %.0f us; all: write %.0f "
		       "read %.0f x 10 us\n",
		       ns[0], ns[1] / 1e3, ns[2] / 1e3, ns[3] / 1e4,
		       ns[4] / 1e4);
	MPI_File_close(&f);
	MPI_Finalize();
	return 0;
}
