/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for requests (msg_wait.h). */
#include "src/msg/msg_wait.h"

#include "src/msg/msg_progress.h"

void weft_req_wait(struct weft_req *r)
{
	weft_progress_wait(r);
}

void weft_req_await(struct weft_req *r)
{
	if (r->ops->wait && !weft_req_is_done(r))
		r->ops->wait(r);
	weft_progress_wait(r);
}
