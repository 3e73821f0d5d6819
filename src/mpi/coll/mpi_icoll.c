/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nonblocking collectives: each describes its call, the code below is common.
 */
#include "src/mpi/mpi_export.h"

#include "src/comm/comm.h"
#include "src/mpi/coll/mpi_coll_args.h"

#pragma weak MPI_Ibarrier = PMPI_Ibarrier
int PMPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct weft_comm *c = weft_comm_of(comm);
	struct weft_req *r;
	struct mpi_coll m;
	int rc;

	if (weft_likely(c && request && weft_coll_barrier_on_route(c, &r, &rc)))
		return mpi_coll_started(__func__, c, rc, r, request);
	m = mpi_barrier(__func__, comm);
	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Ibcast = PMPI_Ibcast
int PMPI_Ibcast(void *buffer, int count, MPI_Datatype datatype, int root,
		MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, root, count, datatype);
	struct mpi_coll m = mpi_bcast(
		__func__, mpi_side(buffer, count, datatype), root, comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Ibcast_c = PMPI_Ibcast_c
int PMPI_Ibcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype,
		  int root, MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, root, count, datatype);
	struct mpi_coll m = mpi_bcast(
		__func__, mpi_side(buffer, count, datatype), root, comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Ireduce = PMPI_Ireduce
int PMPI_Ireduce(const void *sendbuf, void *recvbuf, int count,
		 MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
		 MPI_Request *request)
{
	MPI_ENTER_ON(comm, root, count, datatype);
	struct mpi_coll m = mpi_combine_root(__func__, sendbuf,
					     mpi_side(recvbuf, count, datatype),
					     op, root, comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Ireduce_c = PMPI_Ireduce_c
int PMPI_Ireduce_c(const void *sendbuf, void *recvbuf, MPI_Count count,
		   MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
		   MPI_Request *request)
{
	MPI_ENTER_ON(comm, root, count, datatype);
	struct mpi_coll m = mpi_combine_root(__func__, sendbuf,
					     mpi_side(recvbuf, count, datatype),
					     op, root, comm);

	return mpi_coll_start(&m, request);
}

static int iallreduce_checked(const char *func, const void *in,
			      struct mpi_side out, MPI_Op op, MPI_Comm comm,
			      MPI_Request *request)
{
	struct mpi_coll m =
		mpi_combine(func, WEFT_COLL_ALLREDUCE, in, out, op, comm);

	return mpi_coll_start(&m, request);
}

WEFT_INLINE int iallreduce(const char *func, const void *in, void *out,
			   MPI_Count count, MPI_Datatype type, MPI_Op op,
			   MPI_Comm comm, MPI_Request *request)
{
	struct weft_comm *c = weft_comm_of(comm);
	struct weft_req *r;
	int rc;

	if (weft_likely(c && request &&
			weft_coll_allreduce_on_route(c, in, out, count, type,
						     op, &r, &rc)))
		return mpi_coll_started(func, c, rc, r, request);
	return iallreduce_checked(func, in, mpi_side(out, count, type), op,
				  comm, request);
}

#pragma weak MPI_Iallreduce = PMPI_Iallreduce
int PMPI_Iallreduce(const void *sendbuf, void *recvbuf, int count,
		    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
		    MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, count, datatype);

	return iallreduce(__func__, sendbuf, recvbuf, count, datatype, op, comm,
			  request);
}

#pragma weak MPI_Iallreduce_c = PMPI_Iallreduce_c
int PMPI_Iallreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count,
		      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
		      MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, count, datatype);

	return iallreduce(__func__, sendbuf, recvbuf, count, datatype, op, comm,
			  request);
}

