/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocking and nonblocking sends and receives. The int and the MPI_Count form
 * of each share one inline body.
 */
#include "src/mpi/mpi_export.h"

#include "src/msg/msg_inject.h"
#include "src/msg/msg_p2p.h"
#include "src/msg/msg_recv.h"
#include "src/msg/msg_req.h"
#include "src/mpi/mpi_check.h"

WEFT_INLINE int send(struct mpi_msg m, MPI_Comm comm, unsigned mode)
{
	struct weft_comm *c;
	int err = mpi_check_comm(m.func, 6, comm, &c);

	if (weft_likely(!err))
		err = mpi_check_msg(&m, c, 0);
	if (weft_unlikely(err))
		return err;
	err = weft_core_inject(m.buf, m.count, m.dt, m.peer, m.tag, c, mode);
	if (weft_unlikely(err == -EAGAIN))
		err = weft_core_send_by_request(m.buf, m.count, m.dt, m.peer,
						m.tag, c, mode);
	return weft_likely(!err) ? MPI_SUCCESS : weft_err_rc(c, m.func, err);
}

WEFT_INLINE int isend(struct mpi_msg m, MPI_Comm comm, unsigned mode,
		      MPI_Request *request)
{
	struct weft_comm *c;
	struct weft_req *r;
	int err = mpi_check_comm(m.func, 6, comm, &c);

	if (weft_likely(!err))
		err = mpi_check_msg(&m, c, 0);
	if (weft_likely(!err))
		err = weft_check_ptr(c, m.func, 7, request, "request");
	if (weft_unlikely(err))
		return err;
	r = weft_req_null_done();
	err = weft_core_inject(m.buf, m.count, m.dt, m.peer, m.tag, c, mode);
	if (weft_unlikely(err == -EAGAIN))
		err = weft_core_isend_by_request(m.buf, m.count, m.dt, m.peer,
						 m.tag, c, mode, &r);
	if (weft_unlikely(err))
		return weft_err_rc(c, m.func, err);
	*request = (MPI_Request)r;
	return MPI_SUCCESS;
}

WEFT_INLINE int recv(struct mpi_msg m, MPI_Comm comm, MPI_Status *status)
{
	struct weft_comm *c;
	int err = mpi_check_comm(m.func, 6, comm, &c);

	if (weft_likely(!err))
		err = mpi_check_msg(&m, c, 1);
	if (weft_unlikely(err))
		return err;
	return weft_err_rc(c, m.func,
			   weft_core_recv((void *)(uintptr_t)m.buf, m.count,
					  m.dt, m.peer, m.tag, c, 0, status));
}

/* NULL: the receive needs a full request. */
WEFT_INLINE struct weft_p2p *irecv_in_place(const struct mpi_msg *m,
					    struct weft_comm *c)
{
	const struct weft_p2p_args a = { (void *)(uintptr_t)m->buf,
					 m->count,
					 m->dt,
					 m->peer,
					 m->tag,
					 c,
					 0 };
	struct weft_p2p *p;

	weft_lock();
	p = weft_p2p_open_in_place(&a);
	weft_unlock();
	return p;
}

WEFT_INLINE int irecv(struct mpi_msg m, MPI_Comm comm, MPI_Request *request)
{
	struct weft_p2p *p;
	struct weft_comm *c;
	struct weft_req *r;
	int err = mpi_check_comm(m.func, 6, comm, &c);

	if (weft_likely(!err))
		err = mpi_check_msg(&m, c, 1);
	if (weft_likely(!err))
		err = weft_check_ptr(c, m.func, 7, request, "request");
	if (weft_unlikely(err))
		return err;
	p = irecv_in_place(&m, c);
	if (weft_likely(p != NULL)) {
		*request = (MPI_Request)&p->req;
		return MPI_SUCCESS;
	}
	err = weft_core_irecv((void *)(uintptr_t)m.buf, m.count, m.dt, m.peer,
			      m.tag, c, 0, &r);
	if (weft_unlikely(err))
		return weft_err_rc(c, m.func, err);
	*request = (MPI_Request)r;
	return MPI_SUCCESS;
}

#define MSG(peer)                                                  \
	{                                                          \
		__func__, 1, buf, count, datatype, peer, tag, NULL \
	}

#pragma weak MPI_Send = PMPI_Send
int PMPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest,
	      int tag, MPI_Comm comm)
{
	MPI_ENTER_ARGS(comm, dest, tag, MPI_NO_ROOT, count, datatype);
	const struct mpi_msg m = MSG(dest);

	return send(m, comm, 0);
}

#pragma weak MPI_Send_c = PMPI_Send_c
int PMPI_Send_c(const void *buf, MPI_Count count, MPI_Datatype datatype,
		int dest, int tag, MPI_Comm comm)
{
	MPI_ENTER_ARGS(comm, dest, tag, MPI_NO_ROOT, count, datatype);
	const struct mpi_msg m = MSG(dest);

	return send(m, comm, 0);
}

