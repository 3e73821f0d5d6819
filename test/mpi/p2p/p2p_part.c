/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Partitioned communication, with equal and different numbers of partitions on
 * the two sides.
 */
#include "mpi_t.h"

#define TOTAL 12000

static int next, prev;

static void parts(int sp, int rp, int rounds)
{
	int out[TOTAL] = { 0 }, in[TOTAL];
	MPI_Request s, r;
	int i, k, flag;

	MT_OK(MPI_Psend_init(out, sp, TOTAL / sp, MPI_INT, next, 3,
			     MPI_COMM_WORLD, MPI_INFO_NULL, &s));
	MT_OK(MPI_Precv_init(in, rp, TOTAL / rp, MPI_INT, prev, 3,
			     MPI_COMM_WORLD, MPI_INFO_NULL, &r));
	for (k = 0; k < rounds; k++) {
		for (i = 0; i < TOTAL; i++)
			out[i] = mt_rank * 100000 + k * 7 + i;
		MT_OK(MPI_Start(&r));
		MT_OK(MPI_Start(&s));
		MT_OK(MPI_Pready(sp - 1, s));
		MT_OK(MPI_Test(&s, &flag, MPI_STATUS_IGNORE));
		MT_TRUE(sp == 1 || !flag);
		if (sp > 1)
			MT_OK(MPI_Pready_range(0, sp - 2, s));
		for (i = 0; i < rp; i++) {
			do
				MT_OK(MPI_Parrived(r, i, &flag));
			while (!flag);
			MT_IS(in[i * (TOTAL / rp)],
			      prev * 100000 + k * 7 + i * (TOTAL / rp));
		}
		MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
		if (s != MPI_REQUEST_NULL)
			MT_OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
		for (i = 0; i < TOTAL; i++)
			MT_IS(in[i], prev * 100000 + k * 7 + i);
	}
	MT_OK(MPI_Request_free(&s));
	MT_OK(MPI_Request_free(&r));
}

/* The receiver's type has gaps. */
static void gaps(void)
{
	int out[24] = { 0 }, in[48], list[3] = { 2, 0, 1 };
	MPI_Datatype t;
	MPI_Request s, r;
	int i;

	MT_OK(MPI_Type_vector(4, 1, 2, MPI_INT, &t));
	MT_OK(MPI_Type_create_resized(t, 0, 8 * sizeof(int), &t));
	MT_OK(MPI_Type_commit(&t));
	for (i = 0; i < 24; i++)
		out[i] = mt_rank + i;
	memset(in, 0xff, sizeof(in));
	MT_OK(MPI_Psend_init(out, 3, 8, MPI_INT, next, 4, MPI_COMM_WORLD,
			     MPI_INFO_NULL, &s));
	MT_OK(MPI_Precv_init(in, 6, 1, t, prev, 4, MPI_COMM_WORLD,
			     MPI_INFO_NULL, &r));
	MT_OK(MPI_Start(&r));
	MT_OK(MPI_Start(&s));
	MT_OK(MPI_Pready_list(3, list, s));
	MT_OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
	MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	for (i = 0; i < 48; i++)
		MT_IS(in[i], i % 2 ? -1 : prev + i / 2);
	MT_OK(MPI_Request_free(&s));
	MT_OK(MPI_Request_free(&r));
	MT_OK(MPI_Type_free(&t));
}

/*
 * No partition arrives before all of its data has been marked ready, with any
 * partition size.
 */
