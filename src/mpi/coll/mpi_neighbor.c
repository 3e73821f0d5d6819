/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbourhood collectives, blocking, nonblocking and persistent. */
#include "src/mpi/mpi_export.h"

#include "src/mpi/coll/mpi_coll_args.h"

#pragma weak MPI_Neighbor_allgather = PMPI_Neighbor_allgather
int PMPI_Neighbor_allgather(const void *sendbuf, int sendcount,
			    MPI_Datatype sendtype, void *recvbuf, int recvcount,
			    MPI_Datatype recvtype, MPI_Comm comm)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLGATHER,
			 mpi_side(sendbuf, sendcount, sendtype),
			 mpi_side(recvbuf, recvcount, recvtype), comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Neighbor_allgather_c = PMPI_Neighbor_allgather_c
int PMPI_Neighbor_allgather_c(const void *sendbuf, MPI_Count sendcount,
			      MPI_Datatype sendtype, void *recvbuf,
			      MPI_Count recvcount, MPI_Datatype recvtype,
			      MPI_Comm comm)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLGATHER,
			 mpi_side(sendbuf, sendcount, sendtype),
			 mpi_side(recvbuf, recvcount, recvtype), comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Neighbor_allgatherv = PMPI_Neighbor_allgatherv
int PMPI_Neighbor_allgatherv(const void *sendbuf, int sendcount,
			     MPI_Datatype sendtype, void *recvbuf,
			     const int recvcounts[], const int displs[],
			     MPI_Datatype recvtype, MPI_Comm comm)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLGATHER,
				     mpi_side(sendbuf, sendcount, sendtype),
				     mpi_side_v(recvbuf, mpi_ints(recvcounts),
						mpi_ints(displs), recvtype),
				     comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Neighbor_allgatherv_c = PMPI_Neighbor_allgatherv_c
int PMPI_Neighbor_allgatherv_c(const void *sendbuf, MPI_Count sendcount,
			       MPI_Datatype sendtype, void *recvbuf,
			       const MPI_Count recvcounts[],
			       const MPI_Aint displs[], MPI_Datatype recvtype,
			       MPI_Comm comm)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLGATHER,
				     mpi_side(sendbuf, sendcount, sendtype),
				     mpi_side_v(recvbuf, mpi_counts(recvcounts),
						mpi_aints(displs), recvtype),
				     comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Neighbor_alltoall = PMPI_Neighbor_alltoall
int PMPI_Neighbor_alltoall(const void *sendbuf, int sendcount,
			   MPI_Datatype sendtype, void *recvbuf, int recvcount,
			   MPI_Datatype recvtype, MPI_Comm comm)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLTOALL,
			 mpi_side(sendbuf, sendcount, sendtype),
			 mpi_side(recvbuf, recvcount, recvtype), comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Neighbor_alltoall_c = PMPI_Neighbor_alltoall_c
int PMPI_Neighbor_alltoall_c(const void *sendbuf, MPI_Count sendcount,
			     MPI_Datatype sendtype, void *recvbuf,
			     MPI_Count recvcount, MPI_Datatype recvtype,
			     MPI_Comm comm)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLTOALL,
			 mpi_side(sendbuf, sendcount, sendtype),
			 mpi_side(recvbuf, recvcount, recvtype), comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Neighbor_alltoallv = PMPI_Neighbor_alltoallv
int PMPI_Neighbor_alltoallv(const void *sendbuf, const int sendcounts[],
			    const int sdispls[], MPI_Datatype sendtype,
			    void *recvbuf, const int recvcounts[],
			    const int rdispls[], MPI_Datatype recvtype,
			    MPI_Comm comm)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLTOALL,
				     mpi_side_v(sendbuf, mpi_ints(sendcounts),
						mpi_ints(sdispls), sendtype),
				     mpi_side_v(recvbuf, mpi_ints(recvcounts),
						mpi_ints(rdispls), recvtype),
				     comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Neighbor_alltoallv_c = PMPI_Neighbor_alltoallv_c
int PMPI_Neighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[],
			      const MPI_Aint sdispls[], MPI_Datatype sendtype,
			      void *recvbuf, const MPI_Count recvcounts[],
			      const MPI_Aint rdispls[], MPI_Datatype recvtype,
			      MPI_Comm comm)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLTOALL,
				     mpi_side_v(sendbuf, mpi_counts(sendcounts),
						mpi_aints(sdispls), sendtype),
				     mpi_side_v(recvbuf, mpi_counts(recvcounts),
						mpi_aints(rdispls), recvtype),
				     comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Neighbor_alltoallw = PMPI_Neighbor_alltoallw
