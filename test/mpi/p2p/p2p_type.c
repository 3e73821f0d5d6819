/* SPDX-License-Identifier: BSD-3-Clause */
/* Derived types with few and many gaps in messages, on either side. */
#include "mpi_t.h"

static int next, prev;

/* Sends rows of a matrix and receives them as columns of another. */
static void columns(int n)
{
	int *a = malloc((size_t)(n * n) * sizeof(int));
	int *b = malloc((size_t)(n * n) * sizeof(int));
	MPI_Datatype col, one;
	MPI_Request s;
	MPI_Status st;
	int i, k;

	MT_OK(MPI_Type_vector(n, 1, n, MPI_INT, &one));
	MT_OK(MPI_Type_create_resized(one, 0, sizeof(int), &col));
	MT_OK(MPI_Type_commit(&col));
	for (i = 0; i < n * n; i++)
		a[i] = mt_rank * 7 + i;
	memset(b, 0, (size_t)(n * n) * sizeof(int));
	MT_OK(MPI_Isend(a, n * n, MPI_INT, next, 1, MPI_COMM_WORLD, &s));
	MT_OK(MPI_Recv(b, n, col, prev, 1, MPI_COMM_WORLD, &st));
	MT_OK(MPI_Get_count(&st, col, &k));
	MT_IS(k, n);
	MT_OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++)
			MT_IS(b[k * n + i], prev * 7 + i * n + k);
	/* in the other direction: columns are sent, rows are received */
	MT_OK(MPI_Isend(b, n, col, next, 2, MPI_COMM_WORLD, &s));
	MT_OK(MPI_Recv(a, n * n, MPI_INT, prev, 2, MPI_COMM_WORLD, &st));
	MT_OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
	k = (prev + mt_size - 1) % mt_size;
	for (i = 0; i < n * n; i++)
		MT_IS(a[i], k * 7 + i);
	MT_OK(MPI_Type_free(&one));
	MT_OK(MPI_Type_free(&col));
	free(a);
	free(b);
}

/*
 * The type, with absolute addresses, is freed while the message is in flight.
 */
static void bottom(void)
{
	struct {
		int i;
		double d;
		char c[5];
	} out = { mt_rank, mt_rank * 0.5, "weft" }, in;
	int len[3] = { 1, 1, 5 };
	MPI_Datatype types[3] = { MPI_INT, MPI_DOUBLE, MPI_CHAR }, t, u;
	MPI_Aint at[3];
	MPI_Request s, r;
	MPI_Status st;
	int n;

	MPI_Get_address(&out.i, &at[0]);
	MPI_Get_address(&out.d, &at[1]);
	MPI_Get_address(&out.c, &at[2]);
	MT_OK(MPI_Type_create_struct(3, len, at, types, &t));
	MT_OK(MPI_Type_commit(&t));
	MPI_Get_address(&in.i, &at[0]);
	MPI_Get_address(&in.d, &at[1]);
	MPI_Get_address(&in.c, &at[2]);
	MT_OK(MPI_Type_create_struct(3, len, at, types, &u));
	MT_OK(MPI_Type_commit(&u));
	MT_OK(MPI_Irecv(MPI_BOTTOM, 1, u, prev, 3, MPI_COMM_WORLD, &r));
	MT_OK(MPI_Isend(MPI_BOTTOM, 1, t, next, 3, MPI_COMM_WORLD, &s));
	MT_OK(MPI_Type_free(&t));
	MT_OK(MPI_Wait(&r, &st));
	MT_OK(MPI_Get_elements(&st, u, &n));
	MT_IS(n, 7);
	MT_OK(MPI_Type_free(&u));
	MT_OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
	MT_IS(in.i, prev);
	MT_TRUE(in.d == prev * 0.5);
	MT_TRUE(!strcmp(in.c, "weft"));
}

/* The message is shorter than the receive buffer. */
static void partial(void)
{
	int out[7] = { 1, 2, 3, 4, 5, 6, 7 }, in[20], n;
	MPI_Datatype t;
	MPI_Request s;
	MPI_Status st;

	memset(in, 0xff, sizeof(in));
	MT_OK(MPI_Type_vector(2, 1, 2, MPI_INT,
			      &t)); /* two ints with a gap of one int */
	MT_OK(MPI_Type_commit(&t));
	MT_OK(MPI_Isend(out, 7, MPI_INT, next, 4, MPI_COMM_WORLD, &s));
	MT_OK(MPI_Recv(in, 6, t, prev, 4, MPI_COMM_WORLD, &st));
	MT_OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
	MT_OK(MPI_Get_count(&st, t, &n));
	MT_IS(n, MPI_UNDEFINED);
	MT_OK(MPI_Get_elements(&st, t, &n));
	MT_IS(n, 7);
	MT_IS(in[0], 1);
	MT_IS(in[1], -1);
	MT_IS(in[2], 2);
	MT_IS(in[3], 3);
	MT_IS(in[9], 7);
	MT_IS(in[11], -1);
	MT_OK(MPI_Type_free(&t));
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	next = (mt_rank + 1) % mt_size;
	prev = (mt_rank + mt_size - 1) % mt_size;
	columns(2);
	columns(3);
	columns(9);
	columns(300);
	bottom();
	partial();
	return mt_end();
}
