/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files about requests share. */
#ifndef WEFT_MPI_REQ_H
#define WEFT_MPI_REQ_H

#include "src/core/core_req.h"
#include "src/mpi/mpi_check.h"

/*
 * The active request behind a handle; *req_p is NULL for MPI_REQUEST_NULL and
 * inactive ones (0) and for what is no request (the code to return).
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

/* Collects a done request and calls its error handler when it failed. */
int mpi_req_finish(const char *func, MPI_Request *handle, MPI_Status *status);

#endif
