/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the provider had no room for. The only software retry queue: entries
 * of one lane (a destination, or all receives) go in the order they came,
 * lanes do not wait for each other. All calls need the core's lock.
 */
#ifndef WEFT_CORE_PEND_H
#define WEFT_CORE_PEND_H

#include "src/base/list.h"
#include "src/core/core_state.h"

struct weft_pend {
	struct weft_list link;
	struct weft_proc *lane;
	/* post: hands the operation down. 0: done with; -EAGAIN: no room; else
	 * failed. The entry must outlive the call. */
	int (*post)(struct weft_pend *e);
	/* left: a retry ended with rc, 0 or -errno, and the entry is out of
	 * the queue; it may be freed here. */
	void (*left)(struct weft_pend *e, int rc);
};

/* The lane of all receives. */
extern struct weft_proc weft_pend_receives WEFT_HIDDEN;

/* Posts now, or queues when the lane is full or others wait before. 0, or the
 * error of post. */
int weft_pend_post(struct weft_pend *e);

/* Does the entry wait? When not, left() will not be called. */
static inline bool weft_pend_waits(const struct weft_pend *e)
{
	return !weft_list_empty(&e->link);
}

/* One pass over the queue; how many went. */
int weft_pend_retry(void);

/* Takes out an entry that waits; false when it does not. */
bool weft_pend_remove(struct weft_pend *e);

void weft_pend_init(void);

#endif
