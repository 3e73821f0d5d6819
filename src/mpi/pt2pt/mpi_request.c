/* SPDX-License-Identifier: BSD-3-Clause */
/* One request: wait, test, status, start, cancel, free. */
#include "src/mpi/mpi_export.h"

#include "src/msg/msg_progress.h"
#include "src/msg/msg_wait.h"
#include "src/mpi/mpi_check.h"
#include "src/mpi/pt2pt/mpi_req.h"

int mpi_req_finish(const char *func, MPI_Request *handle, MPI_Status *status)
{
	struct weft_req *r = (struct weft_req *)*handle;
	struct weft_comm *c = r->comm;
	int err;

	if (weft_unlikely(r->error && c))
		/*
		 * the error handler needs the communicator after the request is
		 * freed
		 */
		weft_comm_get(c);
	else
		c = NULL;
	err = weft_req_collect(&r, status);
	if (!r)
		*handle = MPI_REQUEST_NULL;
	err = weft_err_rc(c, func, err);
	if (weft_unlikely(c != NULL))
		weft_comm_put(c);
	return err;
}

static WEFT_COLD int no_request(const char *func)
{
	return weft_check_ptr(NULL, func, 1, NULL, "request");
}

static WEFT_COLD int no_flag(const char *func)
{
	return weft_check_ptr(NULL, func, 2, NULL, "flag");
}

#pragma weak MPI_Wait = PMPI_Wait
int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
	MPI_ENTER;
	struct weft_req *r;
	int err;

	if (weft_unlikely(!request))
		return no_request(__func__);
	err = mpi_req_active(__func__, 1, *request, &r);
	if (weft_unlikely(!r)) {
		weft_status_empty(status);
		return err;
	}
	weft_req_await(r);
	return mpi_req_finish(__func__, request, status);
}

#pragma weak MPI_Test = PMPI_Test
int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	MPI_ENTER;
	struct weft_req *r;
	int err;

	if (weft_unlikely(!request))
		return no_request(__func__);
	if (weft_unlikely(!flag))
		return no_flag(__func__);
	err = mpi_req_active(__func__, 1, *request, &r);
	*flag = 1;
	if (weft_unlikely(!r)) {
		weft_status_empty(status);
		return err;
	}
	if (!weft_req_is_done(r))
		weft_progress_poll(&r, 1, false);
	*flag = weft_req_is_done(r);
	return *flag ? mpi_req_finish(__func__, request, status) : MPI_SUCCESS;
}

#pragma weak MPI_Request_get_status = PMPI_Request_get_status
int PMPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
	MPI_ENTER;
	struct weft_req *r;
	int err;

	if (!flag)
		return no_flag(__func__);
	err = mpi_req_active(__func__, 1, request, &r);
	*flag = 1;
	if (!r) {
		weft_status_empty(status);
		return err;
	}
	if (!weft_req_is_done(r))
		weft_progress_poll(&r, 1, false);
	*flag = weft_req_is_done(r);
	return *flag && status != MPI_STATUS_IGNORE ? mpi_req_peek(r, status)
						    : err;
}

static int bad_start(const char *func, int arg, MPI_Request handle)
{
	return weft_err_arg(NULL, func, MPI_ERR_REQUEST, arg,
			    "request %p is not an inactive persistent request",
			    (void *)handle);
}

static int start_one(const char *func, int arg, MPI_Request handle)
{
	struct weft_req *r = weft_obj_of(handle, WEFT_KIND_REQ);

	if (!r || !(r->flags & WEFT_REQ_PERSISTENT) ||
	    r->flags & WEFT_REQ_ACTIVE)
		return bad_start(func, arg, handle);
	return weft_err_rc(r->comm, func, r->ops->start(r));
}

#pragma weak MPI_Start = PMPI_Start
int PMPI_Start(MPI_Request *request)
{
	MPI_ENTER;

	return request ? start_one(__func__, 1, *request)
		       : no_request(__func__);
}

#pragma weak MPI_Startall = PMPI_Startall
int PMPI_Startall(int count, MPI_Request array_of_requests[])
{
	MPI_ENTER;
	int err = MPI_SUCCESS;
	int i;

	if (count < 0)
		return weft_err_arg(NULL, __func__, MPI_ERR_COUNT, 1,
				    "negative count %d", count);
	if (count && !array_of_requests)
		return weft_check_ptr(NULL, __func__, 2, array_of_requests,
				      "array of requests");
	for (i = 0; i < count && !err; i++)
		err = start_one(__func__, 2, array_of_requests[i]);
	return err;
}

#pragma weak MPI_Cancel = PMPI_Cancel
int PMPI_Cancel(MPI_Request *request)
{
	MPI_ENTER;
	struct weft_req *r;

	if (!request)
		return no_request(__func__);
	r = weft_obj_of(*request, WEFT_KIND_REQ);
	if (!r || !(r->flags & WEFT_REQ_ACTIVE))
		return mpi_check_req_bad(__func__, 1, *request);
	return weft_err_rc(r->comm, __func__, r->ops->cancel(r));
}

#pragma weak MPI_Request_free = PMPI_Request_free
int PMPI_Request_free(MPI_Request *request)
{
	MPI_ENTER;
	struct weft_req *r;

	if (!request)
		return no_request(__func__);
	r = weft_obj_of(*request, WEFT_KIND_REQ);
	if (!r)
		return mpi_check_req_bad(__func__, 1, *request);
	*request = MPI_REQUEST_NULL;
	return weft_err_rc(NULL, __func__, weft_req_release(r));
}
