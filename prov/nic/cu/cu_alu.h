/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arithmetic of the collective unit: combines the packets of a tree node's
 * inputs. Pure functions, no state.
 *
 * Inputs are combined in the given order, never in the order of their arrival,
 * so that a sum has the same bits on every run. 32 and 64 bits are the
 * hardware's widths; 8 and 16 bits are a software addition.
 */
#ifndef WEFT_NIC_CU_ALU_H
#define WEFT_NIC_CU_ALU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weft_cu_op {
	WEFT_CU_SUM,
	WEFT_CU_MIN,
	WEFT_CU_MAX,
	WEFT_CU_AND,
	WEFT_CU_OR,
	WEFT_CU_XOR,
	WEFT_CU_OPS,
};

enum weft_cu_type {
	WEFT_CU_INT8,
	WEFT_CU_UINT8,
	WEFT_CU_INT16,
	WEFT_CU_UINT16,
	WEFT_CU_INT32,
	WEFT_CU_UINT32,
	WEFT_CU_INT64,
	WEFT_CU_UINT64,
	WEFT_CU_FLOAT,
	WEFT_CU_DOUBLE,
	WEFT_CU_EXACT, /* a double widened by weft_cu_exact_from: sums only */
	WEFT_CU_TYPES,
};

/* Flags that are passed on with a packet from the node where they were set. */
#define WEFT_CU_NAN	 1u /* a floating-point result is not a number */
#define WEFT_CU_OVERFLOW 2u /* an integer sum overflowed */

/* Bytes of one element; 0: no such type. */
size_t weft_cu_bytes(unsigned type);

/* True if the unit implements op on type. */
bool weft_cu_supports(unsigned op, unsigned type);

/*
 * acc[i] = acc[i] op in[i] for count elements at any alignment; returns the
 * flags set. op and type must pass weft_cu_supports.
 */
uint32_t weft_cu_combine(unsigned op, unsigned type, void *acc, const void *in,
			 size_t count);

#endif
