/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ends in the way given by its argument; run_exit_modes.sh checks the exit code
 * and the output.
 */
#include "mpi_t.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void *send_without_receive(void *arg)
{
	int x = 0;

	MPI_Ssend(&x, 1, MPI_INT, mt_rank, 2, MPI_COMM_WORLD);
	return NULL;
}

/* The second of two requests fails, since its message is too long. */
static void waitall(void)
{
	int in[2], out[2] = { 1, 2 };
	MPI_Request r[2];

	MPI_Irecv(&in[0], 1, MPI_INT, mt_rank, 3, MPI_COMM_WORLD, &r[0]);
	MPI_Irecv(&in[1], 1, MPI_INT, mt_rank, 4, MPI_COMM_WORLD, &r[1]);
	MPI_Send(out, 1, MPI_INT, mt_rank, 3, MPI_COMM_WORLD);
	MPI_Send(out, 2, MPI_INT, mt_rank, 4, MPI_COMM_WORLD);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

/* Waits for a message of rank 1, whose node fails. */
static void wait_for_dead_rank(void)
{
	MPI_Request r[2];
	int in[2];

	if (mt_rank == 0) {
		MPI_Irecv(&in[0], 1, MPI_INT, 2, 3, MPI_COMM_WORLD, &r[0]);
		MPI_Irecv(&in[1], 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	}
	if (mt_rank == 2)
		MPI_Send(in, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
}

/* Puts into memory that is not attached to the window. */
static void put_outside_attached(void)
{
	MPI_Aint at;
	MPI_Win win;
	int x = 0;

	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Get_address(&x, &at);
	MPI_Bcast(&at, 1, MPI_AINT, 1, MPI_COMM_WORLD);
	MPI_Win_lock_all(0, win);
	if (mt_rank == 0)
		MPI_Put(&mt_rank, 1, MPI_INT, 1, at, 1, MPI_INT, win);
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int x = 0;

	MT_OK(MPI_Init_thread(&argc, &argv,
			      strcmp(argv[1], "threads") ? MPI_THREAD_SINGLE
							 : MPI_THREAD_MULTIPLE,
			      &x));
	MPI_Comm_rank(MPI_COMM_WORLD, &mt_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &mt_size);
	MPI_Barrier(MPI_COMM_WORLD);
	if (!strcmp(argv[1], "abort") && mt_rank == mt_size - 1)
		MPI_Abort(MPI_COMM_WORLD, 33);
	if (!strcmp(argv[1], "rank") && mt_rank == 0)
		MPI_Send(&x, 1, MPI_INT, mt_size, 0, MPI_COMM_WORLD);
	if (!strcmp(argv[1], "trunc")) {
		int y[2] = { 1, 2 };

		MPI_Send(y, 2, MPI_INT, mt_rank, 0, MPI_COMM_WORLD);
		MPI_Recv(&x, 1, MPI_INT, mt_rank, 0, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	}
	if (!strcmp(argv[1], "waitall"))
		waitall();
	if (!strcmp(argv[1], "dead"))
		wait_for_dead_rank();
	if (!strcmp(argv[1], "put"))
		put_outside_attached();
	if (!strcmp(argv[1], "threads") && mt_rank == 1)
		pthread_create(&thread, NULL, send_without_receive, NULL);
	/* SIGALRM kills the process in the receive below */
	if ((!strcmp(argv[1], "alarm") || !strcmp(argv[1], "threads")) &&
	    mt_rank == 1)
		alarm(1);
	if (!strcmp(argv[1], "compute") && mt_rank == 1)
		raise(SIGSEGV);
	if (!strcmp(argv[1], "mixed") && mt_rank == 2)
		MPI_Barrier(MPI_COMM_WORLD);
	/* all other ranks wait for a message that no rank sends */
	if (strcmp(argv[1], "good"))
		MPI_Recv(&x, 1, MPI_INT, mt_rank, 1, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	return mt_end();
}
