/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queue of operations for which the provider returned -EAGAIN: the only
 * software retry queue. Entries of one lane (a destination, or all receives)
 * are posted in the order in which they were queued; lanes are independent of
 * each other. All calls require the core's lock.
 */
#ifndef WEFT_MSG_RETRY_H
#define WEFT_MSG_RETRY_H

#include "src/base/list.h"
#include "src/core/core_state.h"

struct weft_retry {
	struct weft_list link;
	struct weft_proc *lane;
	/*
	 * post: passes the operation to the provider. Returns 0: accepted;
	 * -EAGAIN: the provider is full; other: failed. The entry must outlive
	 * the call.
	 */
	int (*post)(struct weft_retry *e);
	/*
	 * left: called when a retry ended with rc (0 or -errno) and the entry
	 * has left the queue; may free the entry.
	 */
	void (*left)(struct weft_retry *e, int rc);
};

/* Lane of all receives. */
extern struct weft_proc weft_retry_recv_lane WEFT_HIDDEN;

/*
 * Posts the operation, or queues it if the provider is full or the lane has
 * queued entries. Returns 0, or the error of post.
 */
int weft_retry_post(struct weft_retry *e);

/* Returns whether the entry is queued; if not, left() will not be called. */
static inline bool weft_retry_is_queued(const struct weft_retry *e)
{
	return !weft_list_empty(&e->link);
}

/* Makes one pass over the queue. Returns the number of entries that left it. */
int weft_retry_run(void);

/* Removes an entry. Returns false if it is not queued. */
bool weft_retry_remove(struct weft_retry *e);

void weft_retry_init(void);

#endif
