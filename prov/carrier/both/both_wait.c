/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting for memory and for the socket. For a while after something has moved
 * the caller is sent back to poll, which looks at both; then he sleeps as the
 * shm carrier does, and a thread that sleeps on the socket wakes him:
 *
 *   wait                               watcher
 *     sock arm, watch once (epoll)       epoll_wait
 *     shm wait ...                       shm wake
 *
 * A socket that somebody may sleep on takes longer to get a datagram, so the
 * watcher comes when he is needed first.
 */
#include "prov/carrier/both/both.h"
#include "src/base/clock.h"
#include "src/base/patience.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define WAIT_SPIN_NS  UINT64_C(20000)  /* then he yields ... */
#define WAIT_AWAKE_NS UINT64_C(500000) /* ... and then he sleeps ... */
#define WAIT_FAR_NS   UINT64_C(100000) /* ... or so soon, if all are far */

#define WAIT_ALONE_NS UINT64_C(1200) /* a yield that nobody took */
#define WAIT_TAKEN    64 /* looks on; one that somebody took is worth so many */

#define WAIT_VAIN 3 /* times to be sent back at once */

#define WAIT_BLIND_NS UINT64_C(100000) /* nobody watches the socket */

enum { WATCH_SOCK, WATCH_END };

/* The socket has something: who waits shall look. */
static void *watch(void *arg)
{
	struct both *b = arg;
	struct epoll_event ev;

	for (;;) {
		if (epoll_wait(b->watch_epoll, &ev, 1, -1) != 1)
			continue;
		if (ev.data.u32 == WATCH_END)
			return NULL;
		b->shm->ops->wake(b->shm);
	}
}

/* Signals are for the program's threads. */
static int watch_start(struct both *b)
{
	sigset_t all, old;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	ret = -pthread_create(&b->watcher, NULL, watch, b);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	b->watches = !ret;
	return ret;
}

static int watch_open(struct both *b)
{
	struct epoll_event end = { .events = EPOLLIN, .data.u32 = WATCH_END };
	struct epoll_event off = { .events = 0, .data.u32 = WATCH_SOCK };
	int sock = b->sock->ops->wait_fd(b->sock);

	b->watch_epoll = epoll_create1(EPOLL_CLOEXEC);
	b->watch_end = eventfd(0, EFD_CLOEXEC);
	if (sock < 0 || b->watch_epoll < 0 || b->watch_end < 0 ||
	    epoll_ctl(b->watch_epoll, EPOLL_CTL_ADD, b->watch_end, &end) ||
	    epoll_ctl(b->watch_epoll, EPOLL_CTL_ADD, sock, &off))
		return -EMFILE;
	return watch_start(b);
}

static void fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void watch_close(struct both *b)
{
	uint64_t one = 1;

	if (b->watches && write(b->watch_end, &one, sizeof(one)) > 0)
		pthread_join(b->watcher, NULL);
	b->watches = false;
	fd_close(&b->watch_epoll);
	fd_close(&b->watch_end);
}

/* Whether there is a watcher, now at least. */
static bool watched(struct both *b)
{
	if (b->watches || !watch_open(b))
		return true;
	watch_close(b);
	return false;
}

void both_wait_open(struct both *b, const struct weft_carrier_attr *attr)
{
	b->spin_ns = attr->spin_ns ? attr->spin_ns : WAIT_SPIN_NS;
	weft_patience_init(&b->patience, WEFT_ALONE);
	b->cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	b->sock->beside = b->shm->ops->wait_fd(b->shm);
}

void both_wait_close(struct both *b)
{
	watch_close(b);
	fd_close(&b->epoll);
}

/*
 * Nobody knows who shares the processors with hosts that are one machine, but
 * a yield that takes its time tells. False: it is better to sleep.
 */
static bool wait_yield(struct both *b, uint64_t now)
{
	uint64_t then = weft_patience_yield(&b->patience, now);

	if (then > now + WAIT_ALONE_NS)
		b->taken = WAIT_TAKEN;
	else if (b->taken)
		b->taken--;
	return then;
}

/* Whether it is too early to sleep: he polls again, here and there. */
static bool wait_awake(struct both *b, uint64_t now)
{
	/* relaxed: a hint */
	uint64_t moved = weft_load64_relaxed(&b->moved);
	bool near = weft_load32_relaxed(&b->near);
	uint64_t idle;

	if (moved != b->moved_seen || !b->moved_ns) {
		b->moved_seen = moved;
		b->moved_ns = now;
	}
	idle = now - b->moved_ns;
	if (idle >= (near ? WAIT_AWAKE_NS : WAIT_FAR_NS))
		return false;
	if (idle < b->spin_ns && !b->taken && !weft_load32_relaxed(&b->crowded))
		return true;
	if (!near)
		return wait_yield(b, now);
	weft_patience_give();
	return true;
}

/*
 * All who were met are far: he sleeps on the socket himself, and is poked by
 * who comes through memory first.
 */
static int wait_far(struct both *b, uint64_t timeout_ns)
{
	if (b->shm->ops->arm(b->shm))
		return 0;
	return b->sock->ops->wait(b->sock, timeout_ns);
}

/* Nobody could be made to watch the socket: sleeps are short. */
static int wait_blind(struct both *b, uint64_t timeout_ns)
{
	bool all = timeout_ns <= WAIT_BLIND_NS;
	int ret = b->shm->ops->wait(b->shm, all ? timeout_ns : WAIT_BLIND_NS);

	return ret == -ETIMEDOUT && !all ? 0 : ret;
}

int both_wait(struct weft_carrier *c, uint64_t timeout_ns)
{
	struct both *b = both_of(c);
	struct epoll_event once = { .events = EPOLLIN | EPOLLONESHOT,
				    .data.u32 = WATCH_SOCK };

	if (!timeout_ns)
		return -ETIMEDOUT;
	if (wait_awake(b, weft_now_ns()))
		return 0;
	/* who comes back from here looks at the socket; relaxed: a hint */
	weft_store32_relaxed(&b->rests, 0);
	if (!weft_load32_relaxed(&b->near))
		return wait_far(b, timeout_ns);
	if (!watched(b))
		return wait_blind(b, timeout_ns);
	/* something came, there is room, or nobody tells when there is */
	if (b->sock->ops->arm(b->sock)) {
		if (++b->vain > WAIT_VAIN)
			weft_patience_give();
		return 0;
	}
	b->vain = 0;
	epoll_ctl(b->watch_epoll, EPOLL_CTL_MOD, b->sock->ops->wait_fd(b->sock),
		  &once);
	return b->shm->ops->wait(b->shm, timeout_ns);
}

int both_wait_fd(struct weft_carrier *c)
{
	struct both *b = both_of(c);
	struct epoll_event ev = { .events = EPOLLIN };
	int shm = b->shm->ops->wait_fd(b->shm);

	if (b->epoll >= 0 || shm < 0)
		return shm < 0 ? shm : b->epoll;
	b->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (b->epoll >= 0 && !epoll_ctl(b->epoll, EPOLL_CTL_ADD, shm, &ev) &&
	    !epoll_ctl(b->epoll, EPOLL_CTL_ADD, b->sock->ops->wait_fd(b->sock),
		       &ev))
		return b->epoll;
	fd_close(&b->epoll);
	return -EMFILE;
}

int both_arm(struct weft_carrier *c)
{
	struct both *b = both_of(c);
	int ret;

	if (both_wait_fd(c) < 0)
		return -EOPNOTSUPP;
	weft_store32_relaxed(&b->rests, 0);
	ret = b->sock->ops->arm(b->sock);
	return ret ? ret : b->shm->ops->arm(b->shm);
}
