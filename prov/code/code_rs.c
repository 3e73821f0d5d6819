/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reed-Solomon: field, tables, encoder.
 *
 * The register holds the remainder so far, its highest power in the lowest
 * bits. Multiplying by x is a shift by 10 bits; the symbol that is shifted out
 * is added as a multiple of the generator. Four symbols are five bytes: 40 bits
 * of the register and of the input are added, and each byte contributes
 * independently to the remainder four symbols later. The code is linear over
 * GF(2), so the position of symbol boundaries within a byte does not matter.
 */
#include "prov/code/code_rs_field.h"

#include "src/base/attr.h"
#include "src/base/must.h"

#include <string.h>

static void fill_field(struct weft_code_rs *rs)
{
	unsigned x = 1;

	rs->log[0] = 0;
	for (unsigned i = 0; i < WEFT_CODE_RS_LENGTH; i++) {
		rs->exp[i] = (uint16_t)x;
		rs->exp[i + WEFT_CODE_RS_LENGTH] = (uint16_t)x;
		rs->log[x] = (uint16_t)i;
		x = x << 1 ^ (x >> 9 ? 0x409 : 0);
	}
}

/* Computes the product of all (x + a^i); g[k] is the coefficient of x^k. */
static void generator(const struct weft_code_rs *rs, uint16_t *g)
{
	memset(g, 0, (WEFT_CODE_RS_CHECKS + 1) * sizeof(*g));
	g[0] = 1;
	for (unsigned i = 0; i < rs->checks; i++) {
		for (unsigned k = i + 1; k > 0; k--)
			g[k] = g[k - 1] ^ rs_mul(rs, g[k], rs->exp[i]);
		g[0] = rs_mul(rs, g[0], rs->exp[i]);
	}
}

/* Sets r to r * x modulo the generator. */
static void times_x(const struct weft_code_rs *rs, const uint16_t *g,
		    uint16_t *r)
{
	uint16_t top = r[rs->checks - 1];

	for (unsigned k = rs->checks; k-- > 0;)
		r[k] = (k ? r[k - 1] : 0) ^ rs_mul(rs, top, g[k]);
}

/* Computes each bit's contribution to the remainder after four symbols. */
static void fill_bits(const struct weft_code_rs *rs,
		      struct weft_code_rs_checks bit[40])
{
	uint16_t g[WEFT_CODE_RS_CHECKS + 1], r[WEFT_CODE_RS_CHECKS];
	unsigned c = rs->checks;

	generator(rs, g);
	/* modulo the generator, x^checks equals its lower terms */
	memcpy(r, g, sizeof(r));
	for (unsigned s = 4; s-- > 0; times_x(rs, g, r))
		for (unsigned b = 0; b < 10; b++)
			for (unsigned k = 0; k < c; k++)
				rs_symbol_add(
					&bit[10 * s + b], c - 1 - k,
					rs_mul(rs, r[k], (uint16_t)(1u << b)));
}

static inline void rs_add(struct weft_code_rs_checks *to,
			  const struct weft_code_rs_checks *x)
{
	for (int i = 0; i < 3; i++)
		to->w[i] ^= x->w[i];
}

void weft_code_rs_init(struct weft_code_rs *rs, unsigned checks)
{
	struct weft_code_rs_checks bit[40] = { 0 };

	WEFT_ASSERT(checks >= 1 && checks <= WEFT_CODE_RS_CHECKS);
	rs->checks = checks;
	fill_field(rs);
	fill_bits(rs, bit);
	memset(rs->row, 0, sizeof(rs->row));
	for (unsigned byte = 0; byte < 5; byte++)
		for (unsigned v = 0; v < 256; v++)
			for (unsigned b = 0; b < 8; b++)
				if (v >> b & 1)
					rs_add(&rs->row[byte][v],
					       &bit[8 * byte + b]);
}

/* Returns the contribution of the bytes of x to word i of the register. */
WEFT_INLINE uint64_t contribution(const struct weft_code_rs *rs, uint64_t x,
				  int i)
{
	return rs->row[0][x & 255].w[i] ^ rs->row[1][x >> 8 & 255].w[i] ^
	       rs->row[2][x >> 16 & 255].w[i] ^ rs->row[3][x >> 24 & 255].w[i] ^
	       rs->row[4][x >> 32 & 255].w[i];
}

/*
 * Advances the register by shift bits; x is the sum of the register's first
 * bits and the input. With up to six checks the register is one word
 * (one_word).
 */
WEFT_INLINE void step(const struct weft_code_rs *rs, uint64_t x, int shift,
		      bool one_word, struct weft_code_rs_checks *r)
{
	int up = 64 - shift;

	r->w[0] = (r->w[0] >> shift | r->w[1] << up) ^ contribution(rs, x, 0);
	if (one_word)
		return;
	r->w[1] = (r->w[1] >> shift | r->w[2] << up) ^ contribution(rs, x, 1);
	r->w[2] = r->w[2] >> shift ^ contribution(rs, x, 2);
}

/* Loads five bytes, little endian on any host. */
static inline uint64_t load40(const unsigned char *p)
{
	uint32_t four = (uint32_t)p[0] | (uint32_t)p[1] << 8 |
			(uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;

	return four | (uint64_t)p[4] << 32;
}

/* Loads the last bits, at most 40. */
static uint64_t load_rest(const unsigned char *p, unsigned bits)
{
	uint64_t x = 0;

	for (unsigned i = 0; i < (bits + 7) / 8; i++)
		x |= (uint64_t)p[i] << 8 * i;
	return x & ((1ull << bits) - 1);
}

WEFT_INLINE struct weft_code_rs_checks encode(const struct weft_code_rs *rs,
					      const unsigned char *p,
					      unsigned bits, bool one_word)
{
	struct weft_code_rs_checks r = { { 0 } };
	uint64_t x;

	for (; bits >= 40; bits -= 40, p += 5)
		step(rs, load40(p) ^ r.w[0], 40, one_word, &r);
	x = load_rest(p, bits);
	/*
	 * a single symbol is treated as the last of four, of which the others
	 * are zero
	 */
	for (unsigned left = (bits + 9) / 10; left; left--, x >>= 10)
		step(rs, ((x ^ r.w[0]) & 1023) << 30, 10, one_word, &r);
	return r;
}

struct weft_code_rs_checks weft_code_rs_encode(const struct weft_code_rs *rs,
					       const void *data, unsigned bits)
{
	WEFT_ASSERT((bits + 9) / 10 + rs->checks <= WEFT_CODE_RS_LENGTH);
	if (rs->checks <= 6)
		return encode(rs, data, bits, true);
	return encode(rs, data, bits, false);
}

bool weft_code_rs_check(const struct weft_code_rs *rs, const void *data,
			unsigned bits, const struct weft_code_rs_checks *checks)
{
	struct weft_code_rs_checks own = weft_code_rs_encode(rs, data, bits);

	rs_add(&own, checks);
	return !(own.w[0] | own.w[1] | own.w[2]);
}
