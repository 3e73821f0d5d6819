/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls the common arithmetic functions of src/base/num.h, and adds exact
 * numbers.
 */
#include "prov/group/cunit/cunit_alu.h"
#include "prov/group/cunit/cunit_exact.h"
#include "src/base/attr.h"

#include <string.h>

static uint32_t sum_exact(void *acc, const void *in, size_t count)
{
	char *a = acc;
	const char *b = in;
	uint32_t flags = 0;

	for (size_t i = 0; i < count; i++) {
		struct weft_cunit_exact x, y;

		memcpy(&x, a + i * sizeof(x), sizeof(x));
		memcpy(&y, b + i * sizeof(y), sizeof(y));
		weft_cunit_exact_add(&x, &y);
		flags |= weft_cunit_exact_is_nan(&x) ? WEFT_NUM_NAN : 0;
		memcpy(a + i * sizeof(x), &x, sizeof(x));
	}
	return flags;
}

size_t weft_cunit_bytes(unsigned type)
{
	return type == WEFT_COLL_EXACT ? sizeof(struct weft_cunit_exact)
				       : weft_num_bytes(type);
}

bool weft_cunit_supports(unsigned op, unsigned type)
{
	if (type == WEFT_COLL_EXACT)
		return op == WEFT_NUM_SUM;
	return type < WEFT_NUM_WORDS && op < WEFT_NUM_KERNELS &&
	       WEFT_NUM_GROUP_OPS >> op & 1 && weft_num_unit[op][type];
}

uint32_t weft_cunit_combine(unsigned op, unsigned type, void *acc,
			    const void *in, size_t count)
{
	if (weft_unlikely(type == WEFT_COLL_EXACT))
		return sum_exact(acc, in, count);
	return weft_num_unit[op][type](in, acc, count);
}
