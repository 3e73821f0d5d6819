/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Active target: fence, and post, start, complete, wait. A fence completes this
 * rank's accesses and is a barrier. An exposure, and its completion, increments
 * a counter in the shared page or is sent as a message.
 */
#include "coll/coll.h"
#include "src/core/core_lock.h"
#include "src/msg/msg_progress.h"
#include "src/diag/diag_trace.h"
#include "src/win/win_am.h"
#include "src/msg/msg_pause.h"
#include "src/win/win_rwlock.h"
#include "src/win/win_lock.h"
#include "src/win/win_wait.h"

int win_barrier(struct weft_win *w)
{
	struct weft_coll_args a = { .kind = WEFT_COLL_BARRIER,
				    .comm = w->comm };
	int rc;

	if (!weft_coll_barrier_on_route(w->comm, NULL, &rc))
		rc = weft_coll_run(&a);
	return rc;
}

int weft_win_fence(struct weft_win *w, int assert)
{
	int error = win_epoch_drain(w, &w->pending), rc = win_barrier(w);

	weft_fence_full();
	w->fence = !(assert &MPI_MODE_NOSUCCEED);
	/* relaxed: no access is in progress */
	weft_store32_relaxed(&w->open_all, w->fence);
	/* relaxed: no access is in progress */
	weft_store32_relaxed(&w->used, 0);
	return rc ? rc : error;
}

/* ---- exposure epochs ----------------------------------------------------- */

/* Returns the rank that member i of group g has in the window. */
static int rank_of(const struct weft_win *w, const struct weft_group *g, int i)
{
	return weft_group_rank_of(w->comm->group, g->proc[i]);
}

/* Notifies the member `rank` of a change in its record. */
static void notify(struct weft_win *w, int rank)
{
	struct win_record *r = win_record(w->page, rank);

	weft_pause_event_add(&r->events);
	weft_pause_wake(&r->events, WEFT_PAUSE_ANY, &r->waiters);
}

/* Waits for a change of this rank's event word. */
static int wait_event(struct weft_win *w, struct weft_pause *p, uint32_t seen)
{
	struct win_record *r = win_record(w->page, w->rank);

	return weft_pause(p, &r->events, seen, WEFT_PAUSE_ANY, &r->waiters);
}

static int post_to(struct weft_win *w, int origin)
{
	weft_trace_sync(w->comm, origin, WEFT_TRACE_POST, true);
	if (!w->page && origin != w->rank)
		return win_am_send_empty(w, origin, WIN_AM_POST, 0);
	if (!w->page) {
		weft_lock();
		weft_add32(&w->peer[origin].post, 1);
		weft_progress_notify();
		weft_unlock();
		return 0;
	}
	/* R22 pairs with A22 in is_posted(): publishes earlier stores */
	weft_add32(win_posts(w->page, origin, w->rank), 1);
	notify(w, origin);
	return 0;
}

int weft_win_post(struct weft_win *w, struct weft_group *g, int assert)
{
	int rc = 0;

	w->posted = weft_group_get(g);
	weft_fence_full();
	for (int i = 0; !rc && i < g->size && !(assert &MPI_MODE_NOCHECK); i++)
		rc = post_to(w, rank_of(w, g, i));
	return rc;
}

/* ---- access epochs ------------------------------------------------------- */

static bool is_posted(struct weft_win *w, int target)
{
	struct weft_win_peer *p = &w->peer[target];

	if (!w->page)
		return weft_load32(&p->post);
	/* A22 pairs with R22 in post_to() */
	return weft_load32(win_posts(w->page, w->rank, target)) != p->posts;
}

static int await_post(struct weft_win *w, int target)
{
	struct win_idle idle = win_idle_begin(w);
	struct weft_pause p = weft_pause_begin(w->comm);
	uint32_t seen;
	int rc = 0;

	while (!rc && !w->page && !is_posted(w, target))
		rc = win_idle_pass(&idle);
	while (w->page && !rc) {
		seen = weft_load32(&win_record(w->page, w->rank)->events);
		if (is_posted(w, target))
			break;
		rc = wait_event(w, &p, seen);
	}
	if (w->page)
		w->peer[target].posts++;
	else if (!rc)
		weft_add32(&w->peer[target].post, (uint32_t)-1);
	if (!rc)
		weft_trace_sync(w->comm, target, WEFT_TRACE_POST, false);
	return rc;
}

