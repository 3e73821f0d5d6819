/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests of copies: for every length at several alignments, exactly the bytes of
 * the destination are written.
 */
#include "src/base/copy.h"
#include "test/support/loops.h"
#include "test/t.h"

#include <stdint.h>

enum { MOST = 300, SHIFTS = 17, MARGIN = 16 };

static void copies_are_exact(void **state)
{
	char from[MOST + SHIFTS], to[MOST + SHIFTS + 2 * MARGIN];

	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = (char)(i * 7 + 1);
	for (size_t len = 0; len <= MOST; len++) {
		for (size_t shift = 0; shift < SHIFTS; shift++) {
			char *dst = to + MARGIN + SHIFTS - 1 - shift;

			memset(to, 0x5a, sizeof(to));
			weft_copy(dst, from + shift, len);
			T_MEM(dst, from + shift, len);
			for (char *p = to; p < dst; p++)
				T_IS(*p, 0x5a);
			for (char *p = dst + len; p < to + sizeof(to); p++)
				T_IS(*p, 0x5a);
		}
	}
}

/* Checks which lengths the loop copies: from 512 bytes to `most`. */
static void check_pieces(size_t most)
{
	static const size_t len[] = { 0,    1,	  511,	512,  513,  600, 1023,
				      1024, 1025, 4095, 4096, 4097, 5000 };
	char from[5000], to[5001];

	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = (char)(i * 11 + i / 256);
	for (size_t i = 0; i < sizeof(len) / sizeof(len[0]); i++) {
		loops = 0;
		memset(to, 0x5a, sizeof(to));
		weft_copy_piece(to, from, len[i], weft_copy_span(most));
		T_IS(loops, len[i] >= 512 && len[i] <= most);
		T_MEM(to, from, len[i]);
		for (size_t k = len[i]; k < sizeof(to); k++)
			T_IS(to[k], 0x5a);
	}
}

static void pieces_are_exact_for_every_loop_limit(void **state)
{
	static const size_t most[] = { 0, 1, 511, 512, 1024, 4096, SIZE_MAX };

	for (size_t i = 0; i < sizeof(most) / sizeof(most[0]); i++)
		check_pieces(most[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(copies_are_exact),
		T_CASE(pieces_are_exact_for_every_loop_limit),
	};

	return T_RUN(tests);
}
