/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of num.h: each kernel is a loop that a macro defines and the compiler
 * vectorizes; two tables contain all kernels. Signed sums and products are
 * computed with unsigned arithmetic: the bits are the same, and overflow wraps
 * instead of being undefined.
 */
#include "src/base/num.h"

#include "src/base/attr.h"

#include <string.h>

__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

/*
 * Defines the kernel `name`: a loop that executes `work` for a = in[i] and b =
 * inout[i], and stores b. The kernel executes `start` before the loop, and
 * returns `flags`.
 */
#define LOOP(name, type, start, work, flags)                          \
	WEFT_VECTOR static uint32_t name(const void *in, void *inout, \
					 size_t n)                    \
	{                                                             \
		typedef type elem WEFT_UNALIGNED;                     \
		const elem *restrict x = in;                          \
		elem *restrict y = inout;                             \
		start;                                                \
                                                                      \
		for (size_t i = 0; i < n; i++) {                      \
			const type a = x[i];                          \
			type b = y[i];                                \
                                                                      \
			work;                                         \
			y[i] = b;                                     \
		}                                                     \
		return flags;                                         \
	}

#define PLAIN(name, type, expr) LOOP(name, type, , b = (type)(expr), 0)

/*
 * Defines a kernel that returns `flag` if `work` sets `bad`. bad is as wide as
 * an element, so that it stays in a vector register.
 */
#define FLAGGED(name, type, word, work, flag) \
	LOOP(name, type, word bad = 0, work, bad ? (flag) : 0)

