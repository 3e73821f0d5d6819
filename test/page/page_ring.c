/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For test/page/run_page.sh: messages around a ring, collectives, a window and,
 * if there is an argument, a deadlock.
 */
#include <mpi.h>

enum { TURNS = 12 };

static void put_and_get(int next)
{
	double x = 1, *base;
	MPI_Win win;

	MPI_Win_allocate(8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	MPI_Win_fence(0, win);
	MPI_Put(&x, 1, MPI_DOUBLE, next, 0, 1, MPI_DOUBLE, win);
	MPI_Win_fence(0, win);
	MPI_Get(&x, 1, MPI_DOUBLE, next, 0, 1, MPI_DOUBLE, win);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
}

/*
 * Receives a message that has arrived before its receive is posted: another
 * message of the same rank, sent later, has already been received.
 */
static void unexpected(int last, int next)
{
	static char in[777], out[777];

	MPI_Send(out, 777, MPI_CHAR, next, 2, MPI_COMM_WORLD);
	MPI_Sendrecv(out, 1, MPI_CHAR, next, 3, in, 1, MPI_CHAR, last, 3,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Recv(in, 777, MPI_CHAR, last, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	static char in[4096], out[4096];
	MPI_Request r[2];
	double x = 1, y;
	int me, n;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	for (int i = 0; i < TURNS; i++) {
		MPI_Irecv(in, 4096, MPI_CHAR, (me + n - 1) % n, 1,
			  MPI_COMM_WORLD, &r[0]);
		MPI_Isend(out, 1 << i, MPI_CHAR, (me + 1) % n, 1,
			  MPI_COMM_WORLD, &r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
	unexpected((me + n - 1) % n, (me + 1) % n);
	put_and_get((me + 1) % n);
	if (argc > 1 && !me)
		MPI_Recv(in, 1, MPI_CHAR, 1, 99, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
