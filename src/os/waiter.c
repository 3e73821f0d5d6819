/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiter: state and slices; see waiter.h. */
#include "src/os/waiter.h"

#include <stdlib.h>

bool weft_wait_is_unbounded(void)
{
	enum { UNKNOWN, BOUNDED, UNBOUNDED };
	static weft_au32 mode;
	/* relaxed: every thread computes the same value */
	uint32_t is = weft_load32_relaxed(&mode);

	if (weft_unlikely(is == UNKNOWN)) {
		is = getenv("WEFT_WAIT_UNBOUNDED") ? UNBOUNDED : BOUNDED;
		weft_store32_relaxed(&mode, is);
	}
	return is == UNBOUNDED;
}

uint64_t weft_wait_slice(uint64_t ns)
{
	return weft_wait_is_unbounded() ? UINT64_MAX : ns;
}

void weft_waiter_init(struct weft_waiter *w, enum weft_wait_user user,
		      uint64_t spin_ns)
{
	const struct weft_wait_times *t = &weft_wait_times[user];

	weft_wait_policy_init(&w->policy, WEFT_OWN_CORE);
	w->times = t;
	w->spin_ns = t->spin_ns;
	w->yield_ns = t->yield_ns;
	if (spin_ns)
		*(t->spin_ns ? &w->spin_ns : &w->yield_ns) =
			spin_ns == 1 ? 0 : spin_ns;
	atomic_init(&w->spin_now_ns, w->spin_ns);
}

static bool waiter_spin(const struct weft_waiter_ops *ops, void *arg,
			uint64_t now, uint64_t end)
{
	for (; now < end; now = weft_now_ns()) {
		for (int i = 0; i < WEFT_WAIT_SPIN_CHECKS; i++) {
			if (ops->check(arg, now))
				return true;
			weft_relax();
		}
	}
	return false;
}

static bool waiter_yield(struct weft_waiter *w,
			 const struct weft_waiter_ops *ops, void *arg,
			 uint64_t start, uint64_t end)
{
	uint64_t now = start;
	uint64_t then;

	while (now < end) {
		then = now;
		now = weft_wait_policy_yield(&w->policy, now);
		if (!now)
			return false;
		if (!ops->check(arg, now))
			continue;
		/*
		 * If no other process took the core and the wait was short, a
		 * spin would have been enough. relaxed: only one thread waits
		 */
		if (now - then < WEFT_WAIT_IDLE_YIELD_NS &&
		    now - start < w->spin_ns)
			weft_store64_relaxed(&w->spin_now_ns, w->spin_ns);
		return true;
	}
	return false;
}

/*
 * Spins, then yields. Returns whether the wait must end. relaxed: only one
 * thread waits
 */
static bool waiter_awake(struct weft_waiter *w,
			 const struct weft_waiter_ops *ops, void *arg,
			 uint64_t now, uint64_t end)
{
	uint64_t spin = weft_load64_relaxed(&w->spin_now_ns);

	if (spin && !weft_load32_relaxed(&w->oversubscribed)) {
		if (waiter_spin(ops, arg, now,
				weft_wait_earlier(now + spin, end)))
			return true;
		now = weft_now_ns();
		spin = spin > WEFT_WAIT_SPIN_MIN_NS ? spin / 2 : 0;
		weft_store64_relaxed(&w->spin_now_ns, spin);
	}
	return waiter_yield(w, ops, arg, now,
			    weft_wait_earlier(now + w->yield_ns, end));
}

int weft_waiter_wait(struct weft_waiter *w, const struct weft_waiter_ops *ops,
		     void *arg, uint64_t timeout_ns)
{
	uint64_t now = weft_now_ns();
	uint64_t end = weft_wait_end(now, timeout_ns);
	uint64_t ns = 0;
	bool done = false;

	if (weft_unlikely(weft_waiter_full(w))) {
		if (w->room_waits++ < w->times->room_yields)
			weft_wait_policy_release_cpu();
		else
			ops->block(arg, now,
				   weft_wait_earlier(timeout_ns,
						     WEFT_WAIT_ROOM_NS));
		return 0;
	}
	w->room_waits = 0;
	if (!w->idle) {
		done = waiter_awake(w, ops, arg, now, end);
		now = weft_now_ns();
	}
	if (!done && now < end) {
		ns = weft_wait_earlier(end - now,
				       weft_wait_slice(w->times->slice_ns));
		done = ops->block(arg, now, ns);
	}
	w->idle = !done && ns >= WEFT_WAIT_IDLE_NS;
	return !done && weft_now_ns() >= end ? -ETIMEDOUT : 0;
}
