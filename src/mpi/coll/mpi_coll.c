/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocking collectives: each describes its call, the code below is common. */
#include "src/mpi/mpi_export.h"

#include "src/comm/comm.h"
#include "src/diag/diag_err.h"
#include "src/mpi/coll/mpi_coll_args.h"

static WEFT_COLD int barrier_by_table(const char *name, MPI_Comm comm)
{
	struct mpi_coll m = mpi_barrier(name, comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Barrier = PMPI_Barrier
WEFT_HOT_TEXT int PMPI_Barrier(MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct weft_comm *c = weft_comm_of(comm);
	int rc;

	/* the shortest collective has the shortest fast path */
	if (weft_likely(c && weft_coll_barrier_on_route(c, NULL, &rc)))
		return weft_err_rc(c, __func__, rc);
	return barrier_by_table(__func__, comm);
}

#pragma weak MPI_Bcast = PMPI_Bcast
WEFT_HOT_TEXT int PMPI_Bcast(void *buffer, int count, MPI_Datatype datatype,
			     int root, MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, root, count, datatype);
	struct mpi_coll m = mpi_bcast(
		__func__, mpi_side(buffer, count, datatype), root, comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Bcast_c = PMPI_Bcast_c
int PMPI_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root,
		 MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, root, count, datatype);
	struct mpi_coll m = mpi_bcast(
		__func__, mpi_side(buffer, count, datatype), root, comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Reduce = PMPI_Reduce
WEFT_HOT_TEXT int PMPI_Reduce(const void *sendbuf, void *recvbuf, int count,
			      MPI_Datatype datatype, MPI_Op op, int root,
			      MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, root, count, datatype);
	struct mpi_coll m = mpi_combine_root(__func__, sendbuf,
					     mpi_side(recvbuf, count, datatype),
					     op, root, comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Reduce_c = PMPI_Reduce_c
int PMPI_Reduce_c(const void *sendbuf, void *recvbuf, MPI_Count count,
		  MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, root, count, datatype);
	struct mpi_coll m = mpi_combine_root(__func__, sendbuf,
					     mpi_side(recvbuf, count, datatype),
					     op, root, comm);

	return mpi_coll_run(&m);
}

static int allreduce_checked(const char *func, const void *in,
			     struct mpi_side out, MPI_Op op, MPI_Comm comm)
{
	struct mpi_coll m =
		mpi_combine(func, WEFT_COLL_ALLREDUCE, in, out, op, comm);

	return mpi_coll_run(&m);
}

WEFT_INLINE int allreduce(const char *func, const void *in, void *out,
			  MPI_Count count, MPI_Datatype type, MPI_Op op,
			  MPI_Comm comm)
{
	struct weft_comm *c = weft_comm_of(comm);
	int rc;

	if (weft_likely(c && weft_coll_allreduce_on_route(c, in, out, count,
							  type, op, NULL, &rc)))
		return weft_err_rc(c, func, rc);
	return allreduce_checked(func, in, mpi_side(out, count, type), op,
				 comm);
}

#pragma weak MPI_Allreduce = PMPI_Allreduce
WEFT_HOT_TEXT int PMPI_Allreduce(const void *sendbuf, void *recvbuf, int count,
				 MPI_Datatype datatype, MPI_Op op,
				 MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, count, datatype);

	return allreduce(__func__, sendbuf, recvbuf, count, datatype, op, comm);
}

#pragma weak MPI_Allreduce_c = PMPI_Allreduce_c
int PMPI_Allreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count,
		     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, count, datatype);

	return allreduce(__func__, sendbuf, recvbuf, count, datatype, op, comm);
}

