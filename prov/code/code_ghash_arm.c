/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GHASH on arm64 with PMULL: three products per block (Karatsuba), four blocks
 * per pass. A block is kept with its halves exchanged: this is the result of
 * the one instruction that reverses the bytes of each half. Powers are stored
 * in the same form.
 */
#include "prov/code/code_ghash_step.h"

#ifdef CODE_GHASH_ARM

#include "src/base/attr.h"

#include <arm_neon.h>
#include <asm/hwcap.h>
#include <string.h>
#include <sys/auxv.h>

#if defined(__clang__)
#define WITH_PMULL WEFT_TARGET("aes")
#else
#define WITH_PMULL WEFT_TARGET("+crypto")
#endif

#define POLYNOMIAL 0xc200000000000000

/* Products before reduction; mid: product of the XORed halves. */
struct product {
	uint64x2_t lo, mid, hi;
};

/* Loads a block of data: element 0 is its upper half. */
WITH_PMULL static inline uint64x2_t load_data(const uint8_t *at)
{
	return vreinterpretq_u64_u8(vrev64q_u8(vld1q_u8(at)));
}

WITH_PMULL static inline uint64x2_t load(const uint8_t *at)
{
	return vreinterpretq_u64_u8(vld1q_u8(at));
}

WITH_PMULL static inline void store(uint8_t *at, uint64x2_t v)
{
	vst1q_u8(at, vreinterpretq_u8_u64(v));
}

WITH_PMULL static inline uint64x2_t exchanged(uint64x2_t v)
{
	return vextq_u64(v, v, 1);
}

WITH_PMULL static inline uint64x2_t times(uint64_t a, uint64_t b)
{
	return vreinterpretq_u64_p128(vmull_p64((poly64_t)a, (poly64_t)b));
}

WITH_PMULL static inline uint64x2_t times_high(uint64x2_t a, uint64x2_t b)
{
	return vreinterpretq_u64_p128(vmull_high_p64(vreinterpretq_p64_u64(a),
						     vreinterpretq_p64_u64(b)));
}

WITH_PMULL static inline void product_add(struct product *p, uint64x2_t block,
					  const uint8_t *power,
					  const uint64_t *cross)
{
	uint64x2_t h = load(power);
	uint64x2_t both = veorq_u64(block, exchanged(block));

	p->hi = veorq_u64(
		p->hi, times(vgetq_lane_u64(block, 0), vgetq_lane_u64(h, 0)));
	p->lo = veorq_u64(p->lo, times_high(block, h));
	p->mid = veorq_u64(p->mid, times(vgetq_lane_u64(both, 0), *cross));
}

/*
 * Like product_add(), for a block of data. The XOR of its halves is computed in
 * general registers, since the vector pipelines limit the speed.
 */
WITH_PMULL static inline void product_add_data(struct product *p,
					       const uint8_t *data,
					       const uint8_t *power,
					       const uint64_t *cross)
{
	uint64x2_t block = load_data(data), h = load(power);
	uint64_t low, high;

	/* a plain load would take the halves from the vector register of the
	 * block */
	__asm__("ldp %0, %1, %2"
		: "=r"(low), "=r"(high)
		: "Q"(*(const uint64_t(*)[2])data));
	p->hi = veorq_u64(
		p->hi, times(vgetq_lane_u64(block, 0), vgetq_lane_u64(h, 0)));
	p->lo = veorq_u64(p->lo, times_high(block, h));
	p->mid =
		veorq_u64(p->mid, times(__builtin_bswap64(low ^ high), *cross));
}

/* Like code_ghash_fold() on x86-64. */
WITH_PMULL static inline uint64x2_t fold(uint64x2_t low, uint64x2_t high)
{
	uint64x2_t top = times(vgetq_lane_u64(low, 0), POLYNOMIAL);

	return veorq_u64(veorq_u64(high, top), exchanged(low));
}

/* Returns the reduced product, as a block. */
WITH_PMULL static inline uint64x2_t reduce(const struct product *p)
{
	uint64x2_t mid = veorq_u64(p->mid, veorq_u64(p->lo, p->hi));

	return exchanged(fold(fold(p->lo, mid), p->hi));
}

