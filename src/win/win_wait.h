/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for the completion of accesses and for messages, with progress. */
#ifndef WEFT_WIN_WAIT_H
#define WEFT_WIN_WAIT_H

#include "src/msg/msg_progress.h"
#include "src/win/win.h"

/*
 * State of a wait for a change that a message causes. win_idle_pass() makes one
 * progress pass; -ECONNRESET: a member has died.
 */
struct win_idle {
	struct weft_idle idle;
	const struct weft_comm *comm;
	uint64_t check_ns; /* time of the next check for dead members; or 0 */
};
struct win_idle win_idle_begin(const struct weft_win *w);
int win_idle_pass(struct win_idle *i);

/* Waits until no operation is pending; returns and clears the error. */
int win_drain(struct weft_win *w, weft_au32 *pending);

/*
 * Makes one progress pass: in every call if other ranks need this rank's
 * progress for their accesses (no shared page), otherwise in one of 64 calls.
 * An epoch on the caller's own memory completes without waiting, so a program
 * that repeats such epochs would otherwise never serve the other ranks.
 */
static inline void win_serve_others(struct weft_win *w)
{
	if (!weft_win_skip_progress(w))
		weft_progress_poll(NULL, 0, false);
}

/*
 * Completes all accesses before an epoch ends. Unlike a flush, makes no
 * progress if no operation is pending. Returns 0 or the error.
 */
static inline int win_epoch_drain(struct weft_win *w, weft_au32 *pending)
{
	weft_fence_full();
	if (weft_likely(!weft_load32(pending) && !weft_load32(&w->error)))
		return 0;
	return win_drain(w, pending);
}

#endif
