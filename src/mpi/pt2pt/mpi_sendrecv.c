/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Sendrecv and MPI_Isendrecv, with and without replace. */
#include "src/mpi/mpi_export.h"

#include "src/msg/msg_isendrecv.h"
#include "src/msg/msg_req.h"
#include "src/mpi/mpi_check.h"

#include <errno.h>
#include <stdlib.h>

/* Checks both halves and fills *send and *recv. */
static int sendrecv_check(struct mpi_msg *s, struct mpi_msg *r,
			  struct weft_comm *c, struct weft_p2p_args *send,
			  struct weft_p2p_args *recv)
{
	int err = mpi_check_msg(s, c, 0);

	if (!err)
		err = mpi_check_msg(r, c, 1);
	*send = mpi_msg_args(s, c, 0);
	*recv = mpi_msg_args(r, c, 0);
	return err;
}

static int sendrecv(struct mpi_msg s, struct mpi_msg r, MPI_Comm comm,
		    MPI_Status *status)
{
	struct weft_p2p_args send, recv;
	struct weft_comm *c;
	int err = mpi_check_comm(s.func, 11, comm, &c);

	if (!err)
		err = sendrecv_check(&s, &r, c, &send, &recv);
	if (err)
		return err;
	return weft_err_rc(c, s.func, weft_core_sendrecv(&send, &recv, status));
}

static int isendrecv(struct mpi_msg s, struct mpi_msg r, MPI_Comm comm,
		     MPI_Request *request)
{
	struct weft_p2p_args send, recv;
	struct weft_comm *c;
	int err = mpi_check_comm(s.func, 11, comm, &c);

	if (!err)
		err = sendrecv_check(&s, &r, c, &send, &recv);
	if (!err)
		err = weft_check_ptr(c, s.func, 12, request, "request");
	if (err)
		return err;
	return weft_err_rc(c, s.func,
			   weft_core_isendrecv(&send, &recv, NULL,
					       (struct weft_req **)request));
}

/* Checks the replace forms, which send the data from a copy. */
static int check_replace(struct mpi_msg *m, int source, int recvtag,
			 struct weft_comm *c, struct weft_p2p_args *send,
			 struct weft_p2p_args *recv)
{
	struct mpi_msg r = *m;
	int err;

	/* so that source and tag are reported as arguments 6 and 7 */
	r.arg = 3;
	r.peer = source;
	r.tag = recvtag;
	err = sendrecv_check(m, &r, c, send, recv);
	if (err)
		return err;
	send->count = m->count * m->dt->size;
	send->dt = weft_dt_of(MPI_BYTE);
	return weft_err_rc(
		c, m->func,
		weft_core_packed_copy(m->buf, m->count, m->dt, &send->buf));
}

static int replace(struct mpi_msg m, int source, int recvtag, MPI_Comm comm,
		   MPI_Status *status)
{
	struct weft_p2p_args send, recv;
	struct weft_comm *c;
	int err = mpi_check_comm(m.func, 8, comm, &c);

	if (!err)
		err = check_replace(&m, source, recvtag, c, &send, &recv);
	if (err)
		return err;
	err = weft_core_sendrecv(&send, &recv, status);
	free(send.buf);
	return weft_err_rc(c, m.func, err);
}

static int ireplace(struct mpi_msg m, int source, int recvtag, MPI_Comm comm,
		    MPI_Request *request)
{
	struct weft_p2p_args send, recv;
	struct weft_comm *c;
	int err = mpi_check_comm(m.func, 8, comm, &c);

	if (!err)
		err = weft_check_ptr(c, m.func, 9, request, "request");
	if (!err)
		err = check_replace(&m, source, recvtag, c, &send, &recv);
	if (err)
		return err;
	err = weft_core_isendrecv(&send, &recv, send.buf,
				  (struct weft_req **)request);
	if (err)
		free(send.buf);
	return weft_err_rc(c, m.func, err);
}

#define SEND                                                                   \
	{                                                                      \
		__func__, 1, sendbuf, sendcount, sendtype, dest, sendtag, NULL \
	}
#define RECV                                                                \
	{                                                                   \
		__func__, 6, recvbuf, recvcount, recvtype, source, recvtag, \
			NULL                                                \
	}
#define BOTH                                                           \
	{                                                              \
		__func__, 1, buf, count, datatype, dest, sendtag, NULL \
	}

#define MPI_BODY "src/mpi/pt2pt/mpi_sendrecv_body.inc"
#include "src/mpi/mpi_both_counts.h"
