/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Progress loop, and waiting in it.
 *
 * A wait polls first; after weft_core.spin empty polls it blocks in
 * fi_cq_sread. Between hosts, where each poll is a system call, spin adapts: a
 * block that lasts longer than all polls decrements it, a shorter one
 * increments it. With several threads, one of them blocks in fi_cq_sread, the
 * others on an event word; a thread that completes a request wakes all of them.
 */
#include "src/msg/msg_progress.h"

#include "src/base/clock.h"
#include "src/base/log.h"
#include "src/base/must.h"
#include "src/os/coalesced_task.h"
#include "src/os/event_word.h"
#include "src/os/waiter.h"
#include "src/boot/boot_abort.h"
#include "src/core/core_fi.h"
#include "src/core/core_io.h"
#include "src/core/core_lock.h"
#include "src/msg/msg_retry.h"
#include "src/msg/msg_req.h"
#include "src/core/core_state.h"
#include "src/boot/boot_world.h"

#include <errno.h>
#include <rdma/fi_errno.h>

#define BATCH		 16
/* timeout in ms while operations are queued for retry */
#define PEND_MS		 1
#define JOIN_MS		 20 /* timeout in ms while a route is being joined */
#define FOREVER		 -1
#define WATCHERS	 3
/* duration of WEFT_SYSCALL_POLLS polls, in ns */
#define SYSCALL_POLLS_NS 6000

static struct weft_list incoming = { &incoming, &incoming };
/* requests being stepped; accessed by the stepping thread only */
static struct weft_list running = { &running, &running };
/* threads that block while another thread blocks in fi_cq_sread */
static struct weft_event others;
static bool cq_blocked;			/* a thread blocks in fi_cq_sread */
static struct weft_idle *blocked_waits; /* waits of the blocked threads */
/* ensures that one thread at a time runs the steps */
static struct weft_coalesced_task stepper;
static const struct weft_watcher *watcher[WATCHERS + 1];
/* number of operations that threads outside MPI execute */
static weft_au32 outside;
/* 1: the watchers must be called; counts as a stepped request */
static weft_au32 attention;

/* ---- watchers ------------------------------------------------------------ */

void weft_progress_add_watcher(const struct weft_watcher *w)
{
	int i = 0;

	while (watcher[i] && watcher[i] != w)
		i++;
	weft_must(i < WATCHERS);
	watcher[i] = w;
}

/*
 * Returns the timeout of a wait in ms: the shortest interval of the watchers.
 * The last entry of the table is NULL.
 */
static int watch_ms(void)
{
	int ms = FOREVER;

	for (int i = 0; watcher[i] && !weft_wait_is_unbounded(); i++) {
		if (watcher[i]->idle && (ms < 0 || watcher[i]->ms < ms))
			ms = watcher[i]->ms;
	}
	return ms;
}

static WEFT_COLD void call_idle_watchers(void)
{
	for (int i = 0; watcher[i]; i++) {
		if (watcher[i]->idle)
			watcher[i]->idle();
	}
}

static WEFT_COLD void call_stuck_watchers(void)
{
	for (int i = 0; watcher[i]; i++) {
		if (watcher[i]->stuck)
			watcher[i]->stuck(blocked_waits);
	}
}

/* ---- completions --------------------------------------------------------- */

WEFT_INLINE void dispatch(const struct fi_cq_tagged_entry *e, ssize_t n)
{
	ssize_t i;

	for (i = 0; i < n; i++) {
		struct weft_io *io = e[i].op_context;

		io->done(io, &e[i], 0);
	}
}

/* Handles one failed operation. Returns 1; 0: another thread has read it. */
static WEFT_COLD int dispatch_error(void)
{
	struct fi_cq_err_entry err = { 0 };
	struct fi_cq_tagged_entry e = { 0 };
	struct weft_io *io;

	if (fi_cq_readerr(weft_core.cq, &err, 0) < 1)
		return 0;
	io = err.op_context;
	if (!io) {
		weft_log(WEFT_LOG_WARN, "fabric: %s", fi_strerror(err.err));
		return 1;
	}
	e.op_context = err.op_context;
	e.flags = err.flags;
	e.len = err.len;
	e.tag = err.tag;
	e.data = err.data;
	io->done(io, &e, weft_fi_errno(-err.err));
	return 1;
}

static WEFT_COLD int handle_cq_error(ssize_t n)
{
	if (n == -FI_EAVAIL)
		return dispatch_error();
	if (n == -EDEADLK)
		call_stuck_watchers();
	if (n == -EHOSTDOWN)
		weft_world_halt();
	if (n != -FI_EINTR && n != -FI_ECANCELED && n != -FI_ETIMEDOUT)
		weft_core_abort(1, "the fabric failed: %s",
				fi_strerror(-(int)n));
	return 0;
}

/* Processes the result of fi_cq_read or fi_cq_sread; requires the lock. */
WEFT_INLINE int dispatch_read(const struct fi_cq_tagged_entry *e, ssize_t n)
{
	if (n > 0) {
		dispatch(e, n);
		return (int)n;
	}
	return weft_likely(n == -FI_EAGAIN || n == 0) ? 0 : handle_cq_error(n);
}

