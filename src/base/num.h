/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arithmetic on arrays of numbers, used by MPI operations (src/types), windows
 * (src/win), atomics (prov/nic) and the collective unit (prov/group/cunit). A
 * kernel computes inout[i] = in[i] op inout[i] for elements at any alignment.
 */
#ifndef WEFT_BASE_NUM_H
#define WEFT_BASE_NUM_H

#include <assert.h>
#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Element types. The word types have the values of libfabric's enum
 * fi_datatype, since packets contain them; the other types are MPI's.
 */
enum weft_num_type {
	WEFT_NUM_I8,
	WEFT_NUM_U8,
	WEFT_NUM_I16,
	WEFT_NUM_U16,
	WEFT_NUM_I32,
	WEFT_NUM_U32,
	WEFT_NUM_I64,
	WEFT_NUM_U64,
	WEFT_NUM_F32,
	WEFT_NUM_F64,
	WEFT_NUM_WORDS, /* number of word types */
	WEFT_NUM_I128 = WEFT_NUM_WORDS,
	WEFT_NUM_FLD, /* long double */
	WEFT_NUM_C32, /* complex: two floats */
	WEFT_NUM_C64,
	WEFT_NUM_CLD,
	WEFT_NUM_F128, /* binary128: REAL(16) of Fortran */
	WEFT_NUM_C128, /* complex: two numbers of binary128 */
	WEFT_NUM_L8,   /* logical types, by size: one byte ... */
	WEFT_NUM_L16,
	WEFT_NUM_L32,
	WEFT_NUM_L64,
	WEFT_NUM_L128,
	WEFT_NUM_BYTE,
	WEFT_NUM_FLOAT_INT, /* pairs of a value and an index */
	WEFT_NUM_DOUBLE_INT,
	WEFT_NUM_LONG_INT,
	WEFT_NUM_2INT,
	WEFT_NUM_SHORT_INT,
	WEFT_NUM_LD_INT,
	WEFT_NUM_2REAL,
	WEFT_NUM_2DOUBLE,
	WEFT_NUM_NONE, /* derived type, or type without arithmetic */
	WEFT_NUM_TYPES,
};

/* The C type of binary128 numbers, if the compiler has one. */
#if LDBL_MANT_DIG == 113
#define WEFT_HAVE_F128 1
typedef long double weft_f128;
#elif defined(__SIZEOF_FLOAT128__)
#define WEFT_HAVE_F128 1
__extension__ typedef __float128 weft_f128;
#else
#define WEFT_HAVE_F128 0
#endif

/*
 * Operations, with the values of libfabric's enum fi_op, since packets contain
 * them. The operations up to WEFT_NUM_BXOR have kernels; atomics also support
 * the others.
 */
enum weft_num_op {
	WEFT_NUM_MIN,
	WEFT_NUM_MAX,
	WEFT_NUM_SUM,
	WEFT_NUM_PROD,
	WEFT_NUM_LOR,
	WEFT_NUM_LAND,
	WEFT_NUM_BOR,
	WEFT_NUM_BAND,
	WEFT_NUM_LXOR,
	WEFT_NUM_BXOR,
	WEFT_NUM_KERNELS, /* number of operations with kernels */
	WEFT_NUM_READ = WEFT_NUM_KERNELS,
	WEFT_NUM_WRITE,
	WEFT_NUM_CSWAP,
	WEFT_NUM_CSWAP_NE,
	WEFT_NUM_CSWAP_LE,
	WEFT_NUM_CSWAP_LT,
	WEFT_NUM_CSWAP_GE,
	WEFT_NUM_CSWAP_GT,
	WEFT_NUM_MSWAP,
	WEFT_NUM_OPS,
};

/* Bit mask of the operations that the collective unit supports. */
#define WEFT_NUM_GROUP_OPS                                              \
	(1u << WEFT_NUM_SUM | 1u << WEFT_NUM_MIN | 1u << WEFT_NUM_MAX | \
	 1u << WEFT_NUM_BAND | 1u << WEFT_NUM_BOR | 1u << WEFT_NUM_BXOR)

static_assert(WEFT_NUM_F64 == 9 && WEFT_NUM_BXOR == 9 && WEFT_NUM_MSWAP == 18,
	      "numbers in packets");

/* Flags of a result, which the collective unit passes on in its packets. */
#define WEFT_NUM_NAN	  1u /* a floating-point result is not a number */
#define WEFT_NUM_OVERFLOW 2u /* an integer sum overflowed */

/*
 * A kernel. Returns WEFT_NUM_ flags; only kernels of weft_num_unit set flags.
 */
typedef uint32_t weft_num_fn(const void *in, void *inout, size_t n);

/*
 * Kernels for MPI operations and atomics; NULL: MPI does not define the
 * operation on the type. Integers wrap. Minimum and maximum leave inout[i]
 * unchanged if one of the two elements is not a number.
 */
extern weft_num_fn *const weft_num_op[WEFT_NUM_KERNELS][WEFT_NUM_TYPES];

/*
 * Kernels for network interfaces; NULL: libfabric does not define the operation
 * on the type. Like weft_num_op, but logical operations are also defined on
 * floating-point numbers (with result 1 or 0), sums set flags, and minimum and
 * maximum propagate NaN.
 */
extern weft_num_fn *const weft_num_unit[WEFT_NUM_KERNELS][WEFT_NUM_WORDS];

/* Returns the size of an element of a word type, bytes; 0: not a word type. */
static inline size_t weft_num_bytes(unsigned type)
{
	static const uint8_t bytes[WEFT_NUM_WORDS] = { 1, 1, 2, 2, 4,
						       4, 8, 8, 4, 8 };

	return type < WEFT_NUM_WORDS ? bytes[type] : 0;
}

/*
 * Bit patterns of true and false for logical types of 1 << k bytes; 1 and 0
 * unless MPI_Abi_set_fortran_booleans has set others.
 */
struct weft_num_logical {
	unsigned char yes[16];
	unsigned char no[16];
	bool set;
};
extern struct weft_num_logical weft_num_logical[5];

#endif
