/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_win_client CALL WINDOW: rank 1 kills itself in an epoch, and the other
 * ranks wait for it in CALL.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static MPI_Win win;
static int rank, size;

static void hold_a_lock(void)
{
	if (rank == 1)
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		raise(SIGKILL);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
}

static void expose(int to_all)
{
	MPI_Group all, one;
	int first = 1;

	MPI_Win_get_group(win, &all);
	MPI_Group_incl(all, 1, &first, &one);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		raise(SIGKILL);
	if (to_all) {
		MPI_Win_post(one, 0, win);
		MPI_Win_wait(win);
	} else {
		MPI_Win_start(one, 0, win);
	}
}

static void fence(void)
{
	MPI_Win_fence(0, win);
	if (rank == 1)
		raise(SIGKILL);
	MPI_Win_fence(0, win);
}

/* Writes to the dead rank's memory, which may still be mapped. */
static void put(void)
{
	int x = 1;

	MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		raise(SIGKILL);
	for (;;) {
		MPI_Accumulate(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win);
		MPI_Win_flush(1, win);
	}
}

int main(int argc, char **argv)
{
	static int mem[16];
	void *p;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (!strcmp(argv[2], "create"))
		MPI_Win_create(mem, sizeof(mem), 4, MPI_INFO_NULL,
			       MPI_COMM_WORLD, &win);
	else
		MPI_Win_allocate(sizeof(mem), 4, MPI_INFO_NULL, MPI_COMM_WORLD,
				 &p, &win);
	if (!strcmp(argv[1], "lock"))
		hold_a_lock();
	else if (!strcmp(argv[1], "fence"))
		fence();
	else if (!strcmp(argv[1], "put"))
		put();
	else
		expose(!strcmp(argv[1], "wait"));
	printf("all calls succeeded\n");
	MPI_Finalize();
	return 0;
}
