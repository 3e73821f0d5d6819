/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entry points of sends and receives; each takes the fastest path that is
 * possible. A send is one fi_tinject (msg_inject.h), or a request. A blocking
 * receive is a direct receive if the provider supports it, or a request on the
 * stack.
 */
#include "src/msg/msg_p2p.h"

#include "src/diag/diag_count.h"
#include "src/msg/msg_inject.h"
#include "src/msg/msg_recv.h"
#include "src/msg/msg_send.h"
#include "src/msg/msg_status.h"
#include "src/msg/msg_wait.h"

#include <errno.h>
#include <rdma/fi_ext_weft.h>

/* ---- sends --------------------------------------------------------------- */

/*
 * Sends a message and waits for its completion. *started_p: whether a returned
 * error is that of the transfer.
 */
static int send_by_request(const struct weft_p2p_args *a, bool *started_p)
{
	struct weft_p2p p;
	int rc;

	*started_p = true;
	if (a->peer == MPI_PROC_NULL)
		return 0;
	weft_req_init(&p.req, NULL, a->comm, WEFT_REQ_ACTIVE);
	weft_p2p_init_send(&p, a);
	weft_lock();
	rc = p.start(&p);
	weft_unlock();
	*started_p = !rc;
	if (rc)
		return rc;
	weft_req_wait(&p.req);
	return p.req.error;
}

int weft_core_send_by_request(const struct weft_p2p_args *a)
{
	bool started;

	return send_by_request(a, &started);
}

int weft_core_isend_by_request(const struct weft_p2p_args *a,
			       struct weft_req **req_p)
{
	*req_p = weft_req_null_done();
	if (weft_unlikely(a->peer == MPI_PROC_NULL))
		return 0;
	return weft_p2p_begin(weft_p2p_init_send, a, req_p);
}

int weft_core_isend(const struct weft_p2p_args *a, struct weft_req **req_p)
{
	int rc = weft_core_inject(a);

	if (weft_unlikely(rc == -EAGAIN))
		return weft_core_isend_by_request(a, req_p);
	*req_p = weft_req_null_done();
	return rc;
}

int weft_core_send(const struct weft_p2p_args *a)
{
	int rc = weft_core_inject(a);

	return weft_likely(rc != -EAGAIN) ? rc : weft_core_send_by_request(a);
}

/* ---- receives ------------------------------------------------------------ */

static WEFT_COLD int recv_no_proc(MPI_Status *status)
{
	if (status != MPI_STATUS_IGNORE)
		weft_status_set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
	return 0;
}

static int direct_end(const struct fi_weft_arrival *d, MPI_Status *status)
{
	int source = weft_tag_source(d->tag);

	weft_count(WEFT_COUNT_RECV, 1);
	weft_count(WEFT_COUNT_RECV_BYTES, d->len);
	if (status != MPI_STATUS_IGNORE)
		weft_status_set(status, source, weft_tag_tag(d->tag),
				(MPI_Count)d->len);
	return weft_likely(!d->err) ? 0 : weft_fi_errno(-d->err);
}

int weft_arrival_wait(const struct fi_weft_arrival *d, MPI_Status *status)
{
	struct weft_idle w = weft_idle_begin(NULL, 0, false);

	for (;;) {
		weft_arrival_poll(d, &w);
		if (weft_likely(d->complete))
			return direct_end(d, status);
		weft_idle_pass(&w);
	}
}

/* Posts a receive; sets all fields of its request. Requires the lock. */
static WEFT_COLD int post_whole(struct weft_p2p *p,
				const struct weft_p2p_args *a)
{
	weft_req_init(&p->req, &weft_p2p_ops, a->comm,
		      WEFT_REQ_ACTIVE | WEFT_REQ_BLOCKING);
	weft_p2p_init_recv(p, a);
	return weft_p2p_start_recv(p);
}

int weft_core_recv(const struct weft_p2p_args *a, MPI_Status *status)
{
	struct weft_p2p p;
	int rc;

	if (weft_unlikely(a->peer == MPI_PROC_NULL))
		return recv_no_proc(status);
	rc = weft_core_recv_direct(a, status);
	if (weft_likely(rc != -EAGAIN))
		return rc;
	p.req.ops = &weft_p2p_ops;
	weft_lock();
	rc = weft_p2p_post_in_place(&p, a);
	if (weft_unlikely(rc))
		rc = rc == -EAGAIN ? post_whole(&p, a) : weft_fi_errno(rc);
	weft_unlock();
	if (weft_unlikely(rc))
		return rc;
	weft_req_wait(&p.req);
	if (status != MPI_STATUS_IGNORE)
		weft_req_status(&p.req, status);
	return p.req.error;
}

int weft_core_irecv(const struct weft_p2p_args *a, struct weft_req **req_p)
{
	struct weft_p2p *p;

	if (weft_unlikely(a->peer == MPI_PROC_NULL)) {
		*req_p = weft_req_no_proc();
		return 0;
	}
	weft_lock();
	p = weft_p2p_open_in_place(a);
	weft_unlock();
	if (weft_unlikely(!p))
		return weft_p2p_begin(weft_p2p_init_recv, a, req_p);
	*req_p = &p->req;
	return 0;
}

/* ---- send and receive ---------------------------------------------------- */

int weft_core_sendrecv(const struct weft_p2p_args *send,
		       const struct weft_p2p_args *recv, MPI_Status *status)
{
	bool started = false;
	struct weft_req *r;
	int rc, rc2;

	rc = weft_core_irecv(recv, &r);
	if (rc)
		return rc;
	rc = weft_core_inject(send);
	if (rc == -EAGAIN)
		rc = send_by_request(send, &started);
	/*
	 * the send has failed because device memory cannot be read: cancel the
	 * receive, since the peer may wait for this message before it sends
	 */
	if (weft_unlikely(rc == -EIO) && !started && !weft_req_is_done(r))
		r->ops->cancel(r);
	weft_req_await(r);
	rc2 = weft_req_collect(&r, status);
	return rc ? rc : rc2;
}
