/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the wait policy with simulated times. */
#include "src/base/clock.h"
#include "src/os/wait_policy.h"
#include "test/t.h"

static uint64_t backoff_of(const struct weft_wait_policy *p)
{
	return weft_load64_relaxed(&p->yield_backoff_ns);
}

static void short_yields_cause_no_backoff(void **state)
{
	struct weft_wait_policy p;

	weft_wait_policy_init(&p, WEFT_OWN_CORE);
	for (uint64_t t = 1; t < 100; t++)
		weft_wait_policy_record_yield(&p, t * WEFT_MS,
					      t * WEFT_MS + 300);
	T_FALSE(weft_wait_policy_backs_off(&p));
	T_IS(backoff_of(&p), 0);
	T_TRUE(weft_wait_policy_yield(&p, weft_now_ns()) > 0);
}

static void long_yield_suspends_yields(void **state)
{
	struct weft_wait_policy p;
	uint64_t now = weft_now_ns();

	weft_wait_policy_init(&p, WEFT_OWN_CORE);
	weft_wait_policy_record_yield(&p, now - 4 * WEFT_MS, now);
	T_IS(weft_wait_policy_yield(&p, now + 1), 0);
	T_IS(weft_wait_policy_yield(&p, now + backoff_of(&p) - 1), 0);
	T_TRUE(weft_wait_policy_yield(&p, now + backoff_of(&p)) > 0);
}

static void backoff_doubles_up_to_a_limit(void **state)
{
	for (int core_share = WEFT_OWN_CORE; core_share <= WEFT_OVERSUBSCRIBED;
	     core_share++) {
		const struct weft_wait_policy_yields *y =
			&weft_wait_policy_rule[core_share].yield;
		uint64_t want = y->backoff_min_ns;
		struct weft_wait_policy p;

		weft_wait_policy_init(&p, core_share);
		for (int i = 0; i < 40; i++) {
			weft_wait_policy_record_yield(&p, 1, 1 + 4 * WEFT_MS);
			T_IS(backoff_of(&p), want);
			want = 2 * want < y->backoff_max_ns ? 2 * want
							    : y->backoff_max_ns;
		}
	}
}

static void short_yields_decay_backoff_to_zero(void **state)
{
	struct weft_wait_policy p;
	uint64_t last;
	int n = 0;

	weft_wait_policy_init(&p, WEFT_OVERSUBSCRIBED);
	for (int i = 0; i < 10; i++)
		weft_wait_policy_record_yield(&p, 1, 1 + 4 * WEFT_MS);
	for (; backoff_of(&p); n++) {
		last = backoff_of(&p);
		weft_wait_policy_record_yield(&p, 1, 1 + 10 * WEFT_US);
		T_TRUE(backoff_of(&p) < last);
	}
	T_TRUE(n > 10 && n < 200);
}

static void long_yield_tolerated_with_other_ranks(void **state)
{
	struct weft_wait_policy p;

	weft_wait_policy_init(&p, WEFT_OVERSUBSCRIBED);
	weft_wait_policy_record_yield(&p, 1, 1 + 2 * WEFT_MS);
	T_TRUE(backoff_of(&p) > 0);
	weft_wait_policy_init(&p, WEFT_OVERSUBSCRIBED);
	weft_wait_policy_set_ranks(&p, WEFT_OVERSUBSCRIBED, 1000);
	weft_wait_policy_record_yield(&p, 1, 1 + 2 * WEFT_MS);
	T_IS(backoff_of(&p), 0);
}

/*
 * If every rank has its own processor, only unrelated processes take it, so the
 * policy checks for them rarely.
 */
static void own_core_backoff_is_longer(void **state)
{
	const struct weft_wait_policy_rule *r = weft_wait_policy_rule;

	T_TRUE(r[WEFT_OWN_CORE].yield.backoff_max_ns >
	       8 * r[WEFT_OVERSUBSCRIBED].yield.backoff_max_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(short_yields_cause_no_backoff),
		T_CASE(long_yield_suspends_yields),
		T_CASE(backoff_doubles_up_to_a_limit),
		T_CASE(short_yields_decay_backoff_to_zero),
		T_CASE(long_yield_tolerated_with_other_ranks),
		T_CASE(own_core_backoff_is_longer),
	};

	return T_RUN(tests);
}
