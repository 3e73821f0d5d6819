/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The request of a message: what sends, receives, probes and buffered sends
 * have in common. Blocking calls have it on their stack, others take it from a
 * pool.
 */
#ifndef WEFT_CORE_MSG_H
#define WEFT_CORE_MSG_H

#include "src/core/core_io.h"
#include "src/core/core_lock.h"
#include "src/core/core_p2p.h"
#include "src/types/types_pack.h"
#include "src/core/core_pend.h"
#include "src/core/core_persist.h"
#include "src/core/core_req.h"
#include "src/core/core_state.h"
#include "src/core/core_tag.h"

#include <assert.h>
#include <rdma/fi_ext_weft.h>

struct weft_p2p {
	/* three lines: all that a receive into place needs */
	struct weft_req req;
	struct weft_io io;
	struct weft_typed data;
	uint64_t word; /* tag word */
	void *bounce;  /* packed copy of data, or NULL */

	struct weft_pend pend;
	size_t bytes;	 /* of data, packed */
	uint64_t ignore; /* receives: bits of the word that may differ */
	int pieces;	 /* iovec entries of data without a copy; 0: no data */
	int peer;	 /* rank in req.comm */
	unsigned mode;	 /* WEFT_P2P_ */
	unsigned left;	 /* completions to come */
	uint32_t id;	 /* of a send, where core_ctrl.h is needed */
	bool acked;	 /* the acknowledgement is expected */
	bool recalled;	 /* the receiver was asked to forget it */
	bool packetwise; /* packed packet by packet (core_typed.h) */
	/* makes it active; the lock is held. 0 or -errno (then it is not) */
	int (*start)(struct weft_p2p *p);
	struct weft_io ack;
	struct fi_weft_data typed; /* core_typed.h */
	uint64_t posted; /* receives, while traced: time of the post */
	struct weft_persist persist;
};

static_assert(offsetof(struct weft_p2p, pend) == 3 * WEFT_CACHE_LINE,
	      "three lines");

static inline unsigned weft_p2p_kind(unsigned mode)
{
	return mode >> 2 & 3;
}

/* Where contiguous data begins; buf may be NULL: MPI_BOTTOM, or no data. */
static inline char *weft_p2p_start(const void *buf, const struct weft_dt *dt)
{
	return (char *)((uintptr_t)buf + (uintptr_t)dt->true_lb);
}

extern const struct weft_req_ops weft_p2p_ops WEFT_HIDDEN;
/* Of a receive that has arrived (core_recv.c). */
int weft_p2p_step(struct weft_req *r);
void weft_p2p_wait(struct weft_req *r);

/* What a request that outlives its call refers to; predefined objects outlive
 * all requests. */
static inline void weft_p2p_hold(struct weft_comm *comm, struct weft_dt *dt)
{
	if (weft_unlikely(!comm->obj.predefined))
		weft_comm_get(comm);
	weft_dt_get(dt);
}

static inline void weft_p2p_drop(struct weft_comm *comm, struct weft_dt *dt)
{
	if (weft_unlikely(!comm->obj.predefined))
		weft_comm_put(comm);
	if (weft_unlikely(!dt->obj.predefined))
		weft_dt_put(dt);
}

/* Gives the request back to the pool, with what it refers to. */
static inline void weft_p2p_close(struct weft_p2p *p)
{
	weft_p2p_drop(p->req.comm, (struct weft_dt *)(uintptr_t)p->data.dt);
	p->req.obj.kind = WEFT_KIND_FREE;
	weft_lock();
	weft_pool_put(&weft_core.p2p, p);
	weft_unlock();
}

/* What a send or receive is about, before it is a request. */
struct weft_p2p_args {
	void *buf;
	MPI_Count count;
	struct weft_dt *dt;
	int peer;
	int tag;
	struct weft_comm *comm;
	unsigned mode;
};

/* One of the completions of a send: the message, its acknowledgement, the
 * answer to its cancelling. err: 0, -errno, -ECANCELED: it was not sent. */
void weft_p2p_send_over(struct weft_p2p *p, int err);

/* From the pool, with references on type and communicator, not started; NULL:
 * no memory. init: of core_send.h or core_recv.h; flags: WEFT_REQ_PERSISTENT
 * or 0. */
typedef void (*weft_p2p_init_fn)(struct weft_p2p *p,
				 const struct weft_p2p_args *a);
struct weft_p2p *weft_p2p_open(weft_p2p_init_fn init,
			       const struct weft_p2p_args *a, uint32_t flags);
/* The same, and starts it. 0 or -errno. */
int weft_p2p_begin(weft_p2p_init_fn init, const struct weft_p2p_args *a,
		   struct weft_req **req_p);

#endif
