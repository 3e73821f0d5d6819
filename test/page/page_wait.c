/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For test/page/run_page.sh: puts four ranks into each wait state, one state
 * after the other. A rank is delayed by messages to itself, which take time
 * with a live clock and in virtual time.
 */
#include <mpi.h>
#include <stdlib.h>

enum { LONG = 1 << 22, LATE = 9 };

static char *buf;
static int me;

static void late(int rank)
{
	MPI_Request r;

	for (int i = 0; me == rank && i < 40; i++) {
		MPI_Irecv(buf, LONG, MPI_CHAR, me, LATE, MPI_COMM_WORLD, &r);
		MPI_Send(buf + LONG, LONG, MPI_CHAR, me, LATE, MPI_COMM_WORLD);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
}

static void barrier(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
}

static void send_late(int from, int to)
{
	late(from);
	if (me == from)
		MPI_Send(buf, 8, MPI_CHAR, to, 1, MPI_COMM_WORLD);
}

static void messages(void)
{
	int done = 0;
	MPI_Request r[2];

	send_late(0, 1);
	if (me == 1)
		MPI_Recv(buf, 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	barrier();
	late(1);
	if (me == 0)
		MPI_Send(buf, LONG, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
	if (me == 1)
		MPI_Recv(buf, LONG, MPI_CHAR, 0, 2, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	barrier();
	send_late(3, 2);
	if (me == 0)
		MPI_Send(buf, 8, MPI_CHAR, 2, 1, MPI_COMM_WORLD);
	if (me == 2) {
		MPI_Irecv(buf, 8, MPI_CHAR, 3, 1, MPI_COMM_WORLD, &r[0]);
		MPI_Irecv(buf + 8, 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	}
	barrier();
	send_late(3, 2);
	if (me == 2) {
		MPI_Irecv(buf, 8, MPI_CHAR, 3, 1, MPI_COMM_WORLD, &r[0]);
		while (!done)
			MPI_Test(&r[0], &done, MPI_STATUS_IGNORE);
	}
}

static void collectives(void)
{
	double x = 1, y;

	barrier();
	late(2);
	barrier();
	late(1);
	MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	late(2);
	MPI_Bcast(buf, 100, MPI_CHAR, 2, MPI_COMM_WORLD);
	barrier();
	late(3);
	MPI_Reduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD);
	barrier();
}

/* Rank 1 exposes its window late, rank 0 completes its access late. */
static void epochs(MPI_Win win)
{
	MPI_Group world, other;
	double x = 1;
	int peer = !me;

	late(2);
	MPI_Win_fence(0, win);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	if (me > 1)
		return;
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &peer, &other);
	late(1);
	if (me) {
		MPI_Win_post(other, 0, win);
		MPI_Win_wait(win);
	} else {
		MPI_Win_start(other, 0, win);
		MPI_Put(&x, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, win);
		late(0);
		MPI_Win_complete(win);
	}
	MPI_Group_free(&other);
	MPI_Group_free(&world);
}

int main(int argc, char **argv)
{
	double *base;
	MPI_Win win;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	buf = calloc(2, LONG);
	if (!buf)
		MPI_Abort(MPI_COMM_WORLD, 1);
	messages();
	collectives();
	MPI_Win_allocate(8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	epochs(win);
	MPI_Win_free(&win);
	free(buf);
	MPI_Finalize();
	return 0;
}
