/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Joining the collective unit: the world has a class route after MPI_Init.
 * Other communicators join a route while their nonblocking collectives are in
 * flight; the collectives keep their order.
 */
#include "coll_t.h"

#define FLIGHTS 24

static int rank, size;

/*
 * Rank 0 starts its collective and stays outside MPI until the others have
 * completed theirs.
 */
static void others_finish_while_one_computes(MPI_Comm comm)
{
	_Atomic int *done = coll_counters(rank, size);
	double x = rank + 1, sum = 0;
	MPI_Request r[3];
	int b = rank == 0 ? 17 : 0;

	MPI_Iallreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, &r[0]);
	MPI_Ibcast(&b, 1, MPI_INT, 0, comm, &r[1]);
	MPI_Ibarrier(comm, &r[2]);
	if (rank == 0 && coll_is_live() && coll_expects_route(size))
		coll_wait_count(done, size - 1);
	MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
	CHECK(sum == size * (size + 1) / 2);
	CHECK(b == 17);
	atomic_fetch_add(done, 1);
}

/* One of many operations that are started at once, with different arguments. */
struct flight {
	int64_t in[8], out[8];
	int n;
};

static void flight_start(struct flight *f, int i, MPI_Comm comm, MPI_Request *r)
{
	int root = i % size;

	f->n = 1 + i % 8;
	for (int k = 0; k < f->n; k++) {
		f->in[k] = rank * 100 + i * 10 + k;
		f->out[k] = i % 5 == 3 && rank == root ? i : -1;
	}
	switch (i % 5) {
	case 0:
	case 1:
		MPI_Iallreduce(f->in, f->out, f->n, MPI_INT64_T, MPI_SUM, comm,
			       r);
		break;
	case 2:
		MPI_Ireduce(f->in, f->out, f->n, MPI_INT64_T, MPI_MAX, root,
			    comm, r);
		break;
	case 3:
		MPI_Ibcast(f->out, f->n, MPI_INT64_T, root, comm, r);
		break;
	default:
		MPI_Ibarrier(comm, r);
	}
}

static int64_t flight_want(int i, int k)
{
	int64_t last = (size - 1) * 100 + i * 10 + k;

	switch (i % 5) {
	case 0:
	case 1:
		return size * (size - 1) / 2 * 100 +
		       (int64_t)size * (i * 10 + k);
	case 2:
		return rank == i % size ? last : -1;
	case 3:
		return i;
	default:
		return -1;
	}
}

static void all_in_flight(MPI_Comm comm)
{
	struct flight f[FLIGHTS];
	MPI_Request r[FLIGHTS];

	for (int i = 0; i < FLIGHTS; i++)
		flight_start(&f[i], i, comm, &r[i]);
	MPI_Waitall(FLIGHTS, r, MPI_STATUSES_IGNORE);
	for (int i = 0; i < FLIGHTS; i++) {
		for (int k = 0; k < f[i].n; k++)
			CHECK(f[i].out[k] == flight_want(i, k));
	}
}

/*
 * For a long collective the selection table has a different algorithm; all
 * ranks must select the same algorithm.
 */
static void long_collective(MPI_Comm comm)
{
	enum { LONG = 40000 };
	static double in[LONG], out[LONG];
	MPI_Request r;

	for (int i = 0; i < LONG; i++)
		in[i] = rank + i;
	MPI_Iallreduce(in, out, LONG, MPI_DOUBLE, MPI_SUM, comm, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	for (int i = 0; i < LONG; i += 777)
		CHECK(out[i] == size * (size - 1) / 2 + (double)size * i);
}

/* Some communicators get a route, others use messages. */
static void nonblocking_only(int laps)
{
	enum { MANY = 20 };
	MPI_Comm comm[MANY];
	unsigned seed = 7;

	for (int lap = 0; lap < laps; lap++) {
		for (int i = 0; i < MANY; i++) {
			MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
			coll_skew(&seed, rank);
			all_in_flight(comm[i]);
			long_collective(comm[i]);
		}
		for (int i = 0; i < MANY; i++) {
			all_in_flight(comm[i]);
			if (i & 1)
				MPI_Barrier(comm[i]);
			all_in_flight(comm[i]);
			long_collective(comm[i]);
			MPI_Comm_free(&comm[i]);
		}
	}
}

/* Operations in flight complete after the communicator's handle is freed. */
static void freed_while_in_flight(int laps)
{
	struct flight f[FLIGHTS];
	MPI_Request r[FLIGHTS];
	MPI_Comm comm;

	for (int lap = 0; lap < laps; lap++) {
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
		for (int i = 0; i < FLIGHTS; i++)
			flight_start(&f[i], i, comm, &r[i]);
		MPI_Comm_free(&comm);
		MPI_Waitall(FLIGHTS, r, MPI_STATUSES_IGNORE);
		for (int i = 0; i < FLIGHTS; i++)
			CHECK(f[i].out[0] == flight_want(i, 0));
	}
}

static void exact_collectives_keep_order(void)
{
	double in[FLIGHTS], out[FLIGHTS];
	MPI_Request r[FLIGHTS];
	MPI_Info info;
	MPI_Comm comm;

	MPI_Info_create(&info);
	MPI_Info_set(info, "weft_exact", "true");
	for (int lap = 0; lap < 10; lap++) {
		MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
		for (int i = 0; i < FLIGHTS; i++) {
			in[i] = rank + i;
			MPI_Iallreduce(&in[i], &out[i], 1, MPI_DOUBLE, MPI_SUM,
				       comm, &r[i]);
		}
		MPI_Waitall(FLIGHTS, r, MPI_STATUSES_IGNORE);
		for (int i = 0; i < FLIGHTS; i++)
			CHECK(out[i] == size * (size - 1) / 2 + size * i);
		MPI_Comm_free(&comm);
	}
	MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
	MPI_Comm dup;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size <= 16)
		others_finish_while_one_computes(MPI_COMM_WORLD);
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	all_in_flight(dup);
	others_finish_while_one_computes(dup);
	MPI_Comm_free(&dup);
	nonblocking_only(argc > 1 ? atoi(argv[1]) : 2);
	freed_while_in_flight(argc > 1 ? 10 * atoi(argv[1]) : 20);
	exact_collectives_keep_order();
	MPI_Finalize();
	return 0;
}
