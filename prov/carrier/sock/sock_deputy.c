/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Progress thread: acknowledges and retransmits while the caller does not poll,
 * that is, computes or waits elsewhere. It never delivers: what it reads is
 * kept until the caller polls.
 *
 *   IDLE  nothing in flight and no recent traffic: blocked on the socket
 *         without timeout
 *   LOOK  traffic: checks every 5 ms whether the caller polls
 *   WORK  the caller does not poll: acknowledge, keep, retransmit; blocked
 *         on the socket until the next retransmission is due
 *
 * Cost for the caller: one uncontended lock per call, and one write when the
 * first datagram is sent after an idle period.
 */
#include "prov/carrier/sock/sock.h"
#include "src/base/clock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define DEPUTY_LOOK_NS UINT64_C(5000000)
#define DEPUTY_STACK   (256u << 10)

enum deputy_state { DEPUTY_IDLE, DEPUTY_LOOK, DEPUTY_WORK };

/* Counters; unchanged values mean that nothing happened in between. */
struct deputy_view {
	uint32_t turns;
	uint32_t traffic;
};

/*
 * Blocks for ns, or until the socket (if fd is not -1) is readable or the
 * thread is notified. UINT64_MAX: no timeout.
 */
static void deputy_sleep(struct sock_deputy *d, int fd, uint64_t ns)
{
	struct pollfd on[2] = { { .fd = d->event, .events = POLLIN },
				{ .fd = fd, .events = POLLIN } };
	struct timespec ts = { .tv_sec = (time_t)(ns / 1000000000u),
			       .tv_nsec = (long)(ns % 1000000000u) };
	uint64_t sink;

	if (ppoll(on, 2, ns == UINT64_MAX ? NULL : &ts, NULL) > 0 &&
	    on[0].revents && read(d->event, &sink, sizeof(sink)) < 0)
		return;
}

static struct deputy_view deputy_look(struct sock *s)
{
	/* relaxed: counters that are compared with later values */
	return (struct deputy_view){
		weft_load32_relaxed(&s->deputy.turns),
		weft_load32_relaxed(&s->deputy.traffic),
	};
}

/* A caller blocked in wait is woken when poll is needed. */
static bool deputy_caller_waits(struct sock *s)
{
	return weft_load64(&s->bed.until_ns) && !weft_load32(&s->bed.armed);
}

static enum deputy_state deputy_idle(struct sock *s)
{
	struct sock_deputy *d = &s->deputy;

	weft_store32(&d->idle, 1);
	/*
	 * F2 pairs with F3 in sock_deputy_call(): store idle, then load due;
	 * store due, then load idle.
	 */
	weft_fence_full();
	if (weft_load64(&s->bed.due_ns) == UINT64_MAX)
		deputy_sleep(d, s->fd, UINT64_MAX);
	weft_store32(&d->idle, 0);
	return DEPUTY_LOOK;
}

static enum deputy_state deputy_watch(struct sock *s)
{
	struct deputy_view was = deputy_look(s);
	struct deputy_view is;

	deputy_sleep(&s->deputy, -1, DEPUTY_LOOK_NS);
	is = deputy_look(s);
	if (is.turns == was.turns && !deputy_caller_waits(s))
		return DEPUTY_WORK;
	if (is.traffic == was.traffic &&
	    weft_load64(&s->bed.due_ns) == UINT64_MAX)
		return DEPUTY_IDLE;
	return DEPUTY_LOOK;
}

static enum deputy_state deputy_work(struct sock *s)
{
	struct deputy_view was = deputy_look(s);
	uint64_t now;
	uint64_t due;
	bool dead;

	pthread_mutex_lock(&s->deputy.lock);
	dead = s->dead;
	due = dead ? UINT64_MAX : sock_turn_away(s);
	pthread_mutex_unlock(&s->deputy.lock);
	now = weft_now_ns();
	if (due > now)
		deputy_sleep(&s->deputy, dead ? -1 : s->fd,
			     due == UINT64_MAX ? due : due - now);
	return deputy_look(s).turns == was.turns ? DEPUTY_WORK : DEPUTY_LOOK;
}

static void *deputy_main(void *arg)
{
	static enum deputy_state (*const state[])(struct sock *) = {
		[DEPUTY_IDLE] = deputy_idle,
		[DEPUTY_LOOK] = deputy_watch,
		[DEPUTY_WORK] = deputy_work,
	};
	struct sock *s = arg;
	enum deputy_state now = DEPUTY_IDLE;

	while (!weft_load32(&s->deputy.over))
		now = state[now](s);
	return NULL;
}

/*
 * The thread blocks all signals, so that the application's handlers do not run
 * in it.
 */
static int deputy_start(struct sock *s)
{
	struct sock_deputy *d = &s->deputy;
	pthread_attr_t attr;
	sigset_t all, old;
	int err;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, DEPUTY_STACK);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&d->thread, &attr, deputy_main, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	d->runs = !err;
	return -err;
}

int sock_deputy_open(struct sock *s)
{
	struct sock_deputy *d = &s->deputy;

	d->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return d->event < 0 ? -errno : deputy_start(s);
}

void sock_deputy_close(struct sock *s)
{
	struct sock_deputy *d = &s->deputy;

	if (d->runs) {
		weft_store32(&d->over, 1);
		sock_deputy_ring(s);
		pthread_join(d->thread, NULL);
	}
	d->runs = false;
	if (d->event >= 0)
		close(d->event);
	d->event = -1;
}
