/* SPDX-License-Identifier: BSD-3-Clause */
/* Life cycle of requests (msg_req.h). */
#include "src/msg/msg_req.h"

#include "src/core/core_lock.h"

#include <errno.h>
#include <string.h>

weft_au32 weft_completed;
weft_au32 weft_req_orphans;
static struct weft_list orphans = { &orphans, &orphans };

int weft_req_no_start(struct weft_req *r)
{
	return -EINVAL;
}

int weft_req_no_cancel(struct weft_req *r)
{
	return 0;
}

int weft_req_no_step(struct weft_req *r)
{
	return 1;
}

int weft_req_no_query(struct weft_req *r, MPI_Status *status)
{
	return 0;
}

static void no_free(struct weft_req *r)
{
}

static const struct weft_req_ops done_ops = {
	.name = "done",
	.start = weft_req_no_start,
	.cancel = weft_req_no_cancel,
	.step = weft_req_no_step,
	.query = weft_req_no_query,
	.free = no_free,
};

struct weft_req weft_req_done_send = {
	.obj = { .kind = WEFT_KIND_REQ, .refs = 1 },
	.ops = &done_ops,
	.done = 1,
	.flags = WEFT_REQ_CONST | WEFT_REQ_ACTIVE | WEFT_REQ_SEND,
};

struct weft_req weft_req_done_no_proc = {
	.obj = { .kind = WEFT_KIND_REQ, .refs = 1 },
	.ops = &done_ops,
	.done = 1,
	.flags = WEFT_REQ_CONST | WEFT_REQ_ACTIVE,
	.source = MPI_PROC_NULL,
	.tag = MPI_ANY_TAG,
};

void weft_req_init(struct weft_req *r, const struct weft_req_ops *ops,
		   struct weft_comm *comm, uint32_t flags)
{
	weft_obj_init(&r->obj, WEFT_KIND_REQ);
	r->ops = ops;
	weft_store32_relaxed(&r->done, 0); /* relaxed: no thread waits yet */
	r->flags = flags;
	r->error = 0;
	r->source = MPI_ANY_SOURCE;
	r->tag = MPI_ANY_TAG;
	r->bytes = 0;
	r->comm = comm;
	weft_list_init(&r->link);
}

void weft_status_empty(MPI_Status *status)
{
	if (status == MPI_STATUS_IGNORE)
		return;
	weft_status_set(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
	status->MPI_ERROR = MPI_SUCCESS;
}

void weft_req_status(const struct weft_req *r, MPI_Status *status)
{
	weft_req_status_plain(r, status);
	if (r->flags & WEFT_REQ_CANCELLED)
		weft_status_set_cancelled(status, true);
}

/* Frees a request. Returns 0, or the error of a generalized request. */
static int free_request(struct weft_req *r)
{
	int error = r->flags & WEFT_REQ_GREQ ? r->ops->leave(r) : 0;

	r->ops->free(r);
	return error;
}

int weft_req_collect(struct weft_req **req_p, MPI_Status *status)
{
	struct weft_req *r = *req_p;
	MPI_Status own;
	int error = r->error;
	int rc;

	if (status == MPI_STATUS_IGNORE)
		status = &own;
	weft_req_status(r, status);
	if (weft_unlikely(error == -EOWNERDEAD && r->ops->resume)) {
		rc = r->ops->resume(r);
		if (!rc)
			return error;
		error = rc;
	}
	rc = r->ops->query(r, status);
	if (rc && !error)
		error = rc;
	if (r->flags & WEFT_REQ_PERSISTENT) {
		r->flags &= ~(uint32_t)(WEFT_REQ_ACTIVE | WEFT_REQ_CANCELLED);
		return error;
	}
	*req_p = NULL;
	rc = free_request(r);
	/* an error of leave() overrides the request's error */
	return rc ? rc : error;
}

int weft_req_release(struct weft_req *r)
{
	bool live;

	weft_lock();
	live = (r->flags & WEFT_REQ_ACTIVE) && !weft_req_is_done(r);
	if (live)
		r->flags |= WEFT_REQ_ORPHAN;
	weft_unlock();
	return live ? 0 : free_request(r);
}

/* ---- orphans ------------------------------------------------------------- */

void weft_req_orphaned(struct weft_req *r)
{
	weft_list_push_back(&orphans, &r->link);
	weft_add32(&weft_req_orphans, 1);
}

void weft_req_free_orphans(void)
{
	struct weft_list *n;

	for (;;) {
		struct weft_req *r;

		weft_lock();
		n = weft_list_pop_front(&orphans);
		if (n)
			weft_add32(&weft_req_orphans, (uint32_t)-1);
		weft_unlock();
		if (!n)
			return;
		r = weft_container_of(n, struct weft_req, link);
		r->ops->free(r);
	}
}
