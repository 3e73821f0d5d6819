/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiter: a wait that spins, yields, then blocks, by the wait policy. Each user
 * supplies a check of its condition and a function that blocks:
 *
 *   if (!check(x, weft_now_ns()))
 *           rc = weft_waiter_wait(&x->waiter, &ops, x, timeout_ns);
 *
 * Spins without result get shorter, until a short wait occurs again. After a
 * long block without an event the next wait blocks at once: latency does not
 * matter. No notification reports free space for sends, so a wait after a
 * refused send only yields once, and after many such waits blocks for a
 * millisecond.
 *
 * Every event wakes its waiters, so a thread could block without a timeout.
 * Threads nevertheless block in slices, because no notification reports the
 * death of a peer. A slice also hides a lost wake-up: the waiter only wakes
 * late. With WEFT_WAIT_UNBOUNDED=1 in the environment there are no slices, and
 * a lost wake-up causes a hang. This is for tests: deaths are not detected
 * then.
 */
#ifndef WEFT_WAITER_H
#define WEFT_WAITER_H

#include "src/base/clock.h"
#include "src/os/wait_policy.h"

#include <errno.h>

/* Returns whether WEFT_WAIT_UNBOUNDED is set. */
bool weft_wait_is_unbounded(void);

/*
 * Returns the longest time for which a thread may block before it checks what
 * no notification reports: ns, or UINT64_MAX if slices are unbounded.
 */
uint64_t weft_wait_slice(uint64_t ns);

/* Returns now_ns + ns, the end of a wait; UINT64_MAX: the wait never ends. */
static inline uint64_t weft_wait_end(uint64_t now_ns, uint64_t ns)
{
	return ns > UINT64_MAX - now_ns ? UINT64_MAX : now_ns + ns;
}

static inline uint64_t weft_wait_earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Returns whether a periodic check is due. The first call starts the period.
 * next_ns: time of the next check; initially 0.
 */
static inline bool weft_wait_check_due(uint64_t *next_ns, uint64_t now_ns,
				       uint64_t period_ns)
{
	bool due = *next_ns && now_ns >= *next_ns;

	if (due || !*next_ns)
		*next_ns = now_ns + period_ns;
	return due;
}

struct weft_waiter {
	struct weft_wait_policy policy;
	const struct weft_wait_times *times;
	uint64_t spin_ns;      /* upper limit of a spin, ns */
	uint64_t yield_ns;     /* upper limit of all yields of a wait, ns */
	weft_au64 spin_now_ns; /* spin limit, adapted to recent waits, ns */
	/* more ranks than processors: other processes need this processor */
	weft_au32 oversubscribed;
	weft_au32 woken;  /* a wake ends the current or next wait */
	weft_au32 full;	  /* a send was refused since the last wait */
	weft_au64 sleeps; /* number of waits that blocked; statistics */
	/* the fields below are used by the waiting thread only */
	unsigned room_waits; /* consecutive waits for free space */
	bool idle;	     /* the last blocking wait had no event */
};

struct weft_waiter_ops {
	/* Returns whether the wait must end; consumes a wake. */
	bool (*check)(void *arg, uint64_t now_ns);
	/*
	 * Announces the waiter, checks again, and blocks for at most ns.
	 * Returns whether the wait must end.
	 */
	bool (*block)(void *arg, uint64_t now_ns, uint64_t ns);
};

/*
 * Initializes a waiter. spin_ns 0: use the default times of `user`; 1: do not
 * spin; other values replace the time of spins, or of yields where a check is a
 * system call.
 */
void weft_waiter_init(struct weft_waiter *w, enum weft_wait_user user,
		      uint64_t spin_ns);

/* Returns whether a wake was requested; consumes it. */
static inline bool weft_waiter_woken(struct weft_waiter *w)
{
	return weft_load32(&w->woken) && weft_swap32(&w->woken, 0);
}

/*
 * Returns whether a send was refused since the last call. relaxed: the caller
 * retries the send in either case
 */
static inline bool weft_waiter_full(struct weft_waiter *w)
{
	if (weft_likely(!weft_load32_relaxed(&w->full)))
		return false;
	weft_store32_relaxed(&w->full, 0);
	return true;
}

/* Counts a wait that blocks. relaxed: statistics */
static inline void weft_waiter_count(struct weft_waiter *w)
{
	atomic_fetch_add_explicit(&w->sleeps, 1, memory_order_relaxed);
}

/*
 * Waits; the caller has checked the condition. Returns -ETIMEDOUT after
 * timeout_ns; 0: the caller checks again, and may have to wait again.
 */
int weft_waiter_wait(struct weft_waiter *w, const struct weft_waiter_ops *ops,
		     void *arg, uint64_t timeout_ns);

#endif
