/* SPDX-License-Identifier: BSD-3-Clause */
/* Slow path of diag_call.h, and access to the job status page. */
#include "src/diag/diag_call.h"

#include "src/base/clock.h"
#include "src/job/job_page_print.h"
#include "src/job/job_trace_layout.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum timed { UNTIMED, CLOCK, COUNTER };

struct thread_state {
	/* word of the job status page; NULL: before this thread's first call */
	weft_au32 *slot;
	unsigned depth;
	uint32_t id;	/* number of the name of the outermost call */
	uint64_t since; /* time of entry, if timed, in ps or counter ticks */
	struct weft_call_mark mark;
	uint32_t index; /* index of the thread in the job status page */
	/* counters of the calls by name; NULL: calls are not counted */
	struct job_page_tally *tally;
	enum timed timed;
};

/* word used before the page is open, and if there is no memory for a word */
static weft_au32 dummy_slot;
WEFT_HOT_DATA weft_au32 *weft_call_slot = &dummy_slot;

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static struct weft_job_page job_page;
static uint32_t me; /* index of this rank in the page */
static bool shared; /* the page was created by the launcher */
/*
 * version of the launcher's page, if that differs from this library's version;
 * otherwise 0
 */
static uint32_t refused;
static weft_au32 thread_count;
/*
 * Thread-local data of this library uses the default (dynamic) model and has no
 * special alignment: dlopen() refuses a library whose initial-exec data does
 * not fit into the space left in the static TLS block (test/tools/dl_open.sh).
 */
static _Thread_local struct thread_state thread_state;

/* State that every call on the slow path reads, in one cache line. */
static WEFT_HOT_DATA struct {
	/* 1: MPI_Init has set the fields below */
	alignas(WEFT_CACHE_LINE) weft_au32 started;
	enum timed timed;
	bool multithreaded; /* several threads may be in MPI */
	bool counter;	    /* times are values of weft_counter() */
	uint64_t (*now)(void);
	weft_call_trace_fn seen;
	struct trace_open *open; /* the current call of each thread, or NULL */
} mode;

/*
 * Returns the value of an environment variable that is a small number, or -1.
 */
static long env_number(const char *name)
{
	const char *text = getenv(name);
	char *end;
	long n;

	if (!text || !*text)
		return -1;
	n = strtol(text, &end, 10);
	return *end || n < 0 || n > 1 << 24 ? -1 : n;
}

bool weft_call_report_requested(void)
{
	const char *text = getenv("WEFT_REPORT");

	return text && *text && strcmp(text, "0");
}

/* Attaches the launcher's page, or creates a private page. */
static void open_page(void)
{
	long fd = env_number("WEFT_JOB_PAGE"), rank = env_number("PMIX_RANK");

	if (fd >= 0 && rank >= 0)
		refused = weft_job_page_other((int)fd);
	if (fd >= 0 && rank >= 0 && !weft_job_page_attach(&job_page, (int)fd)) {
		me = (uint32_t)rank;
		shared = me < job_page.members;
		if (shared)
			goto found;
		weft_job_page_close(&job_page);
	}
	me = 0;
	if (weft_job_page_open(&job_page, 1, weft_call_report_requested()))
		return;
found:
	weft_call_slot = &weft_job_page_member(&job_page, me)->in[0];
}

/*
 * Assigns a number to the name of the function that the application has called;
 * the name has no leading P, as in "MPI_Send". Returns the number, or 0 without
 * a page.
 */
static WEFT_COLD uint32_t new_number(struct weft_call_site *site)
{
	const char *name = site->name + (site->name[0] == 'P');
	uint32_t id;

	pthread_once(&opened, open_page);
	if (!job_page.head)
		return 0;
	id = weft_job_page_id(&job_page, name);
	weft_store32_relaxed(&site->given, id); /* relaxed: see number_of() */
	return id;
}

/*
 * Returns the state of this thread. Without WEFT_KEEP, gcc would compute the
 * address again at each use, by a function call.
 */
WEFT_INLINE struct thread_state *this_thread(void)
{
	struct thread_state *l = &thread_state;

	WEFT_KEEP(l);
	return l;
}

static uint32_t number_of(struct weft_call_site *site)
{
	/* relaxed: all threads assign the same number to a name */
	uint32_t id = weft_load32_relaxed(&site->given);

	return id ? id : new_number(site);
}

static WEFT_COLD void open_thread_state(struct thread_state *l)
{
	uint32_t i;

	pthread_once(&opened, open_page);
	l->slot = &dummy_slot;
	if (!job_page.head)
		return;
	i = weft_add32(&thread_count, 1);
	if (i >= JOB_PAGE_THREADS)
		i = JOB_PAGE_THREADS - 1;
	l->index = i;
	l->slot = &weft_job_page_member(&job_page, me)->in[i];
	if (job_page.counted)
		l->tally = weft_job_page_call_count(&job_page, me, 0);
}

/* Returns whether the call site may take the fast path from now on. */
static bool may_take_fast_path(const struct thread_state *l)
{
	/* A1 pairs with R1 in weft_call_start(). */
	return weft_load32(&mode.started) && !mode.timed &&
	       !mode.multithreaded && !l->depth;
}

