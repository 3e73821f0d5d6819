/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profiling tool: preloaded before an unmodified program, it counts calls
 * through the MPI_ names and calls the PMPI_ names.
 */
#include <mpi.h>
#include <stdio.h>

static int sends, recvs, allreduces;

int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag,
	     MPI_Comm comm)
{
	sends++;
	return PMPI_Send(buf, count, type, dest, tag, comm);
}

int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag,
	     MPI_Comm comm, MPI_Status *status)
{
	recvs++;
	return PMPI_Recv(buf, count, type, source, tag, comm, status);
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type,
		  MPI_Op op, MPI_Comm comm)
{
	allreduces++;
	return PMPI_Allreduce(in, out, count, type, op, comm);
}

int MPI_Finalize(void)
{
	int rank;

	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	printf("rank %d: %d sends, %d receives, %d allreduces\n", rank, sends,
	       recvs, allreduces);
	return PMPI_Finalize();
}
