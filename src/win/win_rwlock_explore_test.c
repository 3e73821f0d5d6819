/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All executions of the lock in shared memory (test/support/explore.h): three
 * threads acquire and release it, exclusively or shared. Two numbers that the
 * lock protects must be ordered, and no thread may wait without end.
 */
#include "test/support/explore_atomic.h"

#include "src/msg/msg_pause.c"
#include "src/win/win_rwlock.c"
#include "test/t.h"

struct weft_core weft_core;

int weft_progress(void)
{
	return 0;
}

bool weft_failure_in(const struct weft_comm *c)
{
	return false;
}

uint64_t weft_wait_slice(uint64_t ns)
{
	return UINT64_MAX;
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

static struct win_rwlock lock;
static uint32_t guarded, written;
/* whether each thread acquires the lock exclusively */
static const bool *exclusive;
static uint32_t first_ticket;
static int rounds;

static void setup(void)
{
	atomic_init(&lock.users, first_ticket);
	atomic_init(&lock.read, first_ticket);
	atomic_init(&lock.write, first_ticket);
	atomic_init(&lock.waiters, 0);
	weft_core.spin = 0;
	written = 0;
	explore_plain(&guarded, sizeof(guarded));
}

static void lock_and_access(int i)
{
	for (int k = 0; k < rounds; k++) {
		if (win_rwlock_acquire(&lock, exclusive[i], NULL))
			explore_fail("an error");
		if (exclusive[i]) {
			explore_plain_write(&guarded, sizeof(guarded));
			written++;
		} else {
			explore_plain_read(&guarded, sizeof(guarded));
		}
		win_rwlock_release(&lock, exclusive[i]);
	}
}

static void lock_is_free(void)
{
	if (lock.users != lock.read || lock.users != lock.write || lock.waiters)
		explore_fail("the lock is not free");
}

static const char *explore_lock(const bool *how, int threads, int times,
				enum explore_fault fault)
{
	struct explore x = { .threads = threads,
			     .setup = setup,
			     .thread = lock_and_access,
			     .check = lock_is_free,
			     .fault = fault,
			     .interrupts =
				     explore_interrupts(threads > 2 ? 3 : 0),
			     .states_max = 20000000 };

	exclusive = how;
	rounds = times;
	return explore_run(&x);
}

static const bool writers[] = { true, true, true };
static const bool mixed[] = { true, false, true };
static const bool readers[] = { false, true, false };

static void two_threads_are_ordered_and_woken(void **state)
{
	T_NULL(explore_lock(writers, 2, 2, EXPLORE_NO_FAULT));
	T_NULL(explore_lock(mixed, 2, 2, EXPLORE_NO_FAULT));
}

static void three_threads_are_ordered_and_woken(void **state)
{
	T_NULL(explore_lock(writers, 3, 1, EXPLORE_NO_FAULT));
	T_NULL(explore_lock(mixed, 3, 1, EXPLORE_NO_FAULT));
	T_NULL(explore_lock(readers, 3, 1, EXPLORE_NO_FAULT));
}

static void tickets_wrap_around(void **state)
{
	first_ticket = UINT32_MAX;
	T_NULL(explore_lock(mixed, 2, 2, EXPLORE_NO_FAULT));
	first_ticket = 0;
}

static void seeded_faults_are_found(void **state)
{
	T_NOT_NULL(explore_lock(writers, 2, 1, EXPLORE_NO_RELEASE));
	T_NOT_NULL(explore_lock(writers, 2, 1, EXPLORE_NO_ACQUIRE));
	T_STR(explore_lock(writers, 2, 1, EXPLORE_NO_WAKE), "deadlock");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(two_threads_are_ordered_and_woken),
		T_CASE(three_threads_are_ordered_and_woken),
		T_CASE(tickets_wrap_around),
		T_CASE(seeded_faults_are_found),
	};

	return T_RUN(tests);
}
