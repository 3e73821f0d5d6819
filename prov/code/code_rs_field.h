/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to prov/code: arithmetic in GF(2^10) by logarithms; ^ adds. */
#ifndef WEFT_CODE_RS_FIELD_H
#define WEFT_CODE_RS_FIELD_H

#include "prov/code/code_rs.h"
#include "src/base/must.h"

static inline uint16_t rs_mul(const struct weft_code_rs *rs, uint16_t a,
			      uint16_t b)
{
	return a && b ? rs->exp[rs->log[a] + rs->log[b]] : 0;
}

static inline uint16_t rs_div(const struct weft_code_rs *rs, uint16_t a,
			      uint16_t b)
{
	WEFT_ASSERT(b);
	return a ? rs->exp[rs->log[a] + WEFT_CODE_RS_LENGTH - rs->log[b]] : 0;
}

/* Returns check symbol i, in the order in which they are sent. */
static inline uint16_t rs_symbol(const struct weft_code_rs_checks *c,
				 unsigned i)
{
	unsigned at = 10 * i % 64;
	uint64_t x = c->w[10 * i / 64] >> at;

	if (at > 54)
		x |= c->w[10 * i / 64 + 1] << (64 - at);
	return (uint16_t)(x & 1023);
}

static inline void rs_symbol_add(struct weft_code_rs_checks *c, unsigned i,
				 uint16_t x)
{
	unsigned at = 10 * i % 64;

	c->w[10 * i / 64] ^= (uint64_t)x << at;
	if (at > 54)
		c->w[10 * i / 64 + 1] ^= (uint64_t)x >> (64 - at);
}

#endif
