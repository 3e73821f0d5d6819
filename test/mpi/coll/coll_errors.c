/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wrong arguments of collectives return the right error class, on one rank and
 * without communication; the communicator remains usable.
 */
#include "coll_t.h"

static void expect(int code, int class, int line)
{
	char text[MPI_MAX_ERROR_STRING];
	int got = MPI_SUCCESS, len;

	if (code != MPI_SUCCESS)
		MPI_Error_class(code, &got);
	if (got == class)
		return;
	MPI_Error_string(code, text, &len);
	fprintf(stderr, "line %d: class %d instead of %d: %s\n", line, got,
		class, text);
	CHECK(got == class);
}

#define EXPECT(call, class) expect(call, class, __LINE__)

static void test_arguments(MPI_Comm c, int size)
{
	MPI_Datatype raw;
	MPI_Request req;
	int a[64] = { 0 }, b[64], minus[64], i;

	for (i = 0; i < 64; i++)
		minus[i] = -1;
	MPI_Type_contiguous(2, MPI_INT, &raw);
	EXPECT(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM);
	EXPECT(MPI_Bcast(a, 1, MPI_INT, size, c), MPI_ERR_ROOT);
	EXPECT(MPI_Bcast(a, 1, MPI_INT, -1, c), MPI_ERR_ROOT);
	EXPECT(MPI_Bcast(a, -1, MPI_INT, 0, c), MPI_ERR_COUNT);
	EXPECT(MPI_Bcast(a, 1, MPI_DATATYPE_NULL, 0, c), MPI_ERR_TYPE);
	EXPECT(MPI_Bcast(a, 1, raw, 0, c), MPI_ERR_TYPE);
	EXPECT(MPI_Bcast(NULL, 1, MPI_INT, 0, c), MPI_ERR_BUFFER);
	EXPECT(MPI_Allreduce(a, b, 1, MPI_INT, MPI_OP_NULL, c), MPI_ERR_OP);
	EXPECT(MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_BAND, c), MPI_ERR_OP);
	EXPECT(MPI_Allreduce(a, b, 1, MPI_INT, MPI_MAXLOC, c), MPI_ERR_OP);
	EXPECT(MPI_Allreduce(a, b, 1, MPI_INT, MPI_REPLACE, c), MPI_ERR_OP);
	EXPECT(MPI_Allreduce(a, a, 1, MPI_INT, MPI_SUM, c), MPI_ERR_BUFFER);
	EXPECT(MPI_Allreduce(a, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, c),
	       MPI_ERR_BUFFER);
	if (size == 1) { /* otherwise only the root detects the error */
		EXPECT(MPI_Gather(a, 1, MPI_INT, a, 1, MPI_INT, 0, c),
		       MPI_ERR_BUFFER);
		EXPECT(MPI_Scatter(a, 1, MPI_INT, a, 1, MPI_INT, 0, c),
		       MPI_ERR_BUFFER);
	}
	EXPECT(MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, size + 3, c),
	       MPI_ERR_ROOT);
	EXPECT(MPI_Allgather(a, 1, MPI_INT, b, -2, MPI_INT, c), MPI_ERR_COUNT);
	EXPECT(MPI_Allgatherv(a, 1, MPI_INT, b, minus, a, MPI_INT, c),
	       MPI_ERR_COUNT);
	EXPECT(MPI_Alltoall(a, 1, MPI_INT, b, 1, MPI_DATATYPE_NULL, c),
	       MPI_ERR_TYPE);
	EXPECT(MPI_Reduce_scatter(a, b, minus, MPI_INT, MPI_SUM, c),
	       MPI_ERR_COUNT);
	EXPECT(MPI_Iallreduce(a, b, 1, MPI_INT, MPI_OP_NULL, c, &req),
	       MPI_ERR_OP);
	EXPECT(MPI_Bcast_init(a, -1, MPI_INT, 0, c, MPI_INFO_NULL, &req),
	       MPI_ERR_COUNT);
	EXPECT(MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, c),
	       MPI_ERR_TOPOLOGY);
	MPI_Type_free(&raw);
}

/*
 * Overlapping buffers are refused. The communicator has one rank, so every
 * buffer argument is significant.
 */
