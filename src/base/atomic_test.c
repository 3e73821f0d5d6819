/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests of atomic operations between threads: acquire and release, counters,
 * compare-and-swap.
 */
#include "test/t.h"
#include "src/base/atomic.h"

#define ROUNDS 100000

/* Two threads pass a non-atomic value back and forth, ordered by one flag. */
struct handoff {
	weft_au32 next_side;
	uint64_t value;
	int rounds;
	uint64_t wrong;
};

struct side {
	struct handoff *h;
	uint32_t me;
};

static void *exchange_values(void *arg)
{
	struct side *s = arg;
	struct handoff *h = s->h;

	for (int i = 0; i < h->rounds; i++) {
		while (weft_load32(&h->next_side) != s->me)
			weft_relax();
		if (h->value != (uint64_t)i * 2 + s->me)
			h->wrong++;
		h->value++;
		weft_store32(&h->next_side, 1 - s->me);
	}
	return NULL;
}

static void release_and_acquire_order_non_atomic_data(void **state)
{
	struct handoff h = { .rounds = t_scale(ROUNDS) / 10 };
	struct side s[2] = { { &h, 0 }, { &h, 1 } };

	t_threads(2, exchange_values, s, sizeof(s[0]));
	T_IS(h.wrong, 0);
	T_IS(h.value, 2 * h.rounds);
}

static void *count_up(void *arg)
{
	for (int i = 0; i < t_scale(ROUNDS); i++)
		weft_add64(arg, 1);
	return NULL;
}

static void concurrent_additions_are_not_lost(void **state)
{
	weft_au64 n = 0;

	t_threads(4, count_up, &n, 0);
	T_IS(weft_load64(&n), 4 * t_scale(ROUNDS));
}

static void compare_and_swap_returns_the_old_value(void **state)
{
	weft_au32 w = 5;
	uint32_t expect = 4;

	T_FALSE(weft_cas32(&w, &expect, 9));
	T_IS(expect, 5);
	T_TRUE(weft_cas32(&w, &expect, 9));
	T_IS(weft_swap32(&w, 1), 9);
	T_IS(weft_add32(&w, 2), 1);
	T_IS(weft_load32(&w), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(release_and_acquire_order_non_atomic_data),
		T_CASE(concurrent_additions_are_not_lost),
		T_CASE(compare_and_swap_returns_the_old_value),
	};

	return T_RUN(tests);
}
