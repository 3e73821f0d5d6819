/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbours on the torus that the ranks of a host form. */
#include "src/health/health.h"

#include <stdlib.h>

/*
 * Returns the largest divisor d of n for which d to the power of `power` (2 or
 * 3) does not exceed n.
 */
static uint32_t side_of(uint32_t n, unsigned power)
{
	uint32_t side = 1;

	for (uint64_t d = 2; (power == 3 ? d * d * d : d * d) <= n; d++)
		if (!(n % d))
			side = (uint32_t)d;
	return side;
}

/*
 * Parses a shape such as "4x2x1" for 8 ranks. If the shape has more than three
 * dimensions, the last dimensions are merged. Returns false if the shape does
 * not have n nodes.
 */
static bool parse_shape(const char *torus, uint32_t n,
			uint32_t shape[HEALTH_DIMS])
{
	const char *next = torus;
	uint64_t nodes = 1;
	int d = 0;
	char *end;

	for (int i = 0; i < HEALTH_DIMS; i++)
		shape[i] = 1;
	while (next) {
		unsigned long side = strtoul(next, &end, 10);

		if (end == next || !side || side > n)
			return false;
		nodes *= side;
		if (nodes > n)
			return false;
		shape[d] *= (uint32_t)side;
		if (side > 1 && d < HEALTH_DIMS - 1)
			d++;
		next = *end == 'x' ? end + 1 : NULL;
	}
	return nodes == n && n > 1;
}

void weft_health_shape(const char *torus, uint32_t count,
		       uint32_t shape[HEALTH_DIMS])
{
	if (!parse_shape(torus, count, shape)) {
		shape[0] = side_of(count, 3);
		shape[1] = side_of(count / shape[0], 2);
		shape[2] = count / shape[0] / shape[1];
	}
}

uint32_t weft_health_neighbour(const uint32_t shape[HEALTH_DIMS], uint32_t slot,
			       unsigned port)
{
	/* the last dimension varies fastest */
	unsigned d = HEALTH_DIMS - 1 - port / 2;
	uint32_t step = 1, side = shape[d], coord, to;

	for (unsigned i = d + 1; i < HEALTH_DIMS; i++)
		step *= shape[i];
	/* in a ring of two both directions lead to one neighbour */
	if (side < 2 || (side == 2 && port & 1))
		return HEALTH_NO_SLOT;
	coord = slot / step % side;
	to = (coord + (port & 1 ? side - 1 : 1)) % side;
	return slot - coord * step + to * step;
}
