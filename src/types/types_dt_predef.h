/* SPDX-License-Identifier: BSD-3-Clause */
/* C structs of the pair types; setting the sizes of Fortran types. */
#ifndef WEFT_TYPES_DT_PREDEF_H
#define WEFT_TYPES_DT_PREDEF_H

#include "src/types/types_dt.h"

struct weft_float_int {
	float value;
	int index;
};
struct weft_double_int {
	double value;
	int index;
};
struct weft_long_int {
	long value;
	int index;
};
struct weft_2int {
	int value;
	int index;
};
struct weft_short_int {
	short value;
	int index;
};
struct weft_ld_int {
	long double value;
	int index;
};
struct weft_2real {
	float value;
	float index;
};
struct weft_2double {
	double value;
	double index;
};

/*
 * Sets the size of a predefined type to `members` * `bytes`, before the type is
 * used. Returns false if there is no such type.
 */
bool weft_dt_predef_resize(MPI_Datatype h, int members, int bytes,
			   enum weft_num_type basic);

#endif
