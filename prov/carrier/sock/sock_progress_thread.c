/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Progress thread: acknowledges and retransmits while the caller does not poll,
 * that is, computes or waits elsewhere. It never delivers: the datagrams that
 * it reads are stored until the caller polls.
 *
 *   IDLE   nothing in flight and no recent traffic: blocked on the socket
 *          without timeout
 *   WATCH  traffic: checks every 5 ms whether the caller polls
 *   WORK   the caller does not poll: acknowledge, store, retransmit; blocked
 *          on the socket until the next retransmission is due
 *
 * Cost for the caller: one uncontended lock per call, and one write when the
 * first datagram is sent after an idle period.
 */
#include "prov/carrier/sock/sock.h"
#include "src/base/clock.h"
#include "src/os/wait_fd.h"

#include <signal.h>

#define PROGRESS_WATCH_NS UINT64_C(5000000)
#define PROGRESS_STACK	  (256u << 10)

enum progress_state { PROGRESS_IDLE, PROGRESS_WATCH, PROGRESS_WORK };

/*
 * A snapshot of the counters; two equal snapshots show that nothing happened in
 * between.
 */
struct progress_view {
	uint32_t caller_polls;
	uint32_t traffic;
};

/*
 * Blocks for ns, or until the socket (if fd is not -1) is readable or the
 * thread is notified. UINT64_MAX: no timeout.
 */
static void progress_block(struct sock_progress_thread *d, int fd, uint64_t ns)
{
	struct pollfd on[2] = { { .fd = d->event, .events = POLLIN },
				{ .fd = fd, .events = POLLIN } };

	if (weft_fd_poll(on, 2, ns) && on[0].revents)
		weft_event_fd_clear(d->event);
}

static struct progress_view progress_counters(struct sock *s)
{
	/* relaxed: counters that are compared with later values */
	return (struct progress_view){
		weft_load32_relaxed(&s->progress.caller_polls),
		weft_load32_relaxed(&s->progress.traffic),
	};
}

/*
 * Returns whether the caller is blocked in wait, which returns by itself when
 * poll is needed.
 */
static bool caller_is_blocked(struct sock *s)
{
	return weft_load64(&s->waiter.until_ns) &&
	       !weft_load32(&s->waiter.armed);
}

static enum progress_state progress_idle(struct sock *s)
{
	struct sock_progress_thread *d = &s->progress;

	weft_store32(&d->idle, 1);
	/*
	 * F2 pairs with F3 in sock_progress_thread_wake(): store idle, then
	 * load due; store due, then load idle.
	 */
	weft_fence_full();
	if (weft_load64(&s->waiter.due_ns) == UINT64_MAX)
		progress_block(d, s->fd, UINT64_MAX);
	weft_store32(&d->idle, 0);
	return PROGRESS_WATCH;
}

static enum progress_state progress_watch(struct sock *s)
{
	struct progress_view was = progress_counters(s);
	struct progress_view is;

	progress_block(&s->progress, -1, PROGRESS_WATCH_NS);
	is = progress_counters(s);
	if (is.caller_polls == was.caller_polls && !caller_is_blocked(s))
		return PROGRESS_WORK;
	if (is.traffic == was.traffic &&
	    weft_load64(&s->waiter.due_ns) == UINT64_MAX)
		return PROGRESS_IDLE;
	return PROGRESS_WATCH;
}

static enum progress_state progress_work(struct sock *s)
{
	struct progress_view was = progress_counters(s);
	uint64_t now;
	uint64_t due;
	bool dead;

	pthread_mutex_lock(&s->progress.lock);
	dead = s->dead;
	due = dead ? UINT64_MAX : sock_poll_pass_in_thread(s);
	pthread_mutex_unlock(&s->progress.lock);
	now = weft_now_ns();
	if (due > now)
		progress_block(&s->progress, dead ? -1 : s->fd,
			       due == UINT64_MAX ? due : due - now);
	return progress_counters(s).caller_polls == was.caller_polls
		       ? PROGRESS_WORK
		       : PROGRESS_WATCH;
}

static void *progress_main(void *arg)
{
	static enum progress_state (*const state[])(struct sock *) = {
		[PROGRESS_IDLE] = progress_idle,
		[PROGRESS_WATCH] = progress_watch,
		[PROGRESS_WORK] = progress_work,
	};
	struct sock *s = arg;
	enum progress_state now = PROGRESS_IDLE;

	while (!weft_load32(&s->progress.stop))
		now = state[now](s);
	return NULL;
}

/*
 * Starts the thread with all signals blocked, so that the application's
 * handlers do not run in it.
 */
static int progress_start(struct sock *s)
{
	struct sock_progress_thread *d = &s->progress;
	pthread_attr_t attr;
	sigset_t all, old;
	int err;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, PROGRESS_STACK);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&d->thread, &attr, progress_main, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	d->runs = !err;
	return -err;
}

int sock_progress_thread_open(struct sock *s)
{
	struct sock_progress_thread *d = &s->progress;

	d->event = weft_event_fd_open();
	return d->event < 0 ? d->event : progress_start(s);
}

void sock_progress_thread_close(struct sock *s)
{
	struct sock_progress_thread *d = &s->progress;

	if (d->runs) {
		weft_store32(&d->stop, 1);
		sock_progress_thread_notify(s);
		pthread_join(d->thread, NULL);
	}
	d->runs = false;
	weft_fd_close(&d->event);
}
