/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of doubles with a single rounding, in any order. */
#include "prov/group/cunit/cunit_exact.h"

#include <math.h>
#include <string.h>

#define SPECIAL_PLUS_INF  1u
#define SPECIAL_MINUS_INF 2u
#define SPECIAL_NAN	  4u
#define SPECIAL_ADDS	  8u /* an operand other than negative zero was added */

#define MANTISSA_BITS 52
#define SIGN_BIT      (UINT64_C(1) << 63)

static void negate(uint64_t *limb)
{
	unsigned carry = 1;

	for (int i = 0; i < WEFT_CUNIT_LIMBS; i++) {
		limb[i] = ~limb[i] + carry;
		carry = carry && limb[i] == 0;
	}
}

static uint64_t special_of(double x)
{
	if (isnan(x))
		return SPECIAL_NAN;
	if (isinf(x))
		return x > 0 ? SPECIAL_PLUS_INF : SPECIAL_MINUS_INF;
	return x == 0 && signbit(x) ? 0 : SPECIAL_ADDS;
}

/* Converts a finite x to two limbs; returns the index of the lower one. */
static unsigned exact_split(double x, uint64_t *low_p, uint64_t *high_p)
{
	uint64_t bits, mantissa;
	unsigned exponent, shift;

	memcpy(&bits, &x, sizeof(bits));
	exponent = (unsigned)(bits >> MANTISSA_BITS) & 0x7ff;
	mantissa = bits & ((UINT64_C(1) << MANTISSA_BITS) - 1);
	/*
	 * a subnormal has exponent 0, no hidden bit, and the weight of exponent
	 * 1
	 */
	if (exponent)
		mantissa |= UINT64_C(1) << MANTISSA_BITS;
	else
		exponent = 1;
	shift = exponent - 1;
	*low_p = mantissa << (shift % 64);
	*high_p = shift % 64 ? mantissa >> (64 - shift % 64) : 0;
	return shift / 64;
}

void weft_cunit_exact_from(struct weft_cunit_exact *e, double x)
{
	memset(e, 0, sizeof(*e));
	weft_cunit_exact_put(e, x);
}

static void limbs_add(uint64_t *limb, unsigned i, uint64_t low, uint64_t high)
{
	unsigned carry = __builtin_add_overflow(limb[i], low, &limb[i]);

	/* the top bit of high is 0, so that the carry fits */
	carry = __builtin_add_overflow(limb[i + 1], high + carry, &limb[i + 1]);
	for (i += 2; carry && i < WEFT_CUNIT_LIMBS; i++)
		carry = ++limb[i] == 0;
}

static void limbs_sub(uint64_t *limb, unsigned i, uint64_t low, uint64_t high)
{
	unsigned borrow = __builtin_sub_overflow(limb[i], low, &limb[i]);

	borrow = __builtin_sub_overflow(limb[i + 1], high + borrow,
					&limb[i + 1]);
	for (i += 2; borrow && i < WEFT_CUNIT_LIMBS; i++)
		borrow = limb[i]-- == 0;
}

void weft_cunit_exact_put(struct weft_cunit_exact *acc, double x)
{
	uint64_t low, high;
	unsigned i;

	acc->special |= special_of(x);
	if (!isfinite(x) || x == 0)
		return;
	i = exact_split(x, &low, &high);
	if (signbit(x))
		limbs_sub(acc->limb, i, low, high);
	else
		limbs_add(acc->limb, i, low, high);
}

void weft_cunit_exact_add(struct weft_cunit_exact *acc,
			  const struct weft_cunit_exact *e)
{
	uint64_t carry = 0;

	for (int i = 0; i < WEFT_CUNIT_LIMBS; i++) {
		uint64_t sum = acc->limb[i] + carry;
		uint64_t overflow = sum < carry;

		sum += e->limb[i];
		carry = overflow + (sum < e->limb[i]);
		acc->limb[i] = sum;
	}
	acc->special |= e->special;
}

bool weft_cunit_exact_is_nan(const struct weft_cunit_exact *e)
{
	uint64_t both = SPECIAL_PLUS_INF | SPECIAL_MINUS_INF;

	return (e->special & SPECIAL_NAN) || (e->special & both) == both;
}

/* Returns the position of the highest set bit, or -1. */
static int top_bit(const uint64_t *limb)
{
	for (int i = WEFT_CUNIT_LIMBS - 1; i >= 0; i--) {
		if (limb[i])
			return i * 64 + 63 - __builtin_clzll(limb[i]);
	}
	return -1;
}

/* Returns n <= 64 bits, starting at bit position `pos`. */
static uint64_t bits_from(const uint64_t *limb, int pos, int n)
{
	int i = pos / 64;
	int off = pos % 64;
	uint64_t v = limb[i] >> off;

	if (off && i + 1 < WEFT_CUNIT_LIMBS)
		v |= limb[i + 1] << (64 - off);
	return n == 64 ? v : v & ((UINT64_C(1) << n) - 1);
}

static bool any_below(const uint64_t *limb, int pos)
{
	for (int i = 0; i < pos / 64; i++) {
		if (limb[i])
			return true;
	}
	return pos % 64 && bits_from(limb, pos / 64 * 64, pos % 64);
}

/* Returns the magnitude as a double, rounded to nearest even. */
static double magnitude(const uint64_t *limb)
{
	int top = top_bit(limb);
	int low = top - MANTISSA_BITS; /* lowest bit kept */
	uint64_t m;

	if (top < 0)
		return 0;
	/* exact: a subnormal, or a normal of the lowest exponent */
	if (low <= 0)
		return ldexp((double)limb[0], -1074);
	m = bits_from(limb, low, MANTISSA_BITS + 1);
	if (bits_from(limb, low - 1, 1) &&
	    ((m & 1) || any_below(limb, low - 1)))
		m++;
	return ldexp((double)m, low - 1074);
}

double weft_cunit_exact_to(const struct weft_cunit_exact *e)
{
	uint64_t limb[WEFT_CUNIT_LIMBS];
	bool minus = e->limb[WEFT_CUNIT_LIMBS - 1] & SIGN_BIT;
	double x;

	if (weft_cunit_exact_is_nan(e))
		return NAN;
	if (e->special & SPECIAL_PLUS_INF)
		return INFINITY;
	if (e->special & SPECIAL_MINUS_INF)
		return -INFINITY;
	if (!(e->special & SPECIAL_ADDS))
		return -0.0;
	memcpy(limb, e->limb, sizeof(limb));
	if (minus)
		negate(limb);
	x = magnitude(limb);
	return minus ? -x : x;
}
