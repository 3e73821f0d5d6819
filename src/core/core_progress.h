/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one progress loop: reads the completion queue, retries what was full,
 * and steps the requests that asked for it.
 */
#ifndef WEFT_CORE_PROGRESS_H
#define WEFT_CORE_PROGRESS_H

#include "src/base/attr.h"
#include "src/base/atomic.h"

#include <stdbool.h>

struct weft_comm;
struct weft_req;

/* One pass; takes the lock. Returns how many things happened. */
int weft_progress(void);

/*
 * The same for calls that an application repeats until they succeed (tests,
 * probes): where ranks share cores, vain ones give the core away at times.
 * What they look for, all of it or any, is told when it can never come.
 */
struct weft_req;
void weft_progress_poll(struct weft_req *const *req, int nreq, bool any);

/*
 * Waiting for any condition that completions change:
 *
 *   struct weft_idle w = weft_idle_begin(NULL, 0, false);
 *   while (!condition())
 *           weft_idle_turn(&w);
 *
 * A turn makes progress; after some turns without any it sleeps, unless a
 * request was completed since the last turn.
 */
struct weft_idle {
	unsigned left; /* turns before sleeping */
	uint32_t mark; /* weft_completed when the condition was looked at */
	/* what is waited for, where that is requests: for reports */
	struct weft_req *const *req;
	int nreq;
	bool any;		      /* one of them is enough */
	const struct weft_comm *comm; /* or a collective on it ... */
	int seq;		      /* ... with this number */
	struct weft_idle *next;	      /* another thread's, while asleep */
};

struct weft_idle weft_idle_begin(struct weft_req *const *req, int nreq,
				 bool any);
void weft_idle_turn(struct weft_idle *w);

/* For those who wait by looking: what for, between these two. */
void weft_idle_show(struct weft_idle *w);
void weft_idle_hide(struct weft_idle *w);

/* The same for one request. */
void weft_progress_wait(struct weft_req *r);

/* Registers an active request for ops->step; the loop removes it when step
 * says it is over. Steps once at once, so that short ones end here. */
void weft_progress_add(struct weft_req *r);
/* The same with the lock held, from a completion: the loop steps it soon. */
void weft_progress_add_held(struct weft_req *r);
/* Takes completions, with the lock held; nothing else is done meanwhile. */
void weft_progress_read(void);

/* Sleeps once, until something may have happened; not when weft_completed is
 * other than mark already. timeout_ms < 0: without limit. */
void weft_progress_sleep(uint32_t mark, int timeout_ms);
/* The limit of a sleep, with what is to be looked after meanwhile. */
int weft_progress_timeout(int timeout_ms);

/*
 * There is something now that no completion tells of (core_pend.c, a route that
 * is joined): who sleeps has to look after it now and then. The lock is held.
 */
void weft_progress_hurry(void);

/* Wakes a thread that sleeps in weft_progress_wait: something was completed
 * outside the progress loop (generalized requests). */
void weft_progress_wake(void);

/* Something that threads wait for has changed; the lock is held. Whoever
 * changes it outside the loop has to say so: they sleep without a limit. */
void weft_progress_note(void);

/*
 * Who wants to hear of what the loop alone sees. look: nothing happened for a
 * sleep of at most ms; the lock is held. stuck: the fabric says that everybody
 * waits for ever; first are the waits of the threads that sleep, linked by
 * next. Either may be NULL. Before the first wait.
 */
struct weft_watcher {
	void (*look)(void);
	int ms;
	void (*stuck)(const struct weft_idle *first);
};
void weft_progress_watch(const struct weft_watcher *w);

#endif
