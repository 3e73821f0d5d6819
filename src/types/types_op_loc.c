/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of MPI_MINLOC and MPI_MAXLOC: if values are equal, the lower index is
 * the result.
 */
#include "src/base/attr.h"
#include "src/types/types_dt_predef.h"
#include "src/types/types_op.h"

#define LOCATE(name, pair, better)                                    \
	WEFT_VECTOR static uint32_t name(const void *in, void *inout, \
					 size_t n)                    \
	{                                                             \
		typedef struct pair elem WEFT_UNALIGNED;              \
		const elem *restrict x = in;                          \
		elem *restrict y = inout;                             \
                                                                      \
		for (size_t i = 0; i < n; i++) {                      \
			if (x[i].value better y[i].value) {           \
				y[i].value = x[i].value;              \
				y[i].index = x[i].index;              \
			} else if (x[i].value == y[i].value &&        \
				   x[i].index < y[i].index) {         \
				y[i].index = x[i].index;              \
			}                                             \
		}                                                     \
		return 0;                                             \
	}

#define BOTH(s, pair)               \
	LOCATE(minloc_##s, pair, <) \
	LOCATE(maxloc_##s, pair, >)

BOTH(float_int, weft_float_int)
BOTH(double_int, weft_double_int)
BOTH(long_int, weft_long_int)
BOTH(2int, weft_2int)
BOTH(short_int, weft_short_int)
BOTH(ld_int, weft_ld_int)
BOTH(2real, weft_2real)
BOTH(2double, weft_2double)

#define PAIRS(op)                                                         \
	[WEFT_NUM_FLOAT_INT] = op##_float_int,                            \
	[WEFT_NUM_DOUBLE_INT] = op##_double_int,                          \
	[WEFT_NUM_LONG_INT] = op##_long_int, [WEFT_NUM_2INT] = op##_2int, \
	[WEFT_NUM_SHORT_INT] = op##_short_int,                            \
	[WEFT_NUM_LD_INT] = op##_ld_int, [WEFT_NUM_2REAL] = op##_2real,   \
	[WEFT_NUM_2DOUBLE] = op##_2double

weft_num_fn *const weft_op_minloc[WEFT_NUM_TYPES] = { PAIRS(minloc) };
weft_num_fn *const weft_op_maxloc[WEFT_NUM_TYPES] = { PAIRS(maxloc) };
