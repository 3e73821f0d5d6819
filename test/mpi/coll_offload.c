/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the collective unit promises beyond answers: nobody has to be inside
 * MPI for the others to go on; sums have the same bits whatever the order of
 * arrival; exact sums are rounded once; routes run out and come back;
 * persistent operations start in any order.
 *
 *   coll_offload [orders of arrival]
 */
#include "coll_t.h"

#include <float.h>
#include <math.h>

static int rank, size;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void compute(double seconds)
{
	double end = now() + seconds;

	while (now() < end)
		;
}

/* Blue Gene/Q has class routes on rectangles of nodes only. */
static int has_route(void)
{
	const char *machine = getenv("FI_WEFT_MACHINE");

	return !machine || strncmp(machine, "bgq", 3) || !(size & (size - 1));
}

/* Rank 0 contributes, then computes for a second outside MPI. */
static void others_finish_while_one_computes(void)
{
	double x = rank + 1, sum = 0, start;
	MPI_Request r[2];

	for (int i = 0; i < 4; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	start = now();
	MPI_Iallreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[0]);
	MPI_Ibarrier(MPI_COMM_WORLD, &r[1]);
	if (rank == 0 && size > 1)
		compute(1.0);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	CHECK(sum == size * (size + 1) / 2);
	/* an idle host needs microseconds; a loaded one some more */
	if (rank && has_route())
		CHECK(now() - start < 0.9);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* Numbers whose sum depends on the order in which they are added. */
static double odd_value(int r, int e)
{
	return ldexp(1.0 + 0.37 * r + 0.0113 * e, (r * 5 + e) % 40 - 20) *
	       ((r + e) % 3 ? 1 : -1);
}

static void sums_are_the_same_in_every_order(int orders)
{
	double in[16], first[16], out[16];
	unsigned seed = 5;

	for (int e = 0; e < 16; e++)
		in[e] = odd_value(rank, e);
	for (int i = 0; i < orders; i++) {
		coll_skew(&seed, rank);
		MPI_Allreduce(in, out, 16, MPI_DOUBLE, MPI_SUM,
			      MPI_COMM_WORLD);
		if (i == 3)
			memcpy(first, out, sizeof(first));
		if (i > 3)
			CHECK(!memcmp(first, out, sizeof(first)));
	}
}

/* As long double has it: 113 bits are enough for these numbers. */
static double exact_of(int e)
{
	long double sum = 0;

	for (int r = 0; r < size; r++)
		sum += odd_value(r, e);
	return (double)sum;
}

static void try_exact(MPI_Comm comm, int n, int how)
{
	double *in = malloc((size_t)n * sizeof(double));
	double *out = malloc((size_t)n * sizeof(double));
	MPI_Request r;

	for (int e = 0; e < n; e++)
		in[e] = out[e] = odd_value(rank, e % 16);
	if (how == 0)
		MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, comm);
	else if (how == 1)
		MPI_Allreduce(MPI_IN_PLACE, out, n, MPI_DOUBLE, MPI_SUM, comm);
	else if (how == 2)
		MPI_Reduce(in, out, n, MPI_DOUBLE, MPI_SUM, size - 1, comm);
	else if (how == 3)
		MPI_Iallreduce(in, out, n, MPI_DOUBLE, MPI_SUM, comm, &r);
	else
		MPI_Allreduce_init(in, out, n, MPI_DOUBLE, MPI_SUM, comm,
				   MPI_INFO_NULL, &r);
	if (how == 4)
		MPI_Start(&r);
	if (how > 2)
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	if (how == 4)
		MPI_Request_free(&r);
	for (int e = 0; e < n && (how != 2 || rank == size - 1); e++)
		CHECK(out[e] == exact_of(e % 16));
	free(in);
	free(out);
}

static void exact_sums_are_rounded_once(void)
{
	static const int counts[] = { 1, 3, 100, 9000, 40000 };
	MPI_Comm comm;
	MPI_Info info;

	if (sizeof(long double) < 16 || LDBL_MANT_DIG < 113)
		return;
	MPI_Info_create(&info);
	MPI_Info_set(info, "weft_exact", "true");
	for (int how = 4; how >= 0; how--) {
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
		MPI_Comm_set_info(comm, info);
		for (size_t i = 0; i < N_OF(counts); i++)
			try_exact(comm, counts[i], how);
		MPI_Comm_free(&comm);
	}
	MPI_Info_free(&info);
}

/* More communicators than there are class routes, and again. */
static void routes_run_out_and_come_back(void)
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

static void persistent_ones_start_in_any_order(void)
{
	enum { MANY = 6 };
	int in[MANY], out[MANY];
	MPI_Request r[MANY], sync;

	for (int i = 0; i < MANY; i++)
		MPI_Allreduce_init(&in[i], &out[i], 1, MPI_INT, MPI_SUM,
				   MPI_COMM_WORLD, MPI_INFO_NULL, &r[i]);
	MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &sync);
	for (int turn = 0; turn < 50; turn++) {
		if (turn & 1)
			MPI_Start(&sync);
		for (int k = 0; k < MANY; k++) {
			int i = (k * (1 + rank % 2 * 4) + turn + rank) % MANY;

			in[i] = rank + i + turn;
			MPI_Start(&r[i]);
		}
		if (!(turn & 1))
			MPI_Start(&sync);
		MPI_Waitall(MANY, r, MPI_STATUSES_IGNORE);
		MPI_Wait(&sync, MPI_STATUS_IGNORE);
		for (int i = 0; i < MANY; i++)
			CHECK(out[i] ==
			      size * (size - 1) / 2 + size * (i + turn));
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
	sums_are_the_same_in_every_order(orders);
	exact_sums_are_rounded_once();
	routes_run_out_and_come_back();
	persistent_ones_start_in_any_order();
	MPI_Finalize();
	return 0;
}
