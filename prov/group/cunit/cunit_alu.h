/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arithmetic of the collective unit: combines the packets of a tree node's
 * inputs. Pure functions, no state.
 *
 * Inputs are combined in the given order, never in the order of their arrival,
 * so that a sum has the same bits on every run. 32 and 64 bits are the
 * hardware's widths; 8 and 16 bits are a software addition.
 */
#ifndef WEFT_CUNIT_ALU_H
#define WEFT_CUNIT_ALU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weft_cunit_op {
	WEFT_CUNIT_SUM,
	WEFT_CUNIT_MIN,
	WEFT_CUNIT_MAX,
	WEFT_CUNIT_AND,
	WEFT_CUNIT_OR,
	WEFT_CUNIT_XOR,
	WEFT_CUNIT_OPS,
};

enum weft_cunit_type {
	WEFT_CUNIT_INT8,
	WEFT_CUNIT_UINT8,
	WEFT_CUNIT_INT16,
	WEFT_CUNIT_UINT16,
	WEFT_CUNIT_INT32,
	WEFT_CUNIT_UINT32,
	WEFT_CUNIT_INT64,
	WEFT_CUNIT_UINT64,
	WEFT_CUNIT_FLOAT,
	WEFT_CUNIT_DOUBLE,
	WEFT_CUNIT_EXACT, /* a double widened by weft_cunit_exact_from: sums
			     only */
	WEFT_CUNIT_TYPES,
};

/* Flags that are passed on with a packet from the node where they were set. */
#define WEFT_CUNIT_NAN	    1u /* a floating-point result is not a number */
#define WEFT_CUNIT_OVERFLOW 2u /* an integer sum overflowed */

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
