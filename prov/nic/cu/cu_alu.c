/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One loop per operation and type, made from a pattern each: the compiler
 * vectorises them, and a table finds them. memcpy moves elements because a
 * packet's payload has no alignment to rely on.
 */
#include "prov/nic/cu/cu_alu.h"
#include "prov/nic/cu/cu_exact.h"

#include <string.h>

typedef uint32_t cu_fn(void *acc, const void *in, size_t count);

/*
 * The body of every loop: fetch two elements, work, store one. bad collects
 * what raises the flag, in a word as wide as the elements: that is what a
 * vector register can do beside them.
 */
#define CU_LOOP(name, type, word, flag, work)                           \
	static uint32_t name(void *acc, const void *in, size_t count)   \
	{                                                               \
		char *a = acc;                                          \
		const char *b = in;                                     \
		word bad = 0;                                           \
                                                                        \
		for (size_t i = 0; i < count; i++) {                    \
			type x, y;                                      \
                                                                        \
			memcpy(&x, a + i * sizeof(type), sizeof(type)); \
			memcpy(&y, b + i * sizeof(type), sizeof(type)); \
			work;                                           \
			memcpy(a + i * sizeof(type), &x, sizeof(type)); \
		}                                                       \
		return bad ? (flag) : 0;                                \
	}

/*
 * A sum wraps as the hardware's does; the flag tells. A signed one does when
 * both operands have another sign than it.
 */
#define CU_SUM_SIGNED(bits)                                                \
	const uint##bits##_t u = (uint##bits##_t)x, v = (uint##bits##_t)y, \
			     t = (uint##bits##_t)(u + v);                  \
	bad |= (uint##bits##_t)((u ^ t) & (v ^ t)) >> (bits - 1);          \
	x = (int##bits##_t)t

#define CU_SUM_UNSIGNED(bits)                             \
	const uint##bits##_t t = (uint##bits##_t)(x + y); \
	bad |= t < x;                                     \
	x = t

#define CU_SIGNED(bits)                                                       \
	CU_LOOP(sum_i##bits, int##bits##_t, uint##bits##_t, WEFT_CU_OVERFLOW, \
		CU_SUM_SIGNED(bits))                                          \
	CU_LOOP(min_i##bits, int##bits##_t, uint##bits##_t, 0,                \
		x = y < x ? y : x)                                            \
	CU_LOOP(max_i##bits, int##bits##_t, uint##bits##_t, 0,                \
		x = y > x ? y : x)

#define CU_PLAIN(name, bits, work) \
	CU_LOOP(name, uint##bits##_t, uint##bits##_t, 0, work)

#define CU_UNSIGNED(bits)                                                      \
	CU_LOOP(sum_u##bits, uint##bits##_t, uint##bits##_t, WEFT_CU_OVERFLOW, \
		CU_SUM_UNSIGNED(bits))                                         \
	CU_PLAIN(min_u##bits, bits, x = y < x ? y : x)                         \
	CU_PLAIN(max_u##bits, bits, x = y > x ? y : x)                         \
	CU_PLAIN(and_##bits, bits, x = (uint##bits##_t)(x & y))                \
	CU_PLAIN(or_##bits, bits, x = (uint##bits##_t)(x | y))                 \
	CU_PLAIN(xor_##bits, bits, x = (uint##bits##_t)(x ^ y))

/* Minimum and maximum keep a number that is none, so that nobody misses it. */
#define CU_FLOAT(name, type, word)                                          \
	CU_LOOP(sum_##name, type, word, WEFT_CU_NAN, x += y; bad |= x != x) \
	CU_LOOP(min_##name, type, word, WEFT_CU_NAN,                        \
		x = y != y || y < x ? y : x;                                \
		bad |= x != x)                                              \
	CU_LOOP(max_##name, type, word, WEFT_CU_NAN,                        \
		x = y != y || y > x ? y : x;                                \
		bad |= x != x)

CU_SIGNED(8)
CU_SIGNED(16)
CU_SIGNED(32)
CU_SIGNED(64)
CU_UNSIGNED(8)
CU_UNSIGNED(16)
CU_UNSIGNED(32)
CU_UNSIGNED(64)
CU_FLOAT(float, float, uint32_t)
CU_FLOAT(double, double, uint64_t)

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
		flags |= weft_cu_exact_is_nan(&x) ? WEFT_CU_NAN : 0;
		memcpy(a + i * sizeof(x), &x, sizeof(x));
	}
	return flags;
}

#define CU_INTEGER_ROW(s, bits)                                          \
	{                                                                \
		sum_##s##bits, min_##s##bits, max_##s##bits, and_##bits, \
			or_##bits, xor_##bits                            \
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
