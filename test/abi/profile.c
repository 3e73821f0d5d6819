/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profiler as tools write them: a library loaded before ours, whose MPI_
 * functions count and call the PMPI_ ones.
 */
#include <mpi.h>
#include <stdio.h>

static int isends, allreduces, types;

int MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest,
	      int tag, MPI_Comm comm, MPI_Request *request)
{
	isends++;
	return PMPI_Isend(buf, count, datatype, dest, tag, comm, request);
}

int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count,
		  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	allreduces++;
	return PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm);
}

int MPI_Type_vector(int count, int blocklength, int stride,
		    MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	types++;
	return PMPI_Type_vector(count, blocklength, stride, oldtype, newtype);
}

int MPI_Finalize(void)
{
	int rank;

	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		printf("profile: %d isend %d allreduce %d type_vector\n",
		       isends, allreduces, types);
	fflush(stdout);
	return PMPI_Finalize();
}
