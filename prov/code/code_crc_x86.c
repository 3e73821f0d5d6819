/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CRC on x86-64: folds four blocks of 16 bytes at a time by carry-less
 * multiplication (pclmul). Data too short to fold uses the CRC instruction, for
 * CRC-32C.
 */
#include "prov/code/code_crc_step.h"

#ifdef CODE_CRC_X86

#include "src/base/attr.h"

#include <immintrin.h>
#include <string.h>

#define WITH_CLMUL WEFT_TARGET("sse4.2,pclmul")

/* Folds block a onto block b, over the distance given by the constants k. */
WITH_CLMUL static inline __m128i fold(__m128i a, __m128i k, __m128i b)
{
	__m128i first = _mm_clmulepi64_si128(a, k, 0x00);
	__m128i second = _mm_clmulepi64_si128(a, k, 0x11);

	return _mm_xor_si128(_mm_xor_si128(first, second), b);
}

WITH_CLMUL static inline __m128i load(const unsigned char *p)
{
	return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* Folds a multiple of 16 bytes, at least 64, to a block of equal remainder. */
WITH_CLMUL static void fold_to_block(const struct weft_code_crc *c,
				     uint32_t reg, const unsigned char *p,
				     size_t len, unsigned char block[16])
{
	__m128i by_64 = load((const unsigned char *)c->fold[0]);
	__m128i by_16 = load((const unsigned char *)c->fold[1]);
	__m128i a = _mm_xor_si128(load(p), _mm_cvtsi32_si128((int)reg));
	__m128i b = load(p + 16), d = load(p + 32), e = load(p + 48);

	for (p += 64, len -= 64; len >= 64; p += 64, len -= 64) {
		a = fold(a, by_64, load(p));
		b = fold(b, by_64, load(p + 16));
		d = fold(d, by_64, load(p + 32));
		e = fold(e, by_64, load(p + 48));
	}
	a = fold(fold(fold(a, by_16, b), by_16, d), by_16, e);
	for (; len; p += 16, len -= 16)
		a = fold(a, by_16, load(p));
	_mm_storeu_si128((__m128i *)(void *)block, a);
}

WITH_CLMUL static uint32_t step_clmul(const struct weft_code_crc *c,
				      uint32_t reg, const void *buf, size_t len)
{
	const unsigned char *p = buf;
	size_t whole = len & ~(size_t)15;
	unsigned char block[16];

	if (len < 64)
		return code_crc_tables(c, reg, p, len);
	fold_to_block(c, reg, p, whole, block);
	reg = code_crc_tables(c, 0, block, 16);
	return code_crc_tables(c, reg, p + whole, len - whole);
}

WITH_CLMUL static inline uint32_t castagnoli(uint32_t reg,
					     const unsigned char *p, size_t len)
{
	uint64_t r = reg, x;

	for (; len >= 8; len -= 8, p += 8) {
		memcpy(&x, p, 8);
		r = _mm_crc32_u64(r, x);
	}
	reg = (uint32_t)r;
	if (len & 4) {
		uint32_t half;

		memcpy(&half, p, 4);
		reg = _mm_crc32_u32(reg, half);
		p += 4;
	}
	for (len &= 3; len; len--, p++)
		reg = _mm_crc32_u8(reg, *p);
	return reg;
}

WITH_CLMUL static uint32_t step_castagnoli(const struct weft_code_crc *c,
					   uint32_t reg, const void *buf,
					   size_t len)
{
	const unsigned char *p = buf;
	size_t whole = len & ~(size_t)15;
	unsigned char block[16];

	if (len < 128)
		return castagnoli(reg, p, len);
	fold_to_block(c, reg, p, whole, block);
	reg = castagnoli(0, block, 16);
	return castagnoli(reg, p + whole, len - whole);
}

void code_crc_select(struct weft_code_crc *c, enum weft_code_crc_kind kind)
{
	if (!__builtin_cpu_supports("pclmul") ||
	    !__builtin_cpu_supports("sse4.2"))
		return;
	c->step = kind == WEFT_CODE_CRC32C ? step_castagnoli : step_clmul;
	c->how = "pclmul";
}

#endif
