/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts whose size in bytes overflows an integer are refused, not wrapped
 * around to a short message.
 */
#include "mpi_t.h"

/* number of elements of 8 bytes: 2^64 bytes */
#define MANY ((MPI_Count)1 << 61)

static double x;

static int class_of(int code)
{
	int class;

	MPI_Error_class(code, &class);
	return class;
}

#define REFUSED(call) MT_IS(class_of(call), MPI_ERR_COUNT)

static void of_a_basic_type(void)
{
	MPI_Request q;

	REFUSED(MPI_Send_c(&x, MANY, MPI_DOUBLE, mt_rank, 1, MPI_COMM_WORLD));
	REFUSED(MPI_Isend_c(&x, MANY, MPI_DOUBLE, mt_rank, 1, MPI_COMM_WORLD,
			    &q));
	REFUSED(MPI_Recv_c(&x, MANY, MPI_DOUBLE, mt_rank, 1, MPI_COMM_WORLD,
			   MPI_STATUS_IGNORE));
	REFUSED(MPI_Irecv_c(&x, MANY, MPI_DOUBLE, mt_rank, 1, MPI_COMM_WORLD,
			    &q));
	REFUSED(MPI_Send_init_c(&x, MANY, MPI_DOUBLE, mt_rank, 1,
				MPI_COMM_WORLD, &q));
	REFUSED(MPI_Recv_init_c(&x, MANY + 1, MPI_DOUBLE, mt_rank, 1,
				MPI_COMM_WORLD, &q));
}

/* With a large datatype, counts of type int also reach this size. */
static void of_a_huge_type(void)
{
	MPI_Datatype huge;

	MT_OK(MPI_Type_contiguous_c((MPI_Count)1 << 58, MPI_BYTE, &huge));
	MT_OK(MPI_Type_commit(&huge));
	REFUSED(MPI_Send(&x, 64, huge, mt_rank, 1, MPI_COMM_WORLD));
	REFUSED(MPI_Recv(&x, 64, huge, mt_rank, 1, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE));
	MT_OK(MPI_Send(&x, 0, huge, MPI_PROC_NULL, 1, MPI_COMM_WORLD));
	MT_OK(MPI_Type_free(&huge));
}

/* Any number of empty elements is 0 bytes. */
static void of_an_empty_type(void)
{
	MPI_Datatype none;

	MT_OK(MPI_Type_contiguous(0, MPI_INT, &none));
	MT_OK(MPI_Type_commit(&none));
	MT_OK(MPI_Sendrecv_c(&x, MANY, none, mt_rank, 1, &x, MANY, none,
			     mt_rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	MT_OK(MPI_Type_free(&none));
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	of_a_basic_type();
	of_a_huge_type();
	of_an_empty_type();
	return mt_end();
}
