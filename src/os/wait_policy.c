/* SPDX-License-Identifier: BSD-3-Clause */
/* Wait policy: spinning, yielding, blocking (wait_policy.h). */
#include "src/os/wait_policy.h"

#include "src/base/clock.h"

#include <sched.h>

void weft_wait_policy_init(struct weft_wait_policy *p,
			   enum weft_core_share core_share)
{
	atomic_init(&p->core_share, core_share);
	atomic_init(&p->other_ranks, 0);
	atomic_init(&p->yield_backoff_ns, 0);
	atomic_init(&p->until_ns, 0);
}

void weft_wait_policy_set_ranks(struct weft_wait_policy *p,
				enum weft_core_share core_share,
				uint32_t other_ranks)
{
	/* relaxed here and below: the values are estimates */
	weft_store32_relaxed(&p->core_share, core_share);
	weft_store32_relaxed(&p->other_ranks, other_ranks);
}

static bool backs_off_at(struct weft_wait_policy *p, uint64_t now_ns)
{
	uint64_t until = weft_load64_relaxed(&p->until_ns);

	if (weft_likely(!until))
		return false;
	if (now_ns < until)
		return true;
	weft_store64_relaxed(&p->until_ns, 0);
	return false;
}

bool weft_wait_policy_backs_off_now(struct weft_wait_policy *p)
{
	return backs_off_at(p, weft_now_ns());
}

WEFT_HOT void weft_wait_policy_record_yield(struct weft_wait_policy *p,
					    uint64_t then_ns, uint64_t now_ns)
{
	const struct weft_wait_policy_yields *y =
		&weft_wait_policy_choose(p)->yield;
	uint64_t backoff_ns = weft_load64_relaxed(&p->yield_backoff_ns);
	uint32_t other_ranks = weft_load32_relaxed(&p->other_ranks);

	if (weft_likely(now_ns - then_ns <
			y->long_yield_ns + other_ranks * y->rank_yield_ns)) {
		/*
		 * Reduce the backoff by one eighth only: a single short yield
		 * does not prove that the processor is free.
		 */
		if (weft_unlikely(backoff_ns))
			weft_store64_relaxed(&p->yield_backoff_ns,
					     backoff_ns > y->backoff_min_ns / 8
						     ? backoff_ns -
							       backoff_ns / 8
						     : 0);
		return;
	}
	backoff_ns = backoff_ns ? 2 * backoff_ns : y->backoff_min_ns;
	if (backoff_ns > y->backoff_max_ns)
		backoff_ns = y->backoff_max_ns;
	weft_store64_relaxed(&p->yield_backoff_ns, backoff_ns);
	weft_store64_relaxed(&p->until_ns, now_ns + backoff_ns);
}

WEFT_HOT uint64_t weft_wait_policy_yield(struct weft_wait_policy *p,
					 uint64_t now_ns)
{
	uint64_t then_ns = now_ns;

	if (weft_unlikely(backs_off_at(p, now_ns)))
		return 0;
	sched_yield();
	now_ns = weft_now_ns();
	weft_wait_policy_record_yield(p, then_ns, now_ns);
	return now_ns;
}

void weft_wait_policy_release_cpu(void)
{
	sched_yield();
}
