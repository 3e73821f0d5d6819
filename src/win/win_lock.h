/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks of targets, as the rest of the folder sees them. */
#ifndef WEFT_WIN_LOCK_H
#define WEFT_WIN_LOCK_H

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

/* All members have come; what they stored before is seen. */
int win_barrier(struct weft_win *w);

#endif
