/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GHASH on x86-64 with PCLMULQDQ, one block at a time. On these processors
 * shuffles and multiplications share one port, so their number is kept low:
 * three products per block (Karatsuba); bytes are swapped 32 at a time and
 * stored to memory, from which the halves of a block are loaded.
 */
#include "prov/code/code_ghash_step.h"

#include <string.h>

#ifdef __x86_64__

#define NARROW WEFT_TARGET("avx2,pclmul")

/* Blocks in the processor's byte order, and space for a block of zeros. */
struct blocks {
	_Alignas(32) uint8_t byte[CODE_GHASH_BYTES + 16];
};

NARROW static inline void swap_two(uint8_t *to, const uint8_t *from)
{
	__m256i v = _mm256_loadu_si256((const __m256i *)(const void *)from);
	__m256i order = _mm256_broadcastsi128_si256(code_ghash_order());

	_mm256_store_si256((__m256i *)(void *)to,
			   _mm256_shuffle_epi8(v, order));
}

NARROW static inline void lay_out(struct blocks *b, const uint8_t *data,
				  size_t len)
{
	uint8_t end[32] = { 0 };
	size_t at = 0;

	for (; at + 32 <= len; at += 32)
		swap_two(b->byte + at, data + at);
	if (at == len)
		return;
	memcpy(end, data + at, len - at);
	swap_two(b->byte + at, end);
}

NARROW static inline __m128i load(const void *at)
{
	return _mm_loadu_si128((const __m128i *)at);
}

NARROW static inline void store(void *at, __m128i v)
{
	_mm_storeu_si128((__m128i *)at, v);
}

/* Returns the XOR of the two halves of a block, in the lower half. */
NARROW static inline __m128i halves(const uint8_t *block)
{
	return _mm_xor_si128(
		load(block),
		_mm_loadl_epi64((const __m128i *)(const void *)(block + 8)));
}

/* A product before reduction; mid: product of the XORed halves. */
struct product {
	__m128i lo, mid, hi;
};

NARROW static inline void product_add(struct product *p, const uint8_t *block,
				      const uint8_t *power,
				      const uint64_t *cross)
{
	__m128i v = load(block), h = load(power);
	__m128i c = _mm_loadl_epi64((const __m128i *)(const void *)cross);

	p->lo = _mm_xor_si128(p->lo, _mm_clmulepi64_si128(v, h, 0x00));
	p->hi = _mm_xor_si128(p->hi, _mm_clmulepi64_si128(v, h, 0x11));
	p->mid = _mm_xor_si128(p->mid,
			       _mm_clmulepi64_si128(halves(block), c, 0x00));
}

NARROW static inline __m128i reduce(const struct product *p)
{
	__m128i mid = _mm_xor_si128(p->mid, _mm_xor_si128(p->lo, p->hi));

	return code_ghash_fold(code_ghash_fold(p->lo, mid), p->hi);
}

/*
 * Returns the sum of n blocks, each multiplied by its power; `sum` is first
 * added to block 0.
 */
NARROW static inline __m128i multiply(const struct weft_code_ghash *g,
				      struct blocks *b, size_t n,
				      const uint8_t sum[16])
{
	const uint8_t *power = g->power[WEFT_GHASH_STRIDE - n];
	const uint64_t *cross = &g->halves[WEFT_GHASH_STRIDE - n];
	const uint8_t *block = b->byte;
	struct product p = { _mm_setzero_si128(), _mm_setzero_si128(),
			     _mm_setzero_si128() };

	store(b->byte, _mm_xor_si128(load(b->byte), load(sum)));
	/* unrolled by four, which takes 1/6 less time */
	for (; n >= 4; n -= 4, block += 64, power += 64, cross += 4) {
		product_add(&p, block, power, cross);
		product_add(&p, block + 16, power + 16, cross + 1);
		product_add(&p, block + 32, power + 32, cross + 2);
		product_add(&p, block + 48, power + 48, cross + 3);
	}
	for (; n; n--, block += 16, power += 16, cross++)
		product_add(&p, block, power, cross);
	return reduce(&p);
}

NARROW static void stride(const struct weft_code_ghash *g, const uint8_t *data,
			  uint8_t sum[16])
{
	struct blocks b;

	lay_out(&b, data, CODE_GHASH_BYTES);
	store(sum, multiply(g, &b, WEFT_GHASH_STRIDE, sum));
}

NARROW static void last_blocks(const struct weft_code_ghash *g,
			       const uint8_t *data, size_t len, size_t all,
			       uint8_t sum[16])
{
	size_t n = (len + 15) / 16;
	struct blocks b;
	__m128i v;

	lay_out(&b, data, len);
	store(b.byte + 16 * n, _mm_set_epi64x((long long)all * 8, 0));
	v = multiply(g, &b, n + 1, sum);
	store(sum, _mm_shuffle_epi8(v, code_ghash_order()));
}

/* Multiplies block a by x in GF(2^128). */
NARROW static __m128i times_x(__m128i a)
{
	uint64_t w[2], top;

	store(w, a);
	top = 0 - (w[1] >> 63);
	w[1] = (w[1] << 1 | w[0] >> 63) ^ (top & 0xc200000000000000);
	w[0] = w[0] << 1 ^ (top & 1);
	return load(w);
}

NARROW static void set_power(struct weft_code_ghash *g, int i, __m128i v)
{
	uint64_t w[2];

	store(w, v);
	memcpy(g->power[i], w, sizeof(w));
	g->halves[i] = w[0] ^ w[1];
}

NARROW void code_ghash_powers(struct weft_code_ghash *g, const uint8_t h[16])
{
	const uint8_t none[16] = { 0 };
	struct blocks b;

	store(b.byte, times_x(_mm_shuffle_epi8(load(h), code_ghash_order())));
	set_power(g, WEFT_GHASH_STRIDE - 1, load(b.byte));
	for (int i = WEFT_GHASH_STRIDE - 2; i >= 0; i--) {
		store(b.byte, multiply(g, &b, 1, none));
		set_power(g, i, load(b.byte));
	}
}

static bool is_supported(void)
{
	return __builtin_cpu_supports("avx2") &&
	       __builtin_cpu_supports("pclmul");
}

const struct code_ghash_unit code_ghash_narrow = { is_supported, stride,
						   last_blocks };

#endif
