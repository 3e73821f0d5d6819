/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives: blocking, nonblocking and persistent. Barrier and allreduce have
 * a fast path on an open class route; the other functions are in
 * mpi_coll_body.inc.
 */
#include "src/mpi/mpi_export.h"

#include "src/comm/comm.h"
#include "src/diag/diag_err.h"
#include "src/mpi/coll/mpi_coll_args.h"

/* ---- barrier -------------------------------------------------------------*/

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

	/* fast path first, since a barrier is the shortest collective */
	if (weft_likely(c && weft_coll_barrier_on_route(c, NULL, &rc)))
		return weft_err_rc(c, __func__, rc);
	return barrier_by_table(__func__, comm);
}

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

#pragma weak MPI_Barrier_init = PMPI_Barrier_init
int PMPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct mpi_coll m = mpi_barrier(__func__, comm);

	return mpi_coll_init(&m, info, request);
}

/* ---- allreduce -----------------------------------------------------------*/

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

static int allreduce_init(const char *func, const void *in, void *out,
			  MPI_Count count, MPI_Datatype type, MPI_Op op,
			  MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct mpi_coll m = mpi_combine(func, WEFT_COLL_ALLREDUCE, in,
					mpi_side(out, count, type), op, comm);

	return mpi_coll_init(&m, info, request);
}

/* ---- all others ----------------------------------------------------------*/

#define COLL_BODY "src/mpi/coll/mpi_coll_body.inc"
#include "src/mpi/coll/mpi_coll_forms.h"
