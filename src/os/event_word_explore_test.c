/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All executions of the event word (test/support/explore.h): waiters prepare,
 * check and block; a notifier changes the state, checks for waiters and
 * notifies. No waiter may miss a change, with a fence on both sides, with a
 * membarrier by the waiter, or with a lock.
 */
#include "test/support/explore_atomic.h"

#include "src/os/event_word.c"
#include "test/t.h"

#include <stdlib.h>

int weft_futex_wait(weft_au32 *word, uint32_t value, uint64_t ns,
		    enum weft_futex_scope scope)
{
	return explore_futex_wait((const volatile void *const[2]){ word },
				  (const uint32_t[2]){ value }, 1, 1);
}

int weft_futex_wait_two(weft_au32 *const word[2], const uint32_t value[2],
			uint64_t ns)
{
	return explore_futex_wait(
		(const volatile void *const[2]){ word[0], word[1] }, value, 2,
		1);
}

void weft_futex_wake(weft_au32 *word, int count, enum weft_futex_scope scope)
{
	explore_futex_wake(word, 1);
}

static struct weft_event event;
static weft_au32 state, own;
static uint32_t changes; /* number of changes that the notifier makes */
static bool membarriers, two_words;

static void setup(void)
{
	atomic_init(&event.ring, UINT32_MAX);
	atomic_init(&event.waiter_bits, 0);
	atomic_init(&state, 0);
	atomic_init(&own, 0);
}

static void notify(void)
{
	for (uint32_t i = 1; i <= changes; i++) {
		weft_store32_relaxed(&state, i);
		if (!membarriers)
			weft_fence_full();
		if (weft_event_has_waiters(&event))
			weft_event_notify_all(&event);
	}
}

static void wait_for_last(void)
{
	uint32_t seen;

	while (weft_load32(&state) != changes) {
		seen = weft_event_prepare_wait(&event, WEFT_EVENT_NOTIFY);
		if (membarriers)
			explore_membarrier();
		else
			weft_fence_full();
		if (weft_load32(&state) == changes)
			break;
		if (two_words)
			weft_event_wait(&own, 0, &event, seen, UINT64_MAX);
		else
			weft_event_block(&event, seen, UINT64_MAX);
	}
}

static void notify_or_wait(int i)
{
	if (i)
		wait_for_last();
	else
		notify();
}

static const char *explore_event(int waiters, uint32_t n,
				 enum explore_fault fault)
{
	struct explore x = { .threads = 1 + waiters,
			     .setup = setup,
			     .thread = notify_or_wait,
			     .fault = fault,
			     .interrupts = explore_interrupts(
				     waiters > 1 && n > 1 ? 3 : 0),
			     .states_max = 20000000 };

	changes = n;
	return explore_run(&x);
}

static void fences_lose_no_notification(void **ctx)
{
	T_NULL(explore_event(1, 1, EXPLORE_NO_FAULT));
	T_NULL(explore_event(1, 2, EXPLORE_NO_FAULT));
	T_NULL(explore_event(2, getenv("LONG") ? 2 : 1, EXPLORE_NO_FAULT));
	T_STR(explore_event(1, 1, EXPLORE_NO_FENCE), "deadlock");
	T_STR(explore_event(1, 1, EXPLORE_NO_WAKE), "deadlock");
}

static void membarriers_lose_no_notification(void **ctx)
{
	membarriers = true;
	T_NULL(explore_event(1, 2, EXPLORE_NO_FAULT));
	T_NULL(explore_event(2, 1, EXPLORE_NO_FAULT));
	T_STR(explore_event(1, 1, EXPLORE_NO_MEMBARRIER), "deadlock");
	membarriers = false;
}

static void waits_on_two_words_lose_no_notification(void **ctx)
{
	two_words = true;
	T_NULL(explore_event(1, 2, EXPLORE_NO_FAULT));
	T_STR(explore_event(1, 1, EXPLORE_NO_FENCE), "deadlock");
	two_words = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(fences_lose_no_notification),
		T_CASE(membarriers_lose_no_notification),
		T_CASE(waits_on_two_words_lose_no_notification),
	};

	return T_RUN(tests);
}
