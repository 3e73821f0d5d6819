/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One loop per operation and type, made from a pattern each: the compiler
 * vectorises them, and a table finds them. memcpy moves elements because a
 * packet's payload has no alignment to rely on.
 */
#include "prov/nic/cu/cu_alu.h"
#include "prov/nic/cu/cu_exact.h"

#include <math.h>
#include <string.h>

typedef uint32_t cu_fn(void *acc, const void *in, size_t count);

/* The body of every loop: fetch two elements, work, store one. */
#define CU_LOOP(name, type, work)                                              \
	static uint32_t name(void *acc, const void *in, size_t count)          \
	{                                                                      \
		char *a = acc;                                                 \
		const char *b = in;                                            \
		uint32_t flags = 0;                                            \
									       \
		for (size_t i = 0; i < count; i++) {                           \
			type x, y;                                             \
									       \
			memcpy(&x, a + i * sizeof(type), sizeof(type));        \
			memcpy(&y, b + i * sizeof(type), sizeof(type));        \
			work;                                                  \
			memcpy(a + i * sizeof(type), &x, sizeof(type));        \
		}                                                              \
		return flags;                                                  \
	}

#define CU_OVERFLOW_IF(c) flags |= (c) ? WEFT_CU_OVERFLOW : 0

/* A signed sum wraps as the hardware's does; the flag tells. */
#define CU_SIGNED(bits)                                                        \
	CU_LOOP(sum_i##bits, int##bits##_t,                                    \
		CU_OVERFLOW_IF(__builtin_add_overflow(x, y, &x)))              \
	CU_LOOP(min_i##bits, int##bits##_t, x = y < x ? y : x)                 \
	CU_LOOP(max_i##bits, int##bits##_t, x = y > x ? y : x)

#define CU_UNSIGNED(bits)                                                      \
	CU_LOOP(sum_u##bits, uint##bits##_t,                                   \
		CU_OVERFLOW_IF(__builtin_add_overflow(x, y, &x)))              \
	CU_LOOP(min_u##bits, uint##bits##_t, x = y < x ? y : x)                \
	CU_LOOP(max_u##bits, uint##bits##_t, x = y > x ? y : x)                \
	CU_LOOP(and_##bits, uint##bits##_t, x = (uint##bits##_t)(x & y))       \
	CU_LOOP(or_##bits, uint##bits##_t, x = (uint##bits##_t)(x | y))        \
	CU_LOOP(xor_##bits, uint##bits##_t, x = (uint##bits##_t)(x ^ y))

#define CU_NAN_IF(c) flags |= (c) ? WEFT_CU_NAN : 0

/* Minimum and maximum keep a number that is none, so that nobody misses it. */
#define CU_FLOAT(name, type)                                                   \
	CU_LOOP(sum_##name, type, x += y; CU_NAN_IF(isnan(x)))                 \
	CU_LOOP(min_##name, type, x = isnan(y) || y < x ? y : x;               \
		CU_NAN_IF(isnan(x)))                                           \
	CU_LOOP(max_##name, type, x = isnan(y) || y > x ? y : x;               \
		CU_NAN_IF(isnan(x)))

CU_SIGNED(8)
CU_SIGNED(16)
CU_SIGNED(32)
CU_SIGNED(64)
CU_UNSIGNED(8)
CU_UNSIGNED(16)
CU_UNSIGNED(32)
CU_UNSIGNED(64)
CU_FLOAT(float, float)
CU_FLOAT(double, double)

static uint32_t sum_exact(void *acc, const void *in, size_t count)
{
	char *a = acc;
	const char *b = in;
	uint32_t flags = 0;

	for (size_t i = 0; i < count; i++) {
		struct weft_cu_exact x, y;

		memcpy(&x, a + i * sizeof(x), sizeof(x));
		memcpy(&y, b + i * sizeof(y), sizeof(y));
		weft_cu_exact_add(&x, &y);
		CU_NAN_IF(weft_cu_exact_is_nan(&x));
		memcpy(a + i * sizeof(x), &x, sizeof(x));
	}
	return flags;
}

#define CU_INTEGER_ROW(s, bits)                                                \
	{                                                                      \
		sum_##s##bits, min_##s##bits, max_##s##bits, and_##bits,       \
			or_##bits, xor_##bits                                  \
	}

static cu_fn *const cu_table[WEFT_CU_TYPES][WEFT_CU_OPS] = {
	[WEFT_CU_INT8] = CU_INTEGER_ROW(i, 8),
	[WEFT_CU_UINT8] = CU_INTEGER_ROW(u, 8),
	[WEFT_CU_INT16] = CU_INTEGER_ROW(i, 16),
	[WEFT_CU_UINT16] = CU_INTEGER_ROW(u, 16),
	[WEFT_CU_INT32] = CU_INTEGER_ROW(i, 32),
	[WEFT_CU_UINT32] = CU_INTEGER_ROW(u, 32),
	[WEFT_CU_INT64] = CU_INTEGER_ROW(i, 64),
	[WEFT_CU_UINT64] = CU_INTEGER_ROW(u, 64),
	[WEFT_CU_FLOAT] = { sum_float, min_float, max_float },
	[WEFT_CU_DOUBLE] = { sum_double, min_double, max_double },
	[WEFT_CU_EXACT] = { sum_exact },
};

size_t weft_cu_bytes(unsigned type)
{
	static const uint16_t bytes[WEFT_CU_TYPES] = {
		1, 1, 2, 2, 4, 4, 8, 8, 4, 8, sizeof(struct weft_cu_exact),
	};

	return type < WEFT_CU_TYPES ? bytes[type] : 0;
}

bool weft_cu_can(unsigned op, unsigned type)
{
	return op < WEFT_CU_OPS && type < WEFT_CU_TYPES && cu_table[type][op];
}

uint32_t weft_cu_combine(unsigned op, unsigned type, void *acc, const void *in,
			 size_t count)
{
	return cu_table[type][op](acc, in, count);
}
