/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting for shared memory and for the socket. For some time after the
 * last packet, wait returns at once, so that the caller polls both carriers;
 * then it blocks like the shm carrier, and a thread that blocks on the socket,
 * the watcher, wakes it:
 *
 *   wait                               watcher
 *     sock arm, watch once (epoll)       epoll_wait
 *     shm wait ...                       shm wake
 *
 * Delivery of a datagram takes longer while a thread waits on the socket, so
 * the watcher is not started before it is needed.
 */
#include "prov/carrier/hybrid/hybrid.h"
#include "src/base/clock.h"
#include "src/os/wait_fd.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <unistd.h>

#define LOCAL_TIMES  weft_wait_times[WEFT_WAIT_LOCAL]
#define REMOTE_TIMES weft_wait_times[WEFT_WAIT_REMOTE]

#define WAIT_BUSY_YIELDS 64 /* yields instead of spins after a long yield */

#define WAIT_RETURN_MAX 3 /* immediate returns before the first yield */

/* longest wait without a watcher */
#define WAIT_UNWATCHED_NS UINT64_C(100000)

enum { WATCH_SOCK, WATCH_END };

/*
 * Waits for datagrams on the socket and wakes the thread in hybrid_wait(),
 * which polls.
 */
static void *watcher_main(void *arg)
{
	struct hybrid *b = arg;
	struct epoll_event ev;

	for (;;) {
		if (epoll_wait(b->watch_epoll, &ev, 1, -1) != 1)
			continue;
		if (ev.data.u32 == WATCH_END)
			return NULL;
		b->shm->ops->wake(b->shm);
	}
}

/*
 * Starts the watcher with all signals blocked: only the application's threads
 * handle signals.
 */
static int watch_start(struct hybrid *b)
{
	sigset_t all, old;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	ret = -pthread_create(&b->watcher, NULL, watcher_main, b);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	b->watches = !ret;
	return ret;
}

static int watch_open(struct hybrid *b)
{
	struct epoll_event end = { .events = EPOLLIN, .data.u32 = WATCH_END };
	struct epoll_event off = { .events = 0, .data.u32 = WATCH_SOCK };
	int sock = b->sock->ops->wait_fd(b->sock);

	b->watch_epoll = epoll_create1(EPOLL_CLOEXEC);
	b->watch_end = weft_event_fd_open();
	if (sock < 0 || b->watch_epoll < 0 || b->watch_end < 0 ||
	    epoll_ctl(b->watch_epoll, EPOLL_CTL_ADD, b->watch_end, &end) ||
	    epoll_ctl(b->watch_epoll, EPOLL_CTL_ADD, sock, &off))
		return -EMFILE;
	return watch_start(b);
}

static void watch_close(struct hybrid *b)
{
	if (b->watches) {
		weft_event_fd_set(b->watch_end);
		pthread_join(b->watcher, NULL);
	}
	b->watches = false;
	weft_fd_close(&b->watch_epoll);
	weft_fd_close(&b->watch_end);
}

/* Returns whether a watcher runs; starts one if necessary. */
static bool watcher_ready(struct hybrid *b)
{
	if (b->watches || !watch_open(b))
		return true;
	watch_close(b);
	return false;
}

void hybrid_wait_open(struct hybrid *b, const struct weft_carrier_attr *attr)
{
	b->spin_ns = attr->spin_ns ? attr->spin_ns : LOCAL_TIMES.spin_ns;
	weft_wait_policy_init(&b->policy, WEFT_OWN_CORE);
	b->cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	b->sock->extra_fd = b->shm->ops->wait_fd(b->shm);
}

void hybrid_wait_close(struct hybrid *b)
{
	watch_close(b);
	weft_fd_close(&b->epoll);
}

/*
 * Yields and returns whether polling may continue; false: block instead. The
 * kernel does not report whether other processes, such as ranks of other
 * emulated hosts, need the processor, but the duration of a yield shows it.
 */
