/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exact sums of doubles. A sum is a fixed-point integer wide enough for every
 * finite double and 2^60 of them, so additions never round: the result does not
 * depend on the order, the tree or the number of ranks. It is rounded once, to
 * nearest even, when it is converted back to a double.
 *
 *   bit 0 of limb 0 has the weight of the smallest subnormal, 2^-1074;
 *   2098 bits hold the largest double, 62 more the carries and the sign
 */
#ifndef WEFT_CUNIT_EXACT_H
#define WEFT_CUNIT_EXACT_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define WEFT_CUNIT_LIMBS 34

struct weft_cunit_exact {
	uint64_t limb[WEFT_CUNIT_LIMBS]; /* two's complement, low limb first */
	uint64_t special;		 /* flags: infinities and NaN seen */
};

static_assert(sizeof(struct weft_cunit_exact) == 280, "a packet holds one");

void weft_cunit_exact_from(struct weft_cunit_exact *e, double x);
/*
 * Adds a double: weft_cunit_exact_from() and weft_cunit_exact_add() in one
 * faster function.
 */
void weft_cunit_exact_put(struct weft_cunit_exact *acc, double x);
void weft_cunit_exact_add(struct weft_cunit_exact *acc,
			  const struct weft_cunit_exact *e);
double weft_cunit_exact_to(const struct weft_cunit_exact *e);
bool weft_cunit_exact_is_nan(const struct weft_cunit_exact *e);

#endif