static void test_alias(MPI_Comm c)
{
	MPI_Datatype types[1] = { MPI_INT };
	int a[8] = { 0 }, n[1] = { 2 }, d[1] = { 1 }, zero[1] = { 0 };
	MPI_Request req;

	EXPECT(MPI_Gather(a + 1, 2, MPI_INT, a, 2, MPI_INT, 0, c),
	       MPI_ERR_BUFFER);
	EXPECT(MPI_Gatherv(a, 2, MPI_INT, a, n, d, MPI_INT, 0, c),
	       MPI_ERR_BUFFER);
	EXPECT(MPI_Scatterv(a, n, d, MPI_INT, a, 2, MPI_INT, 0, c),
	       MPI_ERR_BUFFER);
	EXPECT(MPI_Allgather(a, 2, MPI_INT, a, 2, MPI_INT, c), MPI_ERR_BUFFER);
	EXPECT(MPI_Allgatherv(a, 2, MPI_INT, a, n, d, MPI_INT, c),
	       MPI_ERR_BUFFER);
	EXPECT(MPI_Alltoall(a, 2, MPI_INT, a, 2, MPI_INT, c), MPI_ERR_BUFFER);
	EXPECT(MPI_Alltoallv(a, n, zero, MPI_INT, a, n, d, MPI_INT, c),
	       MPI_ERR_BUFFER);
	d[0] = 4; /* displacement in bytes */
	EXPECT(MPI_Alltoallw(a, n, zero, types, a, n, d, types, c),
	       MPI_ERR_BUFFER);
	EXPECT(MPI_Iallgather(a, 2, MPI_INT, a + 1, 2, MPI_INT, c, &req),
	       MPI_ERR_BUFFER);
	EXPECT(MPI_Reduce(a, a, 2, MPI_INT, MPI_SUM, 0, c), MPI_ERR_BUFFER);
	EXPECT(MPI_Scan(a, a, 2, MPI_INT, MPI_SUM, c), MPI_ERR_BUFFER);
	EXPECT(MPI_Reduce_scatter(a, a + 1, n, MPI_INT, MPI_SUM, c),
	       MPI_ERR_BUFFER);
	EXPECT(MPI_Reduce_scatter_block(a, a + 1, 2, MPI_INT, MPI_SUM, c),
	       MPI_ERR_BUFFER);
}

/* Send and receive buffers in one array, adjacent or interleaved, are valid. */
static void test_no_alias(MPI_Comm c)
{
	int a[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, n[1] = { 2 }, d[1] = { 2 };
	int none[1] = { 0 };
	MPI_Datatype odd;

	EXPECT(MPI_Allgatherv(a, 2, MPI_INT, a, n, d, MPI_INT, c), MPI_SUCCESS);
	CHECK(a[2] == 1 && a[3] == 2);
	EXPECT(MPI_Allgather(a + 2, 2, MPI_INT, a, 2, MPI_INT, c), MPI_SUCCESS);
	EXPECT(MPI_Alltoallv(a, none, d, MPI_INT, a, none, d, MPI_INT, c),
	       MPI_SUCCESS);
	EXPECT(MPI_Allgather(a, 0, MPI_INT, a, 0, MPI_INT, c), MPI_SUCCESS);
	MPI_Type_vector(4, 1, 2, MPI_INT, &odd);
	MPI_Type_commit(&odd);
	EXPECT(MPI_Alltoall(a, 1, odd, a + 1, 1, odd, c), MPI_SUCCESS);
	CHECK(a[1] == a[0] && a[7] == a[6] && a[7] == 7);
	MPI_Type_free(&odd);
}

static void test_in_place(MPI_Comm c, int size)
{
	int a[1] = { 0 }, b[1], other = size - 1;
	MPI_Request req;

	/* the receive buffer is significant at the root only */
	if (size == 1)
		return;
	EXPECT(MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, b, 1, MPI_INT, other, c),
	       MPI_ERR_BUFFER);
	EXPECT(MPI_Reduce(MPI_IN_PLACE, b, 1, MPI_INT, MPI_SUM, other, c),
	       MPI_ERR_BUFFER);
	EXPECT(MPI_Scatter(a, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, other, c),
	       MPI_ERR_BUFFER);
	EXPECT(MPI_Igather(MPI_IN_PLACE, 1, MPI_INT, b, 1, MPI_INT, other, c,
			   &req),
	       MPI_ERR_BUFFER);
}

int main(int argc, char **argv)
{
	int rank, size, sum = 0, one = 1;
	MPI_Comm c, self;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_dup(MPI_COMM_WORLD, &c);
	MPI_Comm_dup(MPI_COMM_SELF, &self);
	if (rank == size / 2)
		test_arguments(c, size);
	if (rank == 0)
		test_in_place(c, size);
	test_alias(self);
	test_no_alias(self);
	MPI_Comm_free(&self);
	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c);
	CHECK(sum == size);
	MPI_Comm_free(&c);
	MPI_Finalize();
	if (!rank)
		printf("coll_errors: all errors are correct\n");
	return 0;
}