WEFT_INLINE int poll_cq(void)
{
	struct fi_cq_tagged_entry e[BATCH];

	return dispatch_read(e, fi_cq_read(weft_core.cq, e, BATCH));
}

void weft_progress_read(void)
{
	poll_cq();
}

/* Wakes other threads, which may wait for a request that was completed. */
static void wake_others(void)
{
	weft_event_notify_locked(&others);
	if (cq_blocked)
		fi_cq_signal(weft_core.cq);
}

void weft_progress_recheck(void)
{
	if (weft_unlikely(weft_threads) && cq_blocked)
		fi_cq_signal(weft_core.cq);
}

void weft_progress_notify(void)
{
	/* relaxed: ordered by the lock */
	weft_store32_relaxed(&weft_completed,
			     weft_load32_relaxed(&weft_completed) + 1);
	if (weft_unlikely(weft_threads))
		wake_others();
}

void weft_progress_wake(void)
{
	weft_lock();
	wake_others();
	weft_unlock();
}

void weft_progress_outside_begin(void)
{
	weft_add32(&outside, 1);
}

void weft_progress_outside_end(void)
{
	weft_add32(&outside, (uint32_t)-1);
}

void weft_progress_outside_event(void)
{
	if (weft_threads)
		weft_progress_wake();
}

/* ---- stepped requests ---------------------------------------------------- */

static void step_completed(struct weft_req *r, int rc)
{
	weft_lock();
	weft_list_remove(&r->link);
	weft_add32(&weft_core.stepping, (uint32_t)-1);
	weft_req_complete(r, rc == 1 ? 0 : rc);
	wake_others();
	weft_unlock();
}

/* Steps all registered requests once. Called by one thread at a time. */
static int step_all(void *arg)
{
	struct weft_list *pos, *tmp;
	int done = 0;

	weft_lock();
	weft_list_splice_back(&running, &incoming);
	weft_unlock();
	weft_list_each(pos, tmp, &running) {
		struct weft_req *r =
			weft_container_of(pos, struct weft_req, link);
		int rc = r->ops->step(r);

		if (!rc)
			continue;
		step_completed(r, rc);
		done++;
	}
	return done;
}

void weft_progress_attention(void)
{
	if (weft_swap32(&attention, 1))
		return;
	weft_add32(&weft_core.stepping, 1);
	if (weft_core.can_block)
		fi_cq_signal(weft_core.cq);
}

static WEFT_COLD void attend(void)
{
	weft_lock();
	if (weft_swap32(&attention, 0)) {
		weft_add32(&weft_core.stepping, (uint32_t)-1);
		call_idle_watchers();
		wake_others();
	}
	weft_unlock();
}

/*
 * Steps all requests in this thread. If another thread is already stepping,
 * that thread makes another pass instead, since this thread may have completed
 * an operation that a step waits for.
 */
static int run_steps(void)
{
	if (weft_unlikely(weft_load32(&attention)))
		attend();
	return weft_coalesced_task_run(&stepper, step_all, NULL);
}

void weft_progress_add(struct weft_req *r)
{
	weft_lock();
	weft_list_push_back(&incoming, &r->link);
	weft_add32(&weft_core.stepping, 1);
	weft_unlock();
	run_steps();
}

void weft_progress_add_held(struct weft_req *r)
{
	weft_list_push_back(&incoming, &r->link);
	weft_add32(&weft_core.stepping, 1);
}

/* ---- progress loop ------------------------------------------------------- */

WEFT_INLINE int progress(void)
{
	/* relaxed: counts the completions of this thread's poll */
	uint32_t before = weft_load32_relaxed(&weft_completed);
	int n;

	weft_lock();
	n = poll_cq();
	n += weft_load32_relaxed(&weft_completed) != before;
	if (weft_unlikely(weft_core.pending))
		n += weft_retry_run();
	if (weft_unlikely(weft_threads) && n)
		wake_others();
	weft_unlock();
	/* relaxed: only a hint; the steps take the lock */
	if (weft_unlikely(weft_load32_relaxed(&weft_core.stepping)))
		n += run_steps();
	/* relaxed: a hint */
	if (weft_unlikely(weft_load32_relaxed(&weft_req_orphans)))
		weft_req_free_orphans();
	return n;
}

int weft_progress(void)
{
	return progress();
}

/* Blocks in the completion queue; the lock is released meanwhile. */
static void block_in_cq(uint32_t mark, int timeout_ms)
{
	struct fi_cq_tagged_entry e[BATCH];
	ssize_t n;

	/*
	 * Check for dead peers before blocking, since there is no periodic
	 * check.
	 */
	if (weft_unlikely(weft_core.traits.waits_end))
		call_idle_watchers();
	cq_blocked = true;
	weft_unlock();
	n = fi_cq_sread(weft_core.cq, e, BATCH, NULL, timeout_ms);
	weft_lock();
	cq_blocked = false;
	dispatch_read(e, n);
	if (weft_unlikely(n == -FI_EAGAIN &&
			  weft_load32(&weft_completed) == mark))
		call_idle_watchers();
	if (weft_unlikely(weft_threads))
		weft_event_notify_locked(&others);
}

