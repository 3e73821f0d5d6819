/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of the predefined operations, indexed by basic type; for types_op.c
 * only.
 */
#ifndef WEFT_TYPES_OP_FN_H
#define WEFT_TYPES_OP_FN_H

#include "src/types/types_op.h"

typedef weft_op_fn weft_op_row[WEFT_BASIC_COUNT];

extern const weft_op_row weft_op_sum, weft_op_prod, weft_op_min, weft_op_max;
extern const weft_op_row weft_op_band, weft_op_bor, weft_op_bxor;
extern const weft_op_row weft_op_land, weft_op_lor, weft_op_lxor;
extern const weft_op_row weft_op_minloc, weft_op_maxloc;

/*
 * Bit patterns of .TRUE. and .FALSE. of a LOGICAL of 1 << k bytes; 1 and 0
 * until MPI_Abi_set_fortran_booleans sets them.
 */
struct weft_logical {
	unsigned char yes[16];
	unsigned char no[16];
	bool set;
};
extern struct weft_logical weft_logical[5];

#endif
