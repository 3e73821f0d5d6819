/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The progress loop and the ways to wait in it.
 *
 * Waiting polls first; after weft_core.spin empty polls it sleeps in
 * fi_cq_sread. Between hosts, where each poll is a system call, a sleep that
 * was longer than all of them makes them one fewer, a shorter one one more.
 * With several threads one of them sleeps there, the others on a condition
 * variable; whoever completes something wakes both.
 */
#include "src/core/core_progress.h"

#include "src/base/clock.h"
#include "src/base/log.h"
#include "src/base/must.h"
#include "src/base/solo.h"
#include "src/core/core_abort.h"
#include "src/core/core_fi.h"
#include "src/core/core_io.h"
#include "src/core/core_lock.h"
#include "src/core/core_pend.h"
#include "src/core/core_req.h"
#include "src/core/core_state.h"
#include "src/core/core_world.h"

#include <errno.h>
#include <rdma/fi_errno.h>
#include <time.h>

#define BATCH	      16
#define PEND_MS	      1	 /* something waits for room below */
#define JOIN_MS	      20 /* a route is being joined */
#define FOREVER	      -1
#define WATCHERS      2
#define DEAR_SHORT_NS 6000 /* as long as all the looks that are dear */

static struct weft_list incoming = { &incoming, &incoming };
static struct weft_list running = { &running, &running }; /* the stepper's */
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static unsigned waiters;	 /* threads on the condition */
static bool sleeper;		 /* a thread is in fi_cq_sread */
static struct weft_idle *asleep; /* what threads that sleep wait for */
static struct weft_solo stepper; /* one thread runs the steps */
static const struct weft_watcher *watcher[WATCHERS + 1];

/* ---- who watches -------------------------------------------------------- */

void weft_progress_watch(const struct weft_watcher *w)
{
	int i = 0;

	while (watcher[i] && watcher[i] != w)
		i++;
	weft_must(i < WATCHERS);
	watcher[i] = w;
}

/* How long the longest sleep is; the last place of the table is empty. */
static int watch_ms(void)
{
	int ms = FOREVER;

	for (int i = 0; watcher[i]; i++) {
		if (watcher[i]->look && (ms < 0 || watcher[i]->ms < ms))
			ms = watcher[i]->ms;
	}
	return ms;
}

static WEFT_COLD void tell_silent(void)
{
	for (int i = 0; watcher[i]; i++) {
		if (watcher[i]->look)
			watcher[i]->look();
	}
}

static WEFT_COLD void tell_stuck(void)
{
	for (int i = 0; watcher[i]; i++) {
		if (watcher[i]->stuck)
			watcher[i]->stuck(asleep);
	}
}

/* ---- completions -------------------------------------------------------- */

WEFT_INLINE void dispatch(const struct fi_cq_tagged_entry *e, ssize_t n)
{
	ssize_t i;

	for (i = 0; i < n; i++) {
		struct weft_io *io = e[i].op_context;

		io->done(io, &e[i], 0);
	}
}

/* One failed operation; 1, or 0 when another thread took it. */
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

static WEFT_COLD int odd_result(ssize_t n)
{
	if (n == -FI_EAVAIL)
		return dispatch_error();
	if (n == -EDEADLK)
		tell_stuck();
	if (n == -EHOSTDOWN)
		weft_world_halt();
	if (n != -FI_EINTR && n != -FI_ECANCELED && n != -FI_ETIMEDOUT)
		weft_core_abort(1, "the fabric failed: %s",
				fi_strerror(-(int)n));
	return 0;
}

