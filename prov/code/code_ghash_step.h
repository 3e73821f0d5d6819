/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to prov/code: the GHASH implementations, one per processor. */
#ifndef WEFT_CODE_GHASH_STEP_H
#define WEFT_CODE_GHASH_STEP_H

#include "prov/code/code_ghash.h"

#define CODE_GHASH_BYTES (16 * (size_t)WEFT_GHASH_STRIDE)

/*
 * One implementation of GHASH. sum (in, out): hash of all previous blocks, in
 * host byte order.
 */
struct code_ghash_unit {
	bool (*is_supported)(void);
	/* hashes WEFT_GHASH_STRIDE blocks */
	void (*stride)(const struct weft_code_ghash *g, const uint8_t *data,
		       uint8_t sum[16]);
	/*
	 * Hashes fewer blocks than a stride (possibly none; the last may be
	 * partial), then the block with the length of all bytes. Writes sum in
	 * wire order.
	 */
	void (*last_blocks)(const struct weft_code_ghash *g,
			    const uint8_t *data, size_t len, size_t all,
			    uint8_t sum[16]);
};

#if defined(__aarch64__) && defined(__AARCH64EL__)
#define CODE_GHASH_ARM
extern const struct code_ghash_unit code_ghash_arm;
#endif

/*
 * Computes the powers of h, in the format that all GHASH implementations for
 * this processor architecture use.
 */
void code_ghash_powers(struct weft_code_ghash *g, const uint8_t h[16]);

#ifdef __x86_64__

extern const struct code_ghash_unit code_ghash_wide;
extern const struct code_ghash_unit code_ghash_narrow;

#include "src/base/attr.h"

#include <immintrin.h>

/*
 * The bit order of a block is the reverse of the processor's. Bytes are
 * swapped; for the bits, every stored power of H is multiplied by x, so that
 * the product of 255 bits is aligned in 256. The lower half is folded into the
 * upper half by the polynomial x^128 + x^127 + x^126 + x^121 + 1, 64 bits at a
 * time.
 */
WEFT_TARGET("pclmul")
static inline __m128i code_ghash_fold(__m128i low, __m128i high)
{
	const __m128i polynomial =
		_mm_set_epi64x((long long)0xc200000000000000, 1);
	__m128i top = _mm_clmulepi64_si128(polynomial, low, 0x01);

	return _mm_xor_si128(_mm_xor_si128(high, top),
			     _mm_shuffle_epi32(low, 0x4e));
}

/* Returns the shuffle mask that reverses the bytes of a block. */
static inline __m128i code_ghash_order(void)
{
	return _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
			    15);
}

#endif
#endif
