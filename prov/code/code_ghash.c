/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GHASH on x86-64 with VPCLMULQDQ. Bits of a block are in the order opposite to
 * that of the processor: bytes are swapped, and the bits' order is made up for
 * by keeping every power of H multiplied by x, so that the product of 255 bits
 * lies right in 256. Its lower half is folded up by the polynomial
 * x^128 + x^127 + x^126 + x^121 + 1, twice 64 bits.
 */
#include "prov/code/code_ghash.h"

#include <string.h>

#ifdef __x86_64__

#include "src/base/attr.h"

#include <immintrin.h>

#define WIDE WEFT_TARGET("avx512f,avx512bw,avx512dq,vpclmulqdq,pclmul")

/* A product before it is reduced: lower, middle (at bit 64), upper part. */
struct product {
	__m512i lo, mid, hi;
};

WIDE static inline __m128i polynomial(void)
{
	return _mm_set_epi64x((long long)0xc200000000000000, 1);
}

WIDE static inline __m128i fold(__m128i low, __m128i high)
{
	__m128i top = _mm_clmulepi64_si128(polynomial(), low, 0x01);

	return _mm_xor_si128(_mm_xor_si128(high, top),
			     _mm_shuffle_epi32(low, 0x4e));
}

/* The sum of the four products of p. */
WIDE static inline __m128i across(__m512i p)
{
	__m256i half = _mm256_xor_si256(_mm512_castsi512_si256(p),
					_mm512_extracti64x4_epi64(p, 1));

	return _mm_xor_si128(_mm256_castsi256_si128(half),
			     _mm256_extracti128_si256(half, 1));
}

WIDE static inline __m128i reduce(const struct product *p)
{
	return fold(fold(across(p->lo), across(p->mid)), across(p->hi));
}

WIDE static inline void add(struct product *p, __m512i a, __m512i b)
{
	__m512i inner = _mm512_xor_si512(_mm512_clmulepi64_epi128(a, b, 0x01),
					 _mm512_clmulepi64_epi128(a, b, 0x10));

	p->lo = _mm512_xor_si512(p->lo, _mm512_clmulepi64_epi128(a, b, 0x00));
	p->mid = _mm512_xor_si512(p->mid, inner);
	p->hi = _mm512_xor_si512(p->hi, _mm512_clmulepi64_epi128(a, b, 0x11));
}

WIDE static inline __m512i swapped(__m512i v)
{
	const __m128i order = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
					   12, 13, 14, 15);

	return _mm512_shuffle_epi8(v, _mm512_broadcast_i32x4(order));
}

/* 32 blocks, of which the first has the sum of all before it added. */
WIDE static inline __m128i stride(const struct weft_code_ghash *g,
				  const uint8_t *data, __m128i sum)
{
	struct product p = { _mm512_setzero_si512(), _mm512_setzero_si512(),
			     _mm512_setzero_si512() };
	__m512i first = _mm512_zextsi128_si512(sum);

	for (int i = 0; i < WEFT_GHASH_STRIDE; i += 4) {
		__m512i v = swapped(_mm512_loadu_si512(data + 16 * i));

		add(&p, _mm512_xor_si512(v, first),
		    _mm512_loadu_si512(g->power[i]));
		first = _mm512_setzero_si512();
	}
	return reduce(&p);
}

/*
 * Fewer blocks than a stride has, or none, and the one with the length: what is
 * whole, four blocks at a time, then up to three, perhaps not whole, and that.
 */
