/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffered sends and their buffers. */
#include "src/mpi/mpi_export.h"

#include "src/msg/msg_bsend.h"
#include "src/msg/msg.h"
#include "src/mpi/mpi_check.h"

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
	a = (struct weft_p2p_args){
		(void *)(uintptr_t)m.buf, m.count, m.dt, m.peer, m.tag, c, 0
	};
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

#pragma weak MPI_Bsend = PMPI_Bsend
int PMPI_Bsend(const void *buf, int count, MPI_Datatype datatype, int dest,
	       int tag, MPI_Comm comm)
{
	MPI_ENTER_ARGS(comm, dest, tag, MPI_NO_ROOT, count, datatype);
	const struct mpi_msg m = MSG;

	return bsend(m, comm);
}

#pragma weak MPI_Ibsend = PMPI_Ibsend
int PMPI_Ibsend(const void *buf, int count, MPI_Datatype datatype, int dest,
		int tag, MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ARGS(comm, dest, tag, MPI_NO_ROOT, count, datatype);
	const struct mpi_msg m = MSG;
	int err = weft_check_ptr(NULL, __func__, 7, request, "request");

	if (!err)
		err = bsend(m, comm);
	if (!err)
		*request = (MPI_Request)weft_req_null_done();
	return err;
}

#pragma weak MPI_Bsend_c = PMPI_Bsend_c
int PMPI_Bsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype,
		 int dest, int tag, MPI_Comm comm)
{
	MPI_ENTER_ARGS(comm, dest, tag, MPI_NO_ROOT, count, datatype);
	const struct mpi_msg m = MSG;

	return bsend(m, comm);
}

#pragma weak MPI_Ibsend_c = PMPI_Ibsend_c
int PMPI_Ibsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype,
		  int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	MPI_ENTER_ARGS(comm, dest, tag, MPI_NO_ROOT, count, datatype);
	const struct mpi_msg m = MSG;
	int err = weft_check_ptr(NULL, __func__, 7, request, "request");

	if (!err)
		err = bsend(m, comm);
	if (!err)
		*request = (MPI_Request)weft_req_null_done();
	return err;
}

/* ---- buffers ------------------------------------------------------------ */

static int attach(const char *func, struct weft_comm *c, void *buffer,
		  MPI_Count size)
{
	struct weft_bsend **where = c ? &c->bsend : weft_bsend_process();
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

/* place: the caller's size argument, of either type; size_p gets the size. */
static int detach(const char *func, struct weft_comm *c, void *buffer_addr,
		  const void *place, MPI_Count *size_p)
{
	int arg = c ? 2 : 1, err;
	void *base;

	err = weft_check_ptr(c, func, arg, buffer_addr, "buffer_addr");
	if (!err)
		err = weft_check_ptr(c, func, arg + 1, place, "size");
	if (err)
		return err;
	weft_bsend_detach(c ? &c->bsend : weft_bsend_process(), &base, size_p);
	memcpy(buffer_addr, &base, sizeof(base));
	return MPI_SUCCESS;
}

#pragma weak MPI_Buffer_attach = PMPI_Buffer_attach
int PMPI_Buffer_attach(void *buffer, int size)
{
	MPI_ENTER;

	return attach(__func__, NULL, buffer, size);
}

#pragma weak MPI_Buffer_detach = PMPI_Buffer_detach
int PMPI_Buffer_detach(void *buffer_addr, int *size)
{
	MPI_ENTER;
	MPI_Count n;
	int err = detach(__func__, NULL, buffer_addr, size, &n);

	if (!err)
		*size = (int)n;
	return err;
}

#pragma weak MPI_Comm_attach_buffer = PMPI_Comm_attach_buffer
int PMPI_Comm_attach_buffer(MPI_Comm comm, void *buffer, int size)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct weft_comm *c;
	int err = mpi_check_comm(__func__, 1, comm, &c);

	return err ? err : attach(__func__, c, buffer, size);
}

#pragma weak MPI_Comm_detach_buffer = PMPI_Comm_detach_buffer
int PMPI_Comm_detach_buffer(MPI_Comm comm, void *buffer_addr, int *size)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct weft_comm *c;
	MPI_Count n;
	int err = mpi_check_comm(__func__, 1, comm, &c);

	if (!err)
		err = detach(__func__, c, buffer_addr, size, &n);
	if (!err)
		*size = (int)n;
	return err;
}

#pragma weak MPI_Buffer_attach_c = PMPI_Buffer_attach_c
int PMPI_Buffer_attach_c(void *buffer, MPI_Count size)
{
	MPI_ENTER;

	return attach(__func__, NULL, buffer, size);
}

#pragma weak MPI_Buffer_detach_c = PMPI_Buffer_detach_c
int PMPI_Buffer_detach_c(void *buffer_addr, MPI_Count *size)
{
	MPI_ENTER;

	return detach(__func__, NULL, buffer_addr, size, size);
}

#pragma weak MPI_Comm_attach_buffer_c = PMPI_Comm_attach_buffer_c
int PMPI_Comm_attach_buffer_c(MPI_Comm comm, void *buffer, MPI_Count size)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct weft_comm *c;
	int err = mpi_check_comm(__func__, 1, comm, &c);

	return err ? err : attach(__func__, c, buffer, size);
}

#pragma weak MPI_Comm_detach_buffer_c = PMPI_Comm_detach_buffer_c
int PMPI_Comm_detach_buffer_c(MPI_Comm comm, void *buffer_addr, MPI_Count *size)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct weft_comm *c;
	int err = mpi_check_comm(__func__, 1, comm, &c);

	return err ? err : detach(__func__, c, buffer_addr, size, size);
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
