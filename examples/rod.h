/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Heat in a rod, distributed over the ranks, for programs that survive the
 * failure of ranks (survive.c, replace.c). Every ten steps the ranks exchange
 * the whole state, which each of them keeps. After a failure repair() makes a
 * communicator without the failed ranks, and the ranks continue from the last
 * state that all survivors have. The result does not depend on the failures.
 */
#ifndef ROD_H
#define ROD_H

#include <mpi-ext.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CELLS = 1000, STEPS = 100, INTERVAL = 10 };

struct state {
	int step;
	double cell[CELLS];
};

static MPI_Comm comm;
static int rank, size; /* rank and size in comm */
/*
 * The last two exchanged states: an exchange may succeed on some ranks and fail
 * on others, which then have only the previous state.
 */
static struct state kept[2];
static struct state now;

/* First cell of a rank; the rod is divided evenly. */
static int first(int r)
{
	return CELLS * r / size;
}

/* Exchanges the border cells with both neighbours. */
static int exchange_borders(void)
{
	int low = first(rank), high = first(rank + 1);
	int left = rank ? rank - 1 : MPI_PROC_NULL;
	int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
	double *c = now.cell, none;
	int err;

	err = MPI_Sendrecv(&c[low], 1, MPI_DOUBLE, left, 0,
			   rank < size - 1 ? &c[high] : &none, 1, MPI_DOUBLE,
			   right, 0, comm, MPI_STATUS_IGNORE);
	if (err)
		return err;
	return MPI_Sendrecv(&c[high - 1], 1, MPI_DOUBLE, right, 0,
			    rank ? &c[low - 1] : &none, 1, MPI_DOUBLE, left, 0,
			    comm, MPI_STATUS_IGNORE);
}

/* Computes one step for the cells of this rank; the ends of the rod are fixed.
 */
static void compute(void)
{
	static double next[CELLS];
	int low = first(rank), high = first(rank + 1);

	for (int i = low; i < high; i++)
		next[i] = i && i < CELLS - 1 ? (now.cell[i - 1] + now.cell[i] +
						now.cell[i + 1]) /
						       3
					     : now.cell[i];
	memcpy(now.cell + low, next + low, (size_t)(high - low) * 8);
	now.step++;
}

/* Gathers the state on all ranks, and keeps it. */
static int keep_state(void)
{
	static struct state all;
	int count[1024], at[1024], err;

	for (int r = 0; r < size; r++) {
		at[r] = first(r);
		count[r] = first(r + 1) - first(r);
	}
	err = MPI_Allgatherv(now.cell + first(rank), count[rank], MPI_DOUBLE,
			     all.cell, count, at, MPI_DOUBLE, comm);
	if (err)
		return err;
	all.step = now.step;
	kept[now.step / INTERVAL % 2] = all;
	return 0;
}

/*
 * Computes steps to the end of the run. Returns 0, or an MPI error code if a
 * rank has failed.
 */
static int solve(int victim, int when)
{
	int err = 0;

	while (!err && now.step < STEPS) {
		if (rank == victim && now.step == when)
			kill(getpid(), SIGKILL);
		err = exchange_borders();
		if (!err)
			compute();
		if (!err && now.step % INTERVAL == 0)
			err = keep_state();
	}
	return err;
}

/* Returns the last step whose state this rank has kept. */
static int last_kept(void)
{
	return kept[kept[1].step > kept[0].step].step;
}

/* Sets up a rank of MPI_COMM_WORLD. */
static void begin(void)
{
	comm = MPI_COMM_WORLD;
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	if (MPIX_Comm_failure_ack(comm)) {
		fprintf(stderr, "start with mpiexec --survive\n");
		MPI_Abort(comm, 1);
	}
	for (int i = 0; i < CELLS; i++)
		now.cell[i] = i == CELLS / 2 ? 1000 : 0;
	kept[0] = now;
}

/* Computes all steps; rank `victim` kills itself at step `when`. */
static void run(int victim, int when, void (*repair)(void))
{
	int good, err;

	/* the ranks agree on whether all of them have the result */
	do {
		err = solve(victim, when);
		victim = -1;
		if (err)
			MPIX_Comm_revoke(comm);
		good = !err;
		err = MPIX_Comm_agree(comm, &good);
		if (err || !good)
			repair();
	} while (err || !good);
}

static void print_result(void)
{
	const double *cell = kept[STEPS / INTERVAL % 2].cell;
	double sum = 0;

	for (int i = 0; i < CELLS; i++)
		sum += cell[i] * cell[i] * i;
	if (!rank)
		printf("result %.6f\n", sum);
}

#endif
