/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests: operations that complete later.
 *
 *   inactive --start--> active --complete--> done --wait/test--> freed
 *      ^                                                   |
 *      +--------------------- persistent ------------------+
 *
 * An active request is completed exactly once, by weft_req_complete(), with the
 * core's lock held if there are threads. The waiting thread then collects it:
 * weft_req_collect() fills the status, and frees the request or makes it
 * inactive. MPI_Request_free on an active request leaves an orphan, which is
 * freed when it completes.
 *
 * A collective is a request inside a larger object of coll/. coll/ calls
 * weft_req_init(), then weft_progress_add(); the progress loop calls step(),
 * which returns 0 while the collective is incomplete, and 1 or an error at its
 * end. The loop then completes the request.
 */
#ifndef WEFT_MSG_REQ_H
#define WEFT_MSG_REQ_H

#include "src/base/atomic.h"
#include "src/base/list.h"
#include "src/types/types_obj.h"
#include "src/core/core_lock.h"
#include "src/msg/msg_status.h"

#include <mpi.h>
#include <rdma/fabric.h>

struct weft_comm;
struct weft_dt;
struct weft_req;

struct weft_req_ops {
	const char *name; /* name in reports: "send", "recv", "allreduce" */
	/*
	 * start: makes an inactive persistent request active. Never blocks.
	 * Returns 0 or -errno: the request stays inactive.
	 */
	int (*start)(struct weft_req *r);
	/*
	 * cancel: tries to cancel an active request; the status contains the
	 * outcome. Returns 0 or -errno.
	 */
	int (*cancel)(struct weft_req *r);
	/*
	 * step: advances a request that weft_progress_add() registered; called
	 * by one thread at a time, without the lock; may post messages, must
	 * not block. Returns 0: incomplete; 1: done; -errno or an MPI code:
	 * failed.
	 */
	int (*step)(struct weft_req *r);
	/*
	 * wait: NULL, or a function that waits for this request faster than the
	 * progress loop; used with one thread only.
	 */
	void (*wait)(struct weft_req *r);
	/*
	 * query: called once by MPI_Wait or MPI_Test of a completed request,
	 * without the lock; may change the status (generalized requests).
	 * Returns 0 or an MPI error code.
	 */
	int (*query)(struct weft_req *r, MPI_Status *status);
	/*
	 * leave: calls the user's free function of a generalized request,
	 * without the lock; otherwise NULL. Returns 0 or an MPI error code.
	 */
	int (*leave)(struct weft_req *r);
	/*
	 * resume: makes a request that completed with -EOWNERDEAD active again;
	 * otherwise NULL. Returns 0 or -errno.
	 */
	int (*resume)(struct weft_req *r);
	/* free: frees the memory and releases references */
	void (*free)(struct weft_req *r);
};

/*
 * Functions for operations that a kind of request does not support, with their
 * return values.
 */
int weft_req_no_start(struct weft_req *r);  /* returns -EINVAL */
int weft_req_no_cancel(struct weft_req *r); /* returns 0 and changes nothing */
int weft_req_no_step(struct weft_req *r);   /* returns 1 */
int weft_req_no_query(struct weft_req *r, MPI_Status *status); /* returns 0 */

enum {
	WEFT_REQ_PERSISTENT = 1,
	WEFT_REQ_ACTIVE = 2,
	WEFT_REQ_ORPHAN = 4,	/* the application has freed the handle */
	WEFT_REQ_CANCELLED = 8, /* the request was completed by a cancel */
	WEFT_REQ_SEND = 16,	/* the status has no source, tag or count */
	WEFT_REQ_GREQ = 32,
	WEFT_REQ_PARTITIONED = 64, /* partitioned communication */
	/* a shared object that is always done and never freed */
	WEFT_REQ_CONST = 128,
	WEFT_REQ_DIRECT = 256, /* a direct receive, without CQ entry */
	/* entry in the list of active messages; interrupted (msg_active.h) */
	WEFT_REQ_LISTED = 512,
	WEFT_REQ_INTERRUPTED = 1024,
	/* completed with -EOWNERDEAD: the receive is posted again later */
	WEFT_REQ_SUSPENDED = 2048,
	WEFT_REQ_BLOCKING = 4096, /* the request of a blocking receive */
};

