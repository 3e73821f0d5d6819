/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order of summation: results of the collective unit are bitwise identical
 * to those of recursive doubling, blocking, nonblocking and persistent, at
 * every root, on communicators of every size. Machines whose hardware has
 * another order (bgq), and trees set by FI_WEFT_ARITY, also give bitwise
 * identical results in all these forms.
 */
#include "coll_t.h"

#include <math.h>

/* number of doubles in 16 KiB, the longest vector of the collective unit */
#define LONGEST 2048

/*
 * Lengths around a cache line, a slot of the collective unit and a packet of
 * every machine, and longer.
 */
static const int lengths[] = { 1, 6, 7, 64, 65, 600, LONGEST };

static MPI_Comm dup_with_recdbl(MPI_Comm comm)
{
	MPI_Comm soft;
	MPI_Info info;

	MPI_Comm_dup(comm, &soft);
	MPI_Info_create(&info);
	MPI_Info_set(info, "weft_coll_allreduce", "recdbl");
	MPI_Comm_set_info(soft, info);
	MPI_Info_free(&info);
	return soft;
}

/* Numbers whose sum depends on the order in which they are added. */
static void fill(double *v, int rank, int n)
{
	unsigned seed = (unsigned)rank * 977u + 5u;

	for (int i = 0; i < n; i++)
		v[i] = ldexp((double)coll_rand(&seed) - 30000,
			     (int)(coll_rand(&seed) % 60) - 30);
}

static void same(const double *got, const double *want, int n)
{
	CHECK(!memcmp(got, want, (size_t)n * sizeof(*got)));
}

static void try_forms(MPI_Comm comm, const double *in, const double *want,
		      int n)
{
	static double out[LONGEST];
	MPI_Request req;
	int rank, size;

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, comm);
	same(out, want, n);
	memcpy(out, in, (size_t)n * sizeof(*in));
	MPI_Iallreduce(MPI_IN_PLACE, out, n, MPI_DOUBLE, MPI_SUM, comm, &req);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	same(out, want, n);
	for (int root = 0; root < size; root++) {
		MPI_Reduce(in, out, n, MPI_DOUBLE, MPI_SUM, root, comm);
		if (rank == root)
			same(out, want, n);
	}
}

static void try_comm(MPI_Comm comm, int ours)
{
	static double in[LONGEST], want[LONGEST];
	MPI_Comm soft = dup_with_recdbl(comm);
	int rank, size;

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	/* a communicator gets a class route at its second collective */
	MPI_Barrier(comm);
	MPI_Barrier(comm);
	for (size_t i = 0; i < N_OF(lengths); i++) {
		fill(in, rank, lengths[i]);
		MPI_Allreduce(in, want, lengths[i], MPI_DOUBLE, MPI_SUM,
			      ours && coll_expects_route(size) ? comm : soft);
		/* without a route another algorithm may be selected */
		if (lengths[i] * sizeof(*in) <= coll_route_bytes(size))
			try_forms(comm, in, want, lengths[i]);
	}
	MPI_Comm_free(&soft);
}

int main(int argc, char **argv)
{
	const char *machine = getenv("FI_WEFT_MACHINE");
	int ours = getenv("FI_WEFT_ARITY") ||
		   (machine && !strncmp(machine, "bgq", 3));
	int rank, size;
	MPI_Comm comm;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	try_comm(MPI_COMM_WORLD, ours);
	for (int n = 2; n < size; n++) {
		MPI_Comm_split(MPI_COMM_WORLD, rank < n, rank, &comm);
		if (rank < n)
			try_comm(comm, ours);
		MPI_Comm_free(&comm);
	}
	MPI_Finalize();
	return 0;
}
