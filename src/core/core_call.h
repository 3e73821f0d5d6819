/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which MPI call each thread is in. A function of src/mpi begins with
 * MPI_ENTER (mpi_face.h), which writes the number of its name into the roll
 * (src/base/roll.h) and, when the function returns by whatever way, what stood
 * there before. mpiexec reads the roll when a rank has died.
 *
 * The usual case is a handful of instructions: load the number, load and store
 * the word. A site without a number takes the slow path: the first time, and
 * always while threads may meet or calls are timed (then numbers stay hidden
 * in site->given). Calls made inside a call (by a user's callback) belong to
 * the outermost one there.
 */
#ifndef WEFT_CORE_CALL_H
#define WEFT_CORE_CALL_H

#include "src/base/atomic.h"
#include "src/base/attr.h"

#include <stdbool.h>
#include <stddef.h>

struct weft_roll;
/* Did our own mpiexec start us? It says what ends a job, then. */
bool weft_call_watched(void);

/* One in each function. */
struct weft_call_site {
	const char *name; /* "PMPI_Send" */
	weft_au32 id;	  /* 0: the slow path */
	weft_au32 given;  /* number of the name, 0: not asked for yet */
};

struct weft_call {
	weft_au32 *slot; /* NULL: the slow path */
	uint32_t before;
};

/* Of the one thread that calls. */
extern weft_au32 *weft_call_slot WEFT_HIDDEN;

/* Far from the rest, but where calls are timed each of them comes here. */
struct weft_call
weft_call_enter_slow(struct weft_call_site *site) WEFT_APART WEFT_HOT;
void weft_call_leave_slow(void) WEFT_APART WEFT_HOT;

WEFT_INLINE struct weft_call weft_call_enter(struct weft_call_site *site)
{
	/* relaxed: numbers never change, and nothing is read behind them */
	uint32_t id = weft_load32_relaxed(&site->id);
	struct weft_call c;

	if (weft_unlikely(!id))
		return weft_call_enter_slow(site);
	c.slot = weft_call_slot;
	/* relaxed: one thread writes it, others only look */
	c.before = weft_load32_relaxed(c.slot);
	weft_store32_relaxed(c.slot, id);
	return c;
}

WEFT_INLINE void weft_call_leave(const struct weft_call *c)
{
	if (weft_likely(c->slot != NULL))
		/* relaxed: likewise */
		weft_store32_relaxed(c->slot, c->before);
	else
		weft_call_leave_slow();
}

/*
 * What MPI_Init decides: threads: several may be inside at once. clock: gives
 * the time of calls in ps, for the report; NULL: they are not timed.
 */
void weft_call_start(bool threads, uint64_t (*clock)(void));
/* Before the clock goes away; the time of all is written down. */
void weft_call_stop(void);
/* MPI_Finalize is through: the process may exit. */
void weft_call_finish(void);

/* What a call says of itself, for a trace: see src/base/trace_layout.h. */
struct weft_call_mark {
	uint64_t word;	    /* TRACE_COLL() and others; or 0 */
	uint64_t size;	    /* bytes of its data + 1; or 0 */
	uint32_t root;	    /* root + 1; or 0 */
	uint32_t root_rank; /* of a collective: its rank in the job */
};

/*
 * While calls are timed: seen() is called at the end of each, and adds them up
 * for the report; NULL: there is no trace. mark: what weft_call_mark() gave
 * within it, or zeros. open: places of TRACE_THREADS threads for the call that
 * each is in, or NULL. counter: since and until are those of weft_counter(),
 * else the clock's. Before weft_call_start().
 */
typedef void (*weft_call_seen)(uint32_t id, uint64_t since, uint64_t until,
			       const struct weft_call_mark *mark);
struct trace_open;
void weft_call_watch(weft_call_seen seen, bool counter,
		     struct trace_open *open);
void weft_call_mark(const struct weft_call_mark *mark);

/* The call this process is in, of several threads all of them: "MPI_Recv";
 * "" when in none. Returns text. */
const char *weft_call_text(char *text, size_t len);

/* The report is wanted (WEFT_REPORT=1, or mpiexec --report). */
bool weft_call_reported(void);
/* The launcher's roll, and my place in it; NULL: there is none. */
struct weft_roll *weft_call_roll(uint32_t *me_p);
/* Without a launcher that prints it: the report of this process alone. */
void weft_call_print(const char *clock);
/* Text for the report: printed at the end by mpiexec, or now. */
void weft_call_report(const char *text);

#endif