#pragma weak MPI_Ssend = PMPI_Ssend
int PMPI_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest,
	       int tag, MPI_Comm comm)
{
	MPI_ENTER_ARGS(comm, dest, tag, MPI_NO_ROOT, count, datatype);
	const struct mpi_msg m = MSG(dest);

	return send(m, comm, WEFT_P2P_SYNC);
}

#pragma weak MPI_Ssend_c = PMPI_Ssend_c
int PMPI_Ssend_c(const void *buf, MPI_Count count, MPI_Datatype datatype,
		 int dest, int tag, MPI_Comm comm)
{
	MPI_ENTER_ARGS(comm, dest, tag, MPI_NO_ROOT, count, datatype);
	const struct mpi_msg m = MSG(dest);

	return send(m, comm, WEFT_P2P_SYNC);
}

#pragma weak MPI_Rsend = PMPI_Rsend
int PMPI_Rsend(const void *buf, int count, MPI_Datatype datatype, int dest,
	       int tag, MPI_Comm comm)
{
	MPI_ENTER_ARGS(comm, dest, tag, MPI_NO_ROOT, count, datatype);
	const struct mpi_msg m = MSG(dest);

	return send(m, comm, WEFT_P2P_READY);
}

#pragma weak MPI_Rsend_c = PMPI_Rsend_c
int PMPI_Rsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype,
		 int dest, int tag, MPI_Comm comm)
{
	MPI_ENTER_ARGS(comm, dest, tag, MPI_NO_ROOT, count, datatype);
	const struct mpi_msg m = MSG(dest);

	return send(m, comm, WEFT_P2P_READY);
}

#pragma weak MPI_Isend = PMPI_Isend
int PMPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest,
	       int tag, MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ARGS(comm, dest, tag, MPI_NO_ROOT, count, datatype);
	const struct mpi_msg m = MSG(dest);

	return isend(m, comm, 0, request);
}

#pragma weak MPI_Isend_c = PMPI_Isend_c
int PMPI_Isend_c(const void *buf, MPI_Count count, MPI_Datatype datatype,
		 int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ARGS(comm, dest, tag, MPI_NO_ROOT, count, datatype);
	const struct mpi_msg m = MSG(dest);

	return isend(m, comm, 0, request);
}

#pragma weak MPI_Issend = PMPI_Issend
int PMPI_Issend(const void *buf, int count, MPI_Datatype datatype, int dest,
		int tag, MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ARGS(comm, dest, tag, MPI_NO_ROOT, count, datatype);
	const struct mpi_msg m = MSG(dest);

	return isend(m, comm, WEFT_P2P_SYNC, request);
}

#pragma weak MPI_Issend_c = PMPI_Issend_c
int PMPI_Issend_c(const void *buf, MPI_Count count, MPI_Datatype datatype,
		  int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ARGS(comm, dest, tag, MPI_NO_ROOT, count, datatype);
	const struct mpi_msg m = MSG(dest);

	return isend(m, comm, WEFT_P2P_SYNC, request);
}

#pragma weak MPI_Irsend = PMPI_Irsend
int PMPI_Irsend(const void *buf, int count, MPI_Datatype datatype, int dest,
		int tag, MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ARGS(comm, dest, tag, MPI_NO_ROOT, count, datatype);
	const struct mpi_msg m = MSG(dest);

	return isend(m, comm, WEFT_P2P_READY, request);
}

#pragma weak MPI_Irsend_c = PMPI_Irsend_c
int PMPI_Irsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype,
		  int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ARGS(comm, dest, tag, MPI_NO_ROOT, count, datatype);
	const struct mpi_msg m = MSG(dest);

	return isend(m, comm, WEFT_P2P_READY, request);
}

#pragma weak MPI_Recv = PMPI_Recv
int PMPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag,
	      MPI_Comm comm, MPI_Status *status)
{
	MPI_ENTER_ARGS(comm, source, tag, MPI_NO_ROOT, count, datatype);
	const struct mpi_msg m = MSG(source);

	return recv(m, comm, status);
}

#pragma weak MPI_Irecv = PMPI_Irecv
int PMPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag,
	       MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ARGS(comm, source, tag, MPI_NO_ROOT, count, datatype);
	const struct mpi_msg m = MSG(source);

	return irecv(m, comm, request);
}

#pragma weak MPI_Recv_c = PMPI_Recv_c
int PMPI_Recv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source,
		int tag, MPI_Comm comm, MPI_Status *status)
{
	MPI_ENTER_ARGS(comm, source, tag, MPI_NO_ROOT, count, datatype);
	const struct mpi_msg m = MSG(source);

	return recv(m, comm, status);
}

#pragma weak MPI_Irecv_c = PMPI_Irecv_c
int PMPI_Irecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source,
		 int tag, MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ARGS(comm, source, tag, MPI_NO_ROOT, count, datatype);
	const struct mpi_msg m = MSG(source);

	return irecv(m, comm, request);
}