/* What fi_cq_read or fi_cq_sread returned; the lock is held. */
WEFT_INLINE int dispatch_read(const struct fi_cq_tagged_entry *e, ssize_t n)
{
	if (n > 0) {
		dispatch(e, n);
		return (int)n;
	}
	return weft_likely(n == -FI_EAGAIN || n == 0) ? 0 : odd_result(n);
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

/* Something was completed: others may be waiting for it. */
static void wake_others(void)
{
	if (waiters)
		pthread_cond_broadcast(&woken);
	if (sleeper)
		fi_cq_signal(weft_core.cq);
}

void weft_progress_hurry(void)
{
	if (weft_unlikely(weft_threads) && sleeper)
		fi_cq_signal(weft_core.cq);
}

void weft_progress_note(void)
{
	/* relaxed: the lock orders it */
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

/* ---- requests that want to be stepped ----------------------------------- */

static void step_over(struct weft_req *r, int rc)
{
	weft_lock();
	weft_list_remove(&r->link);
	weft_add32(&weft_core.stepping, (uint32_t)-1);
	weft_req_complete(r, rc == 1 ? 0 : rc);
	wake_others();
	weft_unlock();
}

/* One pass over those that run; the caller is the stepper. */
static int step_all(void *arg)
{
	struct weft_list *pos, *tmp;
	int over = 0;

	weft_lock();
	weft_list_splice_back(&running, &incoming);
	weft_unlock();
	weft_list_each(pos, tmp, &running)
	{
		struct weft_req *r =
			weft_container_of(pos, struct weft_req, link);
		int rc = r->ops->step(r);

		if (!rc)
			continue;
		step_over(r, rc);
		over++;
	}
	return over;
}

/* Another thread may have completed what a step under way waits for. */
static int run_steps(void)
{
	return weft_solo_run(&stepper, step_all, NULL);
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

/* ---- the loop ----------------------------------------------------------- */

WEFT_INLINE int progress(void)
{
	/* relaxed: those that this thread's look completes */
	uint32_t before = weft_load32_relaxed(&weft_completed);
	int n;

	weft_lock();
	n = poll_cq();
	n += weft_load32_relaxed(&weft_completed) != before;
	if (weft_unlikely(weft_core.pending))
		n += weft_pend_retry();
	if (weft_unlikely(weft_threads) && n)
		wake_others();
	weft_unlock();
	/* relaxed: a look; the steps themselves take the lock */
	if (weft_unlikely(weft_load32_relaxed(&weft_core.stepping)))
		n += run_steps();
	/* relaxed: likewise */
	if (weft_unlikely(weft_load32_relaxed(&weft_req_orphans)))
		weft_req_free_orphans();
	return n;
}

int weft_progress(void)
{
	return progress();
}

/* Sleeps in the completion queue; the lock is held and released meanwhile. */
static void sleep_in_cq(uint32_t mark, int timeout_ms)
{
	struct fi_cq_tagged_entry e[BATCH];
	ssize_t n;

	/* Nobody looks now and then: one who died may be waited for now. */
	if (weft_unlikely(weft_core.virt))
		tell_silent();
	sleeper = true;
	weft_unlock();
	n = fi_cq_sread(weft_core.cq, e, BATCH, NULL, timeout_ms);
	weft_lock();
	sleeper = false;
	dispatch_read(e, n);
	if (weft_unlikely(n == -FI_EAGAIN &&
			  weft_load32(&weft_completed) == mark))
		tell_silent();
	if (weft_unlikely(weft_threads) && waiters)
		pthread_cond_broadcast(&woken);
}

/*
 * Sleeps while another thread does so in the queue. Whoever completes something
 * wakes all, and so does that thread when it leaves, for one of them to follow.
 */
static void sleep_beside(int timeout_ms)
{
	struct timespec t;

	waiters++;
	if (timeout_ms < 0) {
		pthread_cond_wait(&woken, &weft_big_lock);
	} else {
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
		t.tv_sec += timeout_ms / 1000 + t.tv_nsec / 1000000000;
		t.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&woken, &weft_big_lock, &t);
	}
	waiters--;
}

/*
 * Live, what waits for room, or for a route, is looked after now and then. In
 * virtual time the provider ends the sleep in both cases, and a time-out would
 * keep it from seeing a deadlock; time would jump there, too.
 */
WEFT_HOT int weft_progress_timeout(int timeout_ms)
{
	if (weft_core.virt && !weft_threads)
		return FOREVER;
	if (weft_core.pending)
		return PEND_MS;
	if (weft_core.joining && (timeout_ms < 0 || timeout_ms > JOIN_MS))
		return JOIN_MS;
	return timeout_ms;
}

void weft_progress_sleep(uint32_t mark, int timeout_ms)
{
	weft_lock();
	if (weft_load32(&weft_completed) != mark) {
		weft_unlock();
		return;
	}
	if (!weft_core.can_sleep) {
		weft_unlock();
		weft_patience_give();
		return;
	}
	timeout_ms = weft_progress_timeout(timeout_ms);
	if (sleeper)
		sleep_beside(timeout_ms);
	else
		sleep_in_cq(mark, timeout_ms < 0 ? watch_ms() : timeout_ms);
	weft_unlock();
}

void weft_idle_show(struct weft_idle *w)
{
	weft_lock();
	w->next = asleep;
	asleep = w;
	weft_unlock();
}

void weft_idle_hide(struct weft_idle *w)
{
	struct weft_idle **p;

	weft_lock();
	for (p = &asleep; *p != w;)
		p = &(*p)->next;
	*p = w->next;
	weft_unlock();
}

/* In virtual time a look in vain is a short sleep. */
static WEFT_COLD void poll_shown(struct weft_req *const *req, int nreq,
				 bool any)
{
	struct weft_idle w = weft_idle_begin(req, nreq, any);

	weft_idle_show(&w);
	progress();
	weft_idle_hide(&w);
}

void weft_progress_poll(struct weft_req *const *req, int nreq, bool any)
{
	static _Thread_local unsigned vain;
	unsigned tests;

	if (weft_unlikely(weft_core.virt)) {
		poll_shown(req, nreq, any);
		return;
	}
	tests = weft_patience_of(&weft_core.patience)->look.tests;
	if (progress() || !tests || ++vain < tests)
		return;
	vain = 0;
	weft_patience_give();
}

/* Whether looking on instead would have been better than such a sleep. */
static void sleep_learn(uint64_t ns)
{
	/* relaxed: an estimate */
	uint32_t looks = weft_load32_relaxed(&weft_core.spin);

	if (ns >= DEAR_SHORT_NS)
		looks -= looks ? 1 : 0;
	else if (looks < WEFT_DEAR_LOOKS)
		looks++;
	weft_store32_relaxed(&weft_core.spin, looks);
}

static void sleep_on(struct weft_idle *w)
{
	uint64_t then = weft_core.looks_dear ? weft_now_ns() : 0;

	weft_idle_show(w);
	weft_progress_sleep(w->mark, FOREVER);
	weft_idle_hide(w);
	if (then)
		sleep_learn(weft_now_ns() - then);
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

WEFT_INLINE void idle_turn(struct weft_idle *w)
{
	if (progress())
		w->left = weft_load32_relaxed(&weft_core.spin);
	else if (w->left)
		w->left--;
	else
		sleep_on(w);
	w->mark = weft_load32(&weft_completed);
}

void weft_idle_turn(struct weft_idle *w)
{
	idle_turn(w);
}

void weft_progress_wait(struct weft_req *r)
{
	struct weft_idle w = weft_idle_begin(&r, 1, false);

	while (!weft_req_is_done(r))
		idle_turn(&w);
}
