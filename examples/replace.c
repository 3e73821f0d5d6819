/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A solver that survives the failure of ranks and replaces them: heat in a rod,
 * distributed over the ranks. Every ten steps the ranks exchange the whole
 * state, which each of them keeps. When a rank fails, the others repair the
 * communicator, spawn a process for each rank that is missing, give it the rank
 * and the last state that all survivors have, and continue with as many ranks
 * as before. A further failure during this repair ends the job.
 *
 *   mpicc replace.c -o replace
 *   mpiexec --survive -n 4 ./replace 2 35    rank 2 kills itself at step 35
 *   mpiexec --machine bgq --usize 8 --survive --faults "dead-rank 2 at 50 us" \
 *           -n 4 ./replace                   at a given virtual time
 */
#include <mpi-ext.h>
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
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
 * The two last exchanged states: an exchange may succeed on some ranks and fail
 * on others, which then have only the state before.
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

/* ---- repair -------------------------------------------------------------- */

/*
 * Makes comm of the survivors and the new processes. order[i]: rank in comm of
 * process i of `all`, known to process 0.
 */
static void join(MPI_Comm all, int *order)
{
	int me;

	MPI_Comm_rank(all, &me);
	MPI_Comm_size(all, &size);
	MPI_Bcast(order, size, MPI_INT, 0, all);
	MPI_Comm_split(all, 0, order[me], &comm);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_free(&all);
}

/* Gives all processes the last state that every survivor has. */
static void share_state(int from, int common)
{
	struct state *s = &kept[common / INTERVAL % 2];
	int err = MPI_Bcast(&common, 1, MPI_INT, from, comm);

	s = &kept[common / INTERVAL % 2];
	if (!err)
		err = MPI_Bcast(s->cell, CELLS, MPI_DOUBLE, from, comm);
	if (err)
		MPI_Abort(comm, err);
	s->step = common;
	now = *s;
}

/*
 * Writes the ranks of the survivors, then those that are missing. Returns the
 * number of survivors.
 */
static int list_ranks(MPI_Comm survivors, int *order)
{
	int n, k;

	MPI_Comm_size(survivors, &n);
	MPI_Allgather(&rank, 1, MPI_INT, order, 1, MPI_INT, survivors);
	k = n;
	for (int r = 0; r < size; r++) {
		bool lives = false;

		for (int i = 0; i < n; i++)
			lives = lives || order[i] == r;
		if (!lives)
			order[k++] = r;
	}
	return n;
}

/* Replaces comm and the ranks that have failed. */
static void repair(char *program)
{
	MPI_Comm survivors, added, all;
	int order[1024], n, last, common, new_size = size;

	MPIX_Comm_revoke(comm);
	MPIX_Comm_shrink(comm, &survivors);
	if (comm != MPI_COMM_WORLD)
		MPI_Comm_free(&comm);
	MPI_Comm_set_errhandler(survivors, MPI_ERRORS_ARE_FATAL);
	n = list_ranks(survivors, order);
	last = kept[kept[1].step > kept[0].step].step;
	MPI_Allreduce(&last, &common, 1, MPI_INT, MPI_MIN, survivors);
	if (n == new_size) {
		comm = survivors;
		MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	} else {
		MPI_Comm_spawn(program, MPI_ARGV_NULL, new_size - n,
			       MPI_INFO_NULL, 0, survivors, &added,
			       MPI_ERRCODES_IGNORE);
		MPI_Intercomm_merge(added, 0, &all);
		MPI_Comm_free(&added);
		MPI_Comm_free(&survivors);
		join(all, order);
	}
	share_state(order[0], common);
	if (rank == order[0])
		printf("%d ranks, %d of them new, continue at step %d\n", size,
		       size - n, common);
}

/* Start of a process that replaces a failed rank. */
static void begin_as_new(MPI_Comm parents)
{
	int order[1024];
	MPI_Comm all;

	MPI_Intercomm_merge(parents, 1, &all);
	MPI_Comm_free(&parents);
	join(all, order);
	/* the survivor with the lowest rank has the state */
	share_state(order[0], 0);
}

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

int main(int argc, char **argv)
{
	int victim = argc > 2 ? atoi(argv[1]) : -1;
	int when = argc > 2 ? atoi(argv[2]) : 0;
	int good, err;
	MPI_Comm parents;
	double sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parents);
	if (parents == MPI_COMM_NULL)
		begin();
	else
		begin_as_new(parents);
	/* the ranks agree whether all of them have the result */
	do {
		err = solve(victim, when);
		victim = -1;
		if (err)
			MPIX_Comm_revoke(comm);
		good = !err;
		err = MPIX_Comm_agree(comm, &good);
		if (err || !good)
			repair(argv[0]);
	} while (err || !good);
	now = kept[STEPS / INTERVAL % 2];
	for (int i = 0; i < CELLS; i++)
		sum += now.cell[i] * now.cell[i] * i;
	if (!rank)
		printf("result %.6f\n", sum);
	return MPI_Finalize();
}
