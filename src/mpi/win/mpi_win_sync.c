/* SPDX-License-Identifier: BSD-3-Clause */
/* Epochs of windows: fence, post and start, lock, flush. */
#include "src/mpi/mpi_export.h"

#include "src/diag/diag_errtext.h"
#include "src/mpi/comm/mpi_comm.h"
#include "src/mpi/win/mpi_win.h"

#include <errno.h>
#include <stdio.h>

/* ---- checks -------------------------------------------------------------- */

int mpi_check_win_rank(const char *func, int arg, int rank,
		       const struct weft_win *w)
{
	if (weft_likely((unsigned)rank < (unsigned)w->size))
		return 0;
	return weft_err_arg(w, func, MPI_ERR_RANK, arg,
			    "invalid rank %d in window of size %d", rank,
			    w->size);
}

/* Raises MPI_ERR_RMA_SYNC with the text `why`; why NULL: no error. */
static int check_sync(const char *func, const struct weft_win *w,
		      const char *why)
{
	if (weft_likely(!why))
		return 0;
	return weft_err_arg(w, func, MPI_ERR_RMA_SYNC, 0, "%s", why);
}

static int check_assert(const char *func, int arg, int assert, int allowed,
			const struct weft_win *w)
{
	if (weft_likely(!(assert & ~allowed)))
		return 0;
	return weft_err_arg(w, func, MPI_ERR_ASSERT, arg,
			    "assertion %#x is not valid for this call",
			    (unsigned)(assert & ~allowed));
}

/* Gets a group, whose members must all be in the window. */
static int check_members(const char *func, const struct weft_win *w,
			 MPI_Group group, struct weft_group **group_p)
{
	int err = mpi_check_group(w, func, 1, group, group_p);

	if (!err)
		err = mpi_check_not_mixed(w, func, 1, w->comm->group, *group_p);
	for (int i = 0; !err && i < (*group_p)->size; i++)
		if (weft_group_rank_of(w->comm->group, (*group_p)->proc[i]) < 0)
			err = weft_err_arg(w, func, MPI_ERR_GROUP, 1,
					   "member %d of the group is not in "
					   "the window",
					   i);
	return err;
}

/* ---- results ------------------------------------------------------------- */

/* Raises the error of a synchronization; the text names the failed access. */
static WEFT_COLD int sync_failed(const struct weft_win *w, const char *func,
				 int rc)
{
	char text[160];

	if (rc != -ERANGE)
		return weft_err_rc(w, func, rc);
	snprintf(text, sizeof(text), "%s of rank %d failed: %s", w->failed.what,
		 w->failed.rank, weft_errtext_get(MPI_ERR_RMA_RANGE));
	return weft_err_rc(w, func,
			   weft_errtext_store(MPI_ERR_RMA_RANGE, text));
}

static inline int sync_rc(const struct weft_win *w, const char *func, int rc)
{
	return weft_likely(!rc) ? MPI_SUCCESS : sync_failed(w, func, rc);
}

/* ---- fence --------------------------------------------------------------- */

#pragma weak MPI_Win_fence = PMPI_Win_fence
int PMPI_Win_fence(int assert, MPI_Win win)
{
	MPI_ENTER;
	struct weft_win *w;
	int err = mpi_check_win(__func__, 2, win, &w);

	if (!err)
		err = check_assert(__func__, 1, assert,
				   MPI_MODE_NOSTORE | MPI_MODE_NOPUT |
					   MPI_MODE_NOPRECEDE |
					   MPI_MODE_NOSUCCEED,
				   w);
	if (!err)
		err = check_sync(__func__, w, weft_win_why_no_fence(w));
	if (!err)
		weft_trace_win_coll(w->comm);
	return err ? err : sync_rc(w, __func__, weft_win_fence(w, assert));
}

/* ---- post and start ------------------------------------------------------ */