int PMPI_Neighbor_alltoallw(const void *sendbuf, const int sendcounts[],
			    const MPI_Aint sdispls[],
			    const MPI_Datatype sendtypes[], void *recvbuf,
			    const int recvcounts[], const MPI_Aint rdispls[],
			    const MPI_Datatype recvtypes[], MPI_Comm comm)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLTOALL,
				     mpi_side_w(sendbuf, mpi_ints(sendcounts),
						mpi_aints(sdispls), sendtypes),
				     mpi_side_w(recvbuf, mpi_ints(recvcounts),
						mpi_aints(rdispls), recvtypes),
				     comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Neighbor_alltoallw_c = PMPI_Neighbor_alltoallw_c
int PMPI_Neighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[],
			      const MPI_Aint sdispls[],
			      const MPI_Datatype sendtypes[], void *recvbuf,
			      const MPI_Count recvcounts[],
			      const MPI_Aint rdispls[],
			      const MPI_Datatype recvtypes[], MPI_Comm comm)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLTOALL,
				     mpi_side_w(sendbuf, mpi_counts(sendcounts),
						mpi_aints(sdispls), sendtypes),
				     mpi_side_w(recvbuf, mpi_counts(recvcounts),
						mpi_aints(rdispls), recvtypes),
				     comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Ineighbor_allgather = PMPI_Ineighbor_allgather
