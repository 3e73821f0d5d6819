/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the fuzzing library: its changes, and that a seed repeats them. */
#include "test/support/fuzz.h"
#include "test/t.h"

#include <stdbool.h>
#include <string.h>

struct message {
	uint16_t count;
	uint16_t untouched;
	uint32_t len;
};

static const struct fuzz_field fields[] = {
	FUZZ_FIELD(struct message, count, 0),
	FUZZ_FIELD(struct message, len, 0),
};

/* Every boundary of a checked number is among its changes. */
static void numbers_reach_boundaries(void **state)
{
	static const uint64_t want[] = { 0,   1,      99,     101,
					 200, 0xffff, 0xfffe, 0x8000 };
	struct fuzz f;
	bool seen[8] = { 0 };

	fuzz_init(&f, 1);
	for (int i = 0; i < 20000; i++) {
		uint64_t v = fuzz_number(&f, 100, 2);

		T_TRUE(v <= 0xffff);
		for (int k = 0; k < 8; k++)
			seen[k] |= v == want[k];
	}
	for (int k = 0; k < 8; k++)
		T_TRUE(seen[k]);
}

static void messages_change_in_every_way(void **state)
{
	bool shorter = false, longer = false, count = false, len = false;
	struct fuzz f;

	fuzz_init(&f, 2);
	for (int i = 0; i < 2000; i++) {
		const struct message valid = { 3, 7, 40 };
		struct message m[2] = { valid, valid };
		size_t n = fuzz_message(&f, m, sizeof(valid), sizeof(m), fields,
					2);

		T_TRUE(n <= sizeof(m));
		shorter |= n < sizeof(valid);
		longer |= n > sizeof(valid);
		count |= m[0].count != 3 && m[0].len == 40;
		len |= m[0].len != 40 && m[0].count == 3;
	}
	T_TRUE(shorter && longer && count && len);
}

static void orders_swap_repeat_and_omit(void **state)
{
	bool more = false, fewer = false, swapped = false;
	struct fuzz f;

	fuzz_init(&f, 3);
	for (int i = 0; i < 500; i++) {
		int order[4] = { 0, 1, 2 };
		int n = fuzz_order(&f, order, 3, 4);

		more |= n == 4;
		fewer |= n == 2;
		swapped |= n == 3 && order[0] == 1 && order[1] == 0;
		for (int k = 0; k < n; k++)
			T_TRUE(order[k] >= 0 && order[k] < 3);
	}
	T_TRUE(more && fewer && swapped);
}

static void texts_stay_in_their_room(void **state)
{
	const char *valid = "a = 12 ns\nb = 3.5 MB\nlist = x, y\n";
	struct fuzz f, g;
	char text[64], again[64];
	int differ = 0;

	fuzz_init(&f, 4);
	fuzz_init(&g, 4);
	for (int i = 0; i < 5000; i++) {
		memset(text, 'z', sizeof(text));
		strcpy(text, valid);
		for (int k = 0; k < 5; k++)
			fuzz_text(&f, text, 48);
		T_TRUE(memchr(text, 0, 48) != NULL);
		T_IS(text[48], 'z');
		differ += strcmp(text, valid) != 0;
		/* the same seed, the same text */
		strcpy(again, valid);
		for (int k = 0; k < 5; k++)
			fuzz_text(&g, again, 48);
		T_STR(again, text);
	}
	T_TRUE(differ > 4500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(numbers_reach_boundaries),
		T_CASE(messages_change_in_every_way),
		T_CASE(orders_swap_repeat_and_omit),
		T_CASE(texts_stay_in_their_room),
	};

	return T_RUN(tests);
}
