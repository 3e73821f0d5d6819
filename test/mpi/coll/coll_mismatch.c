/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that call different collectives on the collective unit get an error,
 * from that call or from the next one, and no rank hangs. Rank 1 makes the
 * wrong call.
 */
#include "coll_t.h"

/* number of doubles; on some machines they do not fit in one packet */
#define ELEMS 600

static double x[ELEMS], y[ELEMS];

/* Makes the correct call, or the wrong one if `wrong` is set. */
typedef int call(MPI_Comm comm, int wrong);

static int two_roots(MPI_Comm comm, int wrong)
{
	return MPI_Bcast(x, 1, MPI_DOUBLE, wrong, comm);
}

static int root_of_another(MPI_Comm comm, int wrong)
{
	return MPI_Bcast(x, 1, MPI_DOUBLE, !wrong, comm);
}

static int two_operations(MPI_Comm comm, int wrong)
{
	return MPI_Reduce(x, y, 1, MPI_DOUBLE, wrong ? MPI_SUM : MPI_MAX, 0,
			  comm);
}

static int two_targets(MPI_Comm comm, int wrong)
{
	return MPI_Reduce(x, y, 1, MPI_DOUBLE, MPI_SUM, wrong, comm);
}

static int two_types(MPI_Comm comm, int wrong)
{
	return MPI_Allreduce(x, y, 1, wrong ? MPI_INT64_T : MPI_DOUBLE, MPI_SUM,
			     comm);
}

static int two_lengths(MPI_Comm comm, int wrong)
{
	return MPI_Allreduce(x, y, wrong ? ELEMS : 1, MPI_DOUBLE, MPI_SUM,
			     comm);
}

static int barrier_or_sum(MPI_Comm comm, int wrong)
{
	return wrong ? MPI_Barrier(comm)
		     : MPI_Allreduce(x, y, 1, MPI_DOUBLE, MPI_SUM, comm);
}

static int barrier_or_bcast(MPI_Comm comm, int wrong)
{
	return wrong ? MPI_Barrier(comm) : MPI_Bcast(x, 1, MPI_DOUBLE, 0, comm);
}

static int bcast_or_sum(MPI_Comm comm, int wrong)
{
	return wrong ? MPI_Bcast(x, 1, MPI_DOUBLE, 0, comm)
		     : MPI_Allreduce(x, y, 1, MPI_DOUBLE, MPI_SUM, comm);
}

static int later_or_now(MPI_Comm comm, int wrong)
{
	MPI_Request req;
	int err;

	if (wrong)
		return MPI_Barrier(comm);
	err = MPI_Ibcast(x, 1, MPI_DOUBLE, 1, comm, &req);
	return err ? err : MPI_Wait(&req, MPI_STATUS_IGNORE);
}

static call *const calls[] = {
	two_roots,    root_of_another, two_operations, two_targets,
	two_types,    two_lengths,     barrier_or_sum, barrier_or_bcast,
	bcast_or_sum, later_or_now,
};

static int other_or_none(int err)
{
	int class = MPI_SUCCESS;

	if (err)
		MPI_Error_class(err, &class);
	return class == MPI_SUCCESS || class == MPI_ERR_OTHER;
}

/*
 * Returns whether any rank of this rank's subset got an error. The communicator
 * is broken, so the world is used.
 */
static int any_rank_failed(int failed, int parts)
{
	int all[64] = { 0 }, rank, size, any = 0;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Allgather(&failed, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
	for (int i = rank % parts; i < size; i += parts)
		any |= all[i];
	return any;
}

static void test_mismatch(call *which, int parts)
{
	int first, second, world, rank;
	MPI_Comm comm;

	MPI_Comm_rank(MPI_COMM_WORLD, &world);
	MPI_Comm_split(MPI_COMM_WORLD, world % parts, world, &comm);
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	/* a communicator gets a class route at its second collective */
	for (int i = 0; i < 3; i++)
		CHECK(MPI_Barrier(comm) == MPI_SUCCESS);
	first = which(comm, rank == 1);
	second = MPI_Barrier(comm);
	CHECK(other_or_none(first) && other_or_none(second));
	CHECK(any_rank_failed(first || second, parts));
	MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
	int parts = argc > 1 ? atoi(argv[1]) : 1;
	int size;

	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (size_t i = 0; coll_expects_route(size) && i < N_OF(calls); i++)
		test_mismatch(calls[i], parts);
	MPI_Finalize();
	return 0;
}