#pragma weak MPI_Igather = PMPI_Igather
int PMPI_Igather(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
		 void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
		 MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, root, sendcount, sendtype);
	struct mpi_coll m = mpi_move_root(
		__func__, WEFT_COLL_GATHER,
		mpi_side(sendbuf, sendcount, sendtype),
		mpi_side(recvbuf, recvcount, recvtype), root, comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Igather_c = PMPI_Igather_c
int PMPI_Igather_c(const void *sendbuf, MPI_Count sendcount,
		   MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
		   MPI_Datatype recvtype, int root, MPI_Comm comm,
		   MPI_Request *request)
{
	MPI_ENTER_ON(comm, root, sendcount, sendtype);
	struct mpi_coll m = mpi_move_root(
		__func__, WEFT_COLL_GATHER,
		mpi_side(sendbuf, sendcount, sendtype),
		mpi_side(recvbuf, recvcount, recvtype), root, comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Igatherv = PMPI_Igatherv
int PMPI_Igatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
		  void *recvbuf, const int recvcounts[], const int displs[],
		  MPI_Datatype recvtype, int root, MPI_Comm comm,
		  MPI_Request *request)
{
	MPI_ENTER_ON(comm, root, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move_root(__func__, WEFT_COLL_GATHER,
			      mpi_side(sendbuf, sendcount, sendtype),
			      mpi_side_v(recvbuf, mpi_ints(recvcounts),
					 mpi_ints(displs), recvtype),
			      root, comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Igatherv_c = PMPI_Igatherv_c
int PMPI_Igatherv_c(const void *sendbuf, MPI_Count sendcount,
		    MPI_Datatype sendtype, void *recvbuf,
		    const MPI_Count recvcounts[], const MPI_Aint displs[],
		    MPI_Datatype recvtype, int root, MPI_Comm comm,
		    MPI_Request *request)
{
	MPI_ENTER_ON(comm, root, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move_root(__func__, WEFT_COLL_GATHER,
			      mpi_side(sendbuf, sendcount, sendtype),
			      mpi_side_v(recvbuf, mpi_counts(recvcounts),
					 mpi_aints(displs), recvtype),
			      root, comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Iscatter = PMPI_Iscatter
int PMPI_Iscatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
		  void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
		  MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, root, recvcount, recvtype);
	struct mpi_coll m = mpi_move_root(
		__func__, WEFT_COLL_SCATTER,
		mpi_side(sendbuf, sendcount, sendtype),
		mpi_side(recvbuf, recvcount, recvtype), root, comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Iscatter_c = PMPI_Iscatter_c
int PMPI_Iscatter_c(const void *sendbuf, MPI_Count sendcount,
		    MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
		    MPI_Datatype recvtype, int root, MPI_Comm comm,
		    MPI_Request *request)
{
	MPI_ENTER_ON(comm, root, recvcount, recvtype);
	struct mpi_coll m = mpi_move_root(
		__func__, WEFT_COLL_SCATTER,
		mpi_side(sendbuf, sendcount, sendtype),
		mpi_side(recvbuf, recvcount, recvtype), root, comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Iscatterv = PMPI_Iscatterv
int PMPI_Iscatterv(const void *sendbuf, const int sendcounts[],
		   const int displs[], MPI_Datatype sendtype, void *recvbuf,
		   int recvcount, MPI_Datatype recvtype, int root,
		   MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, root, recvcount, recvtype);
	struct mpi_coll m = mpi_move_root(
		__func__, WEFT_COLL_SCATTER,
		mpi_side_v(sendbuf, mpi_ints(sendcounts), mpi_ints(displs),
			   sendtype),
		mpi_side(recvbuf, recvcount, recvtype), root, comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Iscatterv_c = PMPI_Iscatterv_c
int PMPI_Iscatterv_c(const void *sendbuf, const MPI_Count sendcounts[],
		     const MPI_Aint displs[], MPI_Datatype sendtype,
		     void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
		     int root, MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, root, recvcount, recvtype);
	struct mpi_coll m = mpi_move_root(
		__func__, WEFT_COLL_SCATTER,
		mpi_side_v(sendbuf, mpi_counts(sendcounts), mpi_aints(displs),
			   sendtype),
		mpi_side(recvbuf, recvcount, recvtype), root, comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Iallgather = PMPI_Iallgather
int PMPI_Iallgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
		    void *recvbuf, int recvcount, MPI_Datatype recvtype,
		    MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move(__func__, WEFT_COLL_ALLGATHER,
			 mpi_side(sendbuf, sendcount, sendtype),
			 mpi_side(recvbuf, recvcount, recvtype), comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Iallgather_c = PMPI_Iallgather_c
int PMPI_Iallgather_c(const void *sendbuf, MPI_Count sendcount,
		      MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
		      MPI_Datatype recvtype, MPI_Comm comm,
		      MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move(__func__, WEFT_COLL_ALLGATHER,
			 mpi_side(sendbuf, sendcount, sendtype),
			 mpi_side(recvbuf, recvcount, recvtype), comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Iallgatherv = PMPI_Iallgatherv
int PMPI_Iallgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
		     void *recvbuf, const int recvcounts[], const int displs[],
		     MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_ALLGATHER,
				     mpi_side(sendbuf, sendcount, sendtype),
				     mpi_side_v(recvbuf, mpi_ints(recvcounts),
						mpi_ints(displs), recvtype),
				     comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Iallgatherv_c = PMPI_Iallgatherv_c
int PMPI_Iallgatherv_c(const void *sendbuf, MPI_Count sendcount,
		       MPI_Datatype sendtype, void *recvbuf,
		       const MPI_Count recvcounts[], const MPI_Aint displs[],
		       MPI_Datatype recvtype, MPI_Comm comm,
		       MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_ALLGATHER,
				     mpi_side(sendbuf, sendcount, sendtype),
				     mpi_side_v(recvbuf, mpi_counts(recvcounts),
						mpi_aints(displs), recvtype),
				     comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Ialltoall = PMPI_Ialltoall
int PMPI_Ialltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
		   void *recvbuf, int recvcount, MPI_Datatype recvtype,
		   MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move(__func__, WEFT_COLL_ALLTOALL,
			 mpi_side(sendbuf, sendcount, sendtype),
			 mpi_side(recvbuf, recvcount, recvtype), comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Ialltoall_c = PMPI_Ialltoall_c
int PMPI_Ialltoall_c(const void *sendbuf, MPI_Count sendcount,
		     MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
		     MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move(__func__, WEFT_COLL_ALLTOALL,
			 mpi_side(sendbuf, sendcount, sendtype),
			 mpi_side(recvbuf, recvcount, recvtype), comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Ialltoallv = PMPI_Ialltoallv
int PMPI_Ialltoallv(const void *sendbuf, const int sendcounts[],
		    const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
		    const int recvcounts[], const int rdispls[],
		    MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_ALLTOALL,
				     mpi_side_v(sendbuf, mpi_ints(sendcounts),
						mpi_ints(sdispls), sendtype),
				     mpi_side_v(recvbuf, mpi_ints(recvcounts),
						mpi_ints(rdispls), recvtype),
				     comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Ialltoallv_c = PMPI_Ialltoallv_c
int PMPI_Ialltoallv_c(const void *sendbuf, const MPI_Count sendcounts[],
		      const MPI_Aint sdispls[], MPI_Datatype sendtype,
		      void *recvbuf, const MPI_Count recvcounts[],
		      const MPI_Aint rdispls[], MPI_Datatype recvtype,
		      MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_ALLTOALL,
				     mpi_side_v(sendbuf, mpi_counts(sendcounts),
						mpi_aints(sdispls), sendtype),
				     mpi_side_v(recvbuf, mpi_counts(recvcounts),
						mpi_aints(rdispls), recvtype),
				     comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Ialltoallw = PMPI_Ialltoallw
int PMPI_Ialltoallw(const void *sendbuf, const int sendcounts[],
		    const int sdispls[], const MPI_Datatype sendtypes[],
		    void *recvbuf, const int recvcounts[], const int rdispls[],
		    const MPI_Datatype recvtypes[], MPI_Comm comm,
		    MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_ALLTOALL,
				     mpi_side_w(sendbuf, mpi_ints(sendcounts),
						mpi_ints(sdispls), sendtypes),
				     mpi_side_w(recvbuf, mpi_ints(recvcounts),
						mpi_ints(rdispls), recvtypes),
				     comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Ialltoallw_c = PMPI_Ialltoallw_c
int PMPI_Ialltoallw_c(const void *sendbuf, const MPI_Count sendcounts[],
		      const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
		      void *recvbuf, const MPI_Count recvcounts[],
		      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
		      MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_ALLTOALL,
				     mpi_side_w(sendbuf, mpi_counts(sendcounts),
						mpi_aints(sdispls), sendtypes),
				     mpi_side_w(recvbuf, mpi_counts(recvcounts),
						mpi_aints(rdispls), recvtypes),
				     comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Ireduce_scatter_block = PMPI_Ireduce_scatter_block
int PMPI_Ireduce_scatter_block(const void *sendbuf, void *recvbuf,
			       int recvcount, MPI_Datatype datatype, MPI_Op op,
			       MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, recvcount, datatype);
	struct mpi_coll m =
		mpi_combine(__func__, WEFT_COLL_REDUCE_SCATTER, sendbuf,
			    mpi_side(recvbuf, recvcount, datatype), op, comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Ireduce_scatter_block_c = PMPI_Ireduce_scatter_block_c
int PMPI_Ireduce_scatter_block_c(const void *sendbuf, void *recvbuf,
				 MPI_Count recvcount, MPI_Datatype datatype,
				 MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, recvcount, datatype);
	struct mpi_coll m =
		mpi_combine(__func__, WEFT_COLL_REDUCE_SCATTER, sendbuf,
			    mpi_side(recvbuf, recvcount, datatype), op, comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Ireduce_scatter = PMPI_Ireduce_scatter
int PMPI_Ireduce_scatter(const void *sendbuf, void *recvbuf,
			 const int recvcounts[], MPI_Datatype datatype,
			 MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	const struct weft_coll_array none = { NULL, false };
	struct mpi_coll m = mpi_combine(
		__func__, WEFT_COLL_REDUCE_SCATTER, sendbuf,
		mpi_side_v(recvbuf, mpi_ints(recvcounts), none, datatype), op,
		comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Ireduce_scatter_c = PMPI_Ireduce_scatter_c
int PMPI_Ireduce_scatter_c(const void *sendbuf, void *recvbuf,
			   const MPI_Count recvcounts[], MPI_Datatype datatype,
			   MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	const struct weft_coll_array none = { NULL, false };
	struct mpi_coll m = mpi_combine(
		__func__, WEFT_COLL_REDUCE_SCATTER, sendbuf,
		mpi_side_v(recvbuf, mpi_counts(recvcounts), none, datatype), op,
		comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Iscan = PMPI_Iscan
int PMPI_Iscan(const void *sendbuf, void *recvbuf, int count,
	       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
	       MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, count, datatype);
	struct mpi_coll m =
		mpi_combine(__func__, WEFT_COLL_SCAN, sendbuf,
			    mpi_side(recvbuf, count, datatype), op, comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Iscan_c = PMPI_Iscan_c
int PMPI_Iscan_c(const void *sendbuf, void *recvbuf, MPI_Count count,
		 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
		 MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, count, datatype);
	struct mpi_coll m =
		mpi_combine(__func__, WEFT_COLL_SCAN, sendbuf,
			    mpi_side(recvbuf, count, datatype), op, comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Iexscan = PMPI_Iexscan
int PMPI_Iexscan(const void *sendbuf, void *recvbuf, int count,
		 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
		 MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, count, datatype);
	struct mpi_coll m =
		mpi_combine(__func__, WEFT_COLL_EXSCAN, sendbuf,
			    mpi_side(recvbuf, count, datatype), op, comm);

	return mpi_coll_start(&m, request);
}

#pragma weak MPI_Iexscan_c = PMPI_Iexscan_c
int PMPI_Iexscan_c(const void *sendbuf, void *recvbuf, MPI_Count count,
		   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
		   MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, count, datatype);
	struct mpi_coll m =
		mpi_combine(__func__, WEFT_COLL_EXSCAN, sendbuf,
			    mpi_side(recvbuf, count, datatype), op, comm);

	return mpi_coll_start(&m, request);
}
