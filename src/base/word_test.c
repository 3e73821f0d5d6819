/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests that an operation changes only the bytes of its word. */
#include "src/base/word.h"

#include "test/t.h"

#define SOME UINT64_C(0x8899aabbccddeeff)

static uint64_t low(uint64_t v, size_t bytes)
{
	return bytes == 8 ? v : v & ((UINT64_C(1) << 8 * bytes) - 1);
}

static void load_and_get_return_the_word(void **state)
{
	uint64_t mem = SOME;
	char other[9];

	memcpy(other + 1, &mem, sizeof(mem));
	for (size_t bytes = 1; bytes <= 8; bytes *= 2) {
		T_TRUE(weft_word_load(&mem, bytes) == low(SOME, bytes));
		T_TRUE(weft_word_get(other + 1, bytes) == low(SOME, bytes));
	}
}

static void store_and_put_change_only_the_word(void **state)
{
	for (size_t bytes = 1; bytes <= 8; bytes *= 2) {
		uint64_t mem = 0;

		weft_word_store_relaxed(&mem, SOME, bytes);
		T_TRUE(mem == low(SOME, bytes));
		mem = 0;
		weft_word_put(&mem, SOME, bytes);
		T_TRUE(mem == low(SOME, bytes));
	}
}

static void a_failed_swap_returns_the_current_value(void **state)
{
	for (size_t bytes = 1; bytes <= 8; bytes *= 2) {
		uint64_t mem = SOME, expect = 5;

		T_FALSE(weft_word_cas(&mem, bytes, &expect, 7));
		T_TRUE(mem == SOME && expect == low(SOME, bytes));
		T_TRUE(weft_word_cas(&mem, bytes, &expect, 7));
		T_TRUE(mem == (SOME ^ low(SOME, bytes) ^ 7));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(load_and_get_return_the_word),
		T_CASE(store_and_put_change_only_the_word),
		T_CASE(a_failed_swap_returns_the_current_value),
	};

	return T_RUN(tests);
}