#pragma weak MPI_Win_post = PMPI_Win_post
int PMPI_Win_post(MPI_Group group, int assert, MPI_Win win)
{
	MPI_ENTER;
	struct weft_group *g;
	struct weft_win *w;
	int err = mpi_check_win(__func__, 3, win, &w);

	if (!err)
		err = check_assert(__func__, 2, assert,
				   MPI_MODE_NOCHECK | MPI_MODE_NOSTORE |
					   MPI_MODE_NOPUT,
				   w);
	if (!err)
		err = check_members(__func__, w, group, &g);
	if (!err && w->posted)
		err = check_sync(__func__, w,
				 "an exposure epoch is open already");
	return err ? err : sync_rc(w, __func__, weft_win_post(w, g, assert));
}

#pragma weak MPI_Win_start = PMPI_Win_start
int PMPI_Win_start(MPI_Group group, int assert, MPI_Win win)
{
	MPI_ENTER;
	struct weft_group *g;
	struct weft_win *w;
	int err = mpi_check_win(__func__, 3, win, &w);

	if (!err)
		err = check_assert(__func__, 2, assert, MPI_MODE_NOCHECK, w);
	if (!err)
		err = check_members(__func__, w, group, &g);
	if (!err)
		err = check_sync(__func__, w, weft_win_no_start(w));
	return err ? err : sync_rc(w, __func__, weft_win_start(w, g, assert));
}

#pragma weak MPI_Win_complete = PMPI_Win_complete
int PMPI_Win_complete(MPI_Win win)
{
	MPI_ENTER;
	struct weft_win *w;
	int err = mpi_check_win(__func__, 1, win, &w);

	if (!err && !w->started)
		err = check_sync(
			__func__, w,
			"no access epoch is open; call MPI_Win_start first");
	return err ? err : sync_rc(w, __func__, weft_win_complete(w));
}

#pragma weak MPI_Win_wait = PMPI_Win_wait
int PMPI_Win_wait(MPI_Win win)
{
	MPI_ENTER;
	struct weft_win *w;
	int err = mpi_check_win(__func__, 1, win, &w);

	if (!err && !w->posted)
		err = check_sync(
			__func__, w,
			"no exposure epoch is open; call MPI_Win_post first");
	return err ? err : sync_rc(w, __func__, weft_win_wait(w));
}

#pragma weak MPI_Win_test = PMPI_Win_test
int PMPI_Win_test(MPI_Win win, int *flag)
{
	MPI_ENTER;
	struct weft_win *w;
	int err = mpi_check_win(__func__, 1, win, &w), rc;

	if (!err)
		err = weft_check_ptr(w, __func__, 2, flag, "flag");
	if (!err && !w->posted)
		err = check_sync(
			__func__, w,
			"no exposure epoch is open; call MPI_Win_post first");
	if (err)
		return err;
	rc = weft_win_test(w);
	*flag = rc == 1;
	return sync_rc(w, __func__, rc < 0 ? rc : 0);
}

/* ---- locks ------------------------------------------------------------- */

#pragma weak MPI_Win_lock = PMPI_Win_lock
int PMPI_Win_lock(int lock_type, int rank, int assert, MPI_Win win)
{
	MPI_ENTER;
	struct weft_win *w;
	int err = mpi_check_win(__func__, 4, win, &w);

	if (!err && lock_type != MPI_LOCK_EXCLUSIVE &&
	    lock_type != MPI_LOCK_SHARED)
		err = weft_err_arg(w, __func__, MPI_ERR_LOCKTYPE, 1,
				   "invalid lock type %d", lock_type);
	if (err || rank == MPI_PROC_NULL)
		return err;
	err = mpi_check_win_rank(__func__, 2, rank, w);
	if (!err)
		err = check_assert(__func__, 3, assert, MPI_MODE_NOCHECK, w);
	if (!err)
		err = check_sync(__func__, w, weft_win_no_lock(w, rank));
	if (!err)
		weft_trace_win_peer(w->comm, rank);
	return err ? err
		   : sync_rc(w, __func__,
			     weft_win_lock(w, lock_type, rank, assert));
}

