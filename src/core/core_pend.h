/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations that the provider could not accept: the only software retry queue.
 * Entries of one lane (a destination, or all receives) are posted in order;
 * lanes are independent of each other. All calls need the core's lock.
 */
#ifndef WEFT_CORE_PEND_H
#define WEFT_CORE_PEND_H

#include "src/base/list.h"
#include "src/core/core_state.h"

struct weft_pend {
	struct weft_list link;
	struct weft_proc *lane;
	/*
	 * post: passes the operation to the provider. 0: accepted; -EAGAIN:
	 * full; other: failed. The entry must outlive the call.
	 */
	int (*post)(struct weft_pend *e);
	/*
	 * left: a retry ended with rc, 0 or -errno, and the entry has left the
	 * queue; it may be freed here.
	 */
	void (*left)(struct weft_pend *e, int rc);
};

/* The lane of all receives. */
extern struct weft_proc weft_pend_receives WEFT_HIDDEN;

/*
 * Posts now, or queues if the lane is full or has queued entries. 0, or the
 * error of post.
 */
int weft_pend_post(struct weft_pend *e);

/* Returns whether the entry is queued; if not, left() will not be called. */
static inline bool weft_pend_waits(const struct weft_pend *e)
{
	return !weft_list_empty(&e->link);
}

/* One pass over the queue; returns the number of entries that left it. */
int weft_pend_retry(void);

/* Removes a queued entry; returns false if it is not queued. */
bool weft_pend_remove(struct weft_pend *e);

void weft_pend_init(void);

#endif