static bool wait_yield(struct hybrid *b, uint64_t now)
{
	uint64_t then = weft_wait_policy_yield(&b->policy, now);

	if (then > now + WEFT_WAIT_IDLE_YIELD_NS)
		b->busy_yields = WAIT_BUSY_YIELDS;
	else if (b->busy_yields)
		b->busy_yields--;
	return then;
}

/*
 * Returns whether it is too early to block: the caller polls both carriers
 * again.
 */
static bool wait_too_early(struct hybrid *b, uint64_t now)
{
	/* relaxed: the values are only hints */
	uint64_t moved = weft_load64_relaxed(&b->moved);
	bool local = weft_load32_relaxed(&b->local_peers);
	uint64_t idle;

	if (moved != b->moved_seen || !b->moved_ns) {
		b->moved_seen = moved;
		b->moved_ns = now;
	}
	idle = now - b->moved_ns;
	if (idle >= (local ? LOCAL_TIMES : REMOTE_TIMES).yield_ns)
		return false;
	if (idle < b->spin_ns && !b->busy_yields &&
	    !weft_load32_relaxed(&b->oversubscribed))
		return true;
	if (!local)
		return wait_yield(b, now);
	weft_wait_policy_release_cpu();
	return true;
}

/*
 * Waits while all known peers are remote: blocks on the socket itself. A local
 * process that connects for the first time notifies the armed descriptor of
 * shm.
 */
static int wait_remote(struct hybrid *b, uint64_t timeout_ns)
{
	if (b->shm->ops->arm(b->shm))
		return 0;
	return b->sock->ops->wait(b->sock, timeout_ns);
}

/* Waits in short slices, since no watcher could be started. */
static int wait_unwatched(struct hybrid *b, uint64_t timeout_ns)
{
	bool all = timeout_ns <= WAIT_UNWATCHED_NS;
	int ret =
		b->shm->ops->wait(b->shm, all ? timeout_ns : WAIT_UNWATCHED_NS);

	return ret == -ETIMEDOUT && !all ? 0 : ret;
}

int hybrid_wait(struct weft_carrier *c, uint64_t timeout_ns)
{
	struct hybrid *b = hybrid_of(c);
	struct epoll_event once = { .events = EPOLLIN | EPOLLONESHOT,
				    .data.u32 = WATCH_SOCK };

	if (!timeout_ns)
		return -ETIMEDOUT;
	if (wait_too_early(b, weft_now_ns()))
		return 0;
	/* the next poll includes the socket; relaxed: a hint */
	weft_store32_relaxed(&b->skip_polls, 0);
	if (!weft_load32_relaxed(&b->local_peers))
		return wait_remote(b, timeout_ns);
	if (!watcher_ready(b))
		return wait_unwatched(b, timeout_ns);
	/*
	 * arm fails if a packet has arrived, or if a send was refused, since no
	 * event reports free space: the caller polls
	 */
	if (b->sock->ops->arm(b->sock)) {
		if (++b->immediate_returns > WAIT_RETURN_MAX)
			weft_wait_policy_release_cpu();
		return 0;
	}
	b->immediate_returns = 0;
	epoll_ctl(b->watch_epoll, EPOLL_CTL_MOD, b->sock->ops->wait_fd(b->sock),
		  &once);
	return b->shm->ops->wait(b->shm, timeout_ns);
}

int hybrid_wait_fd(struct weft_carrier *c)
{
	struct hybrid *b = hybrid_of(c);
	int shm = b->shm->ops->wait_fd(b->shm);

	if (shm < 0 || b->epoll >= 0)
		return shm < 0 ? shm : b->epoll;
	b->epoll = weft_epoll_open(
		(int[]){ shm, b->sock->ops->wait_fd(b->sock) }, 2);
	if (b->epoll >= 0)
		return b->epoll;
	b->epoll = -1;
	return -EMFILE;
}

int hybrid_arm(struct weft_carrier *c)
{
	struct hybrid *b = hybrid_of(c);
	int ret;

	if (hybrid_wait_fd(c) < 0)
		return -EOPNOTSUPP;
	weft_store32_relaxed(&b->skip_polls, 0);
	ret = b->sock->ops->arm(b->sock);
	return ret ? ret : b->shm->ops->arm(b->shm);
}
