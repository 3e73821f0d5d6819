/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomic operations on elements: an element is loaded, changed by the
 * arithmetic kernel for its type (src/base/num.h) and stored by
 * compare-and-swap. Minimum and maximum leave the target unchanged if target or
 * operand is NaN.
 */
#include "prov/nic/nic_atomic_exec.h"

#include "src/base/num.h"
#include "src/base/word.h"

/* Results of a comparison, as bits. */
enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

/*
 * For each operation, the results of comparing comparand and target for which
 * it swaps.
 */
static const uint8_t swaps_if[] = {
	[WEFT_NUM_CSWAP] = EQUAL,
	[WEFT_NUM_CSWAP_NE] = LESS | GREATER | UNORDERED,
	[WEFT_NUM_CSWAP_LE] = LESS | EQUAL,
	[WEFT_NUM_CSWAP_LT] = LESS,
	[WEFT_NUM_CSWAP_GE] = GREATER | EQUAL,
	[WEFT_NUM_CSWAP_GT] = GREATER,
};

/*
 * Returns the result of comparing a with b; uses the arithmetic kernels for
 * minimum and maximum, which also detect NaN.
 */
static unsigned order(unsigned type, uint64_t a, uint64_t b)
{
	uint64_t low = b, high = b;

	if (weft_num_unit[WEFT_NUM_MIN][type](&a, &low, 1) & WEFT_NUM_NAN)
		return UNORDERED;
	weft_num_unit[WEFT_NUM_MAX][type](&a, &high, 1);
	return low != b ? LESS : high != b ? GREATER : EQUAL;
}

/* Returns the new value of target t for operand o and comparand c. */
static uint64_t new_value(const struct nic_atomic_call *call, uint64_t t,
			  uint64_t o, uint64_t c)
{
	weft_num_fn *fn;

	switch (call->op) {
	case WEFT_NUM_READ:
		return t;
	case WEFT_NUM_WRITE:
		return o;
	case WEFT_NUM_MSWAP:
		return (o & c) | (t & ~c);
	default:
		if (call->op >= WEFT_NUM_CSWAP)
			return swaps_if[call->op] & order(call->type, c, t) ? o
									    : t;
		fn = weft_num_op[call->op][call->type];
		/*
		 * no arithmetic kernel: a logical operation on floating-point
		 * numbers
		 */
		if (!fn)
			fn = weft_num_unit[call->op][call->type];
		fn(&o, &t, 1);
		return t;
	}
}

/*
 * Stores `want` if the memory holds *expect_p; otherwise sets *expect_p to the
 * value found. Returns whether `want` was stored. Unaligned elements are always
 * stored, without a comparison.
 */
static bool swap(void *p, size_t bytes, uint64_t *expect_p, uint64_t want)
{
	if (!((uintptr_t)p & (bytes - 1)))
		return weft_word_cas(p, bytes, expect_p, want);
	weft_word_put(p, want, bytes);
	return true;
}

void nic_atomic_exec(const struct nic_atomic_call *c)
{
	size_t bytes = weft_num_bytes(c->type);
	uint64_t o = 0, cmp = 0, old, want;

	for (size_t at = 0; at < c->count * bytes; at += bytes) {
		char *target = (char *)c->target + at;

		if (c->op != WEFT_NUM_READ)
			o = weft_word_get((const char *)c->operand + at, bytes);
		if (c->op >= WEFT_NUM_CSWAP)
			cmp = weft_word_get((const char *)c->compare + at,
					    bytes);
		old = weft_word_get(target, bytes);
		do {
			want = new_value(c, old, o, cmp);
		} while (!swap(target, bytes, &old, want));
		if (c->old)
			weft_word_put((char *)c->old + at, old, bytes);
	}
}
