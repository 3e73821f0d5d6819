/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A permutation of the numbers below a power of two, different for each seed:
 * for example, an order of peers that differs from rank to rank and needs no
 * table.
 */
#ifndef WEFT_BASE_PERMUTE_H
#define WEFT_BASE_PERMUTE_H

#include "src/base/hash.h"

struct weft_permute {
	uint64_t factor[2], added;
	unsigned bits;
};

/* Initialises a permutation of at least `size` numbers. */
static inline void weft_permute_init(struct weft_permute *o, uint64_t seed,
				     uint64_t size)
{
	uint64_t h = weft_hash_mix(seed + 1);

	o->bits = 1;
	while (o->bits < 63 && UINT64_C(1) << o->bits < size)
		o->bits++;
	/* odd factors, so that each step of weft_permute() is invertible */
	o->factor[0] = h | 1;
	o->factor[1] = h >> 32 | 1;
	o->added = h >> 16;
}

/* Returns the number of elements, a power of two. */
static inline uint64_t weft_permute_size(const struct weft_permute *o)
{
	return UINT64_C(1) << o->bits;
}

/* Returns the image of x, which is less than weft_permute_size(). */
static inline uint64_t weft_permute(const struct weft_permute *o, uint64_t x)
{
	uint64_t mask = weft_permute_size(o) - 1;

	x = (x * o->factor[0] + o->added) & mask;
	x ^= x >> (o->bits + 1) / 2;
	x = (x * o->factor[1]) & mask;
	x ^= x >> (o->bits + 1) / 2;
	return x;
}

#endif