#pragma weak MPI_Win_unlock = PMPI_Win_unlock
int PMPI_Win_unlock(int rank, MPI_Win win)
{
	MPI_ENTER;
	struct weft_win *w;
	int err = mpi_check_win(__func__, 2, win, &w);

	if (err || rank == MPI_PROC_NULL)
		return err;
	err = mpi_check_win_rank(__func__, 1, rank, w);
	if (!err &&
	    (w->lock_all || w->started || !weft_load32(&w->peer[rank].open)))
		err = check_sync(__func__, w, "the target is not locked");
	if (!err)
		weft_trace_win_peer(w->comm, rank);
	return err ? err : sync_rc(w, __func__, weft_win_unlock(w, rank));
}

#pragma weak MPI_Win_lock_all = PMPI_Win_lock_all
int PMPI_Win_lock_all(int assert, MPI_Win win)
{
	MPI_ENTER;
	struct weft_win *w;
	int err = mpi_check_win(__func__, 2, win, &w);

	if (!err)
		err = check_assert(__func__, 1, assert, MPI_MODE_NOCHECK, w);
	if (!err)
		err = check_sync(__func__, w, weft_win_no_lock_all(w));
	return err ? err : sync_rc(w, __func__, weft_win_lock_all(w, assert));
}

#pragma weak MPI_Win_unlock_all = PMPI_Win_unlock_all
int PMPI_Win_unlock_all(MPI_Win win)
{
	MPI_ENTER;
	struct weft_win *w;
	int err = mpi_check_win(__func__, 1, win, &w);

	if (!err && !w->lock_all)
		err = check_sync(__func__, w,
				 "no lock_all epoch is open; call "
				 "MPI_Win_lock_all first");
	return err ? err : sync_rc(w, __func__, weft_win_unlock_all(w));
}

/* ---- flushes ----------------------------------------------------------- */

/*
 * Executes a flush, also for flush_local: an operation is complete at the
 * origin when it is complete at the target.
 */
WEFT_INLINE int flush(const char *func, int rank, MPI_Win win)
{
	struct weft_win *w;
	int err = mpi_check_win(func, 2, win, &w);

	if (weft_unlikely(err || rank == MPI_PROC_NULL))
		return err;
	err = mpi_check_win_rank(func, 1, rank, w);
	if (weft_likely(!err))
		err = check_sync(func, w, weft_win_no_flush(w, rank));
	if (weft_unlikely(!err && weft_traced()))
		weft_trace_win_peer(w->comm, rank);
	return weft_unlikely(err) ? err
				  : sync_rc(w, func, weft_win_flush(w, rank));
}

static int flush_all(const char *func, MPI_Win win)
{
	struct weft_win *w;
	int err = mpi_check_win(func, 1, win, &w);

	if (!err)
		err = check_sync(func, w, weft_win_no_flush(w, -1));
	return err ? err : sync_rc(w, func, weft_win_flush_all(w));
}

#pragma weak MPI_Win_flush = PMPI_Win_flush
int PMPI_Win_flush(int rank, MPI_Win win)
{
	MPI_ENTER;

	return flush(__func__, rank, win);
}

#pragma weak MPI_Win_flush_local = PMPI_Win_flush_local
int PMPI_Win_flush_local(int rank, MPI_Win win)
{
	MPI_ENTER;

	return flush(__func__, rank, win);
}

#pragma weak MPI_Win_flush_all = PMPI_Win_flush_all
int PMPI_Win_flush_all(MPI_Win win)
{
	MPI_ENTER;

	return flush_all(__func__, win);
}

#pragma weak MPI_Win_flush_local_all = PMPI_Win_flush_local_all
int PMPI_Win_flush_local_all(MPI_Win win)
{
	MPI_ENTER;

	return flush_all(__func__, win);
}

#pragma weak MPI_Win_sync = PMPI_Win_sync
int PMPI_Win_sync(MPI_Win win)
{
	MPI_ENTER;
	struct weft_win *w;
	int err = mpi_check_win(__func__, 1, win, &w);

	if (!err)
		weft_win_sync(w);
	return err;
}
