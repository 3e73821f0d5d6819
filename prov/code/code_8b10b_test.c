/* SPDX-License-Identifier: BSD-3-Clause */
/* 8b/10b: published words, all words, long streams, all single-bit errors. */
#include "test/t.h"
#include "prov/code/code_8b10b.h"
#include "src/base/rng.h"

#include <stdio.h>

enum { FRAME = 24, IDLES = 2 };

static struct weft_code_8b10b t;

static int open_table(void **state)
{
	weft_code_8b10b_init(&t);
	return 0;
}

static bool is_value(int v)
{
	return v < 512 && t.enc[0][v];
}

static unsigned bits(const char *text)
{
	unsigned w = 0;

	for (; *text; text++)
		if (*text != ' ')
			w = w << 1 | (*text == '1');
	return w;
}

/* Words with negative and with positive running disparity. */
static void code_words_match_the_paper(void **state)
{
	static const struct {
		int value;
		const char *minus, *plus;
	} published[] = {
		{ WEFT_CODE_D(0, 0), "100111 0100", "011000 1011" },
		{ WEFT_CODE_D(1, 0), "011101 0100", "100010 1011" },
		{ WEFT_CODE_D(7, 3), "111000 1100", "000111 0011" },
		{ WEFT_CODE_D(21, 5), "101010 1010", "101010 1010" },
		{ WEFT_CODE_D(10, 2), "010101 0101", "010101 0101" },
		{ WEFT_CODE_D(11, 7), "110100 1110", "110100 1000" },
		{ WEFT_CODE_D(17, 7), "100011 0111", "100011 0001" },
		{ WEFT_CODE_D(31, 7), "101011 0001", "010100 1110" },
		{ WEFT_CODE_K(28, 0), "001111 0100", "110000 1011" },
		{ WEFT_CODE_K(28, 1), "001111 1001", "110000 0110" },
		{ WEFT_CODE_K(28, 5), "001111 1010", "110000 0101" },
		{ WEFT_CODE_K(28, 7), "001111 1000", "110000 0111" },
		{ WEFT_CODE_K(23, 7), "111010 1000", "000101 0111" },
		{ WEFT_CODE_K(30, 7), "011110 1000", "100001 0111" },
	};

	for (unsigned i = 0; i < sizeof(published) / sizeof(*published); i++) {
		T_IS(t.enc[0][published[i].value], bits(published[i].minus));
		T_IS(t.enc[1][published[i].value], bits(published[i].plus));
	}
}

static void all_268_values_round_trip(void **state)
{
	int values = 0, words = 0;

	for (int v = 0; v < 512; v++) {
		if (!is_value(v))
			continue;
		values++;
		for (int p = 0; p < 2; p++) {
			bool sender = p, receiver = p;
			uint16_t w = weft_code_8b10b_encode(&t, v, &sender);

			T_IS(weft_code_8b10b_decode(&t, w, &receiver), v);
			T_IS(sender, receiver);
		}
	}
	T_IS(values, 256 + 12);
	for (int w = 0; w < 1024; w++)
		words += t.dec[0][w] >= 0;
	T_IS(words, 256 + 12);
}

/* Disparity sum and run length over the bits of a stream. */
struct line {
	int sum, run, last;
	unsigned window;
};

static void send(struct line *l, uint16_t w, int data)
{
	for (int b = 9; b >= 0; b--) {
		int bit = w >> b & 1;

		l->sum += bit ? 1 : -1;
		l->run = bit == l->last ? l->run + 1 : 1;
		l->last = bit;
		l->window = (l->window << 1 | (unsigned)bit) & 127;
		T_TRUE(l->sum >= -3 && l->sum <= 3);
		T_TRUE(l->run <= 5);
		/* receivers align to the comma, so no data may contain it */
		if (data)
			T_TRUE(l->window != 0x1f && l->window != 0x60);
	}
}

/* Data words in all pairs, with control words inserted at random. */
static void streams_stay_balanced_without_false_commas(void **state)
{
	struct line l = { .sum = -1, .last = 2, .window = 0x2a };
	struct weft_rng r;
	bool plus = false;

	for (int a = 0; a < 256; a++)
		for (int b = 0; b < 256; b++) {
			send(&l, weft_code_8b10b_encode(&t, a, &plus), 1);
			send(&l, weft_code_8b10b_encode(&t, b, &plus), 1);
			T_IS(l.sum, plus ? 1 : -1);
		}
	weft_rng_init(&r, 1, 0);
	for (int i = 0; i < 200000; i++) {
		int v = (int)weft_rng_below(&r, 512);

		/* two consecutive K28.7 are not allowed by the paper */
		if (is_value(v) && v != WEFT_CODE_K(28, 7))
			send(&l, weft_code_8b10b_encode(&t, v, &plus), 0);
	}
}

/*
 * Sends a frame, then idle words, with one bit flipped (-1: none). Returns
 * whether the error was detected.
 */
static bool found(const int *value, int bit)
{
	bool sender = false, receiver = false, bad = false;

	for (int i = 0; i < FRAME + IDLES; i++) {
		int v = i < FRAME ? value[i] : WEFT_CODE_K(28, 5), got;
		uint16_t w = weft_code_8b10b_encode(&t, v, &sender);

		if (bit / 10 == i && bit >= 0)
			w ^= (uint16_t)(1u << bit % 10);
		got = weft_code_8b10b_decode(&t, w, &receiver);
		bad |= got < 0;
		if (bit < 0)
			T_IS(got, v);
	}
	return bad;
}

static void every_single_bit_error_is_detected_by_the_idle_words(void **state)
{
	struct weft_rng r;
	int value[FRAME];

	weft_rng_init(&r, 2, 0);
	for (int i = 0; i < t_scale(500); i++) {
		for (int k = 0; k < FRAME; k++)
			value[k] = (int)weft_rng_below(&r, 256);
		T_FALSE(found(value, -1));
		for (int b = 0; b < 10 * (FRAME + IDLES - 1); b++)
			T_TRUE(found(value, b));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(code_words_match_the_paper),
		T_CASE(all_268_values_round_trip),
		T_CASE(streams_stay_balanced_without_false_commas),
		T_CASE(every_single_bit_error_is_detected_by_the_idle_words),
	};

	return cmocka_run_group_tests(tests, open_table, NULL);
}
