/* SPDX-License-Identifier: BSD-3-Clause */
/* Completion queues. */
#ifndef WEFT_OFI_CQ_H
#define WEFT_OFI_CQ_H

#include "prov/ofi/weft_ofi.h"
#include "prov/ofi/queue/weft_wait.h"

int weft_cq_open(struct fid_domain *domain, struct fi_cq_attr *attr,
		 struct fid_cq **cq_p, void *context);

/*
 * Implements fi_trywait for one queue. Returns 0, or -EAGAIN if the caller must
 * not block.
 */
int weft_cq_trywait(struct weft_cq *cq);
/*
 * Doubles the size of the ring. -ENOMEM: out of memory; completions that do not
 * fit are lost.
 */
int weft_cq_grow(struct weft_cq *cq) WEFT_COLD;

/*
 * weft_cq_slot returns the slot for the next completion, or NULL if out of
 * memory. weft_cq_commit publishes it. The caller holds the lock.
 */
static inline struct weft_cqe *weft_cq_slot(struct weft_cq *cq)
{
	if (weft_unlikely(cq->tail - cq->head > cq->mask) && weft_cq_grow(cq))
		return NULL;
	return &cq->ring[cq->tail & cq->mask];
}

static inline bool weft_cq_has(const struct weft_cq *cq)
{
	return cq && cq->head != cq->tail;
}

/* Wakes waiters of the queue, as fi_cq_signal does. */
static inline void weft_cq_wake(struct weft_cq *cq)
{
	cq->watch.signalled = true;
	weft_watch_notify(&cq->watch);
}

static inline void weft_cq_commit(struct weft_cq *cq)
{
	cq->tail++;
	weft_watch_notify(&cq->watch);
}

/* Writes one completion. Returns 0 or -ENOMEM. The caller holds the lock. */
static inline int weft_cq_write(struct weft_cq *cq, const struct weft_cqe *e)
{
	struct weft_cqe *slot = weft_cq_slot(cq);

	if (weft_unlikely(!slot))
		return -ENOMEM;
	*slot = *e;
	weft_cq_commit(cq);
	return 0;
}

/*
 * Writes an error completion. e: the fields of the completion, as for a success
 * (len: bytes received; tag, data and src if known). err: a positive errno,
 * which is translated here. olen: bytes that did not fit.
 */
int weft_cq_write_err(struct weft_cq *cq, const struct weft_cqe *e, int err,
		      size_t olen);

#endif
