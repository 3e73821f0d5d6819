/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The short road of a receive, inline because MPI_Irecv is little else: the
 * data goes into place, nothing waits before it, and the request is filled as
 * far as its completion needs it.
 */
#ifndef WEFT_CORE_NEAR_H
#define WEFT_CORE_NEAR_H

#include "src/core/core_post.h"

#include <errno.h>
#include <rdma/fi_tagged.h>

/* All posted receives wait in one line when there is no room. */
extern struct weft_proc weft_recv_lane WEFT_HIDDEN;

/* Tag word and ignored bits. */
WEFT_INLINE void weft_near_word(const struct weft_p2p_args *a, uint64_t *word_p,
				uint64_t *ignore_p)
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

/* Into place, with nothing waiting before it: the request is as little as the
 * completion needs, and in virtual time all of it, for the report of a
 * deadlock. The lock is held. */
WEFT_INLINE int weft_near_post(struct weft_p2p *p,
			       const struct weft_p2p_args *a)
{
	uint64_t word, ignore;

	if (weft_unlikely(weft_recv_lane.pend || weft_core.virt ||
			  !weft_dt_is_run(a->dt, a->count)))
		return -EAGAIN;
	weft_near_word(a, &word, &ignore);
	weft_store32_relaxed(&p->req.done, 0); /* nobody waits yet */
	p->req.flags = WEFT_REQ_ACTIVE;
	p->req.comm = a->comm;
	p->bounce = NULL;
	p->word = word;
	p->io.done = weft_p2p_recv_done;
	return (int)fi_trecv(weft_core.ep, weft_p2p_start(a->buf, a->dt),
			     (size_t)(a->count * a->dt->size), NULL,
			     FI_ADDR_UNSPEC, word, ignore, &p->io.fi);
}

/* The same with a request of its own; NULL: take the other road. */
WEFT_INLINE struct weft_p2p *weft_near_open(const struct weft_p2p_args *a)
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
	weft_list_init(&p->pend.link);
	if (weft_unlikely(weft_near_post(p, a))) {
		p->req.obj.kind = WEFT_KIND_FREE;
		weft_pool_put(&weft_core.p2p, p);
		return NULL;
	}
	weft_p2p_hold(a->comm, a->dt);
	return p;
}

#endif
