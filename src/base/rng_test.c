/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of random numbers: streams, ranges, uniformity. */
#include "test/t.h"
#include "src/base/rng.h"

static void the_same_seed_gives_the_same_stream(void **state)
{
	struct weft_rng a, b, c;
	int same = 0;

	weft_rng_init(&a, 42, 0);
	weft_rng_init(&b, 42, 0);
	weft_rng_init(&c, 42, 1);
	for (int i = 0; i < 1000; i++) {
		uint64_t x = weft_rng_u64(&a);

		T_TRUE(x == weft_rng_u64(&b));
		same += x == weft_rng_u64(&c);
	}
	T_IS(same, 0);
}

/* Users reproduce runs by their seeds, so the streams must never change. */
static void first_numbers_never_change(void **state)
{
	struct weft_rng a;

	weft_rng_init(&a, 1, 0);
	T_TRUE(weft_rng_u64(&a) == 0xb5922e15f8819847u);
}

static void numbers_are_uniform(void **state)
{
	int seen[10] = { 0 };
	struct weft_rng a;
	double sum = 0;

	weft_rng_init(&a, 7, 3);
	for (int i = 0; i < 100000; i++) {
		uint64_t x = weft_rng_below(&a, 10);
		double u = weft_rng_unit(&a);

		T_TRUE(x < 10 && u >= 0 && u < 1);
		seen[x]++;
		sum += u;
	}
	for (int i = 0; i < 10; i++)
		T_TRUE(seen[i] > 9500 && seen[i] < 10500);
	T_TRUE(sum > 49500 && sum < 50500);
}

static void fill_writes_exactly_its_bytes(void **state)
{
	unsigned char buf[16] = { 0 };
	struct weft_rng a;
	int zero = 0;

	weft_rng_init(&a, 5, 0);
	weft_rng_fill(&a, buf, 13);
	for (int i = 0; i < 13; i++)
		zero += buf[i] == 0;
	T_TRUE(zero < 4);
	T_IS(buf[13] + buf[14] + buf[15], 0);
}

static void shuffle_is_a_uniform_permutation(void **state)
{
	int seen_at[8][8] = { { 0 } }, order[8];
	struct weft_rng a;

	weft_rng_init(&a, 3, 0);
	for (int round = 0; round < 8000; round++) {
		unsigned seen = 0;

		weft_rng_shuffle(&a, order, 8);
		for (int i = 0; i < 8; i++) {
			seen |= 1u << order[i];
			seen_at[i][order[i]]++;
		}
		T_IS(seen, 0xff);
	}
	for (int i = 0; i < 64; i++)
		T_TRUE(seen_at[i / 8][i % 8] > 800 &&
		       seen_at[i / 8][i % 8] < 1200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(the_same_seed_gives_the_same_stream),
		T_CASE(first_numbers_never_change),
		T_CASE(numbers_are_uniform),
		T_CASE(fill_writes_exactly_its_bytes),
		T_CASE(shuffle_is_a_uniform_permutation),
	};

	return T_RUN(tests);
}
