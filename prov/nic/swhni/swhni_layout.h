/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The formats of the Sunway interface. A send descriptor has 64 bytes (struct
 * weft_swhni_desc). A packet has a header of three slices of 16 bytes and up to
 * 2048 bytes of data; on a carrier the first two slices are struct weft_pkt:
 *
 *	type   SWHNI_PKT
 *	flags  enum swhni_cmd
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
 *	CAST      the result      operation       -
 *	PROBE     -               operation       -
 *	STATE     -               -               -
 *	MISSING   -               -               -
 *
 * An operation of a collective is 7..0 its group, 15..8 the number of the input
 * at the parent, 23..16 status, 63..24 its sequence number in the group.
 *
 * Reliable queue messages belong to a window; of two windows between the same
 * interfaces the one with the higher number is the later. ABORT ends a WRITE of
 * which offset bytes were sent, STATE probes the state of one. WRITTEN, DONE,
 * ACK and MISSING carry the receiver's message id.
 *
 * Packets of the message engine (machine sunway) keep their own header in place
 * of the addresses, which queue messages do not need; their types are below
 * WEFT_PKT_UNIT, and of the header only the unit word is changed:
 *
 *	unit   15..0 sequence number  16 fast short message
 */
#ifndef WEFT_PROV_SWHNI_LAYOUT_H
#define WEFT_PROV_SWHNI_LAYOUT_H

#include "prov/wire/wire.h"

#include <weft/swhni.h>

#define SWHNI_PKT 0x50 /* packet type on the carrier */

#define SWHNI_DESC  64
#define SWHNI_SLICE 16

static_assert(sizeof(struct weft_swhni_desc) == SWHNI_DESC &&
		      offsetof(struct weft_swhni_desc, local) == 16 &&
		      offsetof(struct weft_swhni_desc, hop) == 56,
	      "descriptor of 64 bytes");

static_assert(sizeof(struct weft_swhni_coll) == 40 &&
		      offsetof(struct weft_swhni_coll, local) == 16,
	      "a descriptor of at most 64 bytes");

/* Internal operation of the interface: a member's sum for its parent. */
#define SWHNI_OP_GATHER (WEFT_SWHNI_COLL + 1)

enum swhni_cmd {
	SWHNI_WRITE,
	SWHNI_READ,
	SWHNI_WRITTEN,
	SWHNI_ABORT,
	SWHNI_QUEUE,
	SWHNI_ACK,
	SWHNI_IO_WRITE,
	SWHNI_IO_READ,
	SWHNI_MANAGE,
	SWHNI_DONE,
	SWHNI_GATHER,
	SWHNI_CAST,
	SWHNI_PROBE,
	SWHNI_STATE,
	SWHNI_MISSING,
	SWHNI_CMDS,
};

/* The third slice of a packet's header. */
struct swhni_slice {
	uint32_t job;
	uint32_t total;
	uint32_t offset;
	uint32_t window;
};

static_assert(sizeof(struct swhni_slice) == SWHNI_SLICE &&
		      sizeof(struct weft_pkt) + SWHNI_SLICE == 48,
	      "a head of three slices");
static_assert(WEFT_SWHNI_VIS == 1 << 7 && WEFT_SWHNI_ENGINES == 2 &&
		      WEFT_SWHNI_IN_FLIGHT == 1 << 8,
	      "numbers fit their fields");

/* An interface in a packet's unit word: 7 engine, 6..0 number. */
static inline uint32_t swhni_end(unsigned engine, unsigned vi)
{
	return engine << 7 | vi;
}

static inline unsigned swhni_end_vi(uint32_t end)
{
	return end & 0x7f;
}

static inline unsigned swhni_end_engine(uint32_t end)
{
	return end >> 7 & 1;
}

static inline uint32_t swhni_unit(uint32_t to, uint32_t from, unsigned flags,
				  unsigned command)
{
	return to | from << 8 | flags << 16 | command << 24;
}

/*
 * Addresses: 63..62 kind, 61..46 number of the memory, 45..0 offset. Physical
 * addresses are those of the processor.
 */
#define SWHNI_OFFSET_BITS 46
#define SWHNI_OFFSET_MASK ((UINT64_C(1) << SWHNI_OFFSET_BITS) - 1)

static inline unsigned swhni_address_kind(uint64_t a)
{
	return a >> 62;
}

static inline unsigned swhni_address_mem(uint64_t a)
{
	return a >> SWHNI_OFFSET_BITS & 0xffff;
}

static inline uint64_t swhni_address(unsigned kind, unsigned mem)
{
	return (uint64_t)kind << 62 | (uint64_t)mem << SWHNI_OFFSET_BITS;
}

/* The unit word of a packet of the message engine. */
#define SWHNI_SEQ      0xffffu
#define SWHNI_UNIT_FSM 0x10000u

#endif
