/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the wait policy with simulated times. */
#include "src/base/clock.h"
#include "src/os/wait_policy.h"
#include "test/t.h"

static uint64_t shun_of(const struct weft_wait_policy *p)
{
	return weft_load64_relaxed(&p->yield_backoff_ns);
}

static void yields_in_time_are_followed_by_more(void **state)
{
	struct weft_wait_policy p;

	weft_wait_policy_init(&p, WEFT_OWN_CORE);
	for (uint64_t t = 1; t < 100; t++)
		weft_wait_policy_record_yield(&p, t * WEFT_MS,
					      t * WEFT_MS + 300);
	T_FALSE(weft_wait_policy_backs_off(&p));
	T_IS(shun_of(&p), 0);
	T_TRUE(weft_wait_policy_yield(&p, weft_now_ns()) > 0);
}

static void after_a_late_one_there_is_none_for_a_while(void **state)
{
	struct weft_wait_policy p;
	uint64_t now = weft_now_ns();

	weft_wait_policy_init(&p, WEFT_OWN_CORE);
	weft_wait_policy_record_yield(&p, now - 4 * WEFT_MS, now);
	T_IS(weft_wait_policy_yield(&p, now + 1), 0);
	T_IS(weft_wait_policy_yield(&p, now + shun_of(&p) - 1), 0);
	T_TRUE(weft_wait_policy_yield(&p, now + shun_of(&p)) > 0);
}

static void the_while_doubles_up_to_a_limit(void **state)
{
	for (int crowd = WEFT_OWN_CORE; crowd <= WEFT_OVERSUBSCRIBED; crowd++) {
		const struct weft_wait_policy_yields *y =
			&weft_wait_policy_rule[crowd].yield;
		uint64_t want = y->backoff_min_ns;
		struct weft_wait_policy p;

		weft_wait_policy_init(&p, crowd);
		for (int i = 0; i < 40; i++) {
			weft_wait_policy_record_yield(&p, 1, 1 + 4 * WEFT_MS);
			T_IS(shun_of(&p), want);
			want = 2 * want < y->backoff_max_ns ? 2 * want
							    : y->backoff_max_ns;
		}
	}
}

static void yields_in_time_make_it_shorter_until_it_is_forgotten(void **state)
{
	struct weft_wait_policy p;
	uint64_t last;
	int n = 0;

	weft_wait_policy_init(&p, WEFT_OVERSUBSCRIBED);
	for (int i = 0; i < 10; i++)
		weft_wait_policy_record_yield(&p, 1, 1 + 4 * WEFT_MS);
	for (; shun_of(&p); n++) {
		last = shun_of(&p);
		weft_wait_policy_record_yield(&p, 1, 1 + 10 * WEFT_US);
		T_TRUE(shun_of(&p) < last);
	}
	T_TRUE(n > 10 && n < 200);
}

static void brothers_take_their_turns_without_being_late(void **state)
{
	struct weft_wait_policy p;

	weft_wait_policy_init(&p, WEFT_OVERSUBSCRIBED);
	weft_wait_policy_record_yield(&p, 1, 1 + 2 * WEFT_MS);
	T_TRUE(shun_of(&p) > 0);
	weft_wait_policy_init(&p, WEFT_OVERSUBSCRIBED);
	weft_wait_policy_first_contact(&p, WEFT_OVERSUBSCRIBED, 1000);
	weft_wait_policy_record_yield(&p, 1, 1 + 2 * WEFT_MS);
	T_IS(shun_of(&p), 0);
}

/*
 * If every rank has its own processor, only unrelated processes take it, so the
 * policy checks for them rarely.
 */
static void strangers_are_asked_less_often_than_brothers(void **state)
{
	const struct weft_wait_policy_rule *r = weft_wait_policy_rule;

	T_TRUE(r[WEFT_OWN_CORE].yield.backoff_max_ns >
	       8 * r[WEFT_OVERSUBSCRIBED].yield.backoff_max_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(yields_in_time_are_followed_by_more),
		T_CASE(after_a_late_one_there_is_none_for_a_while),
		T_CASE(the_while_doubles_up_to_a_limit),
		T_CASE(yields_in_time_make_it_shorter_until_it_is_forgotten),
		T_CASE(brothers_take_their_turns_without_being_late),
		T_CASE(strangers_are_asked_less_often_than_brothers),
	};

	return T_RUN(tests);
}
