/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arithmetic of atomics on every type: negative numbers compare below zero in
 * signed types, and above all others in unsigned types.
 */
#include "prov/nic/nic_atomic_exec.h"

#include "prov/nic/nic.h"
#include "test/t.h"

#include <string.h>

/* Returns a value of a type as its bytes in memory. */
static uint64_t value(unsigned type, int v)
{
	float f = (float)v;
	double d = v;
	uint64_t bits = (uint64_t)(int64_t)v, out = 0;

	if (type == WEFT_ATOMIC_FLOAT)
		memcpy(&out, &f, sizeof(f));
	else if (type == WEFT_ATOMIC_DOUBLE)
		memcpy(&out, &d, sizeof(d));
	else
		memcpy(&out, &bits, weft_atomic_type_bytes(type));
	return out;
}

/* Returns the target after op; old_p, unless NULL, gets the old value. */
static uint64_t apply_atomic(unsigned type, unsigned op, uint64_t target,
			     uint64_t operand, uint64_t *old_p)
{
	const struct nic_atomic_call call = {
		.op = (uint8_t)op,
		.type = (uint8_t)type,
		.count = 1,
		.target = &target,
		.operand = &operand,
		.compare = &operand,
		.old = old_p,
	};

	if (old_p)
		*old_p = 0;
	nic_atomic_exec(&call);
	return target;
}

static bool has_sign(unsigned type)
{
	return type >= WEFT_ATOMIC_FLOAT || type % 2 == 0;
}

static void min_and_max_respect_the_sign_of_every_type(void **state)
{
	static const int some[] = { -128, -2, -1, 0, 1, 2, 127 };

	for (unsigned type = 0; type < WEFT_ATOMIC_TYPES; type++) {
		for (unsigned i = 0; i < 49; i++) {
			int a = some[i / 7], b = some[i % 7];
			bool less = a < b;
			uint64_t va = value(type, a), vb = value(type, b), old;

			/*
			 * unsigned types: a negative number is the largest
			 * value
			 */
			if (!has_sign(type) && (a < 0) != (b < 0))
				less = b < 0;
			T_IS(apply_atomic(type, WEFT_ATOMIC_MIN, va, vb, &old),
			     less ? va : vb);
			T_IS(old, va);
			T_IS(apply_atomic(type, WEFT_ATOMIC_MAX, va, vb, &old),
			     less ? vb : va);
			T_IS(old, va);
		}
	}
}

static void compare_and_swap_respects_the_sign_of_every_type(void **state)
{
	for (unsigned type = 0; type < WEFT_ATOMIC_TYPES; type++) {
		uint64_t minus = value(type, -1), one = value(type, 1);

		/*
		 * swaps if the comparand, equal to the operand, is below the
		 * target
		 */
		T_IS(apply_atomic(type, WEFT_ATOMIC_CSWAP_LT, one, minus, NULL),
		     has_sign(type) ? minus : one);
		T_IS(apply_atomic(type, WEFT_ATOMIC_CSWAP_GT, minus, one, NULL),
		     has_sign(type) ? one : minus);
	}
}

static void the_old_value_is_optional(void **state)
{
	for (unsigned type = 0; type < WEFT_ATOMIC_TYPES; type++)
		T_IS(apply_atomic(type, WEFT_ATOMIC_SUM, value(type, 2),
				  value(type, 3), NULL),
		     value(type, 5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(min_and_max_respect_the_sign_of_every_type),
		T_CASE(compare_and_swap_respects_the_sign_of_every_type),
		T_CASE(the_old_value_is_optional),
	};

	return T_RUN(tests);
}
