/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests of the explorer with small programs whose results are known: which
 * results the memory model allows, and that the explorer finds races and lost
 * wake-ups.
 */
#include "test/support/explore_atomic.h"
#include "test/t.h"

static weft_au32 x, y, flag;
static uint32_t plain;
static uint32_t r[2];
static unsigned outcomes; /* results seen, as a bit mask: bit 2 * r[0] + r[1] */
static int store_order, load_order;
static bool fences;

static void reset(void)
{
	atomic_init(&x, 0);
	atomic_init(&y, 0);
	atomic_init(&flag, 0);
	r[0] = r[1] = 0;
	explore_plain(&plain, sizeof(plain));
}

static void note_outcome(void)
{
	outcomes |= 1u << (2 * r[0] + r[1]);
}

static unsigned outcomes_of(void (*thread)(int), int store, int load)
{
	struct explore e = { .threads = 2,
			     .setup = reset,
			     .thread = thread,
			     .check = note_outcome,
			     .fault = EXPLORE_NO_FAULT,
			     .states_max = 10000 };
	const char *error;

	store_order = store;
	load_order = load;
	outcomes = 0;
	error = explore_run(&e);
	if (error)
		fail_msg("%s", error);
	T_TRUE(e.executions >= 2);
	return outcomes;
}

/* ---- store buffering ----------------------------------------------------- */

static void store_then_load(int i)
{
	weft_au32 *mine = i ? &y : &x;
	weft_au32 *other = i ? &x : &y;

	atomic_store_explicit(mine, 1, store_order);
	if (fences)
		weft_fence_full();
	r[i] = atomic_load_explicit(other, load_order);
}

static void old_values_are_read_without_fences(void **state)
{
	fences = false;
	T_IS(outcomes_of(store_then_load, memory_order_release,
			 memory_order_acquire),
	     0xf);
	T_IS(outcomes_of(store_then_load, memory_order_seq_cst,
			 memory_order_seq_cst),
	     0xe);
	fences = true;
	T_IS(outcomes_of(store_then_load, memory_order_relaxed,
			 memory_order_relaxed),
	     0xe);
}

/* ---- messages ------------------------------------------------------------ */

static void store_two_or_load_two(int i)
{
	if (!i) {
		atomic_store_explicit(&x, 1, memory_order_relaxed);
		if (fences)
			weft_fence_release();
		atomic_store_explicit(&flag, 1, store_order);
		return;
	}
	r[0] = atomic_load_explicit(&flag, load_order);
	if (fences)
		weft_fence_acquire();
	r[1] = atomic_load_explicit(&x, memory_order_relaxed);
}

static void releases_and_acquires_order(void **state)
{
	fences = false;
	/* flag 1 with x 0 is bit 2 */
	T_IS(outcomes_of(store_two_or_load_two, memory_order_relaxed,
			 memory_order_acquire),
	     0xf);
	T_IS(outcomes_of(store_two_or_load_two, memory_order_release,
			 memory_order_relaxed),
	     0xf);
	T_IS(outcomes_of(store_two_or_load_two, memory_order_release,
			 memory_order_acquire),
	     0xb);
	fences = true;
	T_IS(outcomes_of(store_two_or_load_two, memory_order_relaxed,
			 memory_order_relaxed),
	     0xb);
}

static void load_twice(int i)
{
	if (!i) {
		weft_store32_relaxed(&x, 1);
		return;
	}
	r[0] = weft_load32_relaxed(&x);
	r[1] = weft_load32_relaxed(&x);
}

static void values_of_one_object_are_never_older(void **state)
{
	T_IS(outcomes_of(load_twice, 0, 0), 0xb);
}

static void add_one(int i)
{
	r[i] = atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
}

static void modifications_use_the_latest_value(void **state)
{
	T_IS(outcomes_of(add_one, 0, 0), 0x6);
}

static void swap_one(int i)
{
	uint32_t expect = 0;

	r[i] = weft_cas32(&x, &expect, 1) ? 0 : expect;
}

static void exchanges_succeed_once(void **state)
{
	T_IS(outcomes_of(swap_one, 0, 0), 0x6);
}

/* ---- a membarrier replaces one fence ------------------------------------- */

static void one_side_fences(int i)
{
	if (!i) {
		weft_store32_relaxed(&x, 1);
		r[0] = weft_load32_relaxed(&y);
		return;
	}
	weft_store32_relaxed(&y, 1);
	explore_membarrier();
	r[1] = weft_load32_relaxed(&x);
}

