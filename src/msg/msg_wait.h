/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for requests, with progress. */
#ifndef WEFT_MSG_WAIT_H
#define WEFT_MSG_WAIT_H

#include "src/msg/msg_req.h"

/* Makes progress until r is done. */
void weft_req_wait(struct weft_req *r);
/* Waits for a request that has ops, with ops->wait if it is set. */
void weft_req_await(struct weft_req *r);

/*
 * Waits for a request that the library created, and frees it. Returns the error
 * of the request.
 */
static inline int weft_req_finish(struct weft_req *r)
{
	weft_req_wait(r);
	return weft_req_collect(&r, MPI_STATUS_IGNORE);
}

#endif
