/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Progress loop: reads the completion queue, retries operations that the
 * provider refused with -EAGAIN, and steps registered requests.
 */
#ifndef WEFT_MSG_PROGRESS_H
#define WEFT_MSG_PROGRESS_H

#include "src/base/attr.h"
#include "src/base/atomic.h"

#include <stdbool.h>

struct weft_comm;
struct weft_req;

/* Makes one pass; takes the lock. Returns the number of events. */
int weft_progress(void);

/*
 * Makes one pass for calls that an application repeats until they succeed
 * (tests, probes). If ranks share cores, the thread yields its core after every
 * few unsuccessful passes. req: the requests that the call tests, for the
 * deadlock report; any: one of them is enough.
 */
struct weft_req;
void weft_progress_poll(struct weft_req *const *req, int nreq, bool any);

/*
 * Waiting for any condition that completions change:
 *
 *   struct weft_idle w = weft_idle_begin(NULL, 0, false);
 *
 *   while (!condition())
 *           weft_idle_pass(&w);
 *
 * weft_idle_pass() makes one progress pass; after a number of passes without
 * progress it blocks, unless a request has completed since the last pass.
 */
struct weft_idle {
	unsigned left; /* number of passes left before blocking */
	/* value of weft_completed when the condition was checked */
	uint32_t mark;
	/* requests that the thread waits for, or NULL; for reports */
	struct weft_req *const *req;
	int nreq;
	bool any; /* completion of one of the requests is enough */
	/* communicator of the collective that the thread waits for, or NULL */
	const struct weft_comm *comm;
	int seq; /* number of the collective that the thread waits for */
	struct weft_idle *next; /* wait of the next blocked thread */
};

struct weft_idle weft_idle_begin(struct weft_req *const *req, int nreq,
				 bool any);
void weft_idle_pass(struct weft_idle *w);

/* Register and unregister the wait of a thread that waits by polling. */
void weft_idle_register(struct weft_idle *w);
void weft_idle_unregister(struct weft_idle *w);

void weft_progress_wait(struct weft_req *r);

/*
 * Registers an active request for ops->step; the loop removes it when step
 * reports that it has ended. Steps the request once immediately, so that short
 * requests complete here.
 */
void weft_progress_add(struct weft_req *r);
/*
 * Registers a request from a completion function, with the lock held. The loop
 * steps it in the next pass.
 */
void weft_progress_add_held(struct weft_req *r);
/* Reads completions only; does not retry or step. Requires the lock. */
void weft_progress_read(void);

/*
 * Blocks once, until an event may have occurred; returns immediately if
 * weft_completed differs from mark. timeout_ms < 0: no timeout.
 */
void weft_progress_block(uint32_t mark, int timeout_ms);
/* Returns the timeout of a wait, reduced if there is periodic work. */
int weft_progress_timeout(int timeout_ms);

/*
 * Makes the next pass call the watchers' idle functions, and wakes a thread
 * that blocks. May be called by any thread, and in completion functions.
 */
void weft_progress_attention(void);

/*
 * Called when there is new work that no completion reports (msg_retry.c, a
 * route being joined), which a blocked thread must check periodically. The lock
 * is held.
 */
void weft_progress_recheck(void);

/*
 * Wakes threads that block in weft_progress_wait(), after a request was
 * completed outside the progress loop (generalized requests).
 */
void weft_progress_wake(void);

/*
 * Notifies waiting threads of a changed condition. Requires the lock. Code
 * outside the loop that changes a condition must call this: threads block
 * without timeout.
 */
void weft_progress_notify(void);

/*
 * Work of threads that never call MPI (file accesses): between begin and end a
 * blocked thread steps its requests every millisecond. Such a thread calls
 * weft_progress_outside_event() when a step can continue; this wakes blocked
 * threads at once if the core has a lock.
 */
void weft_progress_outside_begin(void);
void weft_progress_outside_end(void);
void weft_progress_outside_event(void);

/*
 * Callbacks for events that only the loop detects. idle: called if no event
 * occurred during a wait of at most ms; the lock is held. stuck: called if the
 * provider reports a deadlock; first: the waits of the blocked threads, linked
 * by next. Either callback may be NULL. Watchers are registered before the
 * first wait.
 */
struct weft_watcher {
	void (*idle)(void);
	int ms;
	void (*stuck)(const struct weft_idle *first);
};
void weft_progress_add_watcher(const struct weft_watcher *w);

#endif
