/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How threads wait for completions. A packet is received only by a thread that
 * polls the carriers. So one of the threads that wait in a domain is the
 * leader: it blocks in the carrier and makes progress when it is woken. The
 * others are followers: they block on an event word. A thread that completes
 * an operation of a watched queue wakes the leader and the followers; a leader
 * whose wait is complete wakes the followers, one of which becomes the leader.
 * With automatic progress the domain's progress thread is always the leader.
 *
 * With one endpoint the leader uses the carrier's wait (spin, yield, futex);
 * with several it polls their descriptors; with none it waits on the event
 * word.
 */
#include "prov/ofi/queue/weft_wait.h"
#include "prov/ofi/ep/weft_progress.h"
#include "src/base/clock.h"
#include "src/base/log.h"
#include "src/base/must.h"
#include "src/os/event_word.h"
#include "src/os/wait_fd.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/epoll.h>

#define NS_PER_MS 1000000u

/* longest wait, ns, if one of several carriers has no descriptor */
#define BLIND_NS 50000u

struct weft_wait {
	struct weft_event event; /* event word on which the followers block */
	bool leading;		 /* a leader exists */
	bool kicked;		 /* the leader has been woken */
	uint64_t leader_waits;	 /* number of completed waits of leaders */
	/* epoll descriptor of event_fd and all carriers; -1: not needed yet */
	int epoll_fd;
	int event_fd;
	pthread_t thread; /* progress thread */
	bool started;
	bool stop;
};

/*
 * Returns the time by which deadlines are measured, ns: of the endpoint's
 * virtual clock, if it has one, otherwise of the host.
 */
static uint64_t clock_ns(struct weft_domain *d)
{
	struct weft_carrier *c = d && d->ep_count ? d->eps[0]->carrier : NULL;

	return c ? c->ops->backend->now_ps(c, false) / 1000 : weft_now_ns();
}

uint64_t weft_deadline(struct weft_domain *d, int timeout_ms)
{
	if (timeout_ms < 0)
		return UINT64_MAX;
	return clock_ns(d) + (uint64_t)timeout_ms * NS_PER_MS;
}

static uint64_t time_left(struct weft_domain *d, uint64_t deadline_ns)
{
	uint64_t now;

	if (deadline_ns == UINT64_MAX)
		return UINT64_MAX;
	now = clock_ns(d);
	return now < deadline_ns ? deadline_ns - now : 0;
}

/* ---- the domain's descriptor --------------------------------------------- */

static void watch_carrier(struct weft_wait *wt, struct weft_ep *ep)
{
	int fd = ep->carrier->ops->wait_fd(ep->carrier);

	if (fd >= 0 && weft_epoll_add(wt->epoll_fd, fd))
		weft_log(WEFT_LOG_WARN, "ofi: epoll_ctl failed: errno %d",
			 errno);
}

static int domain_fd(struct weft_domain *d)
{
	struct weft_wait *wt = d->wait;
	int err;

	if (wt->epoll_fd >= 0)
		return wt->epoll_fd;
	wt->event_fd = weft_event_fd_open();
	wt->epoll_fd = weft_epoll_open(&wt->event_fd, 1);
	if (wt->epoll_fd < 0) {
		err = wt->epoll_fd;
		weft_fd_close(&wt->event_fd);
		wt->epoll_fd = -1;
		return err;
	}
	for (size_t i = 0; i < d->ep_count; i++)
		watch_carrier(wt, d->eps[i]);
	return wt->epoll_fd;
}

/*
 * Arms all carriers. -EAGAIN: a packet has arrived. -EOPNOTSUPP: a carrier has
 * no descriptor.
 */
static int arm_carriers(struct weft_domain *d)
{
	int ret = 0;

	for (size_t i = 0; i < d->ep_count; i++) {
		struct weft_carrier *c = d->eps[i]->carrier;
		int err = c->ops->arm(c);

		if (err == -EAGAIN)
			return err;
		if (err)
			ret = err;
	}
	return ret;
}

/* ---- leader and followers ------------------------------------------------ */

static void wake_followers(struct weft_wait *wt)
{
	weft_event_notify_locked(&wt->event);
}

