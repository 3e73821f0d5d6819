/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The predefined datatypes, by the low byte of their handle. Fortran's types
 * have the sizes that every Fortran compiler of our platforms gives them
 * unless MPI_Abi_set_fortran_info says otherwise. A type that this host has
 * no arithmetic for exists too: its size is MPI_UNDEFINED and it is not
 * committed, so that using it is an error with a name.
 */
#include "src/core/core_dt_map.h"
#include "src/core/core_dt_predef.h"

#include <float.h>
#include <limits.h>
#include <stdalign.h>
#include <wchar.h>

/* A row names its slot, the low byte of the handle, and the handle; the test
 * beside this file holds the two against each other. */
#define SELF(slot) (&weft_dt_predef[slot])

/* What all entries have: a reference that is never given back. */
#define HEAD(h) \
	.obj = { WEFT_KIND_DT, 1, 0, (uint32_t)(uintptr_t)(h) }, .name = #h

#define RUN(bytes)                                                    \
	{                                                             \
		.kind = WEFT_DTN_RUN, .size = (bytes), .len = (bytes) \
	}

#define BASIC_SIZED(slot, h, bytes, al, b)                      \
	[slot] = { HEAD(h),                                     \
		   .flags = WEFT_DT_COMMITTED | WEFT_DT_CONTIG, \
		   .basic = WEFT_BASIC_##b,                     \
		   .align = (al),                               \
		   .size = (bytes),                             \
		   .extent = (bytes),                           \
		   .true_extent = (bytes),                      \
		   .root = RUN(bytes),                          \
		   .unit = SELF(slot),                          \
		   .units = 1 }

#define BASIC(slot, h, type, b) \
	BASIC_SIZED(slot, h, sizeof(type), alignof(type), b)

#define UNSUPPORTED(slot, h) \
	[slot] = { HEAD(h), .size = MPI_UNDEFINED, .align = 1 }

/* Two members: bytes of data, then the C struct for extent and alignment. */
#define PAIR(slot, h, bytes, type, b, u, m)                                 \
	[slot] = { HEAD(h),                                                 \
		   .flags = WEFT_DT_COMMITTED |                             \
			    ((bytes) == sizeof(type) ? WEFT_DT_CONTIG : 0), \
		   .basic = WEFT_BASIC_##b,                                 \
		   .align = alignof(type),                                  \
		   .size = (bytes),                                         \
		   .extent = sizeof(type),                                  \
		   .true_extent = (bytes),                                  \
		   .root = RUN(bytes),                                      \
		   .unit = (u),                                             \
		   .units = 2,                                              \
		   .map = (m) }

