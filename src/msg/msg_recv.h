/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive requests. The receive into contiguous memory, with no queued receive
 * before it, is inline, because it is nearly all of the work of MPI_Irecv. It
 * sets only the fields that the completion needs.
 */
#ifndef WEFT_MSG_RECV_H
#define WEFT_MSG_RECV_H

#include "src/core/core_fi.h"
#include "src/msg/msg.h"
#include "src/msg/msg_progress.h"
#include "src/offload/offload_device.h"

#include <errno.h>
#include <rdma/fi_tagged.h>

/* Initializes p as a receive, after weft_req_init(). */
void weft_p2p_init_recv(struct weft_p2p *p, const struct weft_p2p_args *a);
/* Makes p active; requires the lock. Returns 0 or -errno (p is not active). */
int weft_p2p_start_recv(struct weft_p2p *p);
/* Completes a receive, also of a matched message. */
void weft_p2p_recv_done(struct weft_io *io, const struct fi_cq_tagged_entry *e,
			int err);

/*
 * Completes a direct receive, which has no CQ entry: with a few stores, or in a
 * step of the progress loop if there is more to do.
 */
void weft_p2p_arrived(struct fi_weft_arrival *a);

/*
 * Polls only for the message that `a` describes, if there is no other work:
 * much cheaper than a pass of the progress loop.
 */
WEFT_INLINE void weft_arrival_poll(const struct fi_weft_arrival *a,
				   struct weft_idle *w)
{
	/* relaxed: only a hint, and there is only one thread */
	if (weft_unlikely(weft_core.pending ||
			  weft_load32_relaxed(&weft_core.stepping)))
		return;
	weft_core.recv->poll(weft_core.ep, a, w->left);
	w->left = 0;
}

/*
 * Like weft_idle_pass(), for one request; uses weft_arrival_poll() if the
 * request is a direct receive.
 */
void weft_p2p_pass(struct weft_req *r, struct weft_idle *w);

/* Posts a receive into one block of memory. */
WEFT_INLINE int weft_p2p_post_plain(struct weft_p2p *p, void *start,
				    size_t bytes, uint64_t word,
				    uint64_t ignore)
{
	const struct iovec iov = { start, bytes };

	if (weft_unlikely(weft_device_owns(start)))
		return (int)fi_trecvv(weft_core.ep, &iov, NULL, 1,
				      FI_ADDR_UNSPEC, word, ignore, &p->io.fi);
	if (weft_unlikely(!weft_core.direct_requests))
		return (int)fi_trecv(weft_core.ep, start, bytes, NULL,
				     FI_ADDR_UNSPEC, word, ignore, &p->io.fi);
	p->req.flags |= WEFT_REQ_DIRECT;
	p->io.arrival.complete = 0;
	p->io.arrival.call = weft_p2p_arrived;
	return (int)weft_core.recv->post(weft_core.ep, start, bytes, word,
					 ignore, &p->io.arrival);
}

/* Computes the tag word and the ignored bits of a receive or probe. */
WEFT_INLINE void weft_p2p_match_word(const struct weft_p2p_args *a,
				     uint64_t *word_p, uint64_t *ignore_p)
{
	uint64_t ignore = 0;
	int source = a->peer;
	int tag = a->tag;

	if (weft_unlikely(source == MPI_ANY_SOURCE)) {
		ignore |= WEFT_TAG_SRC;
		source = 0;
	}
	if (weft_unlikely(tag == MPI_ANY_TAG)) {
		ignore |= WEFT_TAG_MASK;
		tag = 0;
	}
	*ignore_p = ignore;
	*word_p = weft_tag_word(a->comm->ctx, weft_p2p_kind(a->mode), source,
				tag);
}

/* Waits for a receive without a request. Returns 0 or -errno. */
int weft_arrival_wait(const struct fi_weft_arrival *d, MPI_Status *status);

/*
 * Receives without a request and without a CQ entry. Returns 0, -errno, or
 * -EAGAIN: a request is needed.
 */
WEFT_INLINE int weft_core_recv_direct(const struct weft_p2p_args *a,
				      MPI_Status *status)
{
	struct fi_weft_arrival d;
	uint64_t word, ignore;
	int rc;

	if (weft_unlikely(a->peer == MPI_PROC_NULL || !weft_core.recv ||
			  weft_retry_recv_lane.pend ||
			  !weft_dt_is_run(a->dt, a->count) ||
			  weft_device_owns(weft_p2p_start(a->buf, a->dt))))
		return -EAGAIN;
	weft_p2p_match_word(a, &word, &ignore);
	d.complete = 0;
	d.call = NULL;
	rc = (int)weft_core.recv->post(
		weft_core.ep, weft_p2p_start(a->buf, a->dt),
		(size_t)(a->count * a->dt->size), word, ignore, &d);
	return weft_likely(!rc) ? weft_arrival_wait(&d, status)
				: weft_fi_errno(rc);
}

/*
 * Posts a receive into contiguous memory if no receive is queued, and sets only
 * the fields that the completion needs. Not used if all
 * fields are needed (weft_core.whole_requests). Returns -EAGAIN if it is not
 * possible. Requires the lock.
 */
WEFT_INLINE int weft_p2p_post_in_place(struct weft_p2p *p,
				       const struct weft_p2p_args *a)
{
	uint64_t word, ignore;

	if (weft_unlikely(weft_retry_recv_lane.pend ||
			  weft_core.whole_requests ||
			  !weft_dt_is_run(a->dt, a->count) ||
			  weft_device_owns(weft_p2p_start(a->buf, a->dt))))
		return -EAGAIN;
	weft_p2p_match_word(a, &word, &ignore);
	/* relaxed: no thread waits yet */
	weft_store32_relaxed(&p->req.done, 0);
	p->req.flags = WEFT_REQ_ACTIVE;
	p->req.comm = a->comm;
	p->bounce = NULL;
	p->word = word;
	p->io.done = weft_p2p_recv_done;
	return weft_p2p_post_plain(p, weft_p2p_start(a->buf, a->dt),
				   (size_t)(a->count * a->dt->size), word,
				   ignore);
}

/*
 * Like weft_p2p_post_in_place(), with a request from the pool. Returns NULL if
 * weft_p2p_begin() must be used.
 */
WEFT_INLINE struct weft_p2p *
weft_p2p_open_in_place(const struct weft_p2p_args *a)
{
	struct weft_p2p *p;

	if (weft_unlikely(a->peer == MPI_PROC_NULL))
		return NULL;
	p = weft_pool_get(&weft_core.p2p);
	if (weft_unlikely(!p))
		return NULL;
	weft_obj_init(&p->req.obj, WEFT_KIND_REQ);
	p->req.ops = &weft_p2p_ops;
	p->data.dt = a->dt;
	/* for p2p_cancel(), which checks whether p is in the retry queue */
	if (weft_unlikely(!weft_core.direct_requests))
		weft_list_init(&p->pend.link);
	if (weft_unlikely(weft_p2p_post_in_place(p, a))) {
		p->req.obj.kind = WEFT_KIND_FREE;
		weft_pool_put(&weft_core.p2p, p);
		return NULL;
	}
	weft_p2p_hold(a->comm, a->dt);
	return p;
}

#endif
