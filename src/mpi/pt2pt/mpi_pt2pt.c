/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocking and nonblocking sends and receives. The int and the MPI_Count form
 * of each share one inline body. The slow path gets the address of a copy of
 * the arguments, so that the arguments stay in registers on the fast path.
 */
#include "src/mpi/mpi_export.h"

#include "src/msg/msg_inject.h"
#include "src/msg/msg_p2p.h"
#include "src/msg/msg_recv.h"
#include "src/msg/msg_req.h"
#include "src/mpi/mpi_check.h"

WEFT_INLINE int send(struct mpi_msg m, MPI_Comm comm, unsigned mode)
{
	struct weft_p2p_args a, slow;
	struct weft_comm *c;
	int err = mpi_check_comm(m.func, 6, comm, &c);

	if (weft_likely(!err))
		err = mpi_check_msg(&m, c, 0);
	if (weft_unlikely(err))
		return err;
	a = mpi_msg_args(&m, c, mode);
	err = weft_core_inject(&a);
	if (weft_unlikely(err == -EAGAIN)) {
		slow = mpi_msg_args(&m, c, mode);
		err = weft_core_send_by_request(&slow);
	}
	return weft_likely(!err) ? MPI_SUCCESS : weft_err_rc(c, m.func, err);
}

WEFT_INLINE int isend(struct mpi_msg m, MPI_Comm comm, unsigned mode,
		      MPI_Request *request)
{
	struct weft_p2p_args a, slow;
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
	a = mpi_msg_args(&m, c, mode);
	err = weft_core_inject(&a);
	if (weft_unlikely(err == -EAGAIN)) {
		slow = mpi_msg_args(&m, c, mode);
		err = weft_core_isend_by_request(&slow, &r);
	}
	if (weft_unlikely(err))
		return weft_err_rc(c, m.func, err);
	*request = (MPI_Request)r;
	return MPI_SUCCESS;
}

WEFT_INLINE int recv(struct mpi_msg m, MPI_Comm comm, MPI_Status *status)
{
	struct weft_p2p_args a, slow;
	struct weft_comm *c;
	int err = mpi_check_comm(m.func, 6, comm, &c);

	if (weft_likely(!err))
		err = mpi_check_msg(&m, c, 1);
	if (weft_unlikely(err))
		return err;
	a = mpi_msg_args(&m, c, 0);
	err = weft_core_recv_direct(&a, status);
	if (weft_unlikely(err == -EAGAIN)) {
		slow = mpi_msg_args(&m, c, 0);
		err = weft_core_recv(&slow, status);
	}
	return weft_err_rc(c, m.func, err);
}

WEFT_INLINE int irecv(struct mpi_msg m, MPI_Comm comm, MPI_Request *request)
{
	struct weft_p2p_args a, slow;
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
	a = mpi_msg_args(&m, c, 0);
	weft_lock();
	p = weft_p2p_open_in_place(&a);
	weft_unlock();
	if (weft_likely(p != NULL)) {
		*request = (MPI_Request)&p->req;
		return MPI_SUCCESS;
	}
	slow = mpi_msg_args(&m, c, 0);
	err = weft_core_irecv(&slow, &r);
	if (weft_unlikely(err))
		return weft_err_rc(c, m.func, err);
	*request = (MPI_Request)r;
	return MPI_SUCCESS;
}

#define MSG(peer)                                                  \
	{                                                          \
		__func__, 1, buf, count, datatype, peer, tag, NULL \
	}

#define MPI_BODY "src/mpi/pt2pt/mpi_pt2pt_body.inc"
#include "src/mpi/mpi_both_counts.h"
