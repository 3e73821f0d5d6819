/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reduction kernels on numbers. One macro defines one loop, which the compiler
 * vectorises. Signed sums and products are computed unsigned: the bits are the
 * same and overflow wraps instead of being undefined.
 */
#include "src/base/attr.h"
#include "src/types/types_op_fn.h"

__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

/* Computes inout[i] = expr, where a is in[i] and b is inout[i]. */
#define LOOP(name, type, expr)                                              \
	WEFT_VECTOR static void name(const void *in, void *inout, size_t n) \
	{                                                                   \
		const type *restrict x = in;                                \
		type *restrict y = inout;                                   \
                                                                            \
		for (size_t i = 0; i < n; i++) {                            \
			const type a = x[i];                                \
			const type b = y[i];                                \
                                                                            \
			y[i] = (type)(expr);                                \
		}                                                           \
	}

/* 1u prevents promotion of narrow operands to signed int. */
#define ARITH(s, type)                  \
	LOOP(sum_##s, type, 1u * a + b) \
	LOOP(prod_##s, type, 1u * a * b)

#define ORDER(s, type)                     \
	LOOP(min_##s, type, a < b ? a : b) \
	LOOP(max_##s, type, a > b ? a : b)

#define BITS(s, type)              \
	LOOP(band_##s, type, a &b) \
	LOOP(bor_##s, type, a | b) \
	LOOP(bxor_##s, type, a ^ b)

#define LOGIC(s, type)              \
	LOOP(land_##s, type, a &&b) \
	LOOP(lor_##s, type, a || b) \
	LOOP(lxor_##s, type, !a != !b)

#define UNSIGNED(s, type) \
	ARITH(s, type) ORDER(s, type) BITS(s, type) LOGIC(s, type)

UNSIGNED(u8, uint8_t)
UNSIGNED(u16, uint16_t)
UNSIGNED(u32, uint32_t)
UNSIGNED(u64, uint64_t)
ARITH(u128, u128)
BITS(u128, u128)
LOGIC(u128, u128)
ORDER(i8, int8_t)
ORDER(i16, int16_t)
ORDER(i32, int32_t)
ORDER(i64, int64_t)
ORDER(i128, i128)

#define FLOATING(s, type)          \
	LOOP(sum_##s, type, a + b) \
	LOOP(prod_##s, type, a *b) \
	ORDER(s, type)

FLOATING(f32, float)
FLOATING(f64, double)
FLOATING(fld, long double)

/* Complex arithmetic on two parts, without C's rules for infinities. */
#define COMPLEX(s, type)                                              \
	struct s {                                                    \
		type re;                                              \
		type im;                                              \
	};                                                            \
	static void sum_##s(const void *in, void *inout, size_t n)    \
	{                                                             \
		sum_##s##_part(in, inout, 2 * n);                     \
	}                                                             \
	WEFT_VECTOR static void prod_##s(const void *in, void *inout, \
					 size_t n)                    \
	{                                                             \
		const struct s *restrict x = in;                      \
		struct s *restrict y = inout;                         \
                                                                      \
		for (size_t i = 0; i < n; i++) {                      \
			const struct s a = x[i];                      \
			const struct s b = y[i];                      \
                                                                      \
			y[i].re = a.re * b.re - a.im * b.im;          \
			y[i].im = a.re * b.im + a.im * b.re;          \
		}                                                     \
	}

#define sum_c32_part sum_f32
#define sum_c64_part sum_f64
#define sum_cld_part sum_fld
COMPLEX(c32, float)
COMPLEX(c64, double)
COMPLEX(cld, long double)

/* Signed integers use the unsigned kernels if the result has the same bits. */
#define INTEGERS(op)                                              \
	[WEFT_BASIC_I8] = op##_u8, [WEFT_BASIC_I16] = op##_u16,   \
	[WEFT_BASIC_I32] = op##_u32, [WEFT_BASIC_I64] = op##_u64, \
	[WEFT_BASIC_I128] = op##_u128, [WEFT_BASIC_U8] = op##_u8, \
	[WEFT_BASIC_U16] = op##_u16, [WEFT_BASIC_U32] = op##_u32, \
	[WEFT_BASIC_U64] = op##_u64

#define FLOATS(op)                                                \
	[WEFT_BASIC_F32] = op##_f32, [WEFT_BASIC_F64] = op##_f64, \
	[WEFT_BASIC_FLD] = op##_fld

#define COMPLEXES(op)                                             \
	[WEFT_BASIC_C32] = op##_c32, [WEFT_BASIC_C64] = op##_c64, \
	[WEFT_BASIC_CLD] = op##_cld

#define ORDERED(op)                                               \
	[WEFT_BASIC_I8] = op##_i8, [WEFT_BASIC_I16] = op##_i16,   \
	[WEFT_BASIC_I32] = op##_i32, [WEFT_BASIC_I64] = op##_i64, \
	[WEFT_BASIC_I128] = op##_i128, [WEFT_BASIC_U8] = op##_u8, \
	[WEFT_BASIC_U16] = op##_u16, [WEFT_BASIC_U32] = op##_u32, \
	[WEFT_BASIC_U64] = op##_u64

const weft_op_row weft_op_sum = { INTEGERS(sum), FLOATS(sum), COMPLEXES(sum) };
const weft_op_row weft_op_prod = { INTEGERS(prod), FLOATS(prod),
				   COMPLEXES(prod) };
const weft_op_row weft_op_min = { ORDERED(min), FLOATS(min) };
const weft_op_row weft_op_max = { ORDERED(max), FLOATS(max) };
const weft_op_row weft_op_band = { INTEGERS(band), [WEFT_BASIC_BYTE] =
							   band_u8 };
const weft_op_row weft_op_bor = { INTEGERS(bor), [WEFT_BASIC_BYTE] = bor_u8 };
const weft_op_row weft_op_bxor = { INTEGERS(bxor), [WEFT_BASIC_BYTE] =
							   bxor_u8 };

/* ---- logicals, with the values of true and false of the language ---- */

#define TRUTH(k)             \
	{                    \
		.yes = { 1 } \
	}
struct weft_logical weft_logical[5] = { TRUTH(0), TRUTH(1), TRUTH(2), TRUTH(3),
					TRUTH(4) };

#define TRUTHS(name, type, k, expr)                                         \
	WEFT_VECTOR static void name(const void *in, void *inout, size_t n) \
	{                                                                   \
		const type *restrict x = in;                                \
		type *restrict y = inout;                                   \
		type yes, no;                                               \
                                                                            \
		memcpy(&yes, weft_logical[k].yes, sizeof(yes));             \
		memcpy(&no, weft_logical[k].no, sizeof(no));                \
		for (size_t i = 0; i < n; i++) {                            \
			const bool a = x[i] != no;                          \
			const bool b = y[i] != no;                          \
                                                                            \
			y[i] = (expr) ? yes : no;                           \
		}                                                           \
	}

#define LOGICAL(s, type, k)              \
	TRUTHS(land_##s, type, k, a &&b) \
	TRUTHS(lor_##s, type, k, a || b) \
	TRUTHS(lxor_##s, type, k, a != b)

LOGICAL(l8, uint8_t, 0)
LOGICAL(l16, uint16_t, 1)
LOGICAL(l32, uint32_t, 2)
LOGICAL(l64, uint64_t, 3)
LOGICAL(l128, u128, 4)

#define LOGICALS(op)                                              \
	[WEFT_BASIC_L8] = op##_l8, [WEFT_BASIC_L16] = op##_l16,   \
	[WEFT_BASIC_L32] = op##_l32, [WEFT_BASIC_L64] = op##_l64, \
	[WEFT_BASIC_L128] = op##_l128

const weft_op_row weft_op_land = { INTEGERS(land), LOGICALS(land) };
const weft_op_row weft_op_lor = { INTEGERS(lor), LOGICALS(lor) };
const weft_op_row weft_op_lxor = { INTEGERS(lxor), LOGICALS(lxor) };
