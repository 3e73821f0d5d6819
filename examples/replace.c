/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A solver that survives the failure of ranks (rod.h) and replaces them. When a
 * rank fails, the others repair the communicator, spawn a process for each rank
 * that is missing, give it the rank and the last state that all survivors have,
 * and continue with as many ranks as before. A further failure during this
 * repair ends the job.
 *
 *   mpicc replace.c -o replace
 *   mpiexec --survive -n 4 ./replace 2 35    rank 2 kills itself at step 35
 *   mpiexec --machine bgq --usize 8 --survive --faults "dead-rank 2 at 50 us" \
 *           -n 4 ./replace                   at a given virtual time
 */
#include "rod.h"

#include <stdbool.h>

static const char *program; /* path of this program, for new processes */

/*
 * Creates comm from the survivors and the new processes. order[i]: rank in comm
 * of process i of `all`, known only to process 0 on entry.
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
 * Writes the ranks of the survivors to `order`, then the missing ranks. Returns
 * the number of survivors.
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
static void repair(void)
{
	MPI_Comm survivors, added, all;
	int order[1024], n, last, common, new_size = size;

	MPIX_Comm_revoke(comm);
	MPIX_Comm_shrink(comm, &survivors);
	if (comm != MPI_COMM_WORLD)
		MPI_Comm_free(&comm);
	MPI_Comm_set_errhandler(survivors, MPI_ERRORS_ARE_FATAL);
	n = list_ranks(survivors, order);
	last = last_kept();
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

/* Sets up a process that replaces a failed rank. */
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

int main(int argc, char **argv)
{
	int victim = argc > 2 ? atoi(argv[1]) : -1;
	int when = argc > 2 ? atoi(argv[2]) : 0;
	MPI_Comm parents;

	program = argv[0];
	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parents);
	if (parents == MPI_COMM_NULL)
		begin();
	else
		begin_as_new(parents);
	run(victim, when, repair);
	print_result();
	return MPI_Finalize();
}
