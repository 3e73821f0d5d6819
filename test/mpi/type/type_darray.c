/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A matrix distributed over all ranks, block-cyclic in both dimensions: each
 * rank sends its part of the whole matrix, and rank 0 assembles the parts.
 */
#include "mpi_t.h"

#define ROWS 13
#define COLS 11

static void spread(int order, int darg)
{
	int gsizes[2] = { ROWS, COLS }, psizes[2] = { 0, 0 };
	int distribs[2] = { MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK };
	int dargs[2] = { darg, MPI_DISTRIBUTE_DFLT_DARG };
	int whole[ROWS * COLS], sum[ROWS * COLS], size, total = 0, n;
	MPI_Datatype t;
	MPI_Request req;

	MT_OK(MPI_Dims_create(mt_size, 2, psizes));
	MT_OK(MPI_Type_create_darray(mt_size, mt_rank, 2, gsizes, distribs,
				     dargs, psizes, order, MPI_INT, &t));
	MT_OK(MPI_Type_commit(&t));
	MPI_Type_size(t, &size);
	for (int i = 0; i < ROWS * COLS; i++) {
		whole[i] = i;
		sum[i] = -1;
	}
	MT_OK(MPI_Isend(whole, 1, t, 0, 5, MPI_COMM_WORLD, &req));
	for (int r = 0; r < mt_size && mt_rank == 0; r++) {
		MPI_Datatype theirs;
		MPI_Status st;

		MPI_Type_create_darray(mt_size, r, 2, gsizes, distribs, dargs,
				       psizes, order, MPI_INT, &theirs);
		MPI_Type_commit(&theirs);
		MT_OK(MPI_Recv(sum, 1, theirs, r, 5, MPI_COMM_WORLD, &st));
		MPI_Get_elements(&st, theirs, &n);
		total += n;
		MPI_Type_free(&theirs);
	}
	MT_OK(MPI_Wait(&req, MPI_STATUS_IGNORE));
	MPI_Type_free(&t);
	if (mt_rank)
		return;
	MT_IS(total, ROWS * COLS);
	for (int i = 0; i < ROWS * COLS; i++)
		MT_IS(sum[i], i);
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	spread(MPI_ORDER_C, MPI_DISTRIBUTE_DFLT_DARG);
	spread(MPI_ORDER_FORTRAN, 2);
	spread(MPI_ORDER_C, 3);
	return mt_end();
}
