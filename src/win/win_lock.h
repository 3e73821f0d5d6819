/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks of targets, as the rest of the folder sees them. */
#ifndef WEFT_WIN_LOCK_H
#define WEFT_WIN_LOCK_H

#include "src/core/core_progress.h"
#include "src/win/win.h"

/* What I hold of a target. */
enum win_lock {
	WIN_UNLOCKED,
	WIN_SHARED,
	WIN_EXCLUSIVE,
	WIN_UNASKED, /* MPI_MODE_NOCHECK */
};

int win_lock_ask(struct weft_win *w, int target);

/* Before an access: where messages ask for locks, MPI_Win_lock_all does so for
 * a target when it is first used. */
static inline int win_lock_reach(struct weft_win *w, int target)
{
	if (weft_likely(w->page || !w->lock_all ||
			weft_load32(&w->peer[target].lock)))
		return 0;
	return win_lock_ask(w, target);
}

/* Waiting for what messages change; -ECONNRESET: a member has died. */
struct win_idle {
	struct weft_idle idle;
	const struct weft_comm *comm;
	uint64_t ask_ns; /* when the dead are looked for; 0: not yet known */
};
struct win_idle win_idle_begin(const struct weft_win *w);
int win_idle_turn(struct win_idle *i);

/* Waits until nothing is pending; takes the error that nobody was told. */
int win_drain(struct weft_win *w, weft_au32 *pending);

/* Before the end of an epoch: as a flush, which nobody repeats. */
static inline int win_settle(struct weft_win *w, weft_au32 *pending)
{
	weft_fence_full();
	if (weft_likely(!weft_load32(pending) && !w->error))
		return 0;
	return win_drain(w, pending);
}

/* All members have come; what they stored before is seen. */
int win_barrier(struct weft_win *w);

#endif
