/* SPDX-License-Identifier: BSD-3-Clause */
/* All errors of one and two bits, and of three bits in a header. */
#include "test/t.h"
#include "prov/code/code_hamming.h"
#include "src/base/rng.h"

#include <stdbool.h>
#include <string.h>

enum { WORD = 72, HEADER = 96 };

struct stored {
	uint64_t word;
	uint8_t checks;
};

static void flip(struct stored *s, int bit)
{
	if (bit < 64)
		s->word ^= 1ull << bit;
	else
		s->checks ^= (uint8_t)(1u << (bit - 64));
}

static bool same(const struct stored *a, const struct stored *b)
{
	return a->word == b->word && a->checks == b->checks;
}

static struct stored random_word(struct weft_rng *r)
{
	struct stored s = { .word = weft_rng_u64(r) };

	s.checks = weft_code_secded(s.word);
	return s;
}

/* Returns the column of a bit of a header: the checks of that bit alone. */
static uint8_t column(int bit)
{
	uint8_t h[WEFT_CODE_HEADER_BYTES] = { 0 };

	h[bit / 8] = (uint8_t)(1u << bit % 8);
	return weft_code_header(h);
}

/*
 * Odd and distinct columns imply distance four; 26 bits per check is the number
 * in Hsiao's paper.
 */
static void columns_are_odd_and_distinct(void **state)
{
	bool seen[256] = { 0 };
	int row[8] = { 0 };

	for (int i = 0; i < 8; i++)
		seen[1 << i] = true;
	for (int bit = 0; bit < 88; bit++) {
		uint8_t c = column(bit);

		T_TRUE(__builtin_parity(c));
		T_FALSE(seen[c]);
		seen[c] = true;
		if (bit < 64)
			T_IS(weft_code_secded(1ull << bit), c);
		for (int i = 0; i < 8 && bit < 64; i++)
			row[i] += c >> i & 1;
	}
	for (int i = 0; i < 8; i++)
		T_IS(row[i], 26);
}

static void the_code_is_linear(void **state)
{
	struct weft_rng r;

	weft_rng_init(&r, 1, 0);
	T_IS(weft_code_secded(0), 0);
	for (int i = 0; i < 10000; i++) {
		uint64_t a = weft_rng_u64(&r), b = weft_rng_u64(&r);

		T_IS(weft_code_secded(a ^ b),
		     weft_code_secded(a) ^ weft_code_secded(b));
	}
}

static void every_single_error_of_a_word_is_corrected(void **state)
{
	struct stored good, s;
	struct weft_rng r;

	weft_rng_init(&r, 2, 0);
	for (int i = 0; i < 200; i++) {
		good = s = random_word(&r);
		T_IS(weft_code_secded_correct(&s.word, &s.checks), 0);
		for (int a = 0; a < WORD; a++) {
			s = good;
			flip(&s, a);
			T_IS(weft_code_secded_correct(&s.word, &s.checks), 1);
			T_TRUE(same(&s, &good));
		}
	}
}

static void every_double_error_of_a_word_is_detected(void **state)
{
	struct stored received, s;
	struct weft_rng r;

	weft_rng_init(&r, 3, 0);
	for (int i = 0; i < 50; i++) {
		struct stored good = random_word(&r);

		for (int a = 0; a < WORD; a++) {
			for (int b = 0; b < a; b++) {
				received = good;
				flip(&received, a);
				flip(&received, b);
				s = received;
				T_IS(weft_code_secded_correct(&s.word,
							      &s.checks),
				     -EBADMSG);
				T_TRUE(same(&s, &received));
			}
		}
	}
}

/*
 * Flips n bits of a header (eleven bytes, then its checks). Returns whether the
 * error is detected.
 */
static bool header_found(uint8_t *h, const int *bit, int n)
{
	uint8_t e[12];

	memcpy(e, h, sizeof(e));
	for (int i = 0; i < n; i++)
		e[bit[i] / 8] ^= (uint8_t)(1u << bit[i] % 8);
	return weft_code_header(e) != e[11];
}

static void any_three_errors_of_a_header_are_detected(void **state)
{
	struct weft_rng r;
	uint8_t h[12];
	int b[3];

	weft_rng_init(&r, 4, 0);
	weft_rng_fill(&r, h, 11);
	h[11] = weft_code_header(h);
	T_FALSE(header_found(h, b, 0));
	for (b[0] = 0; b[0] < HEADER; b[0]++) {
		T_TRUE(header_found(h, b, 1));
		for (b[1] = 0; b[1] < b[0]; b[1]++) {
			T_TRUE(header_found(h, b, 2));
			for (b[2] = 0; b[2] < b[1]; b[2]++)
				T_TRUE(header_found(h, b, 3));
		}
	}
}

/* An undetected error of four bits exists, so the distance is exactly four. */
static void some_four_errors_of_a_header_are_undetected(void **state)
{
	uint8_t h[12] = { 0 };
	int b[4] = { 0, 1, 0, 0 }, passed = 0;

	for (b[2] = 2; b[2] < HEADER; b[2]++)
		for (b[3] = 2; b[3] < b[2]; b[3]++)
			passed += !header_found(h, b, 4);
	T_TRUE(passed > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(columns_are_odd_and_distinct),
		T_CASE(the_code_is_linear),
		T_CASE(every_single_error_of_a_word_is_corrected),
		T_CASE(every_double_error_of_a_word_is_detected),
		T_CASE(any_three_errors_of_a_header_are_detected),
		T_CASE(some_four_errors_of_a_header_are_undetected),
	};

	return T_RUN(tests);
}