int weft_win_start(struct weft_win *w, struct weft_group *g, int assert)
{
	int rc = 0;

	for (int i = 0; !rc && i < g->size; i++) {
		int target = rank_of(w, g, i);

		if (!(assert &MPI_MODE_NOCHECK))
			rc = await_post(w, target);
		/* relaxed: no access is in progress */
		weft_store32_relaxed(&w->peer[target].open, 1);
	}
	w->started = weft_group_get(g);
	/* relaxed: no access is in progress */
	weft_store32_relaxed(&w->open_all, 0);
	return rc;
}

static int complete_to(struct weft_win *w, int target)
{
	weft_trace_sync(w->comm, target, WEFT_TRACE_COMPLETE, true);
	if (!w->page && target != w->rank)
		return win_am_send_empty(w, target, WIN_AM_COMPLETE, 0);
	if (!w->page) {
		weft_lock();
		weft_add32(&w->completes, 1);
		weft_progress_notify();
		weft_unlock();
		return 0;
	}
	/* R23 pairs with A23 in exposure_is_complete(): publishes stores to the
	 * target */
	weft_add32(&win_record(w->page, target)->completes, 1);
	notify(w, target);
	return 0;
}

int weft_win_complete(struct weft_win *w)
{
	struct weft_group *g = w->started;
	int rc = win_epoch_drain(w, &w->pending);

	for (int i = 0; i < g->size; i++) {
		int target = rank_of(w, g, i), rc2 = complete_to(w, target);

		/* relaxed: no access is in progress */
		weft_store32_relaxed(&w->peer[target].open, 0);
		rc = rc ? rc : rc2;
	}
	w->started = NULL;
	/* relaxed: all accesses are complete */
	weft_store32_relaxed(&w->used, 0);
	/* relaxed: no access is in progress */
	weft_store32_relaxed(&w->open_all, w->fence);
	weft_group_put(g);
	return rc;
}

/* ---- end of the exposure ------------------------------------------------- */

static bool exposure_is_complete(struct weft_win *w)
{
	/* A23 pairs with R23 in complete_to() */
	uint32_t n =
		w->page ? weft_load32(&win_record(w->page, w->rank)->completes)
			: weft_load32(&w->completes);

	return n - w->completed == (uint32_t)w->posted->size;
}

static void exposure_end(struct weft_win *w)
{
	for (int i = 0; weft_traced() && i < w->posted->size; i++)
		weft_trace_sync(w->comm, rank_of(w, w->posted, i),
				WEFT_TRACE_COMPLETE, false);
	w->completed += (uint32_t)w->posted->size;
	weft_group_put(w->posted);
	w->posted = NULL;
}

int weft_win_wait(struct weft_win *w)
{
	struct win_idle idle = win_idle_begin(w);
	struct weft_pause p = weft_pause_begin(w->comm);
	uint32_t seen;
	int rc = 0;

	win_serve_others(w);
	while (!rc && !w->page && !exposure_is_complete(w))
		rc = win_idle_pass(&idle);
	while (w->page && !rc) {
		seen = weft_load32(&win_record(w->page, w->rank)->events);
		if (exposure_is_complete(w))
			break;
		rc = wait_event(w, &p, seen);
	}
	exposure_end(w);
	return rc;
}

int weft_win_test(struct weft_win *w)
{
	weft_progress_poll(NULL, 0, false);
	if (!exposure_is_complete(w))
		return 0;
	exposure_end(w);
	return 1;
}

/* ---- checks -------------------------------------------------------------- */

const char *weft_win_why_no_fence(const struct weft_win *w)
{
	if (w->locks || w->lock_all)
		return "a target is locked";
	if (w->started)
		return "an access epoch of MPI_Win_start is open";
	return w->posted ? "an exposure epoch of MPI_Win_post is open" : NULL;
}

const char *weft_win_no_start(const struct weft_win *w)
{
	if (w->locks || w->lock_all)
		return "a target is locked";
	if (w->started)
		return "an access epoch of MPI_Win_start is open";
	/* relaxed: only an argument check */
	if (w->fence && weft_load32_relaxed(&w->used))
		return "accesses since the last MPI_Win_fence are not complete";
	return NULL;
}

const char *weft_win_no_end(const struct weft_win *w)
{
	const char *why = weft_win_why_no_fence(w);

	if (!why && w->fence && weft_load32_relaxed(&w->used))
		why = "accesses since the last MPI_Win_fence are not complete";
	return why;
}
