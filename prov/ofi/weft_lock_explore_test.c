/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All executions of the domain's mutex (test/support/explore.h): threads
 * exclude each other, see each other's writes, and no waiter is left blocked.
 */
#include "test/support/explore_atomic.h"

#define SPINS 1
#include "prov/ofi/weft_lock.c"
#include "test/t.h"

int weft_futex_wait(weft_au32 *word, uint32_t value, uint64_t ns,
		    enum weft_futex_scope scope)
{
	return explore_futex_wait((const volatile void *const[2]){ word },
				  (const uint32_t[2]){ value }, 1, 1);
}

void weft_futex_wake(weft_au32 *word, int count, enum weft_futex_scope scope)
{
	explore_futex_wake(word, 1);
}

static struct weft_mutex mutex;
static uint32_t counter; /* protected by the mutex */
static uint32_t threads, rounds;

static void setup(void)
{
	atomic_init(&mutex.word, 0);
	counter = 0;
	explore_plain(&counter, sizeof(counter));
}

static void add(int i)
{
	for (uint32_t k = 0; k < rounds; k++) {
		uint32_t seen;

		weft_mutex_lock(&mutex);
		explore_plain_read(&counter, sizeof(counter));
		seen = counter;
		explore_plain_write(&counter, sizeof(counter));
		counter = seen + 1;
		weft_mutex_unlock(&mutex);
	}
}

static void check(void)
{
	if (counter != threads * rounds)
		explore_fail("an increment is lost");
}

static const char *explore_mutex(uint32_t n, uint32_t times,
				 enum explore_fault fault)
{
	struct explore x = { .threads = (int)n,
			     .setup = setup,
			     .thread = add,
			     .check = check,
			     .fault = fault,
			     .interrupts = explore_interrupts(n > 2 ? 3 : 0),
			     .states_max = 20000000 };

	threads = n;
	rounds = times;
	return explore_run(&x);
}

static void threads_exclude_each_other(void **state)
{
	T_NULL(explore_mutex(2, 1, EXPLORE_NO_FAULT));
	T_NULL(explore_mutex(2, 2, EXPLORE_NO_FAULT));
	T_NULL(explore_mutex(3, 1, EXPLORE_NO_FAULT));
}

static void seeded_faults_are_found(void **state)
{
	T_NOT_NULL(explore_mutex(2, 1, EXPLORE_NO_RELEASE));
	T_NOT_NULL(explore_mutex(2, 1, EXPLORE_NO_ACQUIRE));
	T_STR(explore_mutex(2, 1, EXPLORE_NO_WAKE), "deadlock");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(threads_exclude_each_other),
		T_CASE(seeded_faults_are_found),
	};

	return T_RUN(tests);
}
