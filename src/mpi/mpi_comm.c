/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators: queries and the simple constructors. */
#include "src/mpi/mpi_face.h"

#include "src/mpi/mpi_check.h"

#pragma weak MPI_Comm_rank = PMPI_Comm_rank
int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
	struct weft_comm *c;
	int err = mpi_check_comm(__func__, 1, comm, &c);

	if (!err)
		*rank = c->rank;
	return err;
}

#pragma weak MPI_Comm_size = PMPI_Comm_size
int PMPI_Comm_size(MPI_Comm comm, int *size)
{
	struct weft_comm *c;
	int err = mpi_check_comm(__func__, 1, comm, &c);

	if (!err)
		*size = c->size;
	return err;
}
