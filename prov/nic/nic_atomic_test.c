/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arithmetic of atomics on every type: comparison of negative numbers (the
 * largest values in unsigned types), NaN, zeros, rounding of floats.
 */
#include "prov/nic/nic_atomic_exec.h"

#include "prov/nic/nic.h"
#include "src/base/rng.h"
#include "test/t.h"

#include <math.h>
#include <string.h>

/* Returns v as a number of the type, in its memory representation. */
static uint64_t value(unsigned type, int v)
{
	float f = (float)v;
	double d = v;
	uint64_t bits = (uint64_t)(int64_t)v, out = 0;

	if (type == WEFT_NUM_F32)
		memcpy(&out, &f, sizeof(f));
	else if (type == WEFT_NUM_F64)
		memcpy(&out, &d, sizeof(d));
	else
		memcpy(&out, &bits, weft_num_bytes(type));
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
	return type >= WEFT_NUM_F32 || type % 2 == 0;
}

static void min_and_max_respect_the_sign_of_every_type(void **state)
{
	static const int some[] = { -128, -2, -1, 0, 1, 2, 127 };

	for (unsigned type = 0; type < WEFT_NUM_WORDS; type++) {
		for (unsigned i = 0; i < 49; i++) {
			int a = some[i / 7], b = some[i % 7];
			bool less = a < b;
			uint64_t va = value(type, a), vb = value(type, b), old;

			/*
			 * in unsigned types a negative number is the largest
			 * value
			 */
			if (!has_sign(type) && (a < 0) != (b < 0))
				less = b < 0;
			T_IS(apply_atomic(type, WEFT_NUM_MIN, va, vb, &old),
			     less ? va : vb);
			T_IS(old, va);
			T_IS(apply_atomic(type, WEFT_NUM_MAX, va, vb, &old),
			     less ? vb : va);
			T_IS(old, va);
		}
	}
}

static void compare_and_swap_respects_the_sign_of_every_type(void **state)
{
	for (unsigned type = 0; type < WEFT_NUM_WORDS; type++) {
		uint64_t minus = value(type, -1), one = value(type, 1);

		/*
		 * CSWAP_LT swaps if the comparand is less than the target; here
		 * the comparand equals the operand
		 */
		T_IS(apply_atomic(type, WEFT_NUM_CSWAP_LT, one, minus, NULL),
		     has_sign(type) ? minus : one);
		T_IS(apply_atomic(type, WEFT_NUM_CSWAP_GT, minus, one, NULL),
		     has_sign(type) ? one : minus);
	}
}

static void the_old_value_is_optional(void **state)
{
	for (unsigned type = 0; type < WEFT_NUM_WORDS; type++)
		T_IS(apply_atomic(type, WEFT_NUM_SUM, value(type, 2),
				  value(type, 3), NULL),
		     value(type, 5));
}