static void kick_leader(struct weft_domain *d)
{
	struct weft_wait *wt = d->wait;

	if (!wt->leading || wt->kicked)
		return;
	wt->kicked = true;
	for (size_t i = 0; i < d->ep_count; i++)
		d->eps[i]->carrier->ops->wake(d->eps[i]->carrier);
	if (wt->event_fd >= 0)
		weft_event_fd_set(wt->event_fd);
	wake_followers(wt);
}

/*
 * Blocks on the event word until the calling thread, a follower or the leader,
 * is woken, or until the time `left` (ns) has passed.
 */
static void wait_for_event(struct weft_domain *d, uint64_t left)
{
	struct weft_event *e = &d->wait->event;
	uint32_t seen = weft_event_prepare_wait(e, WEFT_EVENT_NOTIFY);

	weft_leave(d);
	weft_event_block(e, seen, left);
	weft_enter(d);
}

/*
 * Blocks until one of several carriers has a packet, the thread is woken, or
 * the time `left` (ns) has passed.
 */
static void wait_many(struct weft_domain *d, uint64_t left)
{
	struct weft_wait *wt = d->wait;
	int fd = domain_fd(d);
	int err = fd < 0 ? fd : arm_carriers(d);
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (err == -EAGAIN)
		return;
	if (err) {
		wait_for_event(d, left < BLIND_NS ? left : BLIND_NS);
	} else {
		weft_leave(d);
		weft_fd_poll(&p, 1, left);
		weft_enter(d);
	}
	if (wt->event_fd >= 0)
		weft_event_fd_clear(wt->event_fd);
}

/*
 * Blocks in the carrier of the only endpoint. Returns 0, also after the
 * timeout, for which the caller checks; or an error of the carrier, because
 * virtual time has ended; or -EAGAIN if a refused post may succeed now, since
 * only the caller can repeat it.
 */
static int wait_one(struct weft_domain *d, uint64_t left)
{
	struct weft_carrier *c = d->eps[0]->carrier;
	int ret;

	weft_leave(d);
	ret = c->ops->wait(c, left);
	weft_enter(d);
	return ret != -ETIMEDOUT ? ret : 0;
}

/*
 * Returns whether a device copy for an endpoint is outstanding: it completes
 * only in a poll.
 */
static bool must_poll(const struct weft_domain *d)
{
	for (size_t i = 0; i < d->ep_count; i++) {
		if (d->eps[i]->nic && weft_nic_fetching(d->eps[i]->nic))
			return true;
	}
	return false;
}

static int leader_wait(struct weft_domain *d, uint64_t left)
{
	struct weft_wait *wt = d->wait;
	int ret = 0;

	WEFT_ASSERT(!wt->leading);
	if (must_poll(d))
		return 0;
	wt->leading = true;
	wt->kicked = false;
	if (d->ep_count == 1)
		ret = wait_one(d, left);
	else if (d->ep_count)
		wait_many(d, left);
	else
		wait_for_event(d, left);
	wt->leading = false;
	wt->leader_waits++;
	return ret;
}

int weft_watch_wait(struct weft_watch *w, uint64_t deadline_ns)
{
	struct weft_domain *d = w->domain;
	uint64_t left = time_left(d, deadline_ns);
	int ret = 0;

	if (!left)
		return -ETIMEDOUT;
	w->watched++;
	/* with automatic progress the progress thread is the leader */
	if (d->auto_progress || d->wait->leading)
		wait_for_event(d, left);
	else
		ret = leader_wait(d, left);
	w->watched--;
	return ret;
}

void weft_watch_end(struct weft_watch *w)
{
	struct weft_wait *wt = w->domain->wait;

	if (!wt->leading)
		wake_followers(wt);
}

void weft_watch_wake(struct weft_watch *w)
{
	wake_followers(w->domain->wait);
	kick_leader(w->domain);
	if (!w->armed)
		return;
	w->armed = false;
	w->watched--;
	weft_event_fd_set(w->event_fd);
}

/* ---- descriptors of queues and counters ---------------------------------- */

static int watch_fd_open(struct weft_watch *w)
{
	int fd = domain_fd(w->domain);

	if (fd < 0)
		return fd;
	w->event_fd = weft_event_fd_open();
	w->epoll_fd = weft_epoll_open((int[]){ w->event_fd, fd }, 2);
	return w->epoll_fd < 0 ? w->epoll_fd : 0;
}