WIDE static inline __m128i rest(const struct weft_code_ghash *g,
				const uint8_t *data, size_t len, size_t all,
				__m128i sum)
{
	struct product p = { _mm512_setzero_si512(), _mm512_setzero_si512(),
			     _mm512_setzero_si512() };
	const __m512i length =
		_mm512_broadcast_i32x4(_mm_set_epi64x((long long)all * 8, 0));
	__m512i first = _mm512_zextsi128_si512(sum);
	size_t blocks = (len + 15) / 16;
	const uint8_t *power = g->power[WEFT_GHASH_STRIDE - 1 - blocks];
	__m512i v;

	for (; len >= 64; len -= 64, data += 64, power += 64) {
		v = swapped(_mm512_loadu_si512(data));
		add(&p, _mm512_xor_si512(v, first), _mm512_loadu_si512(power));
		first = _mm512_setzero_si512();
	}
	blocks = (len + 15) / 16;
	v = swapped(_mm512_maskz_loadu_epi8(
		(__mmask64)((UINT64_C(1) << len) - 1), data));
	if (blocks == 4) { /* the last of them not whole */
		add(&p, _mm512_xor_si512(v, first), _mm512_loadu_si512(power));
		first = v = _mm512_setzero_si512();
		blocks = 0;
		power += 64;
	}
	v = _mm512_mask_mov_epi64(v, (__mmask8)(3u << 2 * blocks), length);
	add(&p, _mm512_xor_si512(v, first), _mm512_loadu_si512(power));
	return reduce(&p);
}

WIDE void weft_code_ghash(const struct weft_code_ghash *g, const void *data,
			  size_t len, uint8_t sum[16])
{
	const size_t step = 16 * (size_t)WEFT_GHASH_STRIDE;
	__m128i at = _mm_setzero_si128();
	const uint8_t *d = data;
	size_t left = len;

	/* A block is left for the length. */
	for (; left > step - 16; left -= step, d += step) {
		if (left < step) {
			uint8_t full[16 * WEFT_GHASH_STRIDE] = { 0 };

			memcpy(full, d, left);
			at = stride(g, full, at);
			left = step;
		} else {
			at = stride(g, d, at);
		}
	}
	at = rest(g, d, left, len, at);
	_mm_storeu_si128(
		(__m128i *)(void *)sum,
		_mm512_castsi512_si128(swapped(_mm512_zextsi128_si512(at))));
}

/* Block a times x. */
WIDE static __m128i times_x(__m128i a)
{
	uint64_t w[2], top;

	_mm_storeu_si128((__m128i *)(void *)w, a);
	top = 0 - (w[1] >> 63);
	w[1] = (w[1] << 1 | w[0] >> 63) ^ (top & 0xc200000000000000);
	w[0] = w[0] << 1 ^ (top & 1);
	return _mm_set_epi64x((long long)w[1], (long long)w[0]);
}

WIDE static void powers(struct weft_code_ghash *g, const uint8_t h[16])
{
	__m512i block = _mm512_zextsi128_si512(
		_mm_loadu_si128((const __m128i *)(const void *)h));
	__m128i first = times_x(_mm512_castsi512_si128(swapped(block)));
	__m128i next = first;

	for (int i = WEFT_GHASH_STRIDE - 1; i >= 0; i--) {
		struct product p = { _mm512_setzero_si512(),
				     _mm512_setzero_si512(),
				     _mm512_setzero_si512() };

		_mm_storeu_si128((__m128i *)(void *)g->power[i], next);
		add(&p, _mm512_zextsi128_si512(next),
		    _mm512_zextsi128_si512(first));
		next = reduce(&p);
	}
}

bool weft_code_ghash_init(struct weft_code_ghash *g, const uint8_t h[16])
{
	if (!__builtin_cpu_supports("avx512bw") ||
	    !__builtin_cpu_supports("avx512dq") ||
	    !__builtin_cpu_supports("vpclmulqdq"))
		return false;
	memset(g, 0, sizeof(*g));
	powers(g, h);
	return true;
}

#else

bool weft_code_ghash_init(struct weft_code_ghash *g, const uint8_t h[16])
{
	return false;
}

void weft_code_ghash(const struct weft_code_ghash *g, const void *data,
		     size_t len, uint8_t sum[16])
{
}

#endif
