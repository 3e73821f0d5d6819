/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * List of the active messages, kept only if the program survives failures
 * (weft_core.survives): a failure or a revocation interrupts some of these
 * messages. All functions require the lock.
 */
#ifndef WEFT_MSG_ACTIVE_H
#define WEFT_MSG_ACTIVE_H

#include "src/msg/msg.h"

void weft_p2p_active_add(struct weft_p2p *p) WEFT_COLD;
void weft_p2p_active_remove(struct weft_p2p *p, int error) WEFT_COLD;
/* Calls visit for every active message; visit may interrupt the message. */
void weft_p2p_active_each(void (*visit)(struct weft_p2p *p));

/*
 * Posts the suspended receives of a communicator again. With several threads
 * this function does nothing: the thread that waits for such a receive posts it
 * again.
 */
void weft_p2p_resume_all(const struct weft_comm *c);

/* Posts a suspended receive again. Returns 0 or -errno. */
int weft_p2p_resume(struct weft_p2p *p);

/*
 * Removes a message at its completion. With the error -EOWNERDEAD the message
 * is suspended until it is posted again.
 */
static inline void weft_p2p_inactive(struct weft_p2p *p, int error)
{
	if (weft_unlikely(p->req.flags & WEFT_REQ_LISTED))
		weft_p2p_active_remove(p, error);
}

/* Removes a receive that is being freed from the list of suspended receives. */
static inline void weft_p2p_unsuspend(struct weft_p2p *p)
{
	if (weft_likely(!(p->req.flags & WEFT_REQ_SUSPENDED)))
		return;
	weft_lock();
	weft_list_remove(&p->active);
	weft_unlock();
}

/* Returns the error of a cancelled message. */
static inline int weft_p2p_cancelled(const struct weft_p2p *p)
{
	return p->req.flags & WEFT_REQ_INTERRUPTED ? p->interrupt : -ECANCELED;
}

#endif
