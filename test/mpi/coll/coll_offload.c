/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Guarantees of the collective unit apart from results: collectives complete
 * while a rank is outside MPI; sums are bitwise identical for any order of
 * arrival; class routes are freed and reused after all were in use; persistent
 * operations start in any order.
 *
 *   coll_offload [orders of arrival]
 */
#include "coll_t.h"

#include <math.h>

static int rank, size;

/*
 * Rank 0 starts its collective and stays outside MPI until the others have
 * completed theirs.
 */
static void others_finish_while_one_computes(void)
{
	_Atomic int *done = coll_counters(rank, size);
	double x = rank + 1, sum = 0;
	MPI_Request r[2];

	for (int i = 0; i < 4; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_Iallreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[0]);
	MPI_Ibarrier(MPI_COMM_WORLD, &r[1]);
	if (rank == 0 && coll_expects_route(size))
		coll_wait_count(done, size - 1);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	CHECK(sum == size * (size + 1) / 2);
	atomic_fetch_add(done, 1);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* Returns numbers whose sum depends on the order in which they are added. */
static double order_dependent_value(int r, int e)
{
	return ldexp(1.0 + 0.37 * r + 0.0113 * e, (r * 5 + e) % 40 - 20) *
	       ((r + e) % 3 ? 1 : -1);
}

static void sums_do_not_depend_on_arrival_order(int orders)
{
	double in[16], first[16], out[16];
	unsigned seed = 5;

	for (int e = 0; e < 16; e++)
		in[e] = order_dependent_value(rank, e);
	for (int i = 0; i < orders; i++) {
		coll_skew(&seed, rank);
		MPI_Allreduce(in, out, 16, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		if (i == 3)
			memcpy(first, out, sizeof(first));
		if (i > 3)
			CHECK(!memcmp(first, out, sizeof(first)));
	}
}

/* Creates more communicators than there are class routes, repeatedly. */
static void routes_are_exhausted_and_returned(void)
{
	enum { MANY = 36 };
	MPI_Comm comm[MANY];

	for (int lap = 0; lap < 3; lap++) {
		for (int i = 0; i < MANY; i++) {
			int x = rank + i, max;

			MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
			MPI_Barrier(comm[i]);
			MPI_Barrier(comm[i]);
			MPI_Allreduce(&x, &max, 1, MPI_INT, MPI_MAX, comm[i]);
			CHECK(max == size - 1 + i);
		}
		for (int i = 0; i < MANY; i++)
			MPI_Comm_free(&comm[i]);
	}
}

static void persistent_requests_start_in_any_order(void)
{
	enum { MANY = 6 };
	int in[MANY], out[MANY];
	MPI_Request r[MANY], sync;

	for (int i = 0; i < MANY; i++)
		MPI_Allreduce_init(&in[i], &out[i], 1, MPI_INT, MPI_SUM,
				   MPI_COMM_WORLD, MPI_INFO_NULL, &r[i]);
	MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &sync);
	for (int round = 0; round < 50; round++) {
		if (round & 1)
			MPI_Start(&sync);
		for (int k = 0; k < MANY; k++) {
			int i = (k * (1 + rank % 2 * 4) + round + rank) % MANY;

			in[i] = rank + i + round;
			MPI_Start(&r[i]);
		}
		if (!(round & 1))
			MPI_Start(&sync);
		MPI_Waitall(MANY, r, MPI_STATUSES_IGNORE);
		MPI_Wait(&sync, MPI_STATUS_IGNORE);
		for (int i = 0; i < MANY; i++)
			CHECK(out[i] ==
			      size * (size - 1) / 2 + size * (i + round));
	}
	for (int i = 0; i < MANY; i++)
		MPI_Request_free(&r[i]);
	MPI_Request_free(&sync);
}

int main(int argc, char **argv)
{
	int orders = argc > 1 ? atoi(argv[1]) : 200;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	others_finish_while_one_computes();
	sums_do_not_depend_on_arrival_order(orders);
	routes_are_exhausted_and_returned();
	persistent_requests_start_in_any_order();
	MPI_Finalize();
	return 0;
}
