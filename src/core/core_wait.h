/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for requests, with progress meanwhile. */
#ifndef WEFT_CORE_WAIT_H
#define WEFT_CORE_WAIT_H

#include "src/core/core_req.h"

/* Waits until r is done, making progress. */
void weft_req_wait(struct weft_req *r);
/* The same of a request that has ops, in its own way if it has one. */
void weft_req_await(struct weft_req *r);

/* Waits and collects; for the library's own requests. */
static inline int weft_req_finish(struct weft_req *r)
{
	weft_req_wait(r);
	return weft_req_collect(&r, MPI_STATUS_IGNORE);
}

#endif
