/* SPDX-License-Identifier: BSD-3-Clause */
/* 8b/10b: the two tables of the paper, and lookup tables built from them. */
#include "prov/code/code_8b10b.h"

#include "src/base/attr.h"
#include "src/base/must.h"

#include <errno.h>

/* Sub-block abcdei of each EDCBA, for negative running disparity. */
static const uint8_t six[32] = {
	0x27, 0x1d, 0x2d, 0x31, 0x35, 0x29, 0x19, 0x38, 0x39, 0x25, 0x15,
	0x34, 0x0d, 0x2c, 0x1c, 0x17, 0x1b, 0x23, 0x13, 0x32, 0x0b, 0x2a,
	0x1a, 0x3a, 0x33, 0x26, 0x16, 0x36, 0x0e, 0x2e, 0x1e, 0x2b,
};

/*
 * Sub-block fghj of each HGF, for negative running disparity: data words
 * (four_d) and control words (four_k).
 */
static const uint8_t four_d[8] = { 0xb, 0x9, 0x5, 0xc, 0xd, 0xa, 0x6, 0xe };
static const uint8_t four_k[8] = { 0xb, 0x6, 0xa, 0xc, 0xd, 0x5, 0x9, 0x7 };

static const uint16_t controls[12] = {
	WEFT_CODE_K(28, 0), WEFT_CODE_K(28, 1), WEFT_CODE_K(28, 2),
	WEFT_CODE_K(28, 3), WEFT_CODE_K(28, 4), WEFT_CODE_K(28, 5),
	WEFT_CODE_K(28, 6), WEFT_CODE_K(28, 7), WEFT_CODE_K(23, 7),
	WEFT_CODE_K(27, 7), WEFT_CODE_K(29, 7), WEFT_CODE_K(30, 7),
};

/* Returns the number of ones minus the number of zeros. */
static int excess(unsigned word, int bits)
{
	return 2 * __builtin_popcount(word) - bits;
}

static bool disparity_after(unsigned word, int bits, bool plus)
{
	int e = excess(word, bits);

	return e ? e > 0 : plus;
}

/* Returns the six-bit sub-block. D7 has two forms although it is balanced. */
static unsigned six_of(int value, bool plus)
{
	bool k28 = value >= 256 && (value & 31) == 28;
	unsigned x = value & 31, w = k28 ? 0x0f : six[x];

	return plus && (excess(w, 6) || x == 7) ? w ^ 0x3f : w;
}

/*
 * Returns the four-bit sub-block. For y = 7 the alternate form avoids runs of
 * five equal bits. Dx.3 has two forms although it is balanced.
 */
static unsigned four_of(int value, bool plus)
{
	unsigned x = value & 31, y = value >> 5 & 7, w = four_d[y];

	if (value & 256)
		return plus ? four_k[y] ^ 0xf : four_k[y];
	if (y == 7 && (plus ? x == 11 || x == 13 || x == 14
			    : x == 17 || x == 18 || x == 20))
		w = 0x7;
	return plus && (excess(w, 4) || y == 3) ? w ^ 0xf : w;
}

static unsigned word_of(int value, bool plus)
{
	unsigned w = six_of(value, plus);

	return w << 4 | four_of(value, disparity_after(w, 6, plus));
}

static void code_8b10b_fill(struct weft_code_8b10b *t, int value)
{
	for (int plus = 0; plus < 2; plus++) {
		unsigned w = word_of(value, plus);

		t->enc[plus][value] = (uint16_t)w;
		t->dec[plus][w] = (int16_t)value;
	}
}

void weft_code_8b10b_init(struct weft_code_8b10b *t)
{
	for (int plus = 0; plus < 2; plus++) {
		for (int i = 0; i < 512; i++)
			t->enc[plus][i] = 0;
		for (unsigned w = 0; w < 1024; w++) {
			t->dec[plus][w] = -EBADMSG;
			t->ahead[plus][w] = disparity_after(w, 10, plus);
		}
	}
	for (int i = 0; i < 256; i++)
		code_8b10b_fill(t, i);
	for (unsigned i = 0; i < WEFT_COUNT_OF(controls); i++)
		code_8b10b_fill(t, controls[i]);
}

uint16_t weft_code_8b10b_encode(const struct weft_code_8b10b *t, int value,
				bool *plus)
{
	uint16_t w = t->enc[*plus][value];

	WEFT_ASSERT(w);
	*plus = t->ahead[*plus][w];
	return w;
}

int weft_code_8b10b_decode(const struct weft_code_8b10b *t, uint16_t word,
			   bool *plus)
{
	int value = t->dec[*plus][word & 1023];

	*plus = t->ahead[*plus][word & 1023];
	return value;
}
