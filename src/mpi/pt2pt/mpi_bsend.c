/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffered sends and their buffers. */
#include "src/mpi/mpi_export.h"

#include "src/msg/msg_bsend.h"
#include "src/msg/msg.h"
#include "src/mpi/mpi_check.h"
#include "src/mpi/session/mpi_session.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

static int bsend(struct mpi_msg m, MPI_Comm comm)
{
	struct weft_comm *c;
	struct weft_p2p_args a;
	int err = mpi_check_comm(m.func, 6, comm, &c);
	int rc;

	if (!err)
		err = mpi_check_msg(&m, c, 0);
	if (err)
		return err;
	a = mpi_msg_args(&m, c, 0);
	rc = weft_core_bsend(&a);
	if (rc == -ENOBUFS)
		return weft_err_arg(c, m.func, MPI_ERR_BUFFER, 0,
				    "no space for %lld bytes in an attached "
				    "buffer",
				    (long long)(m.count * m.dt->size));
	return weft_err_rc(c, m.func, rc);
}

#define MSG                                                        \
	{                                                          \
		__func__, 1, buf, count, datatype, dest, tag, NULL \
	}

/* ---- buffers ------------------------------------------------------------ */

/*
 * Attaches a buffer. c: communicator or session that owns the buffer `where`;
 * NULL: the process owns it.
 */
static int attach(const char *func, const void *c, struct weft_bsend **where,
		  void *buffer, MPI_Count size)
{
	int rc;

	if (size < 0)
		return weft_err_arg(c, func, MPI_ERR_ARG, c ? 3 : 2,
				    "negative size %lld", (long long)size);
	if (!buffer && size)
		return weft_check_ptr(c, func, c ? 2 : 1, buffer, "buffer");
	rc = weft_bsend_attach(where, buffer, size);
	if (rc == -EBUSY)
		return weft_err_arg(c, func, MPI_ERR_BUFFER, 0,
				    "a buffer is attached already");
	return weft_err_rc(c, func, rc);
}

/*
 * Detaches the buffer and stores its size in *size_p. place: the size argument
 * of the caller (int or MPI_Count), only to check that it is not NULL.
 */
static int detach(const char *func, const void *c, struct weft_bsend **where,
		  void *buffer_addr, const void *place, MPI_Count *size_p)
{
	int arg = c ? 2 : 1, err;
	void *base;

	err = weft_check_ptr(c, func, arg, buffer_addr, "buffer_addr");
	if (!err)
		err = weft_check_ptr(c, func, arg + 1, place, "size");
	if (err)
		return err;
	weft_bsend_detach(where, &base, size_p);
	memcpy(buffer_addr, &base, sizeof(base));
	return MPI_SUCCESS;
}

#pragma weak MPI_Buffer_flush = PMPI_Buffer_flush
int PMPI_Buffer_flush(void)
{
	MPI_ENTER;

	weft_bsend_flush(weft_bsend_process());
	return MPI_SUCCESS;
}

#pragma weak MPI_Comm_flush_buffer = PMPI_Comm_flush_buffer
int PMPI_Comm_flush_buffer(MPI_Comm comm)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct weft_comm *c;
	int err = mpi_check_comm(__func__, 1, comm, &c);

	if (!err)
		weft_bsend_flush(&c->bsend);
	return err;
}

#pragma weak MPI_Buffer_iflush = PMPI_Buffer_iflush
int PMPI_Buffer_iflush(MPI_Request *request)
{
	MPI_ENTER;
	int err = weft_check_ptr(NULL, __func__, 1, request, "request");

	if (err)
		return err;
	return weft_err_rc(NULL, __func__,
			   weft_bsend_iflush(weft_bsend_process(),
					     (struct weft_req **)request));
}

#pragma weak MPI_Comm_iflush_buffer = PMPI_Comm_iflush_buffer
int PMPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct weft_comm *c;
	int err = mpi_check_comm(__func__, 1, comm, &c);

	if (!err)
		err = weft_check_ptr(c, __func__, 2, request, "request");
	if (err)
		return err;
	return weft_err_rc(
		c, __func__,
		weft_bsend_iflush(&c->bsend, (struct weft_req **)request));
}

#pragma weak MPI_Session_flush_buffer = PMPI_Session_flush_buffer
int PMPI_Session_flush_buffer(MPI_Session session)
{
	MPI_ENTER;
	struct weft_session *s;
	int err = mpi_check_session(__func__, 1, session, &s);

	if (!err)
		weft_bsend_flush(&s->bsend);
	return err;
}

#pragma weak MPI_Session_iflush_buffer = PMPI_Session_iflush_buffer
int PMPI_Session_iflush_buffer(MPI_Session session, MPI_Request *request)
{
	MPI_ENTER;
	struct weft_session *s;
	int err = mpi_check_session(__func__, 1, session, &s);

	if (!err)
		err = weft_check_ptr(s, __func__, 2, request, "request");
	if (err)
		return err;
	return weft_err_rc(
		s, __func__,
		weft_bsend_iflush(&s->bsend, (struct weft_req **)request));
}

#define MPI_BODY "src/mpi/pt2pt/mpi_bsend_body.inc"
#include "src/mpi/mpi_both_counts.h"