/* 1u prevents promotion of narrow operands to signed int. */
#define ARITH(s, type)                   \
	PLAIN(sum_##s, type, 1u * a + b) \
	PLAIN(prod_##s, type, 1u * a * b)

#define ORDER(s, type)                      \
	PLAIN(min_##s, type, a < b ? a : b) \
	PLAIN(max_##s, type, a > b ? a : b)

#define BITS(s, type)               \
	PLAIN(band_##s, type, a &b) \
	PLAIN(bor_##s, type, a | b) \
	PLAIN(bxor_##s, type, a ^ b)

#define LOGIC(s, type)               \
	PLAIN(land_##s, type, a &&b) \
	PLAIN(lor_##s, type, a || b) \
	PLAIN(lxor_##s, type, !a != !b)

/*
 * A signed sum overflows if its sign differs from the signs of both operands,
 * an unsigned sum if it is less than an operand.
 */
#define SUM_FLAG(bits)                                                    \
	FLAGGED(sum_flag_i##bits, uint##bits##_t, uint##bits##_t,         \
		const uint##bits##_t t = (uint##bits##_t)(a + b);         \
		bad |= (uint##bits##_t)((a ^ t) & (b ^ t)) >> (bits - 1); \
		b = t, WEFT_NUM_OVERFLOW)                                 \
	FLAGGED(sum_flag_u##bits, uint##bits##_t, uint##bits##_t,         \
		b = (uint##bits##_t)(a + b);                              \
		bad |= b < a, WEFT_NUM_OVERFLOW)

#define INTEGER(bits)                  \
	ARITH(u##bits, uint##bits##_t) \
	ORDER(u##bits, uint##bits##_t) \
	BITS(u##bits, uint##bits##_t)  \
	LOGIC(u##bits, uint##bits##_t) \
	ORDER(i##bits, int##bits##_t) SUM_FLAG(bits)

INTEGER(8)
INTEGER(16)
INTEGER(32)
INTEGER(64)
ARITH(u128, u128)
BITS(u128, u128)
LOGIC(u128, u128)
ORDER(i128, i128)

#define FLOATING(s, type)           \
	PLAIN(sum_##s, type, a + b) \
	PLAIN(prod_##s, type, a *b) \
	ORDER(s, type)

/* Floating-point kernels that only weft_num_unit contains. */
#define UNIT(s, type, word)                                                    \
	LOGIC(s, type)                                                         \
	FLAGGED(sum_flag_##s, type, word, b += a; bad |= b != b, WEFT_NUM_NAN) \
	FLAGGED(min_flag_##s, type, word, b = a != a || a < b ? a : b;         \
		bad |= b != b, WEFT_NUM_NAN)                                   \
	FLAGGED(max_flag_##s, type, word, b = a != a || a > b ? a : b;         \
		bad |= b != b, WEFT_NUM_NAN)

FLOATING(f32, float)
FLOATING(f64, double)
FLOATING(fld, long double)
#if WEFT_HAVE_F128
FLOATING(f128, weft_f128)
#endif
UNIT(f32, float, uint32_t)
UNIT(f64, double, uint64_t)

/*
 * Complex arithmetic on real and imaginary parts, without C's rules for
 * infinities.
 */
#define COMPLEX(s, type, part)                                         \
	struct s {                                                     \
		type re;                                               \
		type im;                                               \
	};                                                             \
	static uint32_t sum_##s(const void *in, void *inout, size_t n) \
	{                                                              \
		return sum_##part(in, inout, 2 * n);                   \
	}                                                              \
	LOOP(prod_##s, struct s, , const struct s c = b;               \
	     b.re = a.re * c.re - a.im * c.im;                         \
	     b.im = a.re * c.im + a.im * c.re, 0)

COMPLEX(c32, float, f32)
COMPLEX(c64, double, f64)
COMPLEX(cld, long double, fld)
#if WEFT_HAVE_F128
COMPLEX(c128, weft_f128, f128)
#endif

/*
 * Logical operations; true and false have the bit patterns in weft_num_logical,
 * which may be those of C or of Fortran.
 */
#define TRUTH(name, type, k, expr)                               \
	LOOP(name, type, type yes; type no;                      \
	     memcpy(&yes, weft_num_logical[k].yes, sizeof(yes)); \
	     memcpy(&no, weft_num_logical[k].no, sizeof(no)),    \
	     b = (expr) ? yes : no, 0)

#define LOGICAL(s, type, k)                          \
	TRUTH(land_##s, type, k, a != no && b != no) \
	TRUTH(lor_##s, type, k, a != no || b != no)  \
	TRUTH(lxor_##s, type, k, (a != no) != (b != no))

struct weft_num_logical weft_num_logical[5] = {
	{ .yes = { 1 } }, { .yes = { 1 } }, { .yes = { 1 } },
	{ .yes = { 1 } }, { .yes = { 1 } },
};

LOGICAL(l8, uint8_t, 0)
LOGICAL(l16, uint16_t, 1)
LOGICAL(l32, uint32_t, 2)
LOGICAL(l64, uint64_t, 3)
LOGICAL(l128, u128, 4)

/*
 * s: suffix of the kernels for signed types: "i", or "u" if signed and unsigned
 * results have the same bits
 */
#define WORDS(op, s)                                              \
	[WEFT_NUM_I8] = op##_##s##8, [WEFT_NUM_U8] = op##_u8,     \
	[WEFT_NUM_I16] = op##_##s##16, [WEFT_NUM_U16] = op##_u16, \
	[WEFT_NUM_I32] = op##_##s##32, [WEFT_NUM_U32] = op##_u32, \
	[WEFT_NUM_I64] = op##_##s##64, [WEFT_NUM_U64] = op##_u64

#define INTEGERS(op, s) WORDS(op, s), [WEFT_NUM_I128] = op##_##s##128

#define REALS(op) [WEFT_NUM_F32] = op##_f32, [WEFT_NUM_F64] = op##_f64

#if WEFT_HAVE_F128
#define REALS_128(op)	  [WEFT_NUM_F128] = op##_f128
#define COMPLEXES_128(op) [WEFT_NUM_C128] = op##_c128
#else
#define REALS_128(op)	  [WEFT_NUM_F128] = NULL
#define COMPLEXES_128(op) [WEFT_NUM_C128] = NULL
#endif

#define FLOATS(op) REALS(op), [WEFT_NUM_FLD] = op##_fld, REALS_128(op)

#define COMPLEXES(op)                                         \
	[WEFT_NUM_C32] = op##_c32, [WEFT_NUM_C64] = op##_c64, \
	[WEFT_NUM_CLD] = op##_cld, COMPLEXES_128(op)

#define LOGICALS(op)                                          \
	[WEFT_NUM_L8] = op##_l8, [WEFT_NUM_L16] = op##_l16,   \
	[WEFT_NUM_L32] = op##_l32, [WEFT_NUM_L64] = op##_l64, \
	[WEFT_NUM_L128] = op##_l128

weft_num_fn *const weft_num_op[WEFT_NUM_KERNELS][WEFT_NUM_TYPES] = {
	[WEFT_NUM_MIN] = { INTEGERS(min, i), FLOATS(min) },
	[WEFT_NUM_MAX] = { INTEGERS(max, i), FLOATS(max) },
	[WEFT_NUM_SUM] = { INTEGERS(sum, u), FLOATS(sum), COMPLEXES(sum) },
	[WEFT_NUM_PROD] = { INTEGERS(prod, u), FLOATS(prod), COMPLEXES(prod) },
	[WEFT_NUM_LOR] = { INTEGERS(lor, u), LOGICALS(lor) },
	[WEFT_NUM_LAND] = { INTEGERS(land, u), LOGICALS(land) },
	[WEFT_NUM_BOR] = { INTEGERS(bor, u), [WEFT_NUM_BYTE] = bor_u8 },
	[WEFT_NUM_BAND] = { INTEGERS(band, u), [WEFT_NUM_BYTE] = band_u8 },
	[WEFT_NUM_LXOR] = { INTEGERS(lxor, u), LOGICALS(lxor) },
	[WEFT_NUM_BXOR] = { INTEGERS(bxor, u), [WEFT_NUM_BYTE] = bxor_u8 },
};

weft_num_fn *const weft_num_unit[WEFT_NUM_KERNELS][WEFT_NUM_WORDS] = {
	[WEFT_NUM_MIN] = { WORDS(min, i), REALS(min_flag) },
	[WEFT_NUM_MAX] = { WORDS(max, i), REALS(max_flag) },
	[WEFT_NUM_SUM] = { WORDS(sum_flag, i), REALS(sum_flag) },
	[WEFT_NUM_PROD] = { WORDS(prod, u), REALS(prod) },
	[WEFT_NUM_LOR] = { WORDS(lor, u), REALS(lor) },
	[WEFT_NUM_LAND] = { WORDS(land, u), REALS(land) },
	[WEFT_NUM_BOR] = { WORDS(bor, u) },
	[WEFT_NUM_BAND] = { WORDS(band, u) },
	[WEFT_NUM_LXOR] = { WORDS(lxor, u), REALS(lxor) },
	[WEFT_NUM_BXOR] = { WORDS(bxor, u) },
};
