/* SPDX-License-Identifier: BSD-3-Clause */
/* GHASH on x86-64 with VPCLMULQDQ: four blocks per instruction. */
#include "prov/code/code_ghash_step.h"

#ifdef __x86_64__

#define WIDE WEFT_TARGET("avx512f,avx512bw,avx512dq,vpclmulqdq,pclmul")

/* A product before reduction: lower, middle (at bit 64), upper part. */
struct product {
	__m512i lo, mid, hi;
};

/* Returns the XOR of the four products in p. */
WIDE static inline __m128i sum_of_lanes(__m512i p)
{
	__m256i half = _mm256_xor_si256(_mm512_castsi512_si256(p),
					_mm512_extracti64x4_epi64(p, 1));

	return _mm_xor_si128(_mm256_castsi256_si128(half),
			     _mm256_extracti128_si256(half, 1));
}

WIDE static inline __m128i reduce(const struct product *p)
{
	return code_ghash_fold(
		code_ghash_fold(sum_of_lanes(p->lo), sum_of_lanes(p->mid)),
		sum_of_lanes(p->hi));
}

WIDE static inline void product_add(struct product *p, __m512i a, __m512i b)
{
	__m512i inner = _mm512_xor_si512(_mm512_clmulepi64_epi128(a, b, 0x01),
					 _mm512_clmulepi64_epi128(a, b, 0x10));

	p->lo = _mm512_xor_si512(p->lo, _mm512_clmulepi64_epi128(a, b, 0x00));
	p->mid = _mm512_xor_si512(p->mid, inner);
	p->hi = _mm512_xor_si512(p->hi, _mm512_clmulepi64_epi128(a, b, 0x11));
}

WIDE static inline __m512i swapped(__m512i v)
{
	return _mm512_shuffle_epi8(v,
				   _mm512_broadcast_i32x4(code_ghash_order()));
}

/* Returns the previous hash, to be added to the first block. */
WIDE static inline __m512i previous_hash(const uint8_t sum[16])
{
	return _mm512_zextsi128_si512(
		_mm_loadu_si128((const __m128i *)(const void *)sum));
}

WIDE static void stride(const struct weft_code_ghash *g, const uint8_t *data,
			uint8_t sum[16])
{
	struct product p = { _mm512_setzero_si512(), _mm512_setzero_si512(),
			     _mm512_setzero_si512() };
	__m512i first = previous_hash(sum);

	for (int i = 0; i < WEFT_GHASH_STRIDE; i += 4) {
		__m512i v = swapped(_mm512_loadu_si512(data + 16 * i));

		product_add(&p, _mm512_xor_si512(v, first),
			    _mm512_loadu_si512(g->power[i]));
		first = _mm512_setzero_si512();
	}
	_mm_storeu_si128((__m128i *)(void *)sum, reduce(&p));
}

/* Hashes four blocks at a time, then up to three, and the length block. */
WIDE static void last_blocks(const struct weft_code_ghash *g,
			     const uint8_t *data, size_t len, size_t all,
			     uint8_t sum[16])
{
	struct product p = { _mm512_setzero_si512(), _mm512_setzero_si512(),
			     _mm512_setzero_si512() };
	const __m512i length =
		_mm512_broadcast_i32x4(_mm_set_epi64x((long long)all * 8, 0));
	__m512i first = previous_hash(sum);
	size_t blocks = (len + 15) / 16;
	const uint8_t *power = g->power[WEFT_GHASH_STRIDE - 1 - blocks];
	__m512i v;

	for (; len >= 64; len -= 64, data += 64, power += 64) {
		v = swapped(_mm512_loadu_si512(data));
		product_add(&p, _mm512_xor_si512(v, first),
			    _mm512_loadu_si512(power));
		first = _mm512_setzero_si512();
	}
	blocks = (len + 15) / 16;
	v = swapped(_mm512_maskz_loadu_epi8(
		(__mmask64)((UINT64_C(1) << len) - 1), data));
	if (blocks == 4) { /* the last of the four blocks is partial */
		product_add(&p, _mm512_xor_si512(v, first),
			    _mm512_loadu_si512(power));
		first = v = _mm512_setzero_si512();
		blocks = 0;
		power += 64;
	}
	v = _mm512_mask_mov_epi64(v, (__mmask8)(3u << 2 * blocks), length);
	product_add(&p, _mm512_xor_si512(v, first), _mm512_loadu_si512(power));
	v = swapped(_mm512_zextsi128_si512(reduce(&p)));
	_mm_storeu_si128((__m128i *)(void *)sum, _mm512_castsi512_si128(v));
}

static bool is_supported(void)
{
	return __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq") &&
	       __builtin_cpu_supports("vpclmulqdq");
}

const struct code_ghash_unit code_ghash_wide = { is_supported, stride,
						 last_blocks };

#endif