struct weft_req {
	struct weft_obj obj;
	const struct weft_req_ops *ops;
	/* 1: the request is complete; stored last, with release */
	weft_au32 done;
	uint32_t flags; /* WEFT_REQ_ flags */
	int error;  /* result of the request: 0, -errno, or an MPI code > 0 */
	int source; /* source in the status */
	int tag;
	MPI_Count bytes; /* bytes received */
	/* entry in the progress list or the list of orphans */
	struct weft_list link;
	struct weft_comm *comm; /* owner of the error handler; may be NULL */
};

void weft_req_init(struct weft_req *r, const struct weft_req_ops *ops,
		   struct weft_comm *comm, uint32_t flags);

/* Sets the empty status, as for sends, null requests and inactive requests. */
void weft_status_empty(MPI_Status *status);

/* number of requests completed so far */
extern weft_au32 weft_completed WEFT_HIDDEN;
/* Number of completed orphans; the progress loop frees them. */
extern weft_au32 weft_req_orphans WEFT_HIDDEN;
void weft_req_free_orphans(void);
/* Adds a completed orphan to the list of orphans. Requires the lock. */
void weft_req_orphaned(struct weft_req *r);

static inline bool weft_req_is_done(const struct weft_req *r)
{
	/* relaxed: with one thread, program order suffices */
	uint32_t done = weft_load32_relaxed(&r->done);

	/* A1 pairs with R1 in weft_req_complete(): all results are stored. */
	if (weft_unlikely(weft_threads))
		done = weft_load32(&r->done);
	return done != 0;
}

/*
 * Completes an active request. error: 0, -errno or an MPI code. With several
 * threads it requires the lock.
 */
static inline void weft_req_complete(struct weft_req *r, int error)
{
	r->error = error;
	/* relaxed: ordered by the lock, or there is one thread */
	weft_store32_relaxed(&weft_completed,
			     weft_load32_relaxed(&weft_completed) + 1);
	if (weft_unlikely(r->flags & WEFT_REQ_ORPHAN)) {
		weft_req_orphaned(r);
		return;
	}
	/*
	 * With one thread: relaxed. Otherwise R1 pairs with A1 in
	 * weft_req_is_done(); the waiting thread may free the request after
	 * this store.
	 */
	if (weft_likely(!weft_threads))
		weft_store32_relaxed(&r->done, 1);
	else
		weft_store32(&r->done, 1);
}

/*
 * Collects a completed request: fills status (unless MPI_STATUS_IGNORE), and
 * frees the request or makes it inactive. Returns the request's error: 0,
 * -errno or an MPI code. *req_p becomes NULL if the request was freed. A
 * request with the error -EOWNERDEAD (a receive from any source, while the
 * failure of a process is not acknowledged) becomes active again.
 */
int weft_req_collect(struct weft_req **req_p, MPI_Status *status);

/*
 * Frees a request without waiting; an active request is freed when it
 * completes. Returns 0, or the error of a generalized request.
 */
int weft_req_release(struct weft_req *r);

/* Fills the status like weft_req_collect(), without changing the request. */
void weft_req_status(const struct weft_req *r, MPI_Status *status);

/* Fills the status of a request that was not cancelled. */
static inline void weft_req_status_plain(const struct weft_req *r,
					 MPI_Status *status)
{
	if (r->flags & WEFT_REQ_SEND)
		weft_status_set(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
	else
		weft_status_set(status, r->source, r->tag, r->bytes);
}

/* Shared complete requests: a send, and a receive from MPI_PROC_NULL. */
extern struct weft_req weft_req_done_send WEFT_HIDDEN;
extern struct weft_req weft_req_done_no_proc WEFT_HIDDEN;

static inline struct weft_req *weft_req_no_proc(void)
{
	return &weft_req_done_no_proc;
}

static inline struct weft_req *weft_req_null_done(void)
{
	return &weft_req_done_send;
}

/*
 * Returns whether the request succeeded and MPI_Wait or MPI_Test only has to
 * free it: it is active, not persistent, not cancelled, not shared, and has no
 * query function.
 */
static inline bool weft_req_is_plain(const struct weft_req *r)
{
	const uint32_t either = WEFT_REQ_SEND | WEFT_REQ_DIRECT;

	return !r->error && (r->flags & ~either) == WEFT_REQ_ACTIVE;
}

#endif
