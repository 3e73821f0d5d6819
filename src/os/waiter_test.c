/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the waiter; its condition is true after a number of checks. */
#include "src/os/waiter.h"
#include "test/t.h"

#define LONG_NS UINT64_C(20000000000)

struct user {
	struct weft_waiter waiter;
	unsigned checks; /* checks so far */
	unsigned done;	 /* number of the check that ends the wait; 0: none */
	unsigned blocks;
	uint64_t block_ns; /* requested time of the last block */
	bool wakes;	   /* a block ends the wait */
};

static bool check(void *arg, uint64_t now)
{
	struct user *u = arg;

	u->checks++;
	return (u->done && u->checks >= u->done) ||
	       weft_waiter_woken(&u->waiter);
}

static bool block(void *arg, uint64_t now, uint64_t ns)
{
	struct user *u = arg;

	u->blocks++;
	u->block_ns = ns;
	weft_waiter_count(&u->waiter);
	return u->wakes;
}

static const struct weft_waiter_ops ops = { check, block };

static int wait_once(struct user *u, uint64_t timeout_ns)
{
	u->checks = u->blocks = 0;
	return weft_waiter_wait(&u->waiter, &ops, u, timeout_ns);
}

/* Makes the policy suspend yields for the whole test. */
static void suspend_yields(struct user *u)
{
	weft_store64_relaxed(&u->waiter.policy.until_ns, UINT64_MAX);
}

static void a_short_wait_only_spins(void **state)
{
	struct user u = { .done = 3 };

	weft_waiter_init(&u.waiter, WEFT_WAIT_SHM, 1000000000);
	T_OK(wait_once(&u, LONG_NS));
	T_IS(u.checks, 3);
	T_IS(u.blocks, 0);
	T_IS(weft_load64_relaxed(&u.waiter.spin_now_ns), 1000000000);
}

static void unsuccessful_spins_get_shorter(void **state)
{
	struct user u = { .wakes = true };
	uint64_t spin;

	weft_waiter_init(&u.waiter, WEFT_WAIT_SHM, 4096);
	suspend_yields(&u);
	while ((spin = weft_load64_relaxed(&u.waiter.spin_now_ns))) {
		T_OK(wait_once(&u, LONG_NS));
		T_IS(u.blocks, 1);
		T_TRUE(weft_load64_relaxed(&u.waiter.spin_now_ns) < spin);
	}
}

/*
 * If the caller specifies no time, all times are those of the table; otherwise
 * the time replaces the spins or, for users that do not spin, the yields; 1
 * means none.
 */
static void init_uses_the_given_time(void **state)
{
	static const uint64_t spins[] = { 0, 1, 12345 };

	for (size_t k = 0; k < WEFT_COUNT_OF(weft_wait_times); k++)
		for (size_t i = 0; i < WEFT_COUNT_OF(spins); i++) {
			const struct weft_wait_times *t = &weft_wait_times[k];
			uint64_t given = spins[i] == 1 ? 0 : spins[i];
			uint64_t spin = t->spin_ns, yield = t->yield_ns;
			struct weft_waiter w = { .idle = false };

			weft_waiter_init(&w, (enum weft_wait_user)k, spins[i]);
			if (spins[i])
				*(t->spin_ns ? &spin : &yield) = given;
			T_IS(w.spin_ns, spin);
			T_IS(w.yield_ns, yield);
			T_IS(weft_load64_relaxed(&w.spin_now_ns), spin);
		}
}

static void a_wait_blocks_for_one_slice(void **state)
{
	struct user u = { .done = 0 };

	weft_waiter_init(&u.waiter, WEFT_WAIT_SOCK, 1);
	T_OK(wait_once(&u, LONG_NS));
	T_IS(u.checks, 0);
	T_IS(u.blocks, 1);
	T_IS(weft_load64_relaxed(&u.waiter.sleeps), 1);
	if (!weft_wait_is_unbounded())
		T_IS(u.block_ns, weft_wait_times[WEFT_WAIT_SOCK].slice_ns);
	T_TRUE(u.waiter.idle);
	/* an idle waiter blocks at once, until an event occurs */
	u.waiter.yield_ns = LONG_NS;
	u.wakes = true;
	T_OK(wait_once(&u, LONG_NS));
	T_IS(u.checks, 0);
	T_FALSE(u.waiter.idle);
}

static void a_wait_ends_by_its_timeout(void **state)
{
	struct user u = { .done = 0 };

	weft_waiter_init(&u.waiter, WEFT_WAIT_SHM, 1);
	T_IS(wait_once(&u, 1), -ETIMEDOUT);
	T_FALSE(u.waiter.idle);
	T_IS(weft_wait_end(5, UINT64_MAX - 4), UINT64_MAX);
	T_IS(weft_wait_end(5, 4), 9);
}

static void after_refused_sends_a_wait_yields_then_blocks(void **state)
{
	struct user u = { .done = 0 };
	unsigned yields = weft_wait_times[WEFT_WAIT_SOCK].room_yields;

	weft_waiter_init(&u.waiter, WEFT_WAIT_SOCK, 1);
	for (int i = 0; i < 2; i++) {
		for (unsigned n = 0; n <= yields; n++) {
			weft_store32(&u.waiter.full, 1);
			T_OK(wait_once(&u, LONG_NS));
			T_IS(u.blocks, n == yields);
			T_FALSE(weft_load32(&u.waiter.full));
		}
		T_IS(u.block_ns, WEFT_WAIT_ROOM_NS);
		/* the next wait starts with yields again */
		T_OK(wait_once(&u, LONG_NS));
	}
}

static void a_wake_is_consumed_once(void **state)
{
	struct user u = { .done = 0 };

	weft_waiter_init(&u.waiter, WEFT_WAIT_SHM, 0);
	weft_store32(&u.waiter.woken, 1);
	T_OK(wait_once(&u, LONG_NS));
	T_IS(u.blocks, 0);
	T_FALSE(weft_waiter_woken(&u.waiter));
}

static void a_periodic_check_is_due_after_its_period(void **state)
{
	uint64_t next = 0;

	T_FALSE(weft_wait_check_due(&next, 1000, 10));
	T_FALSE(weft_wait_check_due(&next, 1009, 10));
	T_TRUE(weft_wait_check_due(&next, 1010, 10));
	T_FALSE(weft_wait_check_due(&next, 1019, 10));
	T_TRUE(weft_wait_check_due(&next, 1025, 10));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_short_wait_only_spins),
		T_CASE(unsuccessful_spins_get_shorter),
		T_CASE(init_uses_the_given_time),
		T_CASE(a_wait_blocks_for_one_slice),
		T_CASE(a_wait_ends_by_its_timeout),
		T_CASE(after_refused_sends_a_wait_yields_then_blocks),
		T_CASE(a_wake_is_consumed_once),
		T_CASE(a_periodic_check_is_due_after_its_period),
	};

	return T_RUN(tests);
}
