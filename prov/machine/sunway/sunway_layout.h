/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The formats of the Sunway interface. A send descriptor has 64 bytes (struct
 * weft_sunway_desc). A packet has a header of three slices of 16 bytes and up
 *to 2048 bytes of data; on a carrier the first two slices are struct weft_pkt:
 *
 *	type   SUNWAY_PKT
 *	flags  enum sunway_cmd
 *	len    bytes that follow: the third slice, data
 *	unit   6..0 target's interface  7 its engine  14..8 source's interface
 *	       15 its engine  23..16 the message's flags  31..24 command
 *	aux    message at its source: 31..9 generation  8 engine  7..0 slot
 *	tag    address at the target
 *	data   defined by the command
 *
 *	slice  | job 32 | total 32 | offset 32 | window 32 |
 *
 *	command   bytes           tag             data
 *
 *	WRITE     at offset       address         answer word, notification
 *	READ      -               address         -
 *	WRITTEN   at offset       -               -
 *	ABORT     -               -               -
 *	QUEUE     a message       virtual queue   sequence number
 *	ACK       -               -               sequence number
 *	IO_WRITE  a word          number          -
 *	IO_READ   -               number          -
 *	MANAGE    -               number          value
 *	DONE      -               status          value
 *	GATHER    a sum           operation       sequence number
 *	MULTICAST the result      operation       -
 *	PROBE     -               operation       -
 *	STATE     -               -               -
 *	MISSING   -               -               -
 *
 * An operation of a collective is 7..0 its group, 15..8 the number of the input
 * at the parent, 23..16 status, 63..24 its sequence number in the group.
 *
 * Reliable queue messages belong to a window; of two windows between the same
 * interfaces the one with the higher number is the later. ABORT ends a WRITE of
 * which offset bytes were sent, STATE probes the state of a WRITE. WRITTEN,
 * DONE, ACK and MISSING carry the receiver's message id.
 *
 * Queue messages of the message engine (machine sunway) have a short header:
 * interfaces, job and window are the same for all of them and are not sent. The
 * header of the engine packet takes the place of the addresses; its type is
 * below WEFT_PKT_UNIT, and of its fields only the unit word is changed:
 *
 *	unit   15..0 sequence number  16 fast short message
 *	       31..17 number up to which the receiver has all messages
 *
 * Their ACK and PROBE have no slice; PROBE requests an ACK.
 */
#ifndef WEFT_SUNWAY_LAYOUT_H
#define WEFT_SUNWAY_LAYOUT_H

#include "prov/wire/wire.h"

#include <weft/sunway.h>

#define SUNWAY_PKT 0x50 /* packet type on the carrier */

#define SUNWAY_DESC  64
#define SUNWAY_SLICE 16

static_assert(sizeof(struct weft_sunway_desc) == SUNWAY_DESC &&
		      offsetof(struct weft_sunway_desc, local) == 16 &&
		      offsetof(struct weft_sunway_desc, hop) == 56,
	      "descriptor of 64 bytes");

static_assert(sizeof(struct weft_sunway_coll) == 40 &&
		      offsetof(struct weft_sunway_coll, local) == 16,
	      "a descriptor of at most 64 bytes");

/* Internal operation of the interface: a member's sum for its parent. */
#define SUNWAY_OP_GATHER (WEFT_SUNWAY_COLL + 1)

enum sunway_cmd {
	SUNWAY_WRITE,
	SUNWAY_READ,
	SUNWAY_WRITTEN,
	SUNWAY_ABORT,
	SUNWAY_QUEUE,
	SUNWAY_ACK,
	SUNWAY_IO_WRITE,
	SUNWAY_IO_READ,
	SUNWAY_MANAGE,
	SUNWAY_DONE,
	SUNWAY_GATHER,
	SUNWAY_MULTICAST,
	SUNWAY_PROBE,
	SUNWAY_STATE,
	SUNWAY_MISSING,
	SUNWAY_CMDS,
};

/* Third slice of the packet header. */
struct sunway_slice {
	uint32_t job;
	uint32_t total;
	uint32_t offset;
	uint32_t window;
};

static_assert(sizeof(struct sunway_slice) == SUNWAY_SLICE &&
		      sizeof(struct weft_pkt) + SUNWAY_SLICE == 48,
	      "a head of three slices");
static_assert(WEFT_SUNWAY_VIS == 1 << 7 && WEFT_SUNWAY_ENGINES == 2 &&
		      WEFT_SUNWAY_IN_FLIGHT == 1 << 8,
	      "numbers fit their fields");

/*
 * Returns an interface as encoded in the unit word: bit 7 engine, bits 6..0
 * number.
 */
static inline uint32_t sunway_end(unsigned engine, unsigned vi)
{
	return engine << 7 | vi;
}

static inline unsigned sunway_end_vi(uint32_t end)
{
	return end & 0x7f;
}

static inline unsigned sunway_end_engine(uint32_t end)
{
	return end >> 7 & 1;
}

static inline uint32_t sunway_unit(uint32_t to, uint32_t from, unsigned flags,
				   unsigned command)
{
	return to | from << 8 | flags << 16 | command << 24;
}

/*
 * Addresses: 63..62 kind, 61..46 number of the memory, 45..0 offset. A physical
 * address is the processor's address.
 */
#define SUNWAY_OFFSET_BITS 46
#define SUNWAY_OFFSET_MASK ((UINT64_C(1) << SUNWAY_OFFSET_BITS) - 1)

static inline unsigned sunway_address_kind(uint64_t a)
{
	return a >> 62;
}

static inline unsigned sunway_address_mem(uint64_t a)
{
	return a >> SUNWAY_OFFSET_BITS & 0xffff;
}

static inline uint64_t sunway_address(unsigned kind, unsigned mem)
{
	return (uint64_t)kind << 62 | (uint64_t)mem << SUNWAY_OFFSET_BITS;
}

/*
 * Addresses of the whole address space of a process: the first
 * SUNWAY_WHOLE_MEMS memories, 2^46 bytes each (sunway_mem_whole).
 */
#define SUNWAY_WHOLE_MEMS 4

static inline uint64_t sunway_address_whole(const void *at)
{
	return sunway_address(WEFT_SUNWAY_PAGED, 0) | (uintptr_t)at;
}

/* Unit word of an engine packet. */
#define SUNWAY_SEQ	 0xffffu
#define SUNWAY_UNIT_FSM	 0x10000u
#define SUNWAY_ACK_SHIFT 17
#define SUNWAY_ACK_MASK	 0x7fffu

#endif
