/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the files about requests. */
#ifndef WEFT_MPI_REQ_H
#define WEFT_MPI_REQ_H

#include "src/msg/msg_req.h"
#include "src/mpi/mpi_check.h"

/*
 * Gets the active request of a handle; *req_p is NULL for MPI_REQUEST_NULL and
 * inactive requests (returns 0) and for an invalid handle (returns the code).
 */
static inline int mpi_req_active(const char *func, int arg, MPI_Request handle,
				 struct weft_req **req_p)
{
	struct weft_req *r = weft_obj_of(handle, WEFT_KIND_REQ);

	*req_p = r && r->flags & WEFT_REQ_ACTIVE ? r : NULL;
	if (weft_likely(r || handle == MPI_REQUEST_NULL))
		return 0;
	return mpi_check_req_bad(func, arg, handle);
}

/*
 * Ends a completed request: fills the status, frees the request or makes it
 * inactive, and calls the error handler if the request failed.
 */
int mpi_req_finish(const char *func, MPI_Request *handle, MPI_Status *status);

/*
 * Fills the status of a completed request that stays complete. Only the query
 * function of a generalized request is called: the error of another request is
 * reported once, by the call that ends it.
 */
static inline int mpi_req_peek(struct weft_req *r, MPI_Status *status)
{
	weft_req_status(r, status);
	return r->flags & WEFT_REQ_GREQ ? r->ops->query(r, status)
					: MPI_SUCCESS;
}

#endif