static uint64_t bits_of_double(double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

static void minimum_and_maximum_with_nan_keep_the_target(void **state)
{
	uint64_t nan = bits_of_double(NAN), one = bits_of_double(1);

	for (unsigned op = WEFT_NUM_MIN; op <= WEFT_NUM_MAX; op++) {
		T_IS(apply_atomic(WEFT_NUM_F64, op, one, nan, NULL), one);
		T_IS(apply_atomic(WEFT_NUM_F64, op, nan, one, NULL), nan);
	}
}

/* Returns whether op swaps if the comparand is c and the target t. */
static bool swaps(unsigned op, double c, double t)
{
	double operand = 7;
	const struct nic_atomic_call call = {
		.op = (uint8_t)op,
		.type = WEFT_NUM_F64,
		.count = 1,
		.target = &t,
		.operand = &operand,
		.compare = &c,
	};

	nic_atomic_exec(&call);
	return t == operand;
}

static void swaps_compare_numbers_not_bits(void **state)
{
	static const struct {
		unsigned op;
		bool equal, less, greater, unordered;
	} rows[] = {
		{ WEFT_NUM_CSWAP, true, false, false, false },
		{ WEFT_NUM_CSWAP_NE, false, true, true, true },
		{ WEFT_NUM_CSWAP_LE, true, true, false, false },
		{ WEFT_NUM_CSWAP_LT, false, true, false, false },
		{ WEFT_NUM_CSWAP_GE, true, false, true, false },
		{ WEFT_NUM_CSWAP_GT, false, false, true, false },
	};

	for (size_t i = 0; i < WEFT_COUNT_OF(rows); i++) {
		unsigned op = rows[i].op;

		T_IS(swaps(op, 0.0, -0.0), rows[i].equal);
		T_IS(swaps(op, -0.0, 0.0), rows[i].equal);
		T_IS(swaps(op, -1, 1), rows[i].less);
		T_IS(swaps(op, 1, -1), rows[i].greater);
		T_IS(swaps(op, 1, NAN), rows[i].unordered);
		T_IS(swaps(op, NAN, 1), rows[i].unordered);
		T_IS(swaps(op, NAN, NAN), rows[i].unordered);
	}
}

/* Only arithmetic operations may change the bits of a NaN. */
static void reads_and_writes_keep_a_signaling_nan(void **state)
{
	uint64_t one = value(WEFT_NUM_F32, 1), signaling = 0x7f800001;

	T_IS(apply_atomic(WEFT_NUM_F32, WEFT_NUM_READ, signaling, one, NULL),
	     signaling);
	T_IS(apply_atomic(WEFT_NUM_F32, WEFT_NUM_WRITE, one, signaling, NULL),
	     signaling);
	T_IS(apply_atomic(WEFT_NUM_F32, WEFT_NUM_MAX, signaling, one, NULL),
	     signaling);
}

/* A float sum has the bits of the double sum rounded to float. */
static void floats_are_rounded_once(void **state)
{
	struct weft_rng r;

	weft_rng_init(&r, 8, 0);
	for (int i = 0; i < t_scale(200000); i++) {
		uint32_t bits[2], sum, product;
		float f[2], s, p;

		for (int k = 0; k < 2; k++) {
			bits[k] = (uint32_t)weft_rng_u64(&r);
			/*
			 * makes many exponents similar, and many numbers
			 * subnormal
			 */
			if (i % 2)
				bits[k] &= i % 4 == 1 ? 0x87ffffff : 0xc1ffffff;
		}
		memcpy(f, bits, sizeof(f));
		if (isnan(f[0]) || isnan(f[1]))
			continue;
		s = (float)((double)f[0] + (double)f[1]);
		p = (float)((double)f[0] * (double)f[1]);
		memcpy(&sum, &s, sizeof(sum));
		memcpy(&product, &p, sizeof(product));
		T_IS(apply_atomic(WEFT_NUM_F32, WEFT_NUM_SUM, bits[0], bits[1],
				  NULL),
		     sum);
		T_IS(apply_atomic(WEFT_NUM_F32, WEFT_NUM_PROD, bits[0], bits[1],
				  NULL),
		     product);
	}
}

static void logical_operations_on_floats_return_numbers(void **state)
{
	for (unsigned type = WEFT_NUM_F32; type <= WEFT_NUM_F64; type++) {
		uint64_t zero = value(type, 0), one = value(type, 1);
		uint64_t two = value(type, 2);

		T_IS(apply_atomic(type, WEFT_NUM_LOR, zero, two, NULL), one);
		T_IS(apply_atomic(type, WEFT_NUM_LAND, two, zero, NULL), zero);
		T_IS(apply_atomic(type, WEFT_NUM_LXOR, two, two, NULL), zero);
	}
}

static void elements_at_odd_addresses_change(void **state)
{
	for (unsigned type = 0; type < WEFT_NUM_WORDS; type++) {
		size_t bytes = weft_num_bytes(type);
		uint64_t two = value(type, 2), five = value(type, 5);
		char mem[1 + 2 * 8], in[1 + 2 * 8];
		const struct nic_atomic_call call = {
			.op = WEFT_NUM_SUM,
			.type = (uint8_t)type,
			.count = 2,
			.target = mem + 1,
			.operand = in + 1,
		};

		for (size_t i = 0; i < 2; i++) {
			memcpy(mem + 1 + i * bytes, &two, bytes);
			memcpy(in + 1 + i * bytes, &five, bytes);
		}
		five = value(type, 7);
		nic_atomic_exec(&call);
		T_MEM(mem + 1, &five, bytes);
		T_MEM(mem + 1 + bytes, &five, bytes);
	}
}

#define ELEMENTS 3

/* Arrays of elements of one type; the calls do not include the last element. */
struct arrays {
	unsigned char target[(ELEMENTS + 1) * 8], operand[ELEMENTS * 8];
	unsigned char compare[ELEMENTS * 8], old[(ELEMENTS + 1) * 8];
};

static void array_set(void *to, unsigned type, const int *v, int n)
{
	for (int i = 0; i < n; i++) {
		uint64_t one = value(type, v[i]);

		memcpy((char *)to + (size_t)i * weft_num_bytes(type), &one,
		       weft_num_bytes(type));
	}
}

/* Executes op on three elements, and compares the target and the old values. */
static void check_arrays(unsigned type, unsigned op, const int *want)
{
	static const int target[] = { 1, 2, 3, 77 }, operand[] = { 5, 6, 7 };
	static const int compare[] = { 1, 9, 3 }, old[] = { 1, 2, 3, 99 };
	const int after[] = { want[0], want[1], want[2], 77 };
	struct arrays a = { .target = { 0 } }, b = { .target = { 0 } };
	const struct nic_atomic_call call = {
		.op = (uint8_t)op,
		.type = (uint8_t)type,
		.count = ELEMENTS,
		.target = a.target,
		.operand = op == WEFT_NUM_READ ? NULL : a.operand,
		.compare = op < WEFT_NUM_CSWAP ? NULL : a.compare,
		.old = a.old,
	};

	array_set(a.target, type, target, ELEMENTS + 1);
	array_set(a.operand, type, operand, ELEMENTS);
	array_set(a.compare, type, compare, ELEMENTS);
	array_set(a.old, type, old, ELEMENTS + 1);
	nic_atomic_exec(&call);
	array_set(b.target, type, after, ELEMENTS + 1);
	array_set(b.old, type, old, ELEMENTS + 1);
	T_MEM(a.target, b.target, sizeof(a.target));
	T_MEM(a.old, b.old, sizeof(a.old));
}

static void every_element_has_its_own_operands(void **state)
{
	static const int sum[] = { 6, 8, 10 }, set[] = { 5, 6, 7 };
	static const int same[] = { 1, 2, 3 }, swapped[] = { 5, 2, 7 };
	/* bits of the operand where the comparand has ones */
	static const int masked[] = { 5 & 1, (6 & 9) | (2 & ~9), 7 & 3 };

	for (unsigned type = 0; type < WEFT_NUM_WORDS; type++) {
		check_arrays(type, WEFT_NUM_SUM, sum);
		check_arrays(type, WEFT_NUM_WRITE, set);
		check_arrays(type, WEFT_NUM_READ, same);
		check_arrays(type, WEFT_NUM_CSWAP, swapped);
		if (type < WEFT_NUM_F32)
			check_arrays(type, WEFT_NUM_MSWAP, masked);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(min_and_max_respect_the_sign_of_every_type),
		T_CASE(compare_and_swap_respects_the_sign_of_every_type),
		T_CASE(the_old_value_is_optional),
		T_CASE(minimum_and_maximum_with_nan_keep_the_target),
		T_CASE(swaps_compare_numbers_not_bits),
		T_CASE(reads_and_writes_keep_a_signaling_nan),
		T_CASE(floats_are_rounded_once),
		T_CASE(logical_operations_on_floats_return_numbers),
		T_CASE(every_element_has_its_own_operands),
		T_CASE(elements_at_odd_addresses_change),
	};

	return T_RUN(tests);
}