static void call_begin(struct thread_state *l, uint32_t id)
{
	weft_store32(l->slot, id);
	l->timed = weft_load32(&mode.started) ? mode.timed : UNTIMED;
	if (!l->timed)
		return;
	l->id = id;
	l->mark = (struct weft_call_mark){ 0 };
	l->since = l->timed == COUNTER ? weft_counter() : mode.now();
	if (mode.open) {
		/*
		 * R3 pairs with A3 in read_open() (tools/report/report.c): id
		 * is stored after since.
		 */
		weft_store64_relaxed(&mode.open[l->index].since,
				     l->since); /* relaxed: R3 follows */
		weft_store32(&mode.open[l->index].id, l->id);
	}
}

struct weft_call weft_call_enter_slow(struct weft_call_site *site)
{
	struct thread_state *l = this_thread();
	uint32_t id = number_of(site);

	if (id && may_take_fast_path(l)) {
		/* relaxed: see number_of() */
		weft_store32_relaxed(&site->id, id);
		return weft_call_enter(site);
	}
	if (!l->slot)
		open_thread_state(l);
	if (l->depth++ == 0)
		call_begin(l, id);
	return (struct weft_call){ NULL, 0 };
}

static void count(weft_au64 *sum, uint64_t more)
{
	if (mode.multithreaded)
		weft_add64(sum, more);
	else /* relaxed: other processes read the sum at the end of the job */
		weft_store64_relaxed(sum, weft_load64_relaxed(sum) + more);
}

static void diag_call_end(const struct thread_state *l)
{
	uint64_t until =
		l->timed == COUNTER ? weft_counter_after() : mode.now();

	if (mode.seen) {
		mode.seen(l->id, l->since, until, &l->mark);
		if (mode.open)
			weft_store32(&mode.open[l->index].id, 0);
		return;
	}
	count(&l->tally[l->id].count, 1);
	count(&l->tally[l->id].ps, until - l->since);
}

void weft_call_set_trace(weft_call_trace_fn seen, bool counter,
			 struct trace_open *open)
{
	mode.seen = seen;
	mode.counter = counter;
	mode.open = open;
}

void weft_call_mark(const struct weft_call_mark *mark)
{
	struct thread_state *l = this_thread();

	if (l->depth == 1)
		l->mark = *mark;
}

void weft_call_leave_slow(void)
{
	struct thread_state *l = this_thread();

	if (--l->depth)
		return;
	/* MPI_Init is not timed, because the clock changes during the call. */
	if (l->timed && weft_load32(&mode.started) && l->id)
		diag_call_end(l);
	weft_store32(l->slot, 0);
}

void weft_call_start(bool threads, uint64_t (*clock)(void))
{
	struct job_page_member *m;

	pthread_once(&opened, open_page);
	mode.multithreaded = threads;
	if (job_page.head)
		weft_store32(&weft_job_page_member(&job_page, me)->finished, 0);
	mode.now = job_page.head && job_page.counted ? clock : NULL;
	if (!mode.now) {
		mode.timed = UNTIMED;
	} else {
		mode.timed = mode.seen && mode.counter ? COUNTER : CLOCK;
		m = weft_job_page_member(&job_page, me);
		weft_store64(&m->begin_ps, mode.now());
		weft_store64(&m->end_ps, 0);
		weft_store32(&m->ended, 0);
	}
	/* R1 pairs with A1 in may_take_fast_path(). */
	weft_store32(&mode.started, 1);
}

void weft_call_stop(void)
{
	struct job_page_member *m;

	if (mode.now) {
		m = weft_job_page_member(&job_page, me);
		weft_store64(&m->end_ps, mode.now());
		/* R2 pairs with A2 in span_ps(), job_page_print.c. */
		weft_store32(&m->ended, 1);
	}
	weft_store32(&mode.started, 0);
}

void weft_call_resume(void)
{
	if (job_page.head)
		weft_store32(&weft_job_page_member(&job_page, me)->finished, 0);
	weft_store32(&mode.started, 1);
}

void weft_call_finish(void)
{
	pthread_once(&opened, open_page);
	if (job_page.head)
		weft_store32(&weft_job_page_member(&job_page, me)->finished, 1);
}

void weft_call_mark_failed(void)
{
	pthread_once(&opened, open_page);
	if (job_page.head)
		weft_store32(&weft_job_page_member(&job_page, me)->failed, 1);
}

void weft_call_set_apart(bool apart)
{
	pthread_once(&opened, open_page);
	if (job_page.head)
		weft_store32(&weft_job_page_member(&job_page, me)->apart,
			     apart);
}

struct weft_job_page *weft_call_job_page(uint32_t *me_p)
{
	pthread_once(&opened, open_page);
	*me_p = me;
	return shared ? &job_page : NULL;
}

uint32_t weft_call_refused_page(void)
{
	pthread_once(&opened, open_page);
	return refused;
}

bool weft_call_has_launcher(void)
{
	pthread_once(&opened, open_page);
	return shared;
}

const char *weft_call_text(char *text, size_t len)
{
	pthread_once(&opened, open_page);
	if (!weft_job_page_in(&job_page, me, text, len))
		text[0] = '\0';
	return text;
}

void weft_call_report(const char *text)
{
	pthread_once(&opened, open_page);
	if (shared && job_page.counted)
		weft_job_page_text_add(&job_page, text);
	else
		fputs(text, stderr);
}

void weft_call_print(const char *clock)
{
	if (!shared && job_page.head && job_page.counted)
		weft_job_page_print(&job_page, clock, NULL, stderr);
}
