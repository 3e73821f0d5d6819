/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All executions of the accumulate lock (test/support/explore.h): threads make
 * word changes and long changes on one target. A number that both change must
 * be ordered, and no thread may wait without end.
 */
#include "test/support/explore_atomic.h"

/* The lock polls busy words without a limit: each poll ends in a yield. */
static void relax_not(void)
{
}

static int yield_until_changed(void);

#undef weft_relax
#define weft_relax    relax_not
#define sched_yield   yield_until_changed
#define WIN_ACC_SPINS 0
#include "src/win/win_acc_lock.h"
#include "src/win/win_acc_lock.c"
#undef sched_yield
#undef weft_relax
#define weft_relax explore_spin
#include "src/msg/msg_pause.c"
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

#define TARGET 1

static struct win_acc_lock lock;
static weft_au32 busy[3];
static uint32_t guarded;
static const bool *words; /* whether each thread makes word changes */
static int rounds;
static bool one_member; /* all threads are threads of one process */

static int yield_until_changed(void)
{
	explore_poll();
	for (int i = 0; i < 3; i++)
		/*
		 * relaxed: if this load returns an old value, a later one
		 * returns the new value
		 */
		if (weft_load32_relaxed(&busy[i]))
			explore_again();
	return 0;
}

static void setup(void)
{
	atomic_init(&lock.users, UINT32_MAX);
	atomic_init(&lock.now, UINT32_MAX);
	atomic_init(&lock.waiters, 0);
	for (int i = 0; i < 3; i++)
		atomic_init(&busy[i], 0);
	weft_core.spin = 0;
	explore_plain(&guarded, sizeof(guarded));
}

static void change_long(void)
{
	const struct win_acc_members m = { busy, sizeof(busy[0]), 3, NULL };

	if (win_acc_lock_acquire(&lock, TARGET, &m))
		explore_fail("an error");
	explore_plain_write(&guarded, sizeof(guarded));
	win_acc_lock_release(&lock);
}

static void change(int i)
{
	weft_au32 *mine = &busy[one_member ? 0 : i];

	for (int k = 0; k < rounds; k++) {
		if (!words[i] ||
		    !win_acc_word_begin(&lock, mine, TARGET, one_member)) {
			change_long();
			continue;
		}
		explore_plain_write(&guarded, sizeof(guarded));
		win_acc_word_end(mine);
	}
}

static void lock_is_free(void)
{
	if (lock.users != lock.now || lock.waiters || busy[0] || busy[1] ||
	    busy[2])
		explore_fail("the lock is not free");
}

static const char *explore_changes(const bool *how, int threads, int times,
				   enum explore_fault fault)
{
	struct explore x = { .threads = threads,
			     .setup = setup,
			     .thread = change,
			     .check = lock_is_free,
			     .fault = fault,
			     .interrupts =
				     explore_interrupts(threads > 2 ? 3 : 0),
			     .states_max = 20000000 };

	words = how;
	rounds = times;
	return explore_run(&x);
}

/*
 * The number is not atomic, so only one thread makes word changes here: word
 * changes do not exclude each other.
 */
static const bool word_and_long[] = { true, false, false };
static const bool all_long[] = { false, false, false };
static const bool all_words[] = { true, true, true };

static void word_and_long_changes_are_ordered(void **state)
{
	T_NULL(explore_changes(word_and_long, 2, 2, EXPLORE_NO_FAULT));
	T_NULL(explore_changes(word_and_long, 3, 1, EXPLORE_NO_FAULT));
}

static void long_changes_are_ordered_and_woken(void **state)
{
	T_NULL(explore_changes(all_long, 2, 2, EXPLORE_NO_FAULT));
	T_NULL(explore_changes(all_long, 3, 1, EXPLORE_NO_FAULT));
}

/* Threads of one process use its busy word one after the other. */
static void threads_of_a_member_are_ordered(void **state)
{
	one_member = true;
	T_NULL(explore_changes(all_words, 2, 2, EXPLORE_NO_FAULT));
	T_NULL(explore_changes(word_and_long, 2, 2, EXPLORE_NO_FAULT));
	one_member = false;
}

static void seeded_faults_are_found(void **state)
{
	T_NOT_NULL(explore_changes(word_and_long, 2, 1, EXPLORE_NO_RELEASE));
	T_NOT_NULL(explore_changes(word_and_long, 2, 1, EXPLORE_NO_ACQUIRE));
	T_STR(explore_changes(all_long, 2, 1, EXPLORE_NO_WAKE), "deadlock");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(word_and_long_changes_are_ordered),
		T_CASE(long_changes_are_ordered_and_woken),
		T_CASE(threads_of_a_member_are_ordered),
		T_CASE(seeded_faults_are_found),
	};

	return T_RUN(tests);
}
