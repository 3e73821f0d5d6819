/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of the predefined operations, by basic type; types_op.c only. */
#ifndef WEFT_TYPES_OP_FN_H
#define WEFT_TYPES_OP_FN_H

#include "src/types/types_op.h"

typedef weft_op_fn weft_op_row[WEFT_BASIC_COUNT];

extern const weft_op_row weft_op_sum, weft_op_prod, weft_op_min, weft_op_max;
extern const weft_op_row weft_op_band, weft_op_bor, weft_op_bxor;
extern const weft_op_row weft_op_land, weft_op_lor, weft_op_lxor;
extern const weft_op_row weft_op_minloc, weft_op_maxloc;

/* Values of Fortran's LOGICAL of 1 << k bytes; initially yes 1 and no 0. */
struct weft_logical {
	unsigned char yes[16];
	unsigned char no[16];
	bool set;
};
extern struct weft_logical weft_logical[5];

#endif
