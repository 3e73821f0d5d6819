/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tag word of a message, all 64 bits of libfabric's tag:
 *
 *    63        50 49  48 47           31 30              0
 *   +------------+------+---------------+-----------------+
 *   | context id | kind | sender's rank |    MPI tag      |
 *   +------------+------+---------------+-----------------+
 *
 * The sender's rank is its rank in the communicator. A receive from a known
 * source therefore is an exact match, a receive from any source ignores 17
 * bits, and the status is read from the word.
 *
 * With a provider that cannot report when a send was matched (msg_ack.h), send
 * requests carry remote CQ data: a 31-bit id, and one bit that requests an
 * acknowledgement.
 */
#ifndef WEFT_MSG_TAG_H
#define WEFT_MSG_TAG_H

#include <stdint.h>

#define WEFT_TAG_BITS	    31
#define WEFT_TAG_MASK	    UINT64_C(0x7fffffff)
#define WEFT_TAG_LAST	    0x7fffffff /* tag of the barrier in MPI_Finalize */
#define WEFT_TAG_RANKS	    (1 << 17)
#define WEFT_TAG_SRC	    ((uint64_t)(WEFT_TAG_RANKS - 1) << WEFT_TAG_BITS)
#define WEFT_TAG_KIND_SHIFT 48
#define WEFT_TAG_CTX_SHIFT  50
#define WEFT_TAG_CTX_IDS    (1 << 14)

static inline uint64_t weft_tag_word(uint64_t ctx, unsigned kind, int rank,
				     int tag)
{
	return ctx | (uint64_t)kind << WEFT_TAG_KIND_SHIFT |
	       (uint64_t)(unsigned)rank << WEFT_TAG_BITS | (unsigned)tag;
}

/*
 * Control messages of the library, in the library's context (comm_context.h)
 * with the kind WEFT_CTX_CTRL.
 */
enum weft_ctrl {
	/* acknowledgement: the send with that id was matched */
	WEFT_CTRL_ACK,
	WEFT_CTRL_CANCEL,  /* request to cancel a send */
	WEFT_CTRL_ANSWER,  /* answer to a cancel request */
	WEFT_CTRL_RECOVER, /* message about a failure (src/recover) */
};

#define WEFT_ACK_REQUESTED UINT32_C(0x80000000)

static inline uint64_t weft_tag_ctrl(enum weft_ctrl what, uint32_t id)
{
	return weft_tag_word(0, 3, (int)what, (int)(id & WEFT_TAG_MASK));
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
