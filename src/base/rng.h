/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Seeded random streams: a seed produces the same numbers on every host. A
 * stream is one 64-bit state that is incremented by an odd constant and mixed
 * for output; streams with different ids from one seed are independent.
 */
#ifndef WEFT_BASE_RNG_H
#define WEFT_BASE_RNG_H

#include <stdint.h>

struct weft_rng {
	uint64_t state;
};

void weft_rng_init(struct weft_rng *r, uint64_t seed, uint64_t stream);
uint64_t weft_rng_u64(struct weft_rng *r);

/* Returns a uniformly distributed integer in [0, n), without bias; n > 0. */
uint64_t weft_rng_below(struct weft_rng *r, uint64_t n);

/* Returns a uniformly distributed number in [0, 1) with 53 random bits. */
double weft_rng_unit(struct weft_rng *r);

/* Stores a random permutation of the numbers 0 to n - 1 in order[]. */
void weft_rng_shuffle(struct weft_rng *r, int *order, int n);

void weft_rng_fill(struct weft_rng *r, void *buf, uint64_t len);

#endif
