/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arithmetic of the collective unit: combines the packets of a tree node's
 * inputs. Pure functions, no state.
 *
 * Inputs are combined in the given order, never in the order of arrival, so
 * that a sum has the same bits on every run. The hardware has widths of 32 and
 * 64 bits; widths of 8 and 16 bits are a software extension.
 */
#ifndef WEFT_CUNIT_ALU_H
#define WEFT_CUNIT_ALU_H

#include "src/base/num.h"

#include <weft/coll_call.h>

/*
 * Operations are those of WEFT_NUM_GROUP_OPS. Types are the word types of enum
 * weft_num_type, and WEFT_COLL_EXACT, a double widened by
 * weft_cunit_exact_from, for sums only.
 */
static_assert(WEFT_COLL_EXACT == WEFT_NUM_WORDS, "types of a call");
#define WEFT_CUNIT_TYPES (WEFT_COLL_EXACT + 1)

/* Returns the size of one element in bytes; 0: no such type. */
size_t weft_cunit_bytes(unsigned type);

/* Returns whether the unit implements op on type. */
bool weft_cunit_supports(unsigned op, unsigned type);

/*
 * Computes acc[i] = acc[i] op in[i] for count elements at any alignment;
 * returns the flags set. op and type must pass weft_cunit_supports.
 */
uint32_t weft_cunit_combine(unsigned op, unsigned type, void *acc,
			    const void *in, size_t count);

#endif