/*
 * Blocks while another thread blocks in the completion queue. A thread that
 * completes a request wakes all blocked threads. The thread that blocks in the
 * queue also wakes them when it leaves, so that one of them replaces it.
 */
static void block_behind_cq(int timeout_ms)
{
	uint32_t seen = weft_event_prepare_wait(&others, WEFT_EVENT_NOTIFY);

	weft_unlock();
	weft_event_block(&others, seen,
			 timeout_ms < 0 ? UINT64_MAX
					: (uint64_t)timeout_ms * WEFT_MS);
	weft_lock();
}

/*
 * In live mode, operations queued for retry and joins of routes are checked
 * periodically. In virtual time the provider ends the wait in both cases; a
 * timeout would prevent deadlock detection, and would advance virtual time.
 */
WEFT_HOT int weft_progress_timeout(int timeout_ms)
{
	if (weft_core.traits.waits_end && !weft_threads)
		return FOREVER;
	/* relaxed: the thread that began the work blocks for it */
	if (weft_core.pending || weft_load32_relaxed(&outside))
		return PEND_MS;
	if (weft_core.joining && (timeout_ms < 0 || timeout_ms > JOIN_MS))
		return JOIN_MS;
	return timeout_ms;
}

void weft_progress_block(uint32_t mark, int timeout_ms)
{
	weft_lock();
	if (weft_load32(&weft_completed) != mark) {
		weft_unlock();
		return;
	}
	if (!weft_core.can_block) {
		weft_unlock();
		weft_wait_policy_release_cpu();
		return;
	}
	timeout_ms = weft_progress_timeout(timeout_ms);
	if (cq_blocked)
		block_behind_cq(timeout_ms);
	else
		block_in_cq(mark, timeout_ms < 0 ? watch_ms() : timeout_ms);
	weft_unlock();
}

void weft_idle_register(struct weft_idle *w)
{
	weft_lock();
	w->next = blocked_waits;
	blocked_waits = w;
	weft_unlock();
}

void weft_idle_unregister(struct weft_idle *w)
{
	struct weft_idle **p;

	weft_lock();
	for (p = &blocked_waits; *p != w;)
		p = &(*p)->next;
	*p = w->next;
	weft_unlock();
}

/*
 * Polls with the requests registered for the deadlock report: an unsuccessful
 * poll blocks briefly.
 */
static WEFT_COLD void poll_registered(struct weft_req *const *req, int nreq,
				      bool any)
{
	struct weft_idle w = weft_idle_begin(req, nreq, any);

	weft_idle_register(&w);
	progress();
	weft_idle_unregister(&w);
}

void weft_progress_poll(struct weft_req *const *req, int nreq, bool any)
{
	static _Thread_local unsigned empty_polls;
	unsigned tests;

	if (weft_unlikely(weft_core.traits.reports_waits)) {
		poll_registered(req, nreq, any);
		return;
	}
	tests = weft_wait_policy_choose(&weft_core.policy)->spin.tests;
	if (progress() || !tests || ++empty_polls < tests)
		return;
	empty_polls = 0;
	weft_wait_policy_release_cpu();
}

/*
 * Adapts the number of polls, by comparing the duration of the block with that
 * of polling.
 */
static void adapt_spin(uint64_t ns)
{
	/* relaxed: an estimate */
	uint32_t spins = weft_load32_relaxed(&weft_core.spin);

	if (ns >= SYSCALL_POLLS_NS)
		spins -= spins ? 1 : 0;
	else if (spins < WEFT_SYSCALL_POLLS)
		spins++;
	weft_store32_relaxed(&weft_core.spin, spins);
}

static void block_registered(struct weft_idle *w)
{
	uint64_t start_ns = weft_core.polls_are_syscalls ? weft_now_ns() : 0;

	weft_idle_register(w);
	weft_progress_block(w->mark, FOREVER);
	weft_idle_unregister(w);
	if (start_ns)
		adapt_spin(weft_now_ns() - start_ns);
}

struct weft_idle weft_idle_begin(struct weft_req *const *req, int nreq,
				 bool any)
{
	return (struct weft_idle){ weft_load32_relaxed(&weft_core.spin),
				   weft_load32(&weft_completed),
				   req,
				   nreq,
				   any,
				   NULL,
				   0,
				   NULL };
}

WEFT_INLINE void idle_pass(struct weft_idle *w)
{
	if (progress())
		w->left = weft_load32_relaxed(&weft_core.spin);
	else if (w->left)
		w->left--;
	else
		block_registered(w);
	w->mark = weft_load32(&weft_completed);
}

void weft_idle_pass(struct weft_idle *w)
{
	idle_pass(w);
}

void weft_progress_wait(struct weft_req *r)
{
	struct weft_idle w = weft_idle_begin(&r, 1, false);

	while (!weft_req_is_done(r))
		idle_pass(&w);
}
