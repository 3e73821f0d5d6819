/* SPDX-License-Identifier: BSD-3-Clause */
/* Seeded random numbers, deterministic on every host. */
#include "src/base/rng.h"
#include "src/base/must.h"

#include <string.h>

static uint64_t rng_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

void weft_rng_init(struct weft_rng *r, uint64_t seed, uint64_t stream)
{
	r->state = rng_mix(rng_mix(seed) + 0x632be59bd9b4e019u * (stream + 1));
}

uint64_t weft_rng_u64(struct weft_rng *r)
{
	r->state += 0x9e3779b97f4a7c15u;
	return rng_mix(r->state);
}

uint64_t weft_rng_below(struct weft_rng *r, uint64_t n)
{
	uint64_t limit = UINT64_MAX - UINT64_MAX % n;
	uint64_t x;

	WEFT_ASSERT(n > 0);
	do {
		x = weft_rng_u64(r);
	} while (x >= limit);
	return x % n;
}

double weft_rng_unit(struct weft_rng *r)
{
	return (double)(weft_rng_u64(r) >> 11) * 0x1p-53;
}

void weft_rng_fill(struct weft_rng *r, void *buf, uint64_t len)
{
	unsigned char *p = buf;
	uint64_t x;

	for (; len >= 8; len -= 8, p += 8) {
		x = weft_rng_u64(r);
		memcpy(p, &x, 8);
	}
	if (len) {
		x = weft_rng_u64(r);
		memcpy(p, &x, len);
	}
}

void weft_rng_shuffle(struct weft_rng *r, int *order, int n)
{
	for (int i = 0; i < n; i++)
		order[i] = i;
	for (int i = n - 1; i > 0; i--) {
		int k = (int)weft_rng_below(r, (uint64_t)i + 1);
		int t = order[i];

		order[i] = order[k];
		order[k] = t;
	}
}
