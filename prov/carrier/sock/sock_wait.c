/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting: spin on the socket briefly, then block in ppoll on the socket and on
 * the eventfd that wake writes to, until the time when poll is needed, a tenth
 * of a second at most.
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
#include "src/os/waiter.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define WAIT_SPIN_NS	 UINT64_C(20000)
#define WAIT_SLICE_NS	 UINT64_C(100000000)
#define WAIT_ROOM_NS	 UINT64_C(1000000)
#define WAIT_ROOM_YIELDS 100

int sock_wait_init(struct sock *s, const struct weft_carrier_attr *attr)
{
	struct sock_waiter *b = &s->waiter;

	s->base.extra_fd = -1;
	b->epoll = -1;
	b->timer = -1;
	b->spin_ns = attr->spin_ns ? attr->spin_ns : WAIT_SPIN_NS;
	if (b->spin_ns == 1)
		b->spin_ns = 0;
	atomic_init(&b->due_ns, UINT64_MAX);
	b->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return b->event < 0 ? -errno : 0;
}

void sock_wait_fini(struct sock *s)
{
	struct sock_waiter *b = &s->waiter;

	if (b->epoll >= 0)
		close(b->epoll);
	if (b->timer >= 0)
		close(b->timer);
	if (b->event >= 0)
		close(b->event);
	b->epoll = b->timer = b->event = -1;
}

static uint64_t wait_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void wait_notify(struct sock_waiter *b)
{
	uint64_t one = 1;

	/* EAGAIN means that the counter is full: the eventfd is readable. */
	if (write(b->event, &one, sizeof(one)) < 0)
		return;
}

static void wait_drain_event(struct sock_waiter *b)
{
	uint64_t sink;

	if (read(b->event, &sink, sizeof(sink)) < 0)
		return;
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
	wait_notify(b);
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
	return weft_load32(&b->woken) && weft_swap32(&b->woken, 0);
}

/*
 * Waits for at most ns; returns whether the socket is readable or wake was
 * called.
 */
static bool wait_poll(struct sock *s, uint64_t ns)
{
	struct pollfd fd[3] = { { .fd = s->fd, .events = POLLIN },
				{ .fd = s->waiter.event, .events = POLLIN },
				{ .fd = s->base.extra_fd, .events = POLLIN } };
	struct timespec ts = { .tv_sec = (time_t)(ns / 1000000000u),
			       .tv_nsec = (long)(ns % 1000000000u) };

	if (ppoll(fd, 3, &ts, NULL) <= 0)
		return false;
	if (fd[1].revents)
		wait_drain_event(&s->waiter);
	return true;
}

static bool wait_spin(struct sock *s, uint64_t now, uint64_t end)
{
	uint64_t until = wait_min(now + s->waiter.spin_ns, end);

	for (; now < until; now = weft_now_ns()) {
		if (wait_poll(s, 0) || wait_is_done(&s->waiter, now))
			return true;
		sched_yield();
	}
	return false;
}

static bool wait_block(struct sock *s, uint64_t now, uint64_t end)
{
	struct sock_waiter *b = &s->waiter;
	uint64_t slice_end = weft_wait_end(now, weft_wait_slice(WAIT_SLICE_NS));
	uint64_t until = wait_min(end, slice_end);
	uint64_t due;
	bool done;

	weft_store64(&b->until_ns, until);
	/* F0 pairs with F1 in sock_wait_due() and in sock_wake(). */
	weft_fence_full();
	due = weft_load64(&b->due_ns);
	done = wait_is_done(b, now);
	if (!done) {
		/* relaxed: a statistic */
		atomic_fetch_add_explicit(&b->sleeps, 1, memory_order_relaxed);
		done = wait_poll(s, wait_min(until, due) - now);
	}
	weft_store64(&b->until_ns, 0);
	return done || wait_is_done(b, weft_now_ns());
}

/*
 * Waits for space in the send window, which no event reports: yields, later
 * blocks briefly; the caller retries.
 */
static int wait_room(struct sock *s, uint64_t timeout_ns)
{
	if (s->waiter.room_waits++ < WAIT_ROOM_YIELDS)
		sched_yield();
	else
		wait_poll(s, wait_min(timeout_ns, WAIT_ROOM_NS));
	return 0;
}

int sock_wait(struct weft_carrier *c, uint64_t timeout_ns)
{
	struct sock *s = sock_of(c);
	struct sock_waiter *b = &s->waiter;
	uint64_t now = weft_now_ns();
	uint64_t end = weft_wait_end(now, timeout_ns);

	if (wait_is_done(b, now))
		return 0;
	if (weft_load32(&b->full) && weft_swap32(&b->full, 0))
		return wait_room(s, timeout_ns);
	b->room_waits = 0;
	if (wait_spin(s, now, end))
		return 0;
	/* relaxed: a hint; a store into watched memory wakes no thread */
	if (weft_load64_relaxed(&b->watching)) {
		sched_yield();
		return 0;
	}
	now = weft_now_ns();
	if (now < end && wait_block(s, now, end))
		return 0;
	return weft_now_ns() >= end ? -ETIMEDOUT : 0;
}

void sock_wake(struct weft_carrier *c)
{
	struct sock_waiter *b = &sock_of(c)->waiter;

	weft_store32(&b->woken, 1);
	/* F1: store, then load, as in sock_wait_due(). */
	weft_fence_full();
	if (weft_load64(&b->until_ns) || weft_load32(&b->armed))
		wait_notify(b);
}

static int wait_epoll_add(int epoll, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN };

	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &ev);
}

static int wait_fd_open(struct sock *s)
{
	struct sock_waiter *b = &s->waiter;

	if (b->epoll >= 0)
		return b->epoll;
	b->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	b->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (b->epoll >= 0 && b->timer >= 0 &&
	    !wait_epoll_add(b->epoll, s->fd) &&
	    !wait_epoll_add(b->epoll, b->timer) &&
	    !wait_epoll_add(b->epoll, b->event))
		return b->epoll;
	if (b->epoll >= 0)
		close(b->epoll);
	if (b->timer >= 0)
		close(b->timer);
	b->epoll = b->timer = -1;
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

static void wait_timer(struct sock_waiter *b, uint64_t at_ns)
{
	struct itimerspec timer = {
		.it_value = { .tv_sec = (time_t)(at_ns / 1000000000u),
			      .tv_nsec = (long)(at_ns % 1000000000u) }
	};

	timerfd_settime(b->timer, TFD_TIMER_ABSTIME, &timer, NULL);
}

int sock_arm(struct weft_carrier *c)
{
	struct sock *s = sock_of(c);
	struct sock_waiter *b = &s->waiter;
	uint64_t now = weft_now_ns();
	uint64_t due;

	if (sock_wait_fd(c) < 0)
		return -EOPNOTSUPP;
	wait_drain_event(b);
	if (weft_swap32(&b->full, 0) || wait_is_done(b, now))
		return -EAGAIN;
	weft_store32(&b->armed, 1);
	weft_store64(&b->until_ns, UINT64_MAX);
	/* F0 pairs with F1 in sock_wait_due() and in sock_wake(). */
	weft_fence_full();
	due = weft_load64(&b->due_ns);
	weft_store64(&b->until_ns, due);
	if (!wait_is_done(b, now) && !wait_poll(s, 0)) {
		wait_timer(b, due == UINT64_MAX ? 0 : due);
		return 0;
	}
	weft_store32(&b->armed, 0);
	weft_store64(&b->until_ns, 0);
	return -EAGAIN;
}
