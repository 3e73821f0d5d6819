/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A group on nodes that are not consecutive, in virtual time: five of eight
 * ranks. Prints a line for each of them: member, us of an operation in which
 * all members wait, and us of one in which the fourth member, the parent of the
 * fifth in the binomial tree, computes after it has started the operation.
 * test/vt/vt_chain.sh checks the times.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS	 32768
#define COMPUTES 3
#define LONG_S	 20e-3

static int me = -1;
static MPI_Comm group;

static void check(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "member %d: %s\n", me, what);
	MPI_Abort(MPI_COMM_WORLD, 9);
}

static int word(int root, int round, int i)
{
	return (root * 31 + round) * 65536 + i;
}

/*
 * Calls MPI_Ibcast and MPI_Wait. `computes`: this rank computes for LONG_S
 * between the two calls.
 */
static void bcast(int root, int round, int count, int computes)
{
	static int data[WORDS];
	double t = MPI_Wtime();
	MPI_Request req;

	for (int i = 0; i < count; i++)
		data[i] = me == root ? word(root, round, i) : -1;
	MPI_Ibcast(data, count, MPI_INT, root, group, &req);
	while (computes && MPI_Wtime() - t < LONG_S)
		;
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	for (int i = 0; i < count; i++)
		check(data[i] == word(root, round, i), "wrong bytes");
}

static void barrier(int root, int round, int count, int computes)
{
	double t = MPI_Wtime();
	MPI_Request req;

	MPI_Ibarrier(group, &req);
	while (computes && MPI_Wtime() - t < LONG_S)
		;
	MPI_Wait(&req, MPI_STATUS_IGNORE);
}

/*
 * Returns the next whole millisecond of the clock, which is the same on all
 * ranks.
 */
static double next_ms(void)
{
	double at = (double)(long)(MPI_Wtime() * 1e3 + 1.5) * 1e-3;

	while (MPI_Wtime() < at)
		;
	return MPI_Wtime();
}

/*
 * Prints the times of an operation that all members start at the same time,
 * without and with a member that computes.
 */
static void measure(const char *name, void (*run)(int, int, int, int), int root)
{
	double us[2];

	for (int computes = 0; computes < 2; computes++) {
		double t;

		MPI_Barrier(group);
		t = next_ms();
		run(root, computes, 32, computes && me == COMPUTES);
		us[computes] = (MPI_Wtime() - t) * 1e6;
	}
	printf("%s %d %.3f %.3f\n", name, me, us[0], us[1]);
}

static void reduce(void)
{
	static int in[3000], out[3000];

	for (int i = 0; i < 3000; i++)
		in[i] = me + i;
	MPI_Reduce(in, out, 3000, MPI_INT, MPI_SUM, 1, group);
	for (int i = 0; i < 3000; i++)
		check(me != 1 || out[i] == 10 + 5 * i, "another long sum");
}

/*
 * Runs broadcasts of all lengths from every root back to back, sometimes with a
 * barrier and a sum.
 */
static void storm(void)
{
	static const int counts[] = { 0, 1, 127, 128, 129, 1000, 4096, WORDS };
	unsigned seed = 1;

	for (int round = 0; round < 200; round++) {
		int sum = me;

		seed = seed * 1103515245 + 12345;
		bcast((int)(seed >> 16) % 5, round, counts[seed >> 20 & 7], 0);
		if (round % 7 == 3)
			MPI_Barrier(group);
		if (round % 11 == 5) {
			MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM,
				      group);
			check(sum == 10, "wrong sum");
		}
		/*
		 * a reduction does not synchronize the members before the next
		 * broadcast
		 */
		if (round % 13 == 7)
			reduce();
	}
}

/* Members that call different collectives get an error. */
static void differ(void)
{
	int x[2] = { 0 }, err;

	MPI_Comm_set_errhandler(group, MPI_ERRORS_RETURN);
	err = me ? MPI_Barrier(group) : MPI_Bcast(x, 2, MPI_INT, 0, group);
	check(!me || err, "a broadcast matched a barrier");
}

int main(int argc, char **argv)
{
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_split(MPI_COMM_WORLD,
		       rank == 0 || rank == 2 || rank == 3 || rank == 5 ||
				       rank == 7
			       ? 0
			       : MPI_UNDEFINED,
		       rank, &group);
	if (group != MPI_COMM_NULL) {
		MPI_Comm_rank(group, &me);
		/* a communicator gets a class route at its second collective */
		MPI_Barrier(group);
		measure("barrier", barrier, 0);
		measure("first", bcast, 0);
		measure("last", bcast, 4);
		if (argc > 1 && !strcmp(argv[1], "storm"))
			storm();
		if (argc > 1 && !strcmp(argv[1], "differ"))
			differ();
		else
			MPI_Comm_free(&group);
	}
	MPI_Finalize();
	return 0;
}
