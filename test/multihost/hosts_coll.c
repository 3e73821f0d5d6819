/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts the packets that leave a host for one collective: the sum of the
 * datagrams that its ranks send. The argument is the number of hosts. Between
 * two hosts one packet is sent in each direction; with more hosts, each host
 * but the first sends one packet up a tree and gets one packet down. Results
 * are checked, and must be equal on all ranks.
 */
#include "hosts_datagrams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TURNS 20
#define WORDS 8

static int rank, size, bad;

static void check(const char *what, double got, double want)
{
	if (got == want)
		return;
	printf("rank %d: %s: %g, not %g\n", rank, what, got, want);
	bad = 1;
}

/* Runs a collective of comm and checks its result. */
static void run(int kind, int round, MPI_Comm comm, int me, int n)
{
	double in[WORDS], out[WORDS] = { 0 };
	int root = round % n;

	for (int i = 0; i < WORDS; i++)
		in[i] = me + i + round;
	switch (kind) {
	case 0:
		MPI_Barrier(comm);
		return;
	case 1:
		MPI_Bcast(in, WORDS, MPI_DOUBLE, root, comm);
		check("bcast", in[3], root + 3 + round);
		return;
	case 2:
		MPI_Reduce(in, out, WORDS, MPI_DOUBLE, MPI_SUM, root, comm);
		if (me == root)
			check("reduce", out[3],
			      n * (3.0 + round) + n * (n - 1) / 2.0);
		return;
	default:
		MPI_Allreduce(in, out, WORDS, MPI_DOUBLE, MPI_SUM, comm);
		check("allreduce", out[3],
		      n * (3.0 + round) + n * (n - 1) / 2.0);
	}
}

/*
 * Returns the number of packets that leave all hosts per collective, averaged
 * over many.
 */
static double count(int kind, MPI_Comm comm)
{
	unsigned long long before, sent, sum = 0;
	int me, n;

	MPI_Comm_rank(comm, &me);
	MPI_Comm_size(comm, &n);
	/*
	 * warm-up: the communicator joins a class route at its second
	 * collective, and peers connect
	 */
	for (int t = 0; t < 3 * n; t++)
		run(kind, t, comm, me, n);
	before = datagrams_sent();
	for (int t = 0; t < TURNS; t++)
		run(kind, t, comm, me, n);
	sent = datagrams_sent() - before;
	MPI_Allreduce(&sent, &sum, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, comm);
	return (double)sum / TURNS;
}

/* Results must be bit-identical on all ranks, in any order of arrival. */
static void same_bits(MPI_Comm comm)
{
	double in = 1.0 / (3 + rank), out, first;

	for (int t = 0; t < TURNS; t++) {
		MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, comm);
		if (!t)
			first = out;
		check("equal in the second run", out, first);
		MPI_Bcast(&first, 1, MPI_DOUBLE, 0, comm);
		check("equal on all ranks", out, first);
	}
}

static void try(const char *what, MPI_Comm comm, int hosts)
{
	static const char *const name[] = { "barrier", "bcast", "reduce",
					    "allreduce" };
	const char *machine = getenv("FI_WEFT_MACHINE");
	/*
	 * units other than native acknowledge each packet or each window of
	 * packets
	 */
	double most = !machine || !strcmp(machine, "native") ? 1 : 2.5;
	/* allowance for one probe per peer during a long wait */
	const double words = 0.5;
	int edges = hosts - 1, me;

	MPI_Comm_rank(comm, &me);
	for (int kind = 0; kind < 4; kind++) {
		double n = count(kind, comm);
		int want = kind == 1 || kind == 2 ? edges : 2 * edges;

		if (me == 0)
			printf("%s: %s: %g packets between %d hosts\n", what,
			       name[kind], n, hosts);
		if (n < want || n > want * most + words)
			check(name[kind], n, want);
	}
	same_bits(comm);
}

int main(int argc, char **argv)
{
	int hosts = atoi(argv[1]);
	MPI_Comm comm;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	datagrams_open();
	try("world", MPI_COMM_WORLD, hosts);
	/* in reverse order another rank is the first of its host */
	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
	try("world in reverse order", comm, hosts);
	MPI_Comm_free(&comm);
	MPI_Comm_split(MPI_COMM_WORLD, rank == size - 1, rank, &comm);
	if (rank != size - 1)
		try("all but one", comm, hosts);
	MPI_Comm_free(&comm);
	if (!bad)
		printf("rank %d: good\n", rank);
	MPI_Finalize();
	return bad;
}
