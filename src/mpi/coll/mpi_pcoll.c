/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent collectives: each describes its call, the code below is common. */
#include "src/mpi/mpi_export.h"

#include "src/mpi/coll/mpi_coll_args.h"

#pragma weak MPI_Barrier_init = PMPI_Barrier_init
int PMPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_barrier(__func__, comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Bcast_init = PMPI_Bcast_init
int PMPI_Bcast_init(void *buffer, int count, MPI_Datatype datatype, int root,
		    MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, root, count, datatype);
	struct mpi_coll m = mpi_bcast(
		__func__, mpi_side(buffer, count, datatype), root, comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Bcast_init_c = PMPI_Bcast_init_c
int PMPI_Bcast_init_c(void *buffer, MPI_Count count, MPI_Datatype datatype,
		      int root, MPI_Comm comm, MPI_Info info,
		      MPI_Request *request)
{
	MPI_ENTER_ON(comm, root, count, datatype);
	struct mpi_coll m = mpi_bcast(
		__func__, mpi_side(buffer, count, datatype), root, comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Reduce_init = PMPI_Reduce_init
int PMPI_Reduce_init(const void *sendbuf, void *recvbuf, int count,
		     MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
		     MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, root, count, datatype);
	struct mpi_coll m = mpi_combine_root(__func__, sendbuf,
					     mpi_side(recvbuf, count, datatype),
					     op, root, comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Reduce_init_c = PMPI_Reduce_init_c
int PMPI_Reduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count,
		       MPI_Datatype datatype, MPI_Op op, int root,
		       MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, root, count, datatype);
	struct mpi_coll m = mpi_combine_root(__func__, sendbuf,
					     mpi_side(recvbuf, count, datatype),
					     op, root, comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Allreduce_init = PMPI_Allreduce_init
int PMPI_Allreduce_init(const void *sendbuf, void *recvbuf, int count,
			MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
			MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, count, datatype);
	struct mpi_coll m =
		mpi_combine(__func__, WEFT_COLL_ALLREDUCE, sendbuf,
			    mpi_side(recvbuf, count, datatype), op, comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Allreduce_init_c = PMPI_Allreduce_init_c
int PMPI_Allreduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count,
			  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
			  MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, count, datatype);
	struct mpi_coll m =
		mpi_combine(__func__, WEFT_COLL_ALLREDUCE, sendbuf,
			    mpi_side(recvbuf, count, datatype), op, comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Gather_init = PMPI_Gather_init
int PMPI_Gather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
		     void *recvbuf, int recvcount, MPI_Datatype recvtype,
		     int root, MPI_Comm comm, MPI_Info info,
		     MPI_Request *request)
{
	MPI_ENTER_ON(comm, root, sendcount, sendtype);
	struct mpi_coll m = mpi_move_root(
		__func__, WEFT_COLL_GATHER,
		mpi_side(sendbuf, sendcount, sendtype),
		mpi_side(recvbuf, recvcount, recvtype), root, comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Gather_init_c = PMPI_Gather_init_c
int PMPI_Gather_init_c(const void *sendbuf, MPI_Count sendcount,
		       MPI_Datatype sendtype, void *recvbuf,
		       MPI_Count recvcount, MPI_Datatype recvtype, int root,
		       MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, root, sendcount, sendtype);
	struct mpi_coll m = mpi_move_root(
		__func__, WEFT_COLL_GATHER,
		mpi_side(sendbuf, sendcount, sendtype),
		mpi_side(recvbuf, recvcount, recvtype), root, comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Gatherv_init = PMPI_Gatherv_init
int PMPI_Gatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
		      void *recvbuf, const int recvcounts[], const int displs[],
		      MPI_Datatype recvtype, int root, MPI_Comm comm,
		      MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, root, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move_root(__func__, WEFT_COLL_GATHER,
			      mpi_side(sendbuf, sendcount, sendtype),
			      mpi_side_v(recvbuf, mpi_ints(recvcounts),
					 mpi_ints(displs), recvtype),
			      root, comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Gatherv_init_c = PMPI_Gatherv_init_c
int PMPI_Gatherv_init_c(const void *sendbuf, MPI_Count sendcount,
			MPI_Datatype sendtype, void *recvbuf,
			const MPI_Count recvcounts[], const MPI_Aint displs[],
			MPI_Datatype recvtype, int root, MPI_Comm comm,
			MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, root, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move_root(__func__, WEFT_COLL_GATHER,
			      mpi_side(sendbuf, sendcount, sendtype),
			      mpi_side_v(recvbuf, mpi_counts(recvcounts),
					 mpi_aints(displs), recvtype),
			      root, comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Scatter_init = PMPI_Scatter_init
int PMPI_Scatter_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
		      void *recvbuf, int recvcount, MPI_Datatype recvtype,
		      int root, MPI_Comm comm, MPI_Info info,
		      MPI_Request *request)
{
	MPI_ENTER_ON(comm, root, recvcount, recvtype);
	struct mpi_coll m = mpi_move_root(
		__func__, WEFT_COLL_SCATTER,
		mpi_side(sendbuf, sendcount, sendtype),
		mpi_side(recvbuf, recvcount, recvtype), root, comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Scatter_init_c = PMPI_Scatter_init_c
int PMPI_Scatter_init_c(const void *sendbuf, MPI_Count sendcount,
			MPI_Datatype sendtype, void *recvbuf,
			MPI_Count recvcount, MPI_Datatype recvtype, int root,
			MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, root, recvcount, recvtype);
	struct mpi_coll m = mpi_move_root(
		__func__, WEFT_COLL_SCATTER,
		mpi_side(sendbuf, sendcount, sendtype),
		mpi_side(recvbuf, recvcount, recvtype), root, comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Scatterv_init = PMPI_Scatterv_init
int PMPI_Scatterv_init(const void *sendbuf, const int sendcounts[],
		       const int displs[], MPI_Datatype sendtype, void *recvbuf,
		       int recvcount, MPI_Datatype recvtype, int root,
		       MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, root, recvcount, recvtype);
	struct mpi_coll m = mpi_move_root(
		__func__, WEFT_COLL_SCATTER,
		mpi_side_v(sendbuf, mpi_ints(sendcounts), mpi_ints(displs),
			   sendtype),
		mpi_side(recvbuf, recvcount, recvtype), root, comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Scatterv_init_c = PMPI_Scatterv_init_c
int PMPI_Scatterv_init_c(const void *sendbuf, const MPI_Count sendcounts[],
			 const MPI_Aint displs[], MPI_Datatype sendtype,
			 void *recvbuf, MPI_Count recvcount,
			 MPI_Datatype recvtype, int root, MPI_Comm comm,
			 MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, root, recvcount, recvtype);
	struct mpi_coll m = mpi_move_root(
		__func__, WEFT_COLL_SCATTER,
		mpi_side_v(sendbuf, mpi_counts(sendcounts), mpi_aints(displs),
			   sendtype),
		mpi_side(recvbuf, recvcount, recvtype), root, comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Allgather_init = PMPI_Allgather_init
int PMPI_Allgather_init(const void *sendbuf, int sendcount,
			MPI_Datatype sendtype, void *recvbuf, int recvcount,
			MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
			MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move(__func__, WEFT_COLL_ALLGATHER,
			 mpi_side(sendbuf, sendcount, sendtype),
			 mpi_side(recvbuf, recvcount, recvtype), comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Allgather_init_c = PMPI_Allgather_init_c
int PMPI_Allgather_init_c(const void *sendbuf, MPI_Count sendcount,
			  MPI_Datatype sendtype, void *recvbuf,
			  MPI_Count recvcount, MPI_Datatype recvtype,
			  MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move(__func__, WEFT_COLL_ALLGATHER,
			 mpi_side(sendbuf, sendcount, sendtype),
			 mpi_side(recvbuf, recvcount, recvtype), comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Allgatherv_init = PMPI_Allgatherv_init
int PMPI_Allgatherv_init(const void *sendbuf, int sendcount,
			 MPI_Datatype sendtype, void *recvbuf,
			 const int recvcounts[], const int displs[],
			 MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
			 MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_ALLGATHER,
				     mpi_side(sendbuf, sendcount, sendtype),
				     mpi_side_v(recvbuf, mpi_ints(recvcounts),
						mpi_ints(displs), recvtype),
				     comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Allgatherv_init_c = PMPI_Allgatherv_init_c
int PMPI_Allgatherv_init_c(const void *sendbuf, MPI_Count sendcount,
			   MPI_Datatype sendtype, void *recvbuf,
			   const MPI_Count recvcounts[],
			   const MPI_Aint displs[], MPI_Datatype recvtype,
			   MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_ALLGATHER,
				     mpi_side(sendbuf, sendcount, sendtype),
				     mpi_side_v(recvbuf, mpi_counts(recvcounts),
						mpi_aints(displs), recvtype),
				     comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Alltoall_init = PMPI_Alltoall_init
int PMPI_Alltoall_init(const void *sendbuf, int sendcount,
		       MPI_Datatype sendtype, void *recvbuf, int recvcount,
		       MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
		       MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move(__func__, WEFT_COLL_ALLTOALL,
			 mpi_side(sendbuf, sendcount, sendtype),
			 mpi_side(recvbuf, recvcount, recvtype), comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Alltoall_init_c = PMPI_Alltoall_init_c
int PMPI_Alltoall_init_c(const void *sendbuf, MPI_Count sendcount,
			 MPI_Datatype sendtype, void *recvbuf,
			 MPI_Count recvcount, MPI_Datatype recvtype,
			 MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move(__func__, WEFT_COLL_ALLTOALL,
			 mpi_side(sendbuf, sendcount, sendtype),
			 mpi_side(recvbuf, recvcount, recvtype), comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Alltoallv_init = PMPI_Alltoallv_init
int PMPI_Alltoallv_init(const void *sendbuf, const int sendcounts[],
			const int sdispls[], MPI_Datatype sendtype,
			void *recvbuf, const int recvcounts[],
			const int rdispls[], MPI_Datatype recvtype,
			MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_ALLTOALL,
				     mpi_side_v(sendbuf, mpi_ints(sendcounts),
						mpi_ints(sdispls), sendtype),
				     mpi_side_v(recvbuf, mpi_ints(recvcounts),
						mpi_ints(rdispls), recvtype),
				     comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Alltoallv_init_c = PMPI_Alltoallv_init_c
int PMPI_Alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[],
			  const MPI_Aint sdispls[], MPI_Datatype sendtype,
			  void *recvbuf, const MPI_Count recvcounts[],
			  const MPI_Aint rdispls[], MPI_Datatype recvtype,
			  MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_ALLTOALL,
				     mpi_side_v(sendbuf, mpi_counts(sendcounts),
						mpi_aints(sdispls), sendtype),
				     mpi_side_v(recvbuf, mpi_counts(recvcounts),
						mpi_aints(rdispls), recvtype),
				     comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Alltoallw_init = PMPI_Alltoallw_init
int PMPI_Alltoallw_init(const void *sendbuf, const int sendcounts[],
			const int sdispls[], const MPI_Datatype sendtypes[],
			void *recvbuf, const int recvcounts[],
			const int rdispls[], const MPI_Datatype recvtypes[],
			MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_ALLTOALL,
				     mpi_side_w(sendbuf, mpi_ints(sendcounts),
						mpi_ints(sdispls), sendtypes),
				     mpi_side_w(recvbuf, mpi_ints(recvcounts),
						mpi_ints(rdispls), recvtypes),
				     comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Alltoallw_init_c = PMPI_Alltoallw_init_c
int PMPI_Alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[],
			  const MPI_Aint sdispls[],
			  const MPI_Datatype sendtypes[], void *recvbuf,
			  const MPI_Count recvcounts[],
			  const MPI_Aint rdispls[],
			  const MPI_Datatype recvtypes[], MPI_Comm comm,
			  MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_ALLTOALL,
				     mpi_side_w(sendbuf, mpi_counts(sendcounts),
						mpi_aints(sdispls), sendtypes),
				     mpi_side_w(recvbuf, mpi_counts(recvcounts),
						mpi_aints(rdispls), recvtypes),
				     comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Reduce_scatter_block_init = PMPI_Reduce_scatter_block_init
int PMPI_Reduce_scatter_block_init(const void *sendbuf, void *recvbuf,
				   int recvcount, MPI_Datatype datatype,
				   MPI_Op op, MPI_Comm comm, MPI_Info info,
				   MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, recvcount, datatype);
	struct mpi_coll m =
		mpi_combine(__func__, WEFT_COLL_REDUCE_SCATTER, sendbuf,
			    mpi_side(recvbuf, recvcount, datatype), op, comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Reduce_scatter_block_init_c = PMPI_Reduce_scatter_block_init_c
int PMPI_Reduce_scatter_block_init_c(const void *sendbuf, void *recvbuf,
				     MPI_Count recvcount, MPI_Datatype datatype,
				     MPI_Op op, MPI_Comm comm, MPI_Info info,
				     MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, recvcount, datatype);
	struct mpi_coll m =
		mpi_combine(__func__, WEFT_COLL_REDUCE_SCATTER, sendbuf,
			    mpi_side(recvbuf, recvcount, datatype), op, comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Reduce_scatter_init = PMPI_Reduce_scatter_init
int PMPI_Reduce_scatter_init(const void *sendbuf, void *recvbuf,
			     const int recvcounts[], MPI_Datatype datatype,
			     MPI_Op op, MPI_Comm comm, MPI_Info info,
			     MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	const struct weft_coll_array none = { NULL, false };
	struct mpi_coll m = mpi_combine(
		__func__, WEFT_COLL_REDUCE_SCATTER, sendbuf,
		mpi_side_v(recvbuf, mpi_ints(recvcounts), none, datatype), op,
		comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Reduce_scatter_init_c = PMPI_Reduce_scatter_init_c
int PMPI_Reduce_scatter_init_c(const void *sendbuf, void *recvbuf,
			       const MPI_Count recvcounts[],
			       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
			       MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	const struct weft_coll_array none = { NULL, false };
	struct mpi_coll m = mpi_combine(
		__func__, WEFT_COLL_REDUCE_SCATTER, sendbuf,
		mpi_side_v(recvbuf, mpi_counts(recvcounts), none, datatype), op,
		comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Scan_init = PMPI_Scan_init
int PMPI_Scan_init(const void *sendbuf, void *recvbuf, int count,
		   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
		   MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, count, datatype);
	struct mpi_coll m =
		mpi_combine(__func__, WEFT_COLL_SCAN, sendbuf,
			    mpi_side(recvbuf, count, datatype), op, comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Scan_init_c = PMPI_Scan_init_c
int PMPI_Scan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count,
		     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
		     MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, count, datatype);
	struct mpi_coll m =
		mpi_combine(__func__, WEFT_COLL_SCAN, sendbuf,
			    mpi_side(recvbuf, count, datatype), op, comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Exscan_init = PMPI_Exscan_init
int PMPI_Exscan_init(const void *sendbuf, void *recvbuf, int count,
		     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
		     MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, count, datatype);
	struct mpi_coll m =
		mpi_combine(__func__, WEFT_COLL_EXSCAN, sendbuf,
			    mpi_side(recvbuf, count, datatype), op, comm);

	return mpi_coll_init(&m, info, request);
}

#pragma weak MPI_Exscan_init_c = PMPI_Exscan_init_c
int PMPI_Exscan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count,
		       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
		       MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, count, datatype);
	struct mpi_coll m =
		mpi_combine(__func__, WEFT_COLL_EXSCAN, sendbuf,
			    mpi_side(recvbuf, count, datatype), op, comm);

	return mpi_coll_init(&m, info, request);
}
