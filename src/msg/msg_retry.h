/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations that the provider could not accept: the only software retry queue.
 * Entries of one lane (a destination, or all receives) are posted in order;
 * lanes are independent of each other. All calls need the core's lock.
 */
#ifndef WEFT_MSG_RETRY_H
#define WEFT_MSG_RETRY_H

#include "src/base/list.h"
#include "src/core/core_state.h"

struct weft_retry {
	struct weft_list link;
	struct weft_proc *lane;
	/*
	 * post: passes the operation to the provider. 0: accepted; -EAGAIN:
	 * full; other: failed. The entry must outlive the call.
	 */
	int (*post)(struct weft_retry *e);
	/*
	 * left: a retry ended with rc, 0 or -errno, and the entry has left the
	 * queue; it may be freed here.
	 */
	void (*left)(struct weft_retry *e, int rc);
};

/* The lane of all receives. */
extern struct weft_proc weft_retry_recv_lane WEFT_HIDDEN;

/*
 * Posts now, or queues if the lane is full or has queued entries. 0, or the
 * error of post.
 */
int weft_retry_post(struct weft_retry *e);

/* Returns whether the entry is queued; if not, left() will not be called. */
static inline bool weft_retry_is_queued(const struct weft_retry *e)
{
	return !weft_list_empty(&e->link);
}

/* One pass over the queue; returns the number of entries that left it. */
int weft_retry_run(void);

/* Removes a queued entry; returns false if it is not queued. */
bool weft_retry_remove(struct weft_retry *e);

void weft_retry_init(void);

#endif
