/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocking until a queue has an entry or a counter has a new value. */
#ifndef WEFT_OFI_WAIT_H
#define WEFT_OFI_WAIT_H

#include "prov/ofi/weft_ofi.h"

int weft_watch_open(struct weft_watch *w, struct weft_domain *d,
		    enum fi_wait_obj obj);
void weft_watch_close(struct weft_watch *w);
/*
 * Wakes all waiters and makes the descriptor readable. The caller holds the
 * lock.
 */
void weft_watch_wake(struct weft_watch *w) WEFT_COLD;
/*
 * Implement the commands FI_GETWAIT and FI_GETWAITOBJ for a wait object. Return
 * 0 or -FI_E*.
 */
int weft_wait_control(enum fi_wait_obj obj, int fd, int command, void *arg);
int weft_watch_control(struct weft_watch *w, int command, void *arg);
/*
 * Prepares for a poll(2) of the descriptor; called when the caller has found
 * nothing to read. -EAGAIN: an entry or packet has arrived meanwhile. The
 * caller holds the lock.
 */
int weft_watch_arm(struct weft_watch *w);
/*
 * Blocks until the watch is woken or a packet may have arrived. deadline_ns:
 * from weft_deadline(); UINT64_MAX: forever. The caller holds the lock, which
 * is released while the thread blocks. The caller must check its condition
 * after every return, and call weft_watch_end after its last wait. Returns 0,
 * -ETIMEDOUT, or an error if virtual time has ended.
 */
int weft_watch_wait(struct weft_watch *w, uint64_t deadline_ns);
void weft_watch_end(struct weft_watch *w);
/*
 * Converts a timeout of a libfabric call, ms (negative: none), to a deadline,
 * ns.
 */
uint64_t weft_deadline(struct weft_domain *d, int timeout_ms);

/*
 * Open and close the wait state of the domain, including its progress thread.
 */
int weft_wait_open(struct weft_domain *d);
void weft_wait_close(struct weft_domain *d);
/* Called when an endpoint was added to or removed from d->eps. */
void weft_wait_ep_added(struct weft_domain *d, struct weft_ep *ep);
void weft_wait_ep_removed(struct weft_domain *d, struct weft_ep *ep);

static inline void weft_watch_notify(struct weft_watch *w)
{
	if (weft_unlikely(w->watched))
		weft_watch_wake(w);
}

#endif
