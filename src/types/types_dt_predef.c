/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The predefined datatypes, indexed by the low byte of the handle. Fortran
 * types have the sizes used by the compilers of the supported platforms unless
 * MPI_Abi_set_fortran_info sets others. A type without arithmetic on this host
 * also has an entry: its size is MPI_UNDEFINED and it is not committed, so that
 * its use is an error whose message names the type.
 */
#include "src/types/types_dt_map.h"
#include "src/types/types_dt_predef.h"

#include <limits.h>
#include <stdalign.h>
#include <wchar.h>

/*
 * An entry contains its slot, which is the low byte of the handle, and the name
 * of the handle without "MPI_"; types_dt_test.c compares the two.
 */
#define SELF(slot) (&weft_dt_predef[slot])

/* Common fields of all entries, with a reference that is never dropped. */
#define HEAD(n)                                                      \
	.obj = { WEFT_KIND_DT, 1, 0, (uint32_t)(uintptr_t)MPI_##n }, \
	.name = "MPI_" #n

#define RUN(bytes)                                                    \
	{                                                             \
		.kind = WEFT_DTN_RUN, .size = (bytes), .len = (bytes) \
	}

#define BASIC_SIZED(slot, n, bytes, al, b)                      \
	[slot] = { HEAD(n),                                     \
		   .flags = WEFT_DT_COMMITTED | WEFT_DT_CONTIG, \
		   .basic = WEFT_NUM_##b,                       \
		   .align = (al),                               \
		   .size = (bytes),                             \
		   .extent = (bytes),                           \
		   .true_extent = (bytes),                      \
		   .root = RUN(bytes),                          \
		   .unit = SELF(slot),                          \
		   .units = 1 }

#define BASIC(slot, n, type, b) \
	BASIC_SIZED(slot, n, sizeof(type), alignof(type), b)

#define UNSUPPORTED(slot, n)                                               \
	[slot] = { HEAD(n), .basic = WEFT_NUM_NONE, .size = MPI_UNDEFINED, \
		   .align = 1 }

/* A pair. bytes: size of the data; type: C struct with the same layout. */
#define PAIR(slot, n, bytes, type, b, u, m)                                 \
	[slot] = { HEAD(n),                                                 \
		   .flags = WEFT_DT_COMMITTED |                             \
			    ((bytes) == sizeof(type) ? WEFT_DT_CONTIG : 0), \
		   .basic = WEFT_NUM_##b,                                   \
		   .align = alignof(type),                                  \
		   .size = (bytes),                                         \
		   .extent = sizeof(type),                                  \
		   .true_extent = (bytes),                                  \
		   .root = RUN(bytes),                                      \
		   .unit = (u),                                             \
		   .units = 2,                                              \
		   .map = (m) }

/* Composition of a pair of two different types, for the walk. */
#define PAIR_MAP(name, value)                                              \
	static struct weft_dt *name##_old[] = { SELF(value), SELF(0x09) }; \
	static struct weft_dt_map name = { .kind = WEFT_MAP_BLOCKS,        \
					   .count = 2,                     \
					   .blocklen = 1,                  \
					   .old = name##_old }

PAIR_MAP(float_int, 0x10);	 /* 0x10: slot of MPI_FLOAT */
PAIR_MAP(double_int, 0x14);	 /* 0x14: slot of MPI_DOUBLE */
PAIR_MAP(long_int, 0x0a);	 /* 0x0a: slot of MPI_LONG */
PAIR_MAP(short_int, 0x08);	 /* 0x08: slot of MPI_SHORT */
PAIR_MAP(long_double_int, 0x20); /* 0x20: slot of MPI_LONG_DOUBLE */

/* MPI_SHORT_INT is the only pair with a gap between its members. */
static const struct weft_dtn_part short_int_part[] = {
	{ offsetof(struct weft_short_int, value), 0 },
	{ offsetof(struct weft_short_int, index), sizeof(short) },
	{ 0, sizeof(short) + sizeof(int) },
};

#if CHAR_MIN < 0
#define WEFT_NUM_CHAR WEFT_NUM_I8
#else
#define WEFT_NUM_CHAR WEFT_NUM_U8
#endif

#define COMPLEX_SIZED(slot, n, type, b) \
	BASIC_SIZED(slot, n, 2 * sizeof(type), alignof(type), b)

/* A bound mark without data, for programs older than MPI 3.0. */
#define MARK(slot, n, bound)                                              \
	[slot] = { HEAD(n),                                               \
		   .flags = WEFT_DT_COMMITTED | WEFT_DT_CONTIG | (bound), \
		   .basic = WEFT_NUM_NONE, .align = 1 }

struct weft_dt weft_dt_predef[256] = {
	BASIC(0x01, AINT, MPI_Aint, I64),
	BASIC(0x02, COUNT, MPI_Count, I64),
	BASIC(0x03, OFFSET, MPI_Offset, I64),
	BASIC(0x07, PACKED, char, NONE),

	BASIC(0x08, SHORT, short, I16),
	BASIC(0x09, INT, int, I32),
	BASIC(0x0a, LONG, long, I64),
	BASIC(0x0b, LONG_LONG_INT, long long, I64),
	BASIC(0x0c, UNSIGNED_SHORT, unsigned short, U16),
	BASIC(0x0d, UNSIGNED, unsigned, U32),
	BASIC(0x0e, UNSIGNED_LONG, unsigned long, U64),
	BASIC(0x0f, UNSIGNED_LONG_LONG, unsigned long long, U64),

	BASIC(0x10, FLOAT, float, F32),
	BASIC(0x14, DOUBLE, double, F64),
	BASIC(0x20, LONG_DOUBLE, long double, FLD),
	COMPLEX_SIZED(0x12, C_COMPLEX, float, C32),
	COMPLEX_SIZED(0x13, CXX_FLOAT_COMPLEX, float, C32),
	COMPLEX_SIZED(0x16, C_DOUBLE_COMPLEX, double, C64),
	COMPLEX_SIZED(0x17, CXX_DOUBLE_COMPLEX, double, C64),
	COMPLEX_SIZED(0x24, C_LONG_DOUBLE_COMPLEX, long double, CLD),
	COMPLEX_SIZED(0x25, CXX_LONG_DOUBLE_COMPLEX, long double, CLD),

	BASIC(0x18, LOGICAL, int32_t, L32),
	BASIC(0x19, INTEGER, int32_t, I32),
	BASIC(0x1a, REAL, float, F32),
	BASIC(0x1c, DOUBLE_PRECISION, double, F64),
	COMPLEX_SIZED(0x1b, COMPLEX, float, C32),
	COMPLEX_SIZED(0x1d, DOUBLE_COMPLEX, double, C64),
	BASIC(0x1e, CHARACTER, char, NONE),

	PAIR(0x28, FLOAT_INT, 8, struct weft_float_int, FLOAT_INT, NULL,
	     &float_int),
	PAIR(0x29, DOUBLE_INT, 12, struct weft_double_int, DOUBLE_INT, NULL,
	     &double_int),
	PAIR(0x2a, LONG_INT, 12, struct weft_long_int, LONG_INT, NULL,
	     &long_int),
	PAIR(0x2b, 2INT, 8, struct weft_2int, 2INT, SELF(0x09), NULL),
	[0x2c] = { HEAD(SHORT_INT), .flags = WEFT_DT_COMMITTED,
		   .basic = WEFT_NUM_SHORT_INT,
		   .align = alignof(struct weft_short_int), .size = 6,
		   .extent = 8, .true_extent = 8,
		   .root = { .kind = WEFT_DTN_IDX,
			     .size = 6,
			     .count = 2,
			     .part = short_int_part },
		   .units = 2, .map = &short_int },
	PAIR(0x2d, LONG_DOUBLE_INT, sizeof(long double) + 4, struct weft_ld_int,
	     LD_INT, NULL, &long_double_int),

	PAIR(0x30, 2REAL, 8, struct weft_2real, 2REAL, SELF(0x1a), NULL),
	PAIR(0x31, 2DOUBLE_PRECISION, 16, struct weft_2double, 2DOUBLE,
	     SELF(0x1c), NULL),
	PAIR(0x32, 2INTEGER, 8, struct weft_2int, 2INT, SELF(0x19), NULL),

	BASIC(0x38, C_BOOL, _Bool, L8),
	BASIC(0x39, CXX_BOOL, _Bool, L8),
	BASIC(0x3c, WCHAR, wchar_t, NONE),
	MARK(0x3e, LB, WEFT_DT_LB),
	MARK(0x3f, UB, WEFT_DT_UB),

	BASIC(0x40, INT8_T, int8_t, I8),
	BASIC(0x41, UINT8_T, uint8_t, U8),
	BASIC(0x43, CHAR, char, CHAR),
	BASIC(0x44, SIGNED_CHAR, signed char, I8),
	BASIC(0x45, UNSIGNED_CHAR, unsigned char, U8),
	BASIC(0x47, BYTE, char, BYTE),
	BASIC(0x48, INT16_T, int16_t, I16),
	BASIC(0x49, UINT16_T, uint16_t, U16),
	BASIC(0x50, INT32_T, int32_t, I32),
	BASIC(0x51, UINT32_T, uint32_t, U32),
	BASIC(0x58, INT64_T, int64_t, I64),
	BASIC(0x59, UINT64_T, uint64_t, U64),

	BASIC(0xc0, LOGICAL1, int8_t, L8),
	BASIC(0xc1, INTEGER1, int8_t, I8),
	BASIC(0xc8, LOGICAL2, int16_t, L16),
	BASIC(0xc9, INTEGER2, int16_t, I16),
	UNSUPPORTED(0xca, REAL2),
	BASIC(0xd0, LOGICAL4, int32_t, L32),
	BASIC(0xd1, INTEGER4, int32_t, I32),
	BASIC(0xd2, REAL4, float, F32),
	UNSUPPORTED(0xd3, COMPLEX4),
	BASIC(0xd8, LOGICAL8, int64_t, L64),
	BASIC(0xd9, INTEGER8, int64_t, I64),
	BASIC(0xda, REAL8, double, F64),
	COMPLEX_SIZED(0xdb, COMPLEX8, float, C32),
	BASIC_SIZED(0xe0, LOGICAL16, 16, 16, L128),
	BASIC_SIZED(0xe1, INTEGER16, 16, 16, I128),
	COMPLEX_SIZED(0xe3, COMPLEX16, double, C64),
#if WEFT_HAVE_F128
	BASIC(0xe2, REAL16, weft_f128, F128),
	COMPLEX_SIZED(0xeb, COMPLEX32, weft_f128, C128),
#else
	UNSUPPORTED(0xe2, REAL16),
	UNSUPPORTED(0xeb, COMPLEX32),
#endif
};

bool weft_dt_predef_resize(MPI_Datatype h, int members, int bytes,
			   enum weft_num_type basic)
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
