/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Request of a message, common to sends, receives, probes and buffered sends.
 * Blocking calls allocate the request on their stack, other calls take it from
 * a pool.
 */
#ifndef WEFT_MSG_H
#define WEFT_MSG_H

#include "src/core/core_io.h"
#include "src/core/core_lock.h"
#include "src/msg/msg_p2p.h"
#include "src/types/types_pack.h"
#include "src/msg/msg_retry.h"
#include "src/msg/msg_persist.h"
#include "src/msg/msg_req.h"
#include "src/core/core_state.h"
#include "src/msg/msg_tag.h"

#include <assert.h>
#include <rdma/fi_ext_weft.h>

struct weft_p2p {
	/* three cache lines: fields of a receive into contiguous memory */
	struct weft_req req;
	struct weft_io io;
	struct weft_typed data;
	uint64_t word; /* tag word */
	void *bounce;  /* packed copy of data, or NULL */

	struct weft_retry pend;
	size_t bytes; /* packed size of data, in bytes */
	/* receives: bits of the tag word that are not compared */
	uint64_t ignore;
	/* number of iovec entries, if the data is not copied; 0: no data */
	int pieces;
	int peer;	  /* rank of the peer in req.comm */
	unsigned mode;	  /* WEFT_P2P_ flags */
	unsigned left;	  /* number of outstanding completions */
	uint32_t id;	  /* identifies a send, if msg_ack.h is used */
	bool ack_posted;  /* the receive of the acknowledgement is posted */
	bool cancel_sent; /* a cancel request was sent to the receiver */
	bool packed_by_packet; /* packed packet by packet (msg_typed.h) */
	/* activates the request; the lock is held. Returns 0 or -errno */
	int (*start)(struct weft_p2p *p);
	struct weft_io ack;
	struct fi_weft_data typed; /* arguments of the provider (msg_typed.h) */
	uint64_t posted; /* time when a receive was posted, if traced */
	struct weft_persist persist;
	/* entry in the list of msg_active.h, if listed */
	struct weft_list active;
	int interrupt; /* error of an interrupted message */
};

static_assert(offsetof(struct weft_p2p, pend) == 3 * WEFT_CACHE_LINE,
	      "three cache lines");

static inline unsigned weft_p2p_kind(unsigned mode)
{
	return mode >> 2 & 3;
}

/*
 * Returns the address of contiguous data. buf is NULL for MPI_BOTTOM, or if
 * there is no data.
 */
static inline char *weft_p2p_start(const void *buf, const struct weft_dt *dt)
{
	return (char *)((uintptr_t)buf + (uintptr_t)dt->true_lb);
}

extern const struct weft_req_ops weft_p2p_ops WEFT_HIDDEN;
/* Functions for receives that complete without a CQ entry (msg_recv.c). */
int weft_p2p_step(struct weft_req *r);
void weft_p2p_wait(struct weft_req *r);

/*
 * Get and release the references of a request that outlives its call.
 * Predefined objects outlive all requests and are not counted.
 */
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

/* Returns the request to the pool and releases its references. */
static inline void weft_p2p_close(struct weft_p2p *p)
{
	weft_p2p_drop(p->req.comm, (struct weft_dt *)(uintptr_t)p->data.dt);
	p->req.obj.kind = WEFT_KIND_FREE;
	weft_lock();
	weft_pool_put(&weft_core.p2p, p);
	weft_unlock();
}

/*
 * Cancels a message, so that it completes with this error. A message that has
 * already been matched completes normally. Requires the lock.
 */
void weft_p2p_interrupt(struct weft_p2p *p, int error);

/*
 * Called at each completion that belongs to a send: of the message, of its
 * acknowledgement, and of the answer to a cancel request. err: 0, -errno, or
 * -ECANCELED: not sent.
 */
void weft_p2p_send_completed(struct weft_p2p *p, int err);

/*
 * A function that initializes a request: weft_p2p_init_send() or
 * weft_p2p_init_recv(). weft_p2p_open() returns a request from the pool that is
 * not started, with references on type and communicator; NULL: no memory.
 * flags: WEFT_REQ_PERSISTENT or 0.
 */
typedef void (*weft_p2p_init_fn)(struct weft_p2p *p,
				 const struct weft_p2p_args *a);
struct weft_p2p *weft_p2p_open(weft_p2p_init_fn init,
			       const struct weft_p2p_args *a, uint32_t flags);
/* Opens a request and starts it. Returns 0 or -errno. */
int weft_p2p_begin(weft_p2p_init_fn init, const struct weft_p2p_args *a,
		   struct weft_req **req_p);

#endif
