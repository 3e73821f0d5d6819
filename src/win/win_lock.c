/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Passive target: locks and flushes. A lock is in the shared page, or, in
 * virtual time, in memory that origins change by fi_atomic; neither needs any
 * action by the target. Otherwise origins request the lock by messages, which
 * the target serves when it makes progress.
 */
#include "src/win/win_lock.h"

#include "src/core/core_lock.h"
#include "src/msg/msg_progress.h"
#include "src/win/win_am.h"
#include "src/win/win_remote.h"
#include "src/win/win_rwlock.h"
#include "src/win/win_serve.h"
#include "src/win/win_wait.h"

/* ---- one target ---------------------------------------------------------- */

/*
 * Requests a lock by a message; the lock of this rank's own memory is requested
 * directly.
 */
static int request_by_message(struct weft_win *w, int target, bool exclusive)
{
	struct weft_win_peer *p = &w->peer[target];
	struct win_idle idle = win_idle_begin(w);
	uint32_t flags = exclusive     ? WIN_AM_EXCLUSIVE
			 : w->lock_all ? WIN_AM_FURTHER
				       : 0;
	int rc = 0;

	/* relaxed: no grant can arrive before the request is sent */
	weft_store32_relaxed(&p->granted, 0);
	if (target == w->rank) {
		weft_lock();
		win_serve_lock(w, target, flags);
		weft_unlock();
	} else {
		rc = win_am_send_empty(w, target, WIN_AM_LOCK, flags);
	}
	while (!rc && !weft_load32(&p->granted))
		rc = win_idle_pass(&idle);
	return rc;
}

static int acquire(struct weft_win *w, int target, enum win_lock how)
{
	int rc = 0;

	if (how != WIN_NOCHECK && w->page)
		rc = win_rwlock_acquire(win_rank_lock(w->page, target),
					how == WIN_EXCLUSIVE, w->comm);
	else if (how != WIN_NOCHECK && win_remote_has_locks(w))
		rc = win_remote_lock(w, target, how == WIN_EXCLUSIVE);
	else if (how != WIN_NOCHECK)
		rc = request_by_message(w, target, how == WIN_EXCLUSIVE);
	if (!rc)
		weft_store32(&w->peer[target].lock, how);
	return rc;
}

static int release(struct weft_win *w, int target)
{
	struct weft_win_peer *p = &w->peer[target];
	enum win_lock how = weft_load32(&p->lock);

	weft_store32(&p->lock, WIN_UNLOCKED);
	if (how == WIN_NOCHECK || how == WIN_UNLOCKED)
		return 0;
	if (w->page) {
		win_rwlock_release(win_rank_lock(w->page, target),
				   how == WIN_EXCLUSIVE);
		return 0;
	}
	if (win_remote_has_locks(w))
		return win_remote_unlock(w, target, how == WIN_EXCLUSIVE);
	if (target == w->rank) {
		weft_lock();
		win_serve_unlock(w, target);
		weft_unlock();
		return 0;
	}
	w->unlocked[target]++;
	return win_am_send_empty(w, target, WIN_AM_UNLOCK, 0);
}

/*
 * Acquires the lock of a target. If several threads need the lock, one of them
 * requests it and the others wait.
 */
int win_lock_acquire(struct weft_win *w, int target)
{
	struct weft_win_peer *p = &w->peer[target];
	struct win_idle idle = win_idle_begin(w);
	bool mine;
	int rc = 0;

	weft_lock();
	mine = !p->requesting && !weft_load32(&p->lock);
	p->requesting = p->requesting || mine;
	weft_unlock();
	if (mine) {
		rc = acquire(w, target,
			     w->lock_nocheck ? WIN_NOCHECK : WIN_SHARED);
		weft_lock();
		p->requesting = false;
		weft_progress_notify();
		weft_unlock();
	}
	while (!rc && !weft_load32(&p->lock))
		rc = win_idle_pass(&idle);
	return rc;
}

static void count_locks(struct weft_win *w, int change)
{
	weft_lock();
	w->locks += change;
	/* all accesses are complete, so no epoch is open */
	if (change < 0 && !w->locks)
		weft_store32_relaxed(&w->used, 0);
	/* relaxed: see weft_win_is_open() */
	weft_store32_relaxed(&w->open_all,
			     w->lock_all || (w->fence && !w->locks));
	weft_unlock();
}

int weft_win_lock(struct weft_win *w, int type, int rank, int assert)
{
	enum win_lock how =
		type == MPI_LOCK_EXCLUSIVE ? WIN_EXCLUSIVE : WIN_SHARED;
	int rc;

	if (rank == w->rank)
		win_serve_others(w);
	rc = acquire(w, rank, assert &MPI_MODE_NOCHECK ? WIN_NOCHECK : how);
	if (rc)
		return rc;
	/* relaxed: see weft_win_is_open() */
	weft_store32_relaxed(&w->peer[rank].open, 1);
	count_locks(w, 1);
	return 0;
}

int weft_win_unlock(struct weft_win *w, int rank)
{
	weft_au32 *pending = &w->peer[rank].pending;
	int rc = 0, rc2;

	/*
	 * A lock in shared memory without pending accesses needs no drain: its
	 * release orders this process's stores.
	 */
	if (!w->page || weft_load32(&w->peer[rank].lock) == WIN_NOCHECK ||
	    weft_load32(pending) || weft_load32(&w->error))
		rc = win_epoch_drain(w, pending);
	rc2 = release(w, rank);

	/* relaxed: see weft_win_is_open() */
	weft_store32_relaxed(&w->peer[rank].open, 0);
	count_locks(w, -1);
	return rc ? rc : rc2;
}

/* ---- all targets --------------------------------------------------------- */

int weft_win_lock_all(struct weft_win *w, int assert)
{
	int rc = 0;

	win_serve_others(w);
	w->lock_nocheck = assert &MPI_MODE_NOCHECK;
	for (int i = 0; !rc && i < w->size; i++)
		/* locks of other targets are requested at first use */
		if (w->page || i == w->rank)
			rc = acquire(w, i,
				     w->lock_nocheck ? WIN_NOCHECK
						     : WIN_SHARED);
	w->lock_all = !rc;
	count_locks(w, 0);
	return rc;
}

int weft_win_unlock_all(struct weft_win *w)
{
	int rc = win_epoch_drain(w, &w->pending);

	for (int i = 0; i < w->size; i++) {
		int rc2 = release(w, i);

		rc = rc ? rc : rc2;
	}
	w->lock_all = false;
	weft_store32_relaxed(&w->used, 0);
	count_locks(w, 0);
	return rc;
}

/* ---- checks -------------------------------------------------------------- */

static const char *why_busy(const struct weft_win *w)
{
	if (w->no_locks)
		return "the window was created with the info key no_locks";
	if (w->lock_all)
		return "the window is locked by MPI_Win_lock_all";
	if (w->started)
		return "an access epoch of MPI_Win_start is open";
	/* relaxed: only an argument check */
	if (w->fence && weft_load32_relaxed(&w->used))
		return "accesses since the last MPI_Win_fence are not complete";
	return NULL;
}

const char *weft_win_no_lock(const struct weft_win *w, int rank)
{
	/* relaxed: only an argument check */
	if (weft_load32_relaxed(&w->peer[rank].open))
		return "the target is locked already";
	return why_busy(w);
}

const char *weft_win_no_lock_all(const struct weft_win *w)
{
	return w->locks ? "a target is locked by MPI_Win_lock" : why_busy(w);
}
