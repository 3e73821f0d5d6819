/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The progress loop: reads the completion queue, retries operations that found
 * the provider full, and steps registered requests.
 */
#ifndef WEFT_MSG_PROGRESS_H
#define WEFT_MSG_PROGRESS_H

#include "src/base/attr.h"
#include "src/base/atomic.h"

#include <stdbool.h>

struct weft_comm;
struct weft_req;

/* One pass; takes the lock. Returns the number of events. */
int weft_progress(void);

/*
 * One pass for calls that an application repeats until they succeed (tests,
 * probes): where ranks share cores, unsuccessful passes yield the core at
 * times. req: the requests that the call tests, all of them or any, for the
 * deadlock report.
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
	unsigned left; /* passes before blocking */
	uint32_t mark; /* weft_completed when the condition was checked */
	/* requests that are waited for, if any: for reports */
	struct weft_req *const *req;
	int nreq;
	bool any; /* one of the requests is enough */
	/* or a collective on this communicator ... */
	const struct weft_comm *comm;
	int seq;		/* ... with this number */
	struct weft_idle *next; /* wait of another thread, while blocked */
};

struct weft_idle weft_idle_begin(struct weft_req *const *req, int nreq,
				 bool any);
void weft_idle_pass(struct weft_idle *w);

/*
 * For threads that wait by polling: registers what they wait for, between these
 * two calls.
 */
void weft_idle_register(struct weft_idle *w);
void weft_idle_unregister(struct weft_idle *w);

/* Waits for one request. */
void weft_progress_wait(struct weft_req *r);

/*
 * Registers an active request for ops->step; the loop removes it when step
 * reports its end. Steps once immediately, so that short requests complete
 * here.
 */
void weft_progress_add(struct weft_req *r);
/*
 * Registers a request from a completion, with the lock held: the loop steps it
 * soon.
 */
void weft_progress_add_held(struct weft_req *r);
/* Reads completions, with the lock held; does nothing else. */
void weft_progress_read(void);

/*
 * Blocks once, until something may have happened; returns at once if
 * weft_completed differs from mark. timeout_ms < 0: no timeout.
 */
void weft_progress_sleep(uint32_t mark, int timeout_ms);
/* Returns the timeout of a wait, reduced if there is periodic work. */
int weft_progress_timeout(int timeout_ms);

/*
 * Called when there is new work that no completion reports (msg_retry.c, a
 * route being joined): a blocked thread has to check it periodically. The lock
 * is held.
 */
void weft_progress_recheck(void);

/*
 * Wakes a thread that blocks in weft_progress_wait(): a request was completed
 * outside the progress loop (generalized requests).
 */
void weft_progress_wake(void);

/*
 * Notifies threads of a changed condition; the lock is held. Code outside the
 * loop that changes one has to call it: threads block without timeout.
 */
void weft_progress_notify(void);

/*
 * Callbacks for events that only the loop detects. look: nothing happened
 * during a wait of at most ms; the lock is held. stuck: the fabric reports that
 * all ranks wait forever; first: the waits of the blocked threads, linked by
 * next. Either may be NULL. Registered before the first wait.
 */
struct weft_watcher {
	void (*look)(void);
	int ms;
	void (*stuck)(const struct weft_idle *first);
};
void weft_progress_add_watcher(const struct weft_watcher *w);

#endif
