/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that does not use Weft's mpi.h: it is compiled with a header that
 * test/abi/header.sh generates from the tables of the standard ABI.
 */
#include "foreign_mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "foreign: %s\n", what);
	exit(1);
}

static void take_max(void *in, void *inout, int *len, MPI_Datatype *type)
{
	int *a = in, *b = inout;

	must(*type == MPI_INT, "type in a user operation");
	for (int i = 0; i < *len; i++)
		b[i] = a[i] > b[i] ? a[i] : b[i];
}

static void exchange(int rank, int size)
{
	int next = (rank + 1) % size, last = (rank + size - 1) % size;
	int out[4] = { rank, 1, 2, 3 }, in[4] = { -1 }, n;
	MPI_Request req[2];
	MPI_Status st[2];

	MPI_Irecv(in, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
		  &req[0]);
	MPI_Isend(out, 3, MPI_INT, next, 7, MPI_COMM_WORLD, &req[1]);
	must(MPI_Waitall(2, req, st) == MPI_SUCCESS, "waitall");
	must(in[0] == last && st[0].MPI_SOURCE == last, "source");
	must(st[0].MPI_TAG == 7 && req[0] == MPI_REQUEST_NULL, "tag");
	MPI_Get_count(&st[0], MPI_INT, &n);
	must(n == 3, "count");
}

static void reduce(int rank, int size)
{
	double x = rank, sum = 0;
	int y = rank, top = -1;
	MPI_Op op;

	MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	must(sum == size * (size - 1) / 2.0, "sum");
	MPI_Op_create(take_max, 1, &op);
	MPI_Allreduce(&y, &top, 1, MPI_INT, op, MPI_COMM_WORLD);
	must(top == size - 1, "user operation");
	MPI_Op_free(&op);
	must(op == MPI_OP_NULL, "freed operation");
}

static void types(void)
{
	MPI_Datatype t;
	MPI_Aint lb, extent;
	int size;

	MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &t);
	MPI_Type_commit(&t);
	MPI_Type_size(t, &size);
	MPI_Type_get_extent(t, &lb, &extent);
	must(size == 48 && lb == 0 && extent == 80, "vector");
	MPI_Type_free(&t);
	must(t == MPI_DATATYPE_NULL, "freed type");
}

int main(int argc, char **argv)
{
	int rank, size, level, major, minor, *ub, flag;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	must(level == MPI_THREAD_MULTIPLE, "thread level");
	MPI_Abi_get_version(&major, &minor);
	must(major == MPI_ABI_VERSION && minor == MPI_ABI_SUBVERSION,
	     "version");
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &ub, &flag);
	must(flag && *ub >= 32767, "tag bound");
	exchange(rank, size);
	reduce(rank, size);
	types();
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	must(MPI_Send(NULL, 0, MPI_INT, size, 0, MPI_COMM_WORLD) != MPI_SUCCESS,
	     "error");
	MPI_Finalize();
	if (rank == 0)
		printf("foreign: %d ranks agree\n", size);
	return 0;
}