/*
 * Adds n blocks of data, each multiplied by its power from `at` on; `sum` is
 * first added to block 0.
 */
WITH_PMULL static inline void add_blocks(struct product *p,
					 const struct weft_code_ghash *g,
					 size_t at, const uint8_t *data,
					 size_t n, uint64x2_t sum)
{
	const uint8_t *power = g->power[at];
	const uint64_t *cross = &g->halves[at];

	if (!n)
		return;
	product_add(p, veorq_u64(load_data(data), sum), power, cross);
	for (n--, data += 16, power += 16, cross++; n >= 4;
	     n -= 4, data += 64, power += 64, cross += 4) {
		product_add_data(p, data, power, cross);
		product_add_data(p, data + 16, power + 16, cross + 1);
		product_add_data(p, data + 32, power + 32, cross + 2);
		product_add_data(p, data + 48, power + 48, cross + 3);
	}
	for (; n; n--, data += 16, power += 16, cross++)
		product_add(p, load_data(data), power, cross);
}

WITH_PMULL static inline struct product nothing(void)
{
	uint64x2_t zero = vdupq_n_u64(0);

	return (struct product){ zero, zero, zero };
}

WITH_PMULL static void stride(const struct weft_code_ghash *g,
			      const uint8_t *data, uint8_t sum[16])
{
	struct product p = nothing();

	add_blocks(&p, g, 0, data, WEFT_GHASH_STRIDE, load(sum));
	store(sum, reduce(&p));
}

WITH_PMULL static void last_blocks(const struct weft_code_ghash *g,
				   const uint8_t *data, size_t len, size_t all,
				   uint8_t sum[16])
{
	size_t whole = len / 16, n = (len + 15) / 16;
	size_t at = WEFT_GHASH_STRIDE - 1 - n;
	uint64x2_t first = load(sum), zero = vdupq_n_u64(0);
	uint64x2_t length = vsetq_lane_u64((uint64_t)all * 8, zero, 0);
	struct product p = nothing();
	uint8_t end[16] = { 0 };

	add_blocks(&p, g, at, data, whole, first);
	if (n > whole) {
		memcpy(end, data + 16 * whole, len % 16);
		add_blocks(&p, g, at + whole, end, 1, whole ? zero : first);
	}
	if (!n)
		length = veorq_u64(length, first);
	product_add(&p, length, g->power[at + n], &g->halves[at + n]);
	/* each half of the block has its bytes reversed */
	vst1q_u8(sum, vrev64q_u8(vreinterpretq_u8_u64(reduce(&p))));
}

/* Multiplies a block by x in GF(2^128). */
WITH_PMULL static uint64x2_t times_x(uint64x2_t a)
{
	uint64_t high = vgetq_lane_u64(a, 0), low = vgetq_lane_u64(a, 1);
	uint64_t top = 0 - (high >> 63);
	uint64_t w[2] = { (high << 1 | low >> 63) ^ (top & POLYNOMIAL),
			  low << 1 ^ (top & 1) };

	return vld1q_u64(w);
}

WITH_PMULL static void set_power(struct weft_code_ghash *g, int i, uint64x2_t v)
{
	store(g->power[i], v);
	g->halves[i] = vgetq_lane_u64(v, 0) ^ vgetq_lane_u64(v, 1);
}

WITH_PMULL void code_ghash_powers(struct weft_code_ghash *g,
				  const uint8_t h[16])
{
	const int last = WEFT_GHASH_STRIDE - 1;
	uint64x2_t v = times_x(load_data(h));
	struct product p;

	set_power(g, last, v);
	for (int i = last - 1; i >= 0; i--) {
		p = nothing();
		product_add(&p, v, g->power[last], &g->halves[last]);
		v = reduce(&p);
		set_power(g, i, v);
	}
}

static bool is_supported(void)
{
	return getauxval(AT_HWCAP) & HWCAP_PMULL;
}

const struct code_ghash_unit code_ghash_arm = { is_supported, stride,
						last_blocks };

#endif
