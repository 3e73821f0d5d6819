/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks of targets: functions for the other files of this folder. */
#ifndef WEFT_WIN_LOCK_H
#define WEFT_WIN_LOCK_H

#include "src/win/win.h"

/* Lock held on a target. */
enum win_lock {
	WIN_UNLOCKED,
	WIN_SHARED,
	WIN_EXCLUSIVE,
	WIN_NOCHECK, /* MPI_MODE_NOCHECK */
};

int win_lock_acquire(struct weft_win *w, int target);

/*
 * Called before an access. If locks are requested by messages, the lock that
 * MPI_Win_lock_all implies is requested at the first access to a target.
 * Returns 0 or the error.
 */
static inline int win_lock_reach(struct weft_win *w, int target)
{
	if (weft_likely(w->page || !w->lock_all ||
			weft_load32(&w->peer[target].lock)))
		return 0;
	return win_lock_acquire(w, target);
}

/*
 * Executes a barrier; earlier stores of all members are then visible. Returns 0
 * or the error.
 */
int win_barrier(struct weft_win *w);

#endif