static void arrival_after_ready(int sp, int rp, int count)
{
	int out[TOTAL] = { 0 }, in[TOTAL] = { 0 };
	MPI_Request s, r;
	int i, k, flag;

	MT_OK(MPI_Psend_init(out, sp, count * rp, MPI_INT, next, 5,
			     MPI_COMM_WORLD, MPI_INFO_NULL, &s));
	MT_OK(MPI_Precv_init(in, rp, count * sp, MPI_INT, prev, 5,
			     MPI_COMM_WORLD, MPI_INFO_NULL, &r));
	for (k = 0; k < 3; k++) {
		MT_OK(MPI_Barrier(MPI_COMM_WORLD));
		MT_OK(MPI_Start(&r));
		for (i = 0; i < rp; i++) {
			MT_OK(MPI_Parrived(r, i, &flag));
			MT_IS(flag, 0);
		}
		MT_OK(MPI_Barrier(MPI_COMM_WORLD));
		MT_OK(MPI_Start(&s));
		MT_OK(MPI_Pready_range(0, sp - 2, s));
		MT_IS(mt_class(MPI_Pready(0, s)), MPI_ERR_ARG);
		/* the last partition is incomplete */
		for (i = 0; i < (sp - 1) * rp / sp; i++)
			do
				MT_OK(MPI_Parrived(r, i, &flag));
			while (!flag);
		MT_OK(MPI_Parrived(r, rp - 1, &flag));
		MT_IS(flag, 0);
		MT_OK(MPI_Barrier(MPI_COMM_WORLD));
		MT_OK(MPI_Pready(sp - 1, s));
		do
			MT_OK(MPI_Parrived(r, rp - 1, &flag));
		while (!flag);
		MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
		MT_OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
	}
	MT_OK(MPI_Request_free(&s));
	MT_OK(MPI_Request_free(&r));
}

/* Without partitions there is still one message, which MPI_Start sends. */
static void no_partitions(int rp)
{
	MPI_Request s, r;
	MPI_Status st;
	int x = 0, k, n, flag;

	MT_OK(MPI_Psend_init(&x, 0, 3, MPI_INT, next, 6, MPI_COMM_WORLD,
			     MPI_INFO_NULL, &s));
	MT_OK(MPI_Precv_init(&x, rp, 0, MPI_INT, prev, 6, MPI_COMM_WORLD,
			     MPI_INFO_NULL, &r));
	for (k = 0; k < 3; k++) {
		MT_OK(MPI_Barrier(MPI_COMM_WORLD));
		MT_OK(MPI_Start(&r));
		MT_OK(MPI_Test(&r, &flag, &st));
		MT_IS(flag, 0);
		MT_OK(MPI_Barrier(MPI_COMM_WORLD));
		MT_OK(MPI_Start(&s));
		MT_IS(mt_class(MPI_Pready(0, s)), MPI_ERR_ARG);
		MT_OK(MPI_Wait(&r, &st));
		MT_OK(MPI_Get_count(&st, MPI_INT, &n));
		MT_TRUE(n == 0 && st.MPI_SOURCE == prev && st.MPI_TAG == 6);
		MT_OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
	}
	MT_OK(MPI_Request_free(&s));
	MT_OK(MPI_Request_free(&r));
}

static void refusals(void)
{
	MPI_Request s;
	int x;

	MT_IS(mt_class(MPI_Psend_init(&x, -1, 1, MPI_INT, next, 7,
				      MPI_COMM_WORLD, MPI_INFO_NULL, &s)),
	      MPI_ERR_ARG);
	MT_IS(mt_class(MPI_Precv_init(&x, 1, 1, MPI_INT, MPI_ANY_SOURCE, 7,
				      MPI_COMM_WORLD, MPI_INFO_NULL, &s)),
	      MPI_ERR_RANK);
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	next = (mt_rank + 1) % mt_size;
	prev = (mt_rank + mt_size - 1) % mt_size;
	parts(1, 1, 2);
	parts(4, 4, 5);
	parts(12, 5, 5);
	parts(3, 20, 5);
	parts(6000, 20, 2);
	gaps();
	MT_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	arrival_after_ready(2, 2, 10);
	arrival_after_ready(2, 2, 0);
	arrival_after_ready(4, 2, 0);
	arrival_after_ready(3, 6, 0);
	arrival_after_ready(2, 3, 50);
	no_partitions(0);
	no_partitions(1);
	no_partitions(3);
	refusals();
	return mt_end();
}