int weft_watch_open(struct weft_watch *w, struct weft_domain *d,
		    enum fi_wait_obj obj)
{
	int err = 0;

	*w = (struct weft_watch){
		.domain = d, .obj = obj, .event_fd = -1, .epoll_fd = -1
	};
	switch (obj) {
	case FI_WAIT_NONE:
	case FI_WAIT_UNSPEC:
	case FI_WAIT_YIELD:
		return 0;
	case FI_WAIT_FD:
		weft_enter(d);
		err = watch_fd_open(w);
		weft_leave(d);
		if (err)
			weft_watch_close(w);
		return err;
	default:
		weft_log(WEFT_LOG_INFO, "ofi: wait object %d is not supported",
			 (int)obj);
		return -ENOSYS;
	}
}

void weft_watch_close(struct weft_watch *w)
{
	weft_fd_close(&w->event_fd);
	weft_fd_close(&w->epoll_fd);
}

int weft_wait_control(enum fi_wait_obj obj, int fd, int command, void *arg)
{
	switch (command) {
	case FI_GETWAIT:
		if (obj != FI_WAIT_FD)
			return -FI_ENOSYS;
		*(int *)arg = fd;
		return 0;
	case FI_GETWAITOBJ:
		*(enum fi_wait_obj *)arg = obj;
		return 0;
	default:
		return -FI_ENOSYS;
	}
}

int weft_watch_control(struct weft_watch *w, int command, void *arg)
{
	return weft_wait_control(w->obj, w->epoll_fd, command, arg);
}

int weft_watch_arm(struct weft_watch *w)
{
	if (w->obj != FI_WAIT_FD)
		return 0;
	weft_event_fd_clear(w->event_fd);
	if (!w->armed) {
		w->armed = true;
		w->watched++;
	}
	/*
	 * a thread cannot block on a carrier without descriptor: the caller
	 * must retry
	 */
	return arm_carriers(w->domain) ? -EAGAIN : 0;
}

/* ---- endpoints and the progress thread ----------------------------------- */

void weft_wait_ep_added(struct weft_domain *d, struct weft_ep *ep)
{
	if (d->wait->epoll_fd >= 0)
		watch_carrier(d->wait, ep);
	/* the current leader does not wait on the new carrier */
	kick_leader(d);
}

void weft_wait_ep_removed(struct weft_domain *d, struct weft_ep *ep)
{
	struct weft_wait *wt = d->wait;
	uint64_t leader_waits = wt->leader_waits;
	int fd = ep->carrier->ops->wait_fd(ep->carrier);

	if (wt->epoll_fd >= 0 && fd >= 0)
		epoll_ctl(wt->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
	/* wait until no thread blocks in the carrier, which will be closed */
	while (wt->leading && wt->leader_waits == leader_waits) {
		ep->carrier->ops->wake(ep->carrier);
		kick_leader(d);
		weft_leave(d);
		sched_yield();
		weft_enter(d);
	}
}

static void *progress_thread(void *arg)
{
	struct weft_domain *d = arg;

	weft_enter(d);
	while (!d->wait->stop) {
		weft_domain_progress(d);
		/* notify the waiters of the end of virtual time */
		if (leader_wait(d, UINT64_MAX))
			wake_followers(d->wait);
	}
	weft_leave(d);
	return NULL;
}

int weft_wait_open(struct weft_domain *d)
{
	struct weft_wait *wt = calloc(1, sizeof(*wt));
	int err;

	if (!wt)
		return -ENOMEM;
	wt->epoll_fd = -1;
	wt->event_fd = -1;
	d->wait = wt;
	if (!d->auto_progress)
		return 0;
	err = pthread_create(&wt->thread, NULL, progress_thread, d);
	if (err) {
		weft_wait_close(d);
		return -err;
	}
	wt->started = true;
	return 0;
}

void weft_wait_close(struct weft_domain *d)
{
	struct weft_wait *wt = d->wait;

	if (!wt)
		return;
	if (wt->started) {
		weft_enter(d);
		wt->stop = true;
		kick_leader(d);
		weft_leave(d);
		pthread_join(wt->thread, NULL);
	}
	weft_fd_close(&wt->event_fd);
	weft_fd_close(&wt->epoll_fd);
	free(wt);
	d->wait = NULL;
}
