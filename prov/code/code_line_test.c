/* SPDX-License-Identifier: BSD-3-Clause */
/* Line codes: rates given in the machines' papers, and all words of 4b/5b. */
#include "test/t.h"
#include "prov/code/code_line.h"

static uint64_t data(enum weft_code_line code, uint64_t wire)
{
	return weft_code_line_data(code, wire);
}

static void data_rates_match_the_papers(void **state)
{
	/* qsnet2, table 2: Mbit/s per wire */
	T_IS(data(WEFT_CODE_LINE_4B5B, 1333), 1064);
	T_IS(data(WEFT_CODE_LINE_4B5B, 1333000) / 1000, 1066);
	/* apenet: 4 lanes of 7 Gbit/s, and of 8.5 Gbit/s; in bytes */
	T_IS(data(WEFT_CODE_LINE_8B10B, 28000000000) / 8, 2800000000);
	T_IS(data(WEFT_CODE_LINE_8B10B, 34000000000) / 8, 3400000000);
}

static void rs_528_514_has_the_overhead_of_64b66b(void **state)
{
	uint64_t block = 20 * 256;
	uint64_t plain = weft_code_line_bits(WEFT_CODE_LINE_64B66B, block);
	uint64_t dense = weft_code_line_bits(WEFT_CODE_LINE_256B257B, block);

	T_IS(weft_code_line_bits(WEFT_CODE_LINE_RS528, block), plain);
	T_IS(dense, 514 * 10);
	T_IS(plain - dense, 14 * 10);
}

static void partial_blocks_are_padded(void **state)
{
	T_IS(weft_code_line_bits(WEFT_CODE_LINE_64B66B, 0), 0);
	T_IS(weft_code_line_bits(WEFT_CODE_LINE_64B66B, 1), 66);
	T_IS(weft_code_line_bits(WEFT_CODE_LINE_64B66B, 64), 66);
	T_IS(weft_code_line_bits(WEFT_CODE_LINE_64B66B, 65), 132);
	T_IS(weft_code_line_bits(WEFT_CODE_LINE_8B10B, 9), 20);
	T_IS(weft_code_line_bits(WEFT_CODE_LINE_PLAIN, 77), 77);
	T_IS(weft_code_line_bits(WEFT_CODE_LINE_RS528, 5121), 2 * 5280);
	T_IS(data(WEFT_CODE_LINE_RS528, 5279), 0);
}

static void nibbles_round_trip_and_other_words_are_refused(void **state)
{
	int words = 0;

	for (unsigned i = 0; i < 16; i++)
		T_IS(weft_code_4b5b_decode(weft_code_4b5b_encode(i)), i);
	for (unsigned w = 0; w < 64; w++)
		words += weft_code_4b5b_decode(w) >= 0;
	T_IS(words, 16);
	/* ISO 9314-1: 0 and F, and the control words J, K, T, idle */
	T_IS(weft_code_4b5b_encode(0), 0x1e);
	T_IS(weft_code_4b5b_encode(15), 0x1d);
	T_IS(weft_code_4b5b_decode(0x18), -EBADMSG);
	T_IS(weft_code_4b5b_decode(0x11), -EBADMSG);
	T_IS(weft_code_4b5b_decode(0x0d), -EBADMSG);
	T_IS(weft_code_4b5b_decode(0x1f), -EBADMSG);
}

static void no_pair_has_four_zeros_in_a_row(void **state)
{
	for (unsigned i = 0; i < 256; i++) {
		unsigned w = (unsigned)weft_code_4b5b_encode(i >> 4) << 5 |
			     weft_code_4b5b_encode(i & 15);

		for (int at = 0; at <= 6; at++)
			T_TRUE(w >> at & 15);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(data_rates_match_the_papers),
		T_CASE(rs_528_514_has_the_overhead_of_64b66b),
		T_CASE(partial_blocks_are_padded),
		T_CASE(nibbles_round_trip_and_other_words_are_refused),
		T_CASE(no_pair_has_four_zeros_in_a_row),
	};

	return T_RUN(tests);
}
