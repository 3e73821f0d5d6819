/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pool of workers that the program starts itself: a manager spawns as many
 * workers as the universe size allows, gives a task to each worker that is
 * idle, and adds their results: pi, by the midpoint rule.
 *
 *   mpicc pool.c -o pool
 *   mpiexec -n 1 --usize 5 ./pool                  four workers
 *   mpiexec --machine bgq -n 1 --usize 5 ./pool    on a model of Blue Gene/Q
 */
#include <mpi.h>
#include <stdio.h>

enum { TASKS = 40, CELLS = 50000, TAG_TASK = 1, TAG_RESULT = 2, END = -1 };

/* Returns the part of the integral of 4 / (1 + x * x) in one interval. */
static double compute(int task)
{
	double h = 1.0 / TASKS / CELLS, low = (double)task / TASKS, sum = 0;

	for (int i = 0; i < CELLS; i++) {
		double x = low + (i + 0.5) * h;

		sum += 4 / (1 + x * x) * h;
	}
	return sum;
}

static void work(MPI_Comm manager)
{
	int task;
	double part;

	for (;;) {
		MPI_Recv(&task, 1, MPI_INT, 0, TAG_TASK, manager,
			 MPI_STATUS_IGNORE);
		if (task == END)
			return;
		part = compute(task);
		MPI_Send(&part, 1, MPI_DOUBLE, 0, TAG_RESULT, manager);
	}
}

static void give(MPI_Comm workers, int worker, int task)
{
	MPI_Send(&task, 1, MPI_INT, worker, TAG_TASK, workers);
}

static void manage(MPI_Comm workers)
{
	int n, next = 0, done = 0;
	double part[TASKS], sum = 0;
	int task_of[1024];
	MPI_Status s;

	MPI_Comm_remote_size(workers, &n);
	for (int w = 0; w < n && next < TASKS; w++)
		give(workers, w, task_of[w] = next++);
	while (done < TASKS) {
		double x;

		MPI_Recv(&x, 1, MPI_DOUBLE, MPI_ANY_SOURCE, TAG_RESULT, workers,
			 &s);
		part[task_of[s.MPI_SOURCE]] = x;
		done++;
		if (next < TASKS)
			give(workers, s.MPI_SOURCE,
			     task_of[s.MPI_SOURCE] = next++);
	}
	for (int w = 0; w < n; w++)
		give(workers, w, END);
	/*
	 * the order of additions is the same in every run, and so is the
	 * rounding
	 */
	for (int i = 0; i < TASKS; i++)
		sum += part[i];
	printf("%d workers, %d tasks: %.9f\n", n, TASKS, sum);
}

int main(int argc, char **argv)
{
	int *universe, known, places = 2;
	MPI_Comm other;

	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&other);
	if (other != MPI_COMM_NULL) {
		work(other);
	} else {
		MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &universe,
				  &known);
		if (known && *universe > 1)
			places = *universe - 1;
		MPI_Comm_spawn(argv[0], MPI_ARGV_NULL,
			       places < 1024 ? places : 1024, MPI_INFO_NULL, 0,
			       MPI_COMM_SELF, &other, MPI_ERRCODES_IGNORE);
		manage(other);
	}
	MPI_Comm_disconnect(&other);
	return MPI_Finalize();
}
