/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records which MPI call each thread is executing. A function of src/mpi begins
 * with MPI_ENTER (mpi_export.h), which writes the number of the function's name
 * to the job status page (src/job/job_page.h) and restores the previous value
 * on every return path. mpiexec reads the page when a rank has died.
 *
 * The fast path has only a few instructions: load the number, load and store
 * the word. A call site whose `id` is 0 takes the slow path: at its first call,
 * and at every call while several threads may be in MPI or calls are timed (the
 * number is then only in site->given). On the slow path, calls that are made
 * during another call (by a user's callback) are attributed to the outermost
 * call.
 */
#ifndef WEFT_DIAG_CALL_H
#define WEFT_DIAG_CALL_H

#include "src/base/atomic.h"
#include "src/base/attr.h"

#include <stdbool.h>
#include <stddef.h>

struct weft_job_page;
/*
 * Returns whether Weft's mpiexec started this process; mpiexec then reports why
 * the job ended.
 */
bool weft_call_has_launcher(void);

/* Notifies mpiexec that this process is ended by a fault plan. */
void weft_call_mark_failed(void);

/*
 * Notifies mpiexec that this process was connected to other jobs and has
 * disconnected, or that it has connected again.
 */
void weft_call_set_apart(bool apart);

/* A call site: each MPI function has one static object. */
struct weft_call_site {
	const char *name; /* name of the function, for example "PMPI_Send" */
	/* number of the name for the fast path; 0: take the slow path */
	weft_au32 id;
	weft_au32 given; /* number of the name; 0: not assigned yet */
};

struct weft_call {
	/* word of the thread; NULL: the call took the slow path */
	weft_au32 *slot;
	uint32_t before;
};

/*
 * Word of the job status page that the fast path writes; while the fast path is
 * used, only one thread makes MPI calls.
 */
extern weft_au32 *weft_call_slot WEFT_HIDDEN;

/*
 * Slow path of weft_call_enter(). Not inlined, but hot, because every timed
 * call takes it.
 */
struct weft_call
weft_call_enter_slow(struct weft_call_site *site) WEFT_NOINLINE WEFT_HOT;
void weft_call_leave_slow(void) WEFT_NOINLINE WEFT_HOT;

WEFT_INLINE struct weft_call weft_call_enter(struct weft_call_site *site)
{
	/* relaxed: a number never changes, and no other data depends on it */
	uint32_t id = weft_load32_relaxed(&site->id);
	struct weft_call c;

	if (weft_unlikely(!id))
		return weft_call_enter_slow(site);
	c.slot = weft_call_slot;
	/*
	 * relaxed: only this thread writes the word; other processes only read
	 * it
	 */
	c.before = weft_load32_relaxed(c.slot);
	weft_store32_relaxed(c.slot, id);
	return c;
}

WEFT_INLINE void weft_call_leave(const struct weft_call *c)
{
	if (weft_likely(c->slot != NULL))
		/* relaxed: as in weft_call_enter() */
		weft_store32_relaxed(c->slot, c->before);
	else
		weft_call_leave_slow();
}

/*
 * Called by MPI_Init. threads: several threads may be in MPI concurrently.
 * clock: returns the current time in ps, with which calls are timed for the
 * report; NULL: calls are not timed.
 */
void weft_call_start(bool threads, uint64_t (*clock)(void));
/* Stops timing and records the end time; called before the clock is closed. */
void weft_call_stop(void);
/* Continues recording after weft_call_stop() or weft_call_finish(). */
void weft_call_resume(void);
/* Records that no other rank needs this rank any more. */
void weft_call_finish(void);

/* Description of a call for the trace; see src/job/job_trace_layout.h. */
struct weft_call_mark {
	uint64_t word;	    /* TRACE_COLL(), _ACCESS() or _P2P(), or 0 */
	uint64_t size;	    /* bytes of the call's data + 1, or 0: no data */
	uint32_t root;	    /* root + 1, or 0: no root */
	uint32_t root_rank; /* rank of the root in the job, for a collective */
};

/*
 * Called at the end of each timed call. mark: the data passed to
 * weft_call_mark() during the call, or zeros.
 */
typedef void (*weft_call_trace_fn)(uint32_t id, uint64_t since, uint64_t until,
				   const struct weft_call_mark *mark);
struct trace_open;
/*
 * Sets the trace callback; called before weft_call_start(). seen(): the
 * callback, which must count the calls itself, since the counting for the
 * report is disabled; NULL: no trace. counter: whether `since` and `until` are
 * values of weft_counter(); otherwise they are times of the clock. open: array
 * of TRACE_THREADS entries for the current call of each thread, or NULL.
 */
void weft_call_set_trace(weft_call_trace_fn seen, bool counter,
			 struct trace_open *open);
void weft_call_mark(const struct weft_call_mark *mark);

/*
 * Writes the name of the MPI call that this process is executing ("MPI_Recv"),
 * or the names of the calls of all its threads; "" if there is none. Returns
 * text.
 */
const char *weft_call_text(char *text, size_t len);

/* Returns whether WEFT_REPORT=1 or mpiexec --report requests the report. */
bool weft_call_report_requested(void);
/*
 * Returns the launcher's job status page and this rank's index in it, or NULL
 * without a launcher.
 */
struct weft_job_page *weft_call_job_page(uint32_t *me_p);
/*
 * Returns the version of the launcher's page if it differs from this library's
 * version, otherwise 0.
 */
uint32_t weft_call_refused_page(void);
/* Prints the report of this process if no launcher prints it. */
void weft_call_print(const char *clock);
/*
 * Adds text to the report that mpiexec prints at the end of the job. Without
 * mpiexec the text is printed immediately.
 */
void weft_call_report(const char *text);

#endif
