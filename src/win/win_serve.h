/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processing of received messages: requests to this member as the target, and
 * responses to this member as the origin.
 */
#ifndef WEFT_WIN_SERVE_H
#define WEFT_WIN_SERVE_H

#include "src/win/win_am.h"

void win_serve(struct weft_win *w, int source, const struct win_am *head,
	       const char *body, size_t bytes);

/*
 * Request and release the lock of this rank's memory on behalf of `rank`;
 * require the core lock. A second request of the same rank, and the release of
 * a lock that the rank does not hold, have no effect.
 *
 * Requests are granted in the order of their arrival, except those with flag
 * WIN_AM_FURTHER: they precede all requests that wait. The origin already holds
 * locks by MPI_Win_lock_all, for which an exclusive request that waits here may
 * wait as well, so without this exception members could wait for each other.
 */
void win_serve_lock(struct weft_win *w, int rank, uint32_t flags);
void win_serve_unlock(struct weft_win *w, int rank);

/*
 * Registers an expected response for a piece of op. The response contains
 * `bytes` bytes of old elements, which are stored in `old`. The core lock is
 * held. Returns 0 or -ENOMEM.
 */
int win_serve_expect(struct win_op *op, int rank, char *old, size_t bytes,
		     uint32_t *id_p);

/* Cancels an expected response; requires the core lock. */
void win_serve_cancel(struct weft_win *w, int rank, uint32_t id, int err);

#endif