int PMPI_Ineighbor_allgather(const void *sendbuf, int sendcount,
			     MPI_Datatype sendtype, void *recvbuf,
			     int recvcount, MPI_Datatype recvtype,
			     MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLGATHER,
			 mpi_side(sendbuf, sendcount, sendtype),
			 mpi_side(recvbuf, recvcount, recvtype), comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Ineighbor_allgather_c = PMPI_Ineighbor_allgather_c
int PMPI_Ineighbor_allgather_c(const void *sendbuf, MPI_Count sendcount,
			       MPI_Datatype sendtype, void *recvbuf,
			       MPI_Count recvcount, MPI_Datatype recvtype,
			       MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLGATHER,
			 mpi_side(sendbuf, sendcount, sendtype),
			 mpi_side(recvbuf, recvcount, recvtype), comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Ineighbor_allgatherv = PMPI_Ineighbor_allgatherv
int PMPI_Ineighbor_allgatherv(const void *sendbuf, int sendcount,
			      MPI_Datatype sendtype, void *recvbuf,
			      const int recvcounts[], const int displs[],
			      MPI_Datatype recvtype, MPI_Comm comm,
			      MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLGATHER,
				     mpi_side(sendbuf, sendcount, sendtype),
				     mpi_side_v(recvbuf, mpi_ints(recvcounts),
						mpi_ints(displs), recvtype),
				     comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Ineighbor_allgatherv_c = PMPI_Ineighbor_allgatherv_c
int PMPI_Ineighbor_allgatherv_c(const void *sendbuf, MPI_Count sendcount,
				MPI_Datatype sendtype, void *recvbuf,
				const MPI_Count recvcounts[],
				const MPI_Aint displs[], MPI_Datatype recvtype,
				MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLGATHER,
				     mpi_side(sendbuf, sendcount, sendtype),
				     mpi_side_v(recvbuf, mpi_counts(recvcounts),
						mpi_aints(displs), recvtype),
				     comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Ineighbor_alltoall = PMPI_Ineighbor_alltoall
int PMPI_Ineighbor_alltoall(const void *sendbuf, int sendcount,
			    MPI_Datatype sendtype, void *recvbuf, int recvcount,
			    MPI_Datatype recvtype, MPI_Comm comm,
			    MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLTOALL,
			 mpi_side(sendbuf, sendcount, sendtype),
			 mpi_side(recvbuf, recvcount, recvtype), comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Ineighbor_alltoall_c = PMPI_Ineighbor_alltoall_c
int PMPI_Ineighbor_alltoall_c(const void *sendbuf, MPI_Count sendcount,
			      MPI_Datatype sendtype, void *recvbuf,
			      MPI_Count recvcount, MPI_Datatype recvtype,
			      MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLTOALL,
			 mpi_side(sendbuf, sendcount, sendtype),
			 mpi_side(recvbuf, recvcount, recvtype), comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Ineighbor_alltoallv = PMPI_Ineighbor_alltoallv
int PMPI_Ineighbor_alltoallv(const void *sendbuf, const int sendcounts[],
			     const int sdispls[], MPI_Datatype sendtype,
			     void *recvbuf, const int recvcounts[],
			     const int rdispls[], MPI_Datatype recvtype,
			     MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLTOALL,
				     mpi_side_v(sendbuf, mpi_ints(sendcounts),
						mpi_ints(sdispls), sendtype),
				     mpi_side_v(recvbuf, mpi_ints(recvcounts),
						mpi_ints(rdispls), recvtype),
				     comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Ineighbor_alltoallv_c = PMPI_Ineighbor_alltoallv_c
int PMPI_Ineighbor_alltoallv_c(const void *sendbuf,
			       const MPI_Count sendcounts[],
			       const MPI_Aint sdispls[], MPI_Datatype sendtype,
			       void *recvbuf, const MPI_Count recvcounts[],
			       const MPI_Aint rdispls[], MPI_Datatype recvtype,
			       MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLTOALL,
				     mpi_side_v(sendbuf, mpi_counts(sendcounts),
						mpi_aints(sdispls), sendtype),
				     mpi_side_v(recvbuf, mpi_counts(recvcounts),
						mpi_aints(rdispls), recvtype),
				     comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Ineighbor_alltoallw = PMPI_Ineighbor_alltoallw
int PMPI_Ineighbor_alltoallw(const void *sendbuf, const int sendcounts[],
			     const MPI_Aint sdispls[],
			     const MPI_Datatype sendtypes[], void *recvbuf,
			     const int recvcounts[], const MPI_Aint rdispls[],
			     const MPI_Datatype recvtypes[], MPI_Comm comm,
			     MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLTOALL,
				     mpi_side_w(sendbuf, mpi_ints(sendcounts),
						mpi_aints(sdispls), sendtypes),
				     mpi_side_w(recvbuf, mpi_ints(recvcounts),
						mpi_aints(rdispls), recvtypes),
				     comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Ineighbor_alltoallw_c = PMPI_Ineighbor_alltoallw_c
int PMPI_Ineighbor_alltoallw_c(
	const void *sendbuf, const MPI_Count sendcounts[],
	const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
	const MPI_Count recvcounts[], const MPI_Aint rdispls[],
	const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLTOALL,
				     mpi_side_w(sendbuf, mpi_counts(sendcounts),
						mpi_aints(sdispls), sendtypes),
				     mpi_side_w(recvbuf, mpi_counts(recvcounts),
						mpi_aints(rdispls), recvtypes),
				     comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Neighbor_allgather_init = PMPI_Neighbor_allgather_init
int PMPI_Neighbor_allgather_init(const void *sendbuf, int sendcount,
				 MPI_Datatype sendtype, void *recvbuf,
				 int recvcount, MPI_Datatype recvtype,
				 MPI_Comm comm, MPI_Info info,
				 MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLGATHER,
			 mpi_side(sendbuf, sendcount, sendtype),
			 mpi_side(recvbuf, recvcount, recvtype), comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Neighbor_allgather_init_c = PMPI_Neighbor_allgather_init_c
int PMPI_Neighbor_allgather_init_c(const void *sendbuf, MPI_Count sendcount,
				   MPI_Datatype sendtype, void *recvbuf,
				   MPI_Count recvcount, MPI_Datatype recvtype,
				   MPI_Comm comm, MPI_Info info,
				   MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLGATHER,
			 mpi_side(sendbuf, sendcount, sendtype),
			 mpi_side(recvbuf, recvcount, recvtype), comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Neighbor_allgatherv_init = PMPI_Neighbor_allgatherv_init
int PMPI_Neighbor_allgatherv_init(const void *sendbuf, int sendcount,
				  MPI_Datatype sendtype, void *recvbuf,
				  const int recvcounts[], const int displs[],
				  MPI_Datatype recvtype, MPI_Comm comm,
				  MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLGATHER,
				     mpi_side(sendbuf, sendcount, sendtype),
				     mpi_side_v(recvbuf, mpi_ints(recvcounts),
						mpi_ints(displs), recvtype),
				     comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Neighbor_allgatherv_init_c = PMPI_Neighbor_allgatherv_init_c
int PMPI_Neighbor_allgatherv_init_c(const void *sendbuf, MPI_Count sendcount,
				    MPI_Datatype sendtype, void *recvbuf,
				    const MPI_Count recvcounts[],
				    const MPI_Aint displs[],
				    MPI_Datatype recvtype, MPI_Comm comm,
				    MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLGATHER,
				     mpi_side(sendbuf, sendcount, sendtype),
				     mpi_side_v(recvbuf, mpi_counts(recvcounts),
						mpi_aints(displs), recvtype),
				     comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Neighbor_alltoall_init = PMPI_Neighbor_alltoall_init
int PMPI_Neighbor_alltoall_init(const void *sendbuf, int sendcount,
				MPI_Datatype sendtype, void *recvbuf,
				int recvcount, MPI_Datatype recvtype,
				MPI_Comm comm, MPI_Info info,
				MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLTOALL,
			 mpi_side(sendbuf, sendcount, sendtype),
			 mpi_side(recvbuf, recvcount, recvtype), comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Neighbor_alltoall_init_c = PMPI_Neighbor_alltoall_init_c
int PMPI_Neighbor_alltoall_init_c(const void *sendbuf, MPI_Count sendcount,
				  MPI_Datatype sendtype, void *recvbuf,
				  MPI_Count recvcount, MPI_Datatype recvtype,
				  MPI_Comm comm, MPI_Info info,
				  MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLTOALL,
			 mpi_side(sendbuf, sendcount, sendtype),
			 mpi_side(recvbuf, recvcount, recvtype), comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Neighbor_alltoallv_init = PMPI_Neighbor_alltoallv_init
int PMPI_Neighbor_alltoallv_init(const void *sendbuf, const int sendcounts[],
				 const int sdispls[], MPI_Datatype sendtype,
				 void *recvbuf, const int recvcounts[],
				 const int rdispls[], MPI_Datatype recvtype,
				 MPI_Comm comm, MPI_Info info,
				 MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLTOALL,
				     mpi_side_v(sendbuf, mpi_ints(sendcounts),
						mpi_ints(sdispls), sendtype),
				     mpi_side_v(recvbuf, mpi_ints(recvcounts),
						mpi_ints(rdispls), recvtype),
				     comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Neighbor_alltoallv_init_c = PMPI_Neighbor_alltoallv_init_c
int PMPI_Neighbor_alltoallv_init_c(const void *sendbuf,
				   const MPI_Count sendcounts[],
				   const MPI_Aint sdispls[],
				   MPI_Datatype sendtype, void *recvbuf,
				   const MPI_Count recvcounts[],
				   const MPI_Aint rdispls[],
				   MPI_Datatype recvtype, MPI_Comm comm,
				   MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLTOALL,
				     mpi_side_v(sendbuf, mpi_counts(sendcounts),
						mpi_aints(sdispls), sendtype),
				     mpi_side_v(recvbuf, mpi_counts(recvcounts),
						mpi_aints(rdispls), recvtype),
				     comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Neighbor_alltoallw_init = PMPI_Neighbor_alltoallw_init
int PMPI_Neighbor_alltoallw_init(const void *sendbuf, const int sendcounts[],
				 const MPI_Aint sdispls[],
				 const MPI_Datatype sendtypes[], void *recvbuf,
				 const int recvcounts[],
				 const MPI_Aint rdispls[],
				 const MPI_Datatype recvtypes[], MPI_Comm comm,
				 MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLTOALL,
				     mpi_side_w(sendbuf, mpi_ints(sendcounts),
						mpi_aints(sdispls), sendtypes),
				     mpi_side_w(recvbuf, mpi_ints(recvcounts),
						mpi_aints(rdispls), recvtypes),
				     comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Neighbor_alltoallw_init_c = PMPI_Neighbor_alltoallw_init_c
int PMPI_Neighbor_alltoallw_init_c(
	const void *sendbuf, const MPI_Count sendcounts[],
	const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
	const MPI_Count recvcounts[], const MPI_Aint rdispls[],
	const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
	MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_NEIGHBOR_ALLTOALL,
				     mpi_side_w(sendbuf, mpi_counts(sendcounts),
						mpi_aints(sdispls), sendtypes),
				     mpi_side_w(recvbuf, mpi_counts(recvcounts),
						mpi_aints(rdispls), recvtypes),
				     comm);

	return mpi_coll_init(&m, info, request);
}
