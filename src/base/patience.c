/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wait policy: how long to spin, when to yield, when to block; patience.h
 * describes it.
 */
#include "src/base/patience.h"

#include "src/base/clock.h"

#include <sched.h>

void weft_patience_init(struct weft_patience *p, enum weft_company crowd)
{
	atomic_init(&p->crowd, crowd);
	atomic_init(&p->brothers, 0);
	atomic_init(&p->shun_ns, 0);
	atomic_init(&p->until_ns, 0);
}

void weft_patience_meet(struct weft_patience *p, enum weft_company crowd,
			uint32_t brothers)
{
	/* relaxed: estimates, here and below */
	weft_store32_relaxed(&p->crowd, crowd);
	weft_store32_relaxed(&p->brothers, brothers);
}

static bool shuns_at(struct weft_patience *p, uint64_t now_ns)
{
	uint64_t until = weft_load64_relaxed(&p->until_ns);

	if (weft_likely(!until))
		return false;
	if (now_ns < until)
		return true;
	weft_store64_relaxed(&p->until_ns, 0);
	return false;
}

bool weft_patience_shuns_now(struct weft_patience *p)
{
	return shuns_at(p, weft_now_ns());
}

WEFT_HOT void weft_patience_learn(struct weft_patience *p, uint64_t then_ns,
				  uint64_t now_ns)
{
	const struct weft_patience_yields *y = &weft_patience_of(p)->yield;
	uint64_t shun = weft_load64_relaxed(&p->shun_ns);
	uint32_t brothers = weft_load32_relaxed(&p->brothers);

	if (weft_likely(now_ns - then_ns <
			y->late_ns + brothers * y->turn_ns)) {
		/*
		 * an eighth at a time: a single short yield does not prove that
		 * the processor is free
		 */
		if (weft_unlikely(shun))
			weft_store64_relaxed(&p->shun_ns,
					     shun > y->shun_min_ns / 8
						     ? shun - shun / 8
						     : 0);
		return;
	}
	shun = shun ? 2 * shun : y->shun_min_ns;
	if (shun > y->shun_max_ns)
		shun = y->shun_max_ns;
	weft_store64_relaxed(&p->shun_ns, shun);
	weft_store64_relaxed(&p->until_ns, now_ns + shun);
}

WEFT_HOT uint64_t weft_patience_yield(struct weft_patience *p, uint64_t now_ns)
{
	uint64_t then_ns = now_ns;

	if (weft_unlikely(shuns_at(p, now_ns)))
		return 0;
	sched_yield();
	now_ns = weft_now_ns();
	weft_patience_learn(p, then_ns, now_ns);
	return now_ns;
}

void weft_patience_give(void)
{
	sched_yield();
}
