/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tag word of a message, all 64 bits of libfabric's tag:
 *
 *    63        50 49  48 47           31 30              0
 *   +------------+------+---------------+-----------------+
 *   | context id | kind | sender's rank |    MPI tag      |
 *   +------------+------+---------------+-----------------+
 *
 * The sender's rank is its rank in the communicator, so that a receive from a
 * known source is an exact match, one from anywhere ignores 17 bits, and the
 * status is read off the word. Remote CQ data travels with synchronous sends
 * only: it asks for an acknowledgement and names it.
 */
#ifndef WEFT_CORE_TAG_H
#define WEFT_CORE_TAG_H

#include <stdint.h>

#define WEFT_TAG_BITS	 31
#define WEFT_TAG_MASK	 UINT64_C(0x7fffffff)
#define WEFT_TAG_LAST	 0x7fffffff /* of MPI_Finalize, see core_world.c */
#define WEFT_TAG_RANKS	 (1 << 17)
#define WEFT_TAG_SRC	 ((uint64_t)(WEFT_TAG_RANKS - 1) << WEFT_TAG_BITS)
#define WEFT_TAG_KIND_AT 48
#define WEFT_TAG_CTX_AT	 50
#define WEFT_TAG_CTX_IDS (1 << 14)

static inline uint64_t weft_tag_word(uint64_t ctx, unsigned kind, int rank,
				     int tag)
{
	return ctx | (uint64_t)kind << WEFT_TAG_KIND_AT |
	       (uint64_t)(unsigned)rank << WEFT_TAG_BITS | (unsigned)tag;
}

static inline int weft_tag_source(uint64_t word)
{
	return (int)((word & WEFT_TAG_SRC) >> WEFT_TAG_BITS);
}

static inline int weft_tag_tag(uint64_t word)
{
	return (int)(word & WEFT_TAG_MASK);
}

#endif