static void a_membarrier_orders_all_threads(void **state)
{
	struct explore e = { .threads = 2,
			     .setup = reset,
			     .thread = one_side_fences,
			     .check = note_outcome,
			     .fault = EXPLORE_NO_MEMBARRIER,
			     .states_max = 10000 };

	T_IS(outcomes_of(one_side_fences, 0, 0), 0xe);
	outcomes = 0;
	T_NULL(explore_run(&e));
	T_IS(outcomes, 0xf);
}

/* ---- errors -------------------------------------------------------------- */

static void hand_over_plain(int i)
{
	if (!i) {
		explore_plain_write(&plain, sizeof(plain));
		atomic_store_explicit(&flag, 1, store_order);
	} else if (atomic_load_explicit(&flag, load_order)) {
		explore_plain_read(&plain, sizeof(plain));
	}
}

/* The reader performs a release, so that the writer may write again. */
static void hand_back_plain(int i)
{
	if (!i) {
		explore_plain_read(&plain, sizeof(plain));
		atomic_store_explicit(&flag, 1, store_order);
	} else if (atomic_load_explicit(&flag, load_order)) {
		explore_plain_write(&plain, sizeof(plain));
	}
}

static const char *error_of(void (*thread)(int), enum explore_fault fault)
{
	struct explore e = { .threads = 2,
			     .setup = reset,
			     .thread = thread,
			     .check = NULL,
			     .fault = fault,
			     .states_max = 10000 };

	return explore_run(&e);
}

static void races_are_found(void **state)
{
	store_order = memory_order_release;
	load_order = memory_order_acquire;
	T_NULL(error_of(hand_over_plain, EXPLORE_NO_FAULT));
	T_NULL(error_of(hand_back_plain, EXPLORE_NO_FAULT));
	T_NOT_NULL(error_of(hand_over_plain, EXPLORE_NO_RELEASE));
	T_NOT_NULL(error_of(hand_over_plain, EXPLORE_NO_ACQUIRE));
	T_NOT_NULL(error_of(hand_back_plain, EXPLORE_NO_RELEASE));
	T_NOT_NULL(error_of(hand_back_plain, EXPLORE_NO_ACQUIRE));
}

static void block_until_flag(int i)
{
	const volatile void *word[2] = { &flag };

	if (!i) {
		weft_store32(&flag, 1);
		explore_futex_wake(&flag, 1);
		return;
	}
	while (!weft_load32(&flag))
		explore_futex_wait(word, (uint32_t[2]){ 0 }, 1, 1);
}

static void poll_until_flag(int i)
{
	if (!i) {
		weft_store32_relaxed(&flag, 1);
		return;
	}
	for (explore_poll(); !weft_load32_relaxed(&flag); explore_poll())
		explore_again();
}

static void spin_then_give_up(int i)
{
	if (!i) {
		weft_store32_relaxed(&flag, 1);
		return;
	}
	for (int k = 0; k < 100 && !r[1]; k++) {
		r[1] = weft_load32_relaxed(&flag);
		weft_relax();
	}
}

static void lost_wake_ups_are_found(void **state)
{
	T_NULL(error_of(block_until_flag, EXPLORE_NO_FAULT));
	T_STR(error_of(block_until_flag, EXPLORE_NO_WAKE), "deadlock");
}

static void loops_end(void **state)
{
	T_NULL(error_of(poll_until_flag, EXPLORE_NO_FAULT));
	/* the spin may end with or without the value */
	T_IS(outcomes_of(spin_then_give_up, 0, 0), 0x3);
}

static void too_many_states_are_an_error(void **state)
{
	struct explore e = { .threads = 2,
			     .setup = reset,
			     .thread = store_then_load,
			     .check = NULL,
			     .fault = EXPLORE_NO_FAULT,
			     .states_max = 3 };

	T_NOT_NULL(explore_run(&e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(old_values_are_read_without_fences),
		T_CASE(releases_and_acquires_order),
		T_CASE(values_of_one_object_are_never_older),
		T_CASE(modifications_use_the_latest_value),
		T_CASE(exchanges_succeed_once),
		T_CASE(a_membarrier_orders_all_threads),
		T_CASE(races_are_found),
		T_CASE(lost_wake_ups_are_found),
		T_CASE(loops_end),
		T_CASE(too_many_states_are_an_error),
	};

	return T_RUN(tests);
}
