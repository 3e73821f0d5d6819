/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arithmetic of the collective unit: combines the packets of a tree node's
 * inputs. Pure functions, no state.
 *
 * Inputs are combined in the given order, never in the order of arrival, so
 * that a sum has the same bits on every run. The hardware has widths of 32 and
 * 64 bits; 8 and 16 bits are additions in software.
 */
#ifndef WEFT_CUNIT_ALU_H
#define WEFT_CUNIT_ALU_H

#include "src/base/num.h"

/* Operations; packets contain these numbers. */
enum weft_cunit_op {
	WEFT_CUNIT_SUM,
	WEFT_CUNIT_MIN,
	WEFT_CUNIT_MAX,
	WEFT_CUNIT_AND,
	WEFT_CUNIT_OR,
	WEFT_CUNIT_XOR,
	WEFT_CUNIT_OPS,
};

/*
 * Types: the word types of enum weft_num_type, and a double widened by
 * weft_cunit_exact_from, for sums only.
 */
#define WEFT_CUNIT_EXACT WEFT_NUM_WORDS
#define WEFT_CUNIT_TYPES (WEFT_CUNIT_EXACT + 1)

/* Returns the bytes of one element; 0: no such type. */
size_t weft_cunit_bytes(unsigned type);

/* Returns whether the unit implements op on type. */
bool weft_cunit_supports(unsigned op, unsigned type);

/*
 * acc[i] = acc[i] op in[i] for count elements at any alignment; returns the
 * flags set. op and type must pass weft_cunit_supports.
 */
uint32_t weft_cunit_combine(unsigned op, unsigned type, void *acc,
			    const void *in, size_t count);

#endif
