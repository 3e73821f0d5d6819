/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting by a waiter (src/os/waiter.h), which blocks in ppoll on the socket
 * and on the eventfd that wake writes to, until the time when poll is needed.
 *
 * A thread may block here while another thread sends, which may make a poll
 * necessary earlier:
 *
 *   Waiting thread                    Sender
 *     until = time of its wake-up       due = time when poll is needed
 *     fence (F0)                        fence (F1)
 *     load due                          load until: later? wake
 *     ppoll
 *
 * Either the waiting thread reads the new due, or the sender reads until.
 */
#include "prov/carrier/sock/sock.h"
#include "src/base/clock.h"
#include "src/os/wait_fd.h"

#include <errno.h>

int sock_wait_init(struct sock *s, const struct weft_carrier_attr *attr)
{
	struct sock_waiter *b = &s->waiter;

	s->base.extra_fd = -1;
	b->epoll = -1;
	b->timer = -1;
	weft_waiter_init(&b->base, WEFT_WAIT_SOCK, attr->spin_ns);
	atomic_init(&b->due_ns, UINT64_MAX);
	b->event = weft_event_fd_open();
	return b->event < 0 ? b->event : 0;
}

void sock_wait_fini(struct sock *s)
{
	struct sock_waiter *b = &s->waiter;

	weft_fd_close(&b->epoll);
	weft_fd_close(&b->timer);
	weft_fd_close(&b->event);
}

void sock_wait_due(struct sock *s, uint64_t at_ns)
{
	struct sock_waiter *b = &s->waiter;
	uint64_t until;

	/* relaxed: one writer at a time, ordered by F1 */
	if (weft_load64_relaxed(&b->due_ns) == at_ns)
		return;
	weft_store64_relaxed(&b->due_ns, at_ns);
	/* F1 pairs with F0 in wait_block() and sock_arm(). */
	weft_fence_full();
	until = weft_load64(&b->until_ns);
	if (until <= at_ns)
		return;
	weft_event_fd_set(b->event);
	/* the epoll descriptor stays readable until it is armed again */
	if (weft_load32(&b->armed)) {
		weft_store32(&b->armed, 0);
		weft_store64(&b->until_ns, 0);
	}
}

void sock_wait_due_earlier(struct sock *s, uint64_t at_ns)
{
	/* relaxed: one writer at a time, which holds the lock */
	if (at_ns < weft_load64_relaxed(&s->waiter.due_ns))
		sock_wait_due(s, at_ns);
}

/* Returns whether poll is needed now, or wake was called. */
static bool wait_is_done(struct sock_waiter *b, uint64_t now)
{
	if (weft_load64(&b->due_ns) <= now)
		return true;
	return weft_waiter_woken(&b->base);
}

/*
 * Waits for at most ns; returns whether the socket is readable or wake was
 * called.
 */
static bool wait_poll(struct sock *s, uint64_t ns)
{
	struct pollfd fd[4] = { { .fd = s->fd, .events = POLLIN },
				{ .fd = s->waiter.event, .events = POLLIN },
				{ .fd = s->base.extra_fd, .events = POLLIN },
				{ .fd = s->stream.epoll, .events = POLLIN } };

	if (!weft_fd_poll(fd, 4, ns))
		return false;
	if (fd[1].revents)
		weft_event_fd_clear(s->waiter.event);
	return true;
}

static bool wait_check(void *arg, uint64_t now)
{
	struct sock *s = arg;

	if (wait_is_done(&s->waiter, now) || wait_poll(s, 0))
		return true;
	/* relaxed: a hint; a store into watched memory sends no wake-up */
	if (weft_likely(!weft_load64_relaxed(&s->waiter.watching)))
		return false;
	weft_wait_policy_release_cpu();
	return true;
}

static bool wait_block(void *arg, uint64_t now, uint64_t ns)
{
	struct sock *s = arg;
	struct sock_waiter *b = &s->waiter;
	uint64_t until = weft_wait_end(now, ns);
	uint64_t due;
	bool done;

	weft_store64(&b->until_ns, until);
	/* F0 pairs with F1 in sock_wait_due() and in sock_wake(). */
	weft_fence_full();
	due = weft_load64(&b->due_ns);
	done = wait_is_done(b, now);
	if (!done) {
		weft_waiter_count(&b->base);
		done = wait_poll(s, weft_wait_earlier(until, due) - now);
	}
	weft_store64(&b->until_ns, 0);
	return done || wait_is_done(b, weft_now_ns());
}

static const struct weft_waiter_ops wait_ops = { wait_check, wait_block };

int sock_wait(struct weft_carrier *c, uint64_t timeout_ns)
{
	struct sock *s = sock_of(c);

	if (wait_check(s, weft_now_ns()))
		return 0;
	return weft_waiter_wait(&s->waiter.base, &wait_ops, s, timeout_ns);
}

void sock_wake(struct weft_carrier *c)
{
	struct sock_waiter *b = &sock_of(c)->waiter;

	weft_store32(&b->base.woken, 1);
	/* F1: store, then load, as in sock_wait_due(). */
	weft_fence_full();
	if (weft_load64(&b->until_ns) || weft_load32(&b->armed))
		weft_event_fd_set(b->event);
}

static int wait_fd_open(struct sock *s)
{
	struct sock_waiter *b = &s->waiter;

	if (b->epoll >= 0)
		return b->epoll;
	b->timer = weft_timer_fd_open();
	b->epoll = weft_epoll_open(
		(int[]){ s->fd, b->timer, b->event, s->stream.epoll },
		s->stream.on ? 4 : 3);
	if (b->epoll >= 0)
		return b->epoll;
	weft_fd_close(&b->timer);
	b->epoll = -1;
	return -EMFILE;
}

/*
 * Returns one descriptor for the socket, wake() and the time when poll is
 * needed. The waiting thread may call it concurrently with the caller.
 */
int sock_wait_fd(struct weft_carrier *c)
{
	struct sock *s = sock_of(c);
	int fd;

	pthread_mutex_lock(&s->progress.lock);
	fd = wait_fd_open(s);
	pthread_mutex_unlock(&s->progress.lock);
	return fd;
}

int sock_arm(struct weft_carrier *c)
{
	struct sock *s = sock_of(c);
	struct sock_waiter *b = &s->waiter;
	uint64_t now = weft_now_ns();
	uint64_t due;

	if (sock_wait_fd(c) < 0)
		return -EOPNOTSUPP;
	weft_event_fd_clear(b->event);
	if (weft_waiter_full(&b->base) || wait_is_done(b, now))
		return -EAGAIN;
	weft_store32(&b->armed, 1);
	weft_store64(&b->until_ns, UINT64_MAX);
	/* F0 pairs with F1 in sock_wait_due() and in sock_wake(). */
	weft_fence_full();
	due = weft_load64(&b->due_ns);
	weft_store64(&b->until_ns, due);
	if (!wait_is_done(b, now) && !wait_poll(s, 0)) {
		weft_timer_fd_set(b->timer, due == UINT64_MAX ? 0 : due, 0);
		return 0;
	}
	weft_store32(&b->armed, 0);
	weft_store64(&b->until_ns, 0);
	return -EAGAIN;
}