/* Pairs of two types: the map lists them for the walk. */
#define PAIR_MAP(name, value)                                              \
	static struct weft_dt *name##_old[] = { SELF(value), SELF(0x09) }; \
	static struct weft_dt_map name = { .kind = WEFT_MAP_BLOCKS,        \
					   .count = 2,                     \
					   .blocklen = 1,                  \
					   .old = name##_old }

PAIR_MAP(float_int, 0x10);	 /* MPI_FLOAT */
PAIR_MAP(double_int, 0x14);	 /* MPI_DOUBLE */
PAIR_MAP(long_int, 0x0a);	 /* MPI_LONG */
PAIR_MAP(short_int, 0x08);	 /* MPI_SHORT */
PAIR_MAP(long_double_int, 0x20); /* MPI_LONG_DOUBLE */

/* The only pair with a hole between its members. */
static const struct weft_dtn_part short_int_part[] = {
	{ offsetof(struct weft_short_int, value), 0 },
	{ offsetof(struct weft_short_int, index), sizeof(short) },
	{ 0, sizeof(short) + sizeof(int) },
};

#if CHAR_MIN < 0
#define WEFT_BASIC_CHAR WEFT_BASIC_I8
#else
#define WEFT_BASIC_CHAR WEFT_BASIC_U8
#endif

#define COMPLEX_SIZED(slot, h, type, b) \
	BASIC_SIZED(slot, h, 2 * sizeof(type), alignof(type), b)

struct weft_dt weft_dt_predef[256] = {
	BASIC(0x01, MPI_AINT, MPI_Aint, I64),
	BASIC(0x02, MPI_COUNT, MPI_Count, I64),
	BASIC(0x03, MPI_OFFSET, MPI_Offset, I64),
	BASIC(0x07, MPI_PACKED, char, NONE),

	BASIC(0x08, MPI_SHORT, short, I16),
	BASIC(0x09, MPI_INT, int, I32),
	BASIC(0x0a, MPI_LONG, long, I64),
	BASIC(0x0b, MPI_LONG_LONG, long long, I64),
	BASIC(0x0c, MPI_UNSIGNED_SHORT, unsigned short, U16),
	BASIC(0x0d, MPI_UNSIGNED, unsigned, U32),
	BASIC(0x0e, MPI_UNSIGNED_LONG, unsigned long, U64),
	BASIC(0x0f, MPI_UNSIGNED_LONG_LONG, unsigned long long, U64),

	BASIC(0x10, MPI_FLOAT, float, F32),
	BASIC(0x14, MPI_DOUBLE, double, F64),
	BASIC(0x20, MPI_LONG_DOUBLE, long double, FLD),
	COMPLEX_SIZED(0x12, MPI_C_FLOAT_COMPLEX, float, C32),
	COMPLEX_SIZED(0x13, MPI_CXX_FLOAT_COMPLEX, float, C32),
	COMPLEX_SIZED(0x16, MPI_C_DOUBLE_COMPLEX, double, C64),
	COMPLEX_SIZED(0x17, MPI_CXX_DOUBLE_COMPLEX, double, C64),
	COMPLEX_SIZED(0x24, MPI_C_LONG_DOUBLE_COMPLEX, long double, CLD),
	COMPLEX_SIZED(0x25, MPI_CXX_LONG_DOUBLE_COMPLEX, long double, CLD),

	BASIC(0x18, MPI_LOGICAL, int32_t, L32),
	BASIC(0x19, MPI_INTEGER, int32_t, I32),
	BASIC(0x1a, MPI_REAL, float, F32),
	BASIC(0x1c, MPI_DOUBLE_PRECISION, double, F64),
	COMPLEX_SIZED(0x1b, MPI_COMPLEX, float, C32),
	COMPLEX_SIZED(0x1d, MPI_DOUBLE_COMPLEX, double, C64),
	BASIC(0x1e, MPI_CHARACTER, char, NONE),

	PAIR(0x28, MPI_FLOAT_INT, 8, struct weft_float_int, FLOAT_INT, NULL,
	     &float_int),
	PAIR(0x29, MPI_DOUBLE_INT, 12, struct weft_double_int, DOUBLE_INT, NULL,
	     &double_int),
	PAIR(0x2a, MPI_LONG_INT, 12, struct weft_long_int, LONG_INT, NULL,
	     &long_int),
	PAIR(0x2b, MPI_2INT, 8, struct weft_2int, 2INT, SELF(0x09), NULL),
	[0x2c] = { HEAD(MPI_SHORT_INT), .flags = WEFT_DT_COMMITTED,
		   .basic = WEFT_BASIC_SHORT_INT,
		   .align = alignof(struct weft_short_int), .size = 6,
		   .extent = 8, .true_extent = 8,
		   .root = { .kind = WEFT_DTN_IDX,
			     .size = 6,
			     .count = 2,
			     .part = short_int_part },
		   .units = 2, .map = &short_int },
	PAIR(0x2d, MPI_LONG_DOUBLE_INT, sizeof(long double) + 4,
	     struct weft_ld_int, LD_INT, NULL, &long_double_int),

	PAIR(0x30, MPI_2REAL, 8, struct weft_2real, 2REAL, SELF(0x1a), NULL),
	PAIR(0x31, MPI_2DOUBLE_PRECISION, 16, struct weft_2double, 2DOUBLE,
	     SELF(0x1c), NULL),
	PAIR(0x32, MPI_2INTEGER, 8, struct weft_2int, 2INT, SELF(0x19), NULL),

	BASIC(0x38, MPI_C_BOOL, _Bool, L8),
	BASIC(0x39, MPI_CXX_BOOL, _Bool, L8),
	BASIC(0x3c, MPI_WCHAR, wchar_t, NONE),

	BASIC(0x40, MPI_INT8_T, int8_t, I8),
	BASIC(0x41, MPI_UINT8_T, uint8_t, U8),
	BASIC(0x43, MPI_CHAR, char, CHAR),
	BASIC(0x44, MPI_SIGNED_CHAR, signed char, I8),
	BASIC(0x45, MPI_UNSIGNED_CHAR, unsigned char, U8),
	BASIC(0x47, MPI_BYTE, char, BYTE),
	BASIC(0x48, MPI_INT16_T, int16_t, I16),
	BASIC(0x49, MPI_UINT16_T, uint16_t, U16),
	BASIC(0x50, MPI_INT32_T, int32_t, I32),
	BASIC(0x51, MPI_UINT32_T, uint32_t, U32),
	BASIC(0x58, MPI_INT64_T, int64_t, I64),
	BASIC(0x59, MPI_UINT64_T, uint64_t, U64),

	BASIC(0xc0, MPI_LOGICAL1, int8_t, L8),
	BASIC(0xc1, MPI_INTEGER1, int8_t, I8),
	BASIC(0xc8, MPI_LOGICAL2, int16_t, L16),
	BASIC(0xc9, MPI_INTEGER2, int16_t, I16),
	UNSUPPORTED(0xca, MPI_REAL2),
	BASIC(0xd0, MPI_LOGICAL4, int32_t, L32),
	BASIC(0xd1, MPI_INTEGER4, int32_t, I32),
	BASIC(0xd2, MPI_REAL4, float, F32),
	UNSUPPORTED(0xd3, MPI_COMPLEX4),
	BASIC(0xd8, MPI_LOGICAL8, int64_t, L64),
	BASIC(0xd9, MPI_INTEGER8, int64_t, I64),
	BASIC(0xda, MPI_REAL8, double, F64),
	COMPLEX_SIZED(0xdb, MPI_COMPLEX8, float, C32),
	BASIC_SIZED(0xe0, MPI_LOGICAL16, 16, 16, L128),
	BASIC_SIZED(0xe1, MPI_INTEGER16, 16, 16, I128),
	COMPLEX_SIZED(0xe3, MPI_COMPLEX16, double, C64),
#if LDBL_MANT_DIG == 113
	BASIC(0xe2, MPI_REAL16, long double, FLD),
	COMPLEX_SIZED(0xeb, MPI_COMPLEX32, long double, CLD),
#else
	UNSUPPORTED(0xe2, MPI_REAL16),
	UNSUPPORTED(0xeb, MPI_COMPLEX32),
#endif
};

bool weft_dt_predef_resize(MPI_Datatype h, int members, int bytes,
			   enum weft_basic basic)
{
	struct weft_dt *dt = weft_dt_of(h);

	if (!dt || members * bytes <= 0)
		return false;
	dt->basic = (uint16_t)basic;
	dt->align = (uint16_t)bytes;
	dt->size = dt->extent = dt->true_extent = members * bytes;
	dt->root.size = dt->root.len = dt->size;
	return true;
}