#pragma weak MPI_Gather = PMPI_Gather
int PMPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
		void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
		MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, root, sendcount, sendtype);
	struct mpi_coll m = mpi_move_root(
		__func__, WEFT_COLL_GATHER,
		mpi_side(sendbuf, sendcount, sendtype),
		mpi_side(recvbuf, recvcount, recvtype), root, comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Gather_c = PMPI_Gather_c
int PMPI_Gather_c(const void *sendbuf, MPI_Count sendcount,
		  MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
		  MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, root, sendcount, sendtype);
	struct mpi_coll m = mpi_move_root(
		__func__, WEFT_COLL_GATHER,
		mpi_side(sendbuf, sendcount, sendtype),
		mpi_side(recvbuf, recvcount, recvtype), root, comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Gatherv = PMPI_Gatherv
int PMPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
		 void *recvbuf, const int recvcounts[], const int displs[],
		 MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, root, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move_root(__func__, WEFT_COLL_GATHER,
			      mpi_side(sendbuf, sendcount, sendtype),
			      mpi_side_v(recvbuf, mpi_ints(recvcounts),
					 mpi_ints(displs), recvtype),
			      root, comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Gatherv_c = PMPI_Gatherv_c
int PMPI_Gatherv_c(const void *sendbuf, MPI_Count sendcount,
		   MPI_Datatype sendtype, void *recvbuf,
		   const MPI_Count recvcounts[], const MPI_Aint displs[],
		   MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, root, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move_root(__func__, WEFT_COLL_GATHER,
			      mpi_side(sendbuf, sendcount, sendtype),
			      mpi_side_v(recvbuf, mpi_counts(recvcounts),
					 mpi_aints(displs), recvtype),
			      root, comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Scatter = PMPI_Scatter
int PMPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
		 void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
		 MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, root, recvcount, recvtype);
	struct mpi_coll m = mpi_move_root(
		__func__, WEFT_COLL_SCATTER,
		mpi_side(sendbuf, sendcount, sendtype),
		mpi_side(recvbuf, recvcount, recvtype), root, comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Scatter_c = PMPI_Scatter_c
int PMPI_Scatter_c(const void *sendbuf, MPI_Count sendcount,
		   MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
		   MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, root, recvcount, recvtype);
	struct mpi_coll m = mpi_move_root(
		__func__, WEFT_COLL_SCATTER,
		mpi_side(sendbuf, sendcount, sendtype),
		mpi_side(recvbuf, recvcount, recvtype), root, comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Scatterv = PMPI_Scatterv
int PMPI_Scatterv(const void *sendbuf, const int sendcounts[],
		  const int displs[], MPI_Datatype sendtype, void *recvbuf,
		  int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, root, recvcount, recvtype);
	struct mpi_coll m = mpi_move_root(
		__func__, WEFT_COLL_SCATTER,
		mpi_side_v(sendbuf, mpi_ints(sendcounts), mpi_ints(displs),
			   sendtype),
		mpi_side(recvbuf, recvcount, recvtype), root, comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Scatterv_c = PMPI_Scatterv_c
int PMPI_Scatterv_c(const void *sendbuf, const MPI_Count sendcounts[],
		    const MPI_Aint displs[], MPI_Datatype sendtype,
		    void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
		    int root, MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, root, recvcount, recvtype);
	struct mpi_coll m = mpi_move_root(
		__func__, WEFT_COLL_SCATTER,
		mpi_side_v(sendbuf, mpi_counts(sendcounts), mpi_aints(displs),
			   sendtype),
		mpi_side(recvbuf, recvcount, recvtype), root, comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Allgather = PMPI_Allgather
int PMPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
		   void *recvbuf, int recvcount, MPI_Datatype recvtype,
		   MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move(__func__, WEFT_COLL_ALLGATHER,
			 mpi_side(sendbuf, sendcount, sendtype),
			 mpi_side(recvbuf, recvcount, recvtype), comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Allgather_c = PMPI_Allgather_c
int PMPI_Allgather_c(const void *sendbuf, MPI_Count sendcount,
		     MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
		     MPI_Datatype recvtype, MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move(__func__, WEFT_COLL_ALLGATHER,
			 mpi_side(sendbuf, sendcount, sendtype),
			 mpi_side(recvbuf, recvcount, recvtype), comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Allgatherv = PMPI_Allgatherv
int PMPI_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
		    void *recvbuf, const int recvcounts[], const int displs[],
		    MPI_Datatype recvtype, MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_ALLGATHER,
				     mpi_side(sendbuf, sendcount, sendtype),
				     mpi_side_v(recvbuf, mpi_ints(recvcounts),
						mpi_ints(displs), recvtype),
				     comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Allgatherv_c = PMPI_Allgatherv_c
int PMPI_Allgatherv_c(const void *sendbuf, MPI_Count sendcount,
		      MPI_Datatype sendtype, void *recvbuf,
		      const MPI_Count recvcounts[], const MPI_Aint displs[],
		      MPI_Datatype recvtype, MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_ALLGATHER,
				     mpi_side(sendbuf, sendcount, sendtype),
				     mpi_side_v(recvbuf, mpi_counts(recvcounts),
						mpi_aints(displs), recvtype),
				     comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Alltoall = PMPI_Alltoall
int PMPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
		  void *recvbuf, int recvcount, MPI_Datatype recvtype,
		  MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move(__func__, WEFT_COLL_ALLTOALL,
			 mpi_side(sendbuf, sendcount, sendtype),
			 mpi_side(recvbuf, recvcount, recvtype), comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Alltoall_c = PMPI_Alltoall_c
int PMPI_Alltoall_c(const void *sendbuf, MPI_Count sendcount,
		    MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
		    MPI_Datatype recvtype, MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, sendcount, sendtype);
	struct mpi_coll m =
		mpi_move(__func__, WEFT_COLL_ALLTOALL,
			 mpi_side(sendbuf, sendcount, sendtype),
			 mpi_side(recvbuf, recvcount, recvtype), comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Alltoallv = PMPI_Alltoallv
int PMPI_Alltoallv(const void *sendbuf, const int sendcounts[],
		   const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
		   const int recvcounts[], const int rdispls[],
		   MPI_Datatype recvtype, MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_ALLTOALL,
				     mpi_side_v(sendbuf, mpi_ints(sendcounts),
						mpi_ints(sdispls), sendtype),
				     mpi_side_v(recvbuf, mpi_ints(recvcounts),
						mpi_ints(rdispls), recvtype),
				     comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Alltoallv_c = PMPI_Alltoallv_c
int PMPI_Alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[],
		     const MPI_Aint sdispls[], MPI_Datatype sendtype,
		     void *recvbuf, const MPI_Count recvcounts[],
		     const MPI_Aint rdispls[], MPI_Datatype recvtype,
		     MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_ALLTOALL,
				     mpi_side_v(sendbuf, mpi_counts(sendcounts),
						mpi_aints(sdispls), sendtype),
				     mpi_side_v(recvbuf, mpi_counts(recvcounts),
						mpi_aints(rdispls), recvtype),
				     comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Alltoallw = PMPI_Alltoallw
int PMPI_Alltoallw(const void *sendbuf, const int sendcounts[],
		   const int sdispls[], const MPI_Datatype sendtypes[],
		   void *recvbuf, const int recvcounts[], const int rdispls[],
		   const MPI_Datatype recvtypes[], MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_ALLTOALL,
				     mpi_side_w(sendbuf, mpi_ints(sendcounts),
						mpi_ints(sdispls), sendtypes),
				     mpi_side_w(recvbuf, mpi_ints(recvcounts),
						mpi_ints(rdispls), recvtypes),
				     comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Alltoallw_c = PMPI_Alltoallw_c
int PMPI_Alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[],
		     const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
		     void *recvbuf, const MPI_Count recvcounts[],
		     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
		     MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_move(__func__, WEFT_COLL_ALLTOALL,
				     mpi_side_w(sendbuf, mpi_counts(sendcounts),
						mpi_aints(sdispls), sendtypes),
				     mpi_side_w(recvbuf, mpi_counts(recvcounts),
						mpi_aints(rdispls), recvtypes),
				     comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Reduce_scatter_block = PMPI_Reduce_scatter_block
int PMPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount,
			      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, recvcount, datatype);
	struct mpi_coll m =
		mpi_combine(__func__, WEFT_COLL_REDUCE_SCATTER, sendbuf,
			    mpi_side(recvbuf, recvcount, datatype), op, comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Reduce_scatter_block_c = PMPI_Reduce_scatter_block_c
int PMPI_Reduce_scatter_block_c(const void *sendbuf, void *recvbuf,
				MPI_Count recvcount, MPI_Datatype datatype,
				MPI_Op op, MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, recvcount, datatype);
	struct mpi_coll m =
		mpi_combine(__func__, WEFT_COLL_REDUCE_SCATTER, sendbuf,
			    mpi_side(recvbuf, recvcount, datatype), op, comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Reduce_scatter = PMPI_Reduce_scatter
int PMPI_Reduce_scatter(const void *sendbuf, void *recvbuf,
			const int recvcounts[], MPI_Datatype datatype,
			MPI_Op op, MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, MPI_NO_DATA);
	const struct weft_coll_array none = { NULL, false };
	struct mpi_coll m = mpi_combine(
		__func__, WEFT_COLL_REDUCE_SCATTER, sendbuf,
		mpi_side_v(recvbuf, mpi_ints(recvcounts), none, datatype), op,
		comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Reduce_scatter_c = PMPI_Reduce_scatter_c
int PMPI_Reduce_scatter_c(const void *sendbuf, void *recvbuf,
			  const MPI_Count recvcounts[], MPI_Datatype datatype,
			  MPI_Op op, MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, MPI_NO_DATA);
	const struct weft_coll_array none = { NULL, false };
	struct mpi_coll m = mpi_combine(
		__func__, WEFT_COLL_REDUCE_SCATTER, sendbuf,
		mpi_side_v(recvbuf, mpi_counts(recvcounts), none, datatype), op,
		comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Scan = PMPI_Scan
int PMPI_Scan(const void *sendbuf, void *recvbuf, int count,
	      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, count, datatype);
	struct mpi_coll m =
		mpi_combine(__func__, WEFT_COLL_SCAN, sendbuf,
			    mpi_side(recvbuf, count, datatype), op, comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Scan_c = PMPI_Scan_c
int PMPI_Scan_c(const void *sendbuf, void *recvbuf, MPI_Count count,
		MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, count, datatype);
	struct mpi_coll m =
		mpi_combine(__func__, WEFT_COLL_SCAN, sendbuf,
			    mpi_side(recvbuf, count, datatype), op, comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Exscan = PMPI_Exscan
int PMPI_Exscan(const void *sendbuf, void *recvbuf, int count,
		MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, count, datatype);
	struct mpi_coll m =
		mpi_combine(__func__, WEFT_COLL_EXSCAN, sendbuf,
			    mpi_side(recvbuf, count, datatype), op, comm);

	return mpi_coll_run(&m);
}

#pragma weak MPI_Exscan_c = PMPI_Exscan_c
int PMPI_Exscan_c(const void *sendbuf, void *recvbuf, MPI_Count count,
		  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, count, datatype);
	struct mpi_coll m =
		mpi_combine(__func__, WEFT_COLL_EXSCAN, sendbuf,
			    mpi_side(recvbuf, count, datatype), op, comm);

	return mpi_coll_run(&m);
}
