/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All executions of waits for a word of shared memory (test/support/explore.h):
 * a rank adds to the word and wakes the waiters, other ranks wait for a value.
 * No waiter may miss the last change, whether it spins or blocks.
 */
#include "test/support/explore_atomic.h"

#include "src/msg/msg_pause.c"
#include "test/t.h"

struct weft_core weft_core;

int weft_progress(void)
{
	return 0;
}

bool weft_failure_in(const struct weft_comm *comm)
{
	return false;
}

int weft_futex_wait_bits(weft_au32 *word, uint32_t value, uint32_t bits,
			 uint64_t ns)
{
	return explore_futex_wait((const volatile void *const[2]){ word },
				  (const uint32_t[2]){ value }, 1, bits);
}

void weft_futex_wake_bits(weft_au32 *word, uint32_t bits)
{
	explore_futex_wake(word, bits);
}

static weft_au32 word, waiters;
static uint32_t last, data;

static void setup(void)
{
	atomic_init(&word, 0);
	atomic_init(&waiters, 0);
	data = 0;
	explore_plain(&data, sizeof(data));
}

static void add(void)
{
	for (uint32_t i = 0; i < last; i++) {
		if (i + 1 == last) {
			explore_plain_write(&data, sizeof(data));
			data = 7;
		}
		weft_pause_event_add(&word);
		weft_pause_wake(&word, WEFT_PAUSE_ANY, &waiters);
	}
}

static void wait_for_last(void)
{
	struct weft_pause p = { .left = 0 };
	uint32_t seen;

	while ((seen = weft_load32(&word)) != last)
		if (weft_pause(&p, &word, seen, 1, &waiters))
			explore_fail("a wait has failed");
	explore_plain_read(&data, sizeof(data));
	if (data != 7)
		explore_fail("data before the change is not visible");
}

static void add_or_wait(int i)
{
	if (i)
		wait_for_last();
	else
		add();
}

static const char *explore_pause(int n, uint32_t changes,
				 enum explore_fault fault)
{
	struct explore x = { .threads = 1 + n,
			     .setup = setup,
			     .thread = add_or_wait,
			     .fault = fault,
			     .interrupts = explore_interrupts(n > 1 ? 3 : 0),
			     .states_max = 20000000 };

	last = changes;
	return explore_run(&x);
}

static void no_waiter_misses_the_last_change(void **state)
{
	T_NULL(explore_pause(1, 1, EXPLORE_NO_FAULT));
	T_NULL(explore_pause(1, 2, EXPLORE_NO_FAULT));
	T_NULL(explore_pause(2, 1, EXPLORE_NO_FAULT));
}

static void seeded_faults_are_found(void **state)
{
	T_STR(explore_pause(1, 1, EXPLORE_NO_WAKE), "deadlock");
	T_NOT_NULL(explore_pause(1, 1, EXPLORE_NO_ACQUIRE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(no_waiter_misses_the_last_change),
		T_CASE(seeded_faults_are_found),
	};

	return T_RUN(tests);
}
