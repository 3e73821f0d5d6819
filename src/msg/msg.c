/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests of messages: pool, start of persistent requests, cancel (msg.h). */
#include "src/msg/msg.h"

#include "src/msg/msg_ack.h"
#include "src/msg/msg_active.h"
#include "src/core/core_lock.h"

#include <errno.h>
#include <stdlib.h>

void weft_p2p_send_completed(struct weft_p2p *p, int err)
{
	if (err == -ECANCELED)
		err = weft_p2p_cancelled(p);
	if (err == -ECANCELED)
		p->req.flags |= WEFT_REQ_CANCELLED;
	else if (err && !p->req.error)
		p->req.error = err;
	if (--p->left)
		return;
	if (p->req.error)
		p->req.flags &= ~(uint32_t)WEFT_REQ_CANCELLED;
	if (p->bounce)
		free(p->bounce);
	p->bounce = NULL;
	weft_p2p_inactive(p, p->req.error);
	weft_req_complete(&p->req, p->req.error);
}

static void p2p_free(struct weft_req *r)
{
	struct weft_p2p *p = weft_container_of(r, struct weft_p2p, req);

	weft_p2p_unsuspend(p);
	if (r->flags & WEFT_REQ_PERSISTENT)
		weft_persist_remove(&p->persist);
	weft_p2p_close(p);
}

static int p2p_start(struct weft_req *r)
{
	struct weft_p2p *p = weft_container_of(r, struct weft_p2p, req);
	int rc;

	r->error = 0;
	/* relaxed: the request is inactive, so no thread waits for it */
	weft_store32_relaxed(&r->done, 0);
	r->flags = (r->flags | WEFT_REQ_ACTIVE) & ~(uint32_t)WEFT_REQ_DIRECT;
	weft_lock();
	if (p->peer == MPI_PROC_NULL) {
		r->source = MPI_PROC_NULL;
		weft_req_complete(r, 0);
		weft_unlock();
		return 0;
	}
	rc = p->start(p);
	weft_unlock();
	if (rc)
		r->flags &= ~(uint32_t)WEFT_REQ_ACTIVE;
	return rc;
}

/* Cancels a message. Requires the lock. */
static int cancel_message(struct weft_p2p *p)
{
	struct fi_cq_tagged_entry e = { .tag = p->word };

	if (!(p->req.flags & WEFT_REQ_DIRECT) && weft_retry_remove(&p->pend)) {
		if (p->req.flags & WEFT_REQ_SEND)
			weft_ctrl_cancel_expected(p);
		p->io.done(&p->io, &e, -ECANCELED);
		return 0;
	}
	if (!weft_core.reports_match && (p->req.flags & WEFT_REQ_SEND))
		return weft_ctrl_cancel(p);
	/*
	 * The result is ignored: providers return different values if the
	 * message can no longer be cancelled.
	 */
	fi_cancel(&weft_core.ep->fid, &p->io.fi);
	return 0;
}

void weft_p2p_interrupt(struct weft_p2p *p, int error)
{
	p->req.flags |= WEFT_REQ_INTERRUPTED;
	p->interrupt = error;
	cancel_message(p);
}

static int p2p_cancel(struct weft_req *r)
{
	struct weft_p2p *p = weft_container_of(r, struct weft_p2p, req);
	int rc = 0;

	weft_lock();
	if (!weft_req_is_done(r))
		rc = cancel_message(p);
	weft_unlock();
	return rc;
}

/* Posts an interrupted receive a second time. */
static int p2p_resume(struct weft_req *r)
{
	int rc;

	weft_lock();
	rc = weft_p2p_resume(weft_container_of(r, struct weft_p2p, req));
	weft_unlock();
	return rc;
}

const struct weft_req_ops weft_p2p_ops = {
	.name = "message",
	.start = p2p_start,
	.cancel = p2p_cancel,
	.step = weft_p2p_step,
	.wait = weft_p2p_wait,
	.query = weft_req_no_query,
	.resume = p2p_resume,
	.free = p2p_free,
};

struct weft_p2p *weft_p2p_open(weft_p2p_init_fn init,
			       const struct weft_p2p_args *a, uint32_t flags)
{
	struct weft_p2p *p;

	weft_lock();
	p = weft_pool_get(&weft_core.p2p);
	weft_unlock();
	if (!p)
		return NULL;
	if (!(flags & WEFT_REQ_PERSISTENT))
		flags |= WEFT_REQ_ACTIVE;
	weft_req_init(&p->req, &weft_p2p_ops, a->comm, flags);
	init(p, a);
	weft_p2p_hold(a->comm, a->dt);
	if (flags & WEFT_REQ_PERSISTENT)
		weft_persist_add(&p->persist, &p->req, NULL);
	return p;
}

int weft_p2p_begin(weft_p2p_init_fn init, const struct weft_p2p_args *a,
		   struct weft_req **req_p)
{
	struct weft_p2p *p = weft_p2p_open(init, a, 0);
	int rc;

	if (!p)
		return -ENOMEM;
	weft_lock();
	rc = p->start(p);
	weft_unlock();
	if (rc)
		p->req.ops->free(&p->req);
	else
		*req_p = &p->req;
	return rc;
}
