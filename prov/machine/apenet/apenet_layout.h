/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packet format of APEnet+.
 *
 * A packet is words of 128 bits: a header, up to 256 words of data, a footer.
 *
 *	 0                       8       10   11     12      16
 *	+-----------------------+-------+----+------+--------+
 *	| address               | bytes |cmd |flags | message|   header
 *	+-----------------------+-------+----+------+--------+
 *	| data ...                                           |
 *	+-----------------------+---------------+------------+
 *	| extra                 | 0             | CRC-32     |   footer
 *	+-----------------------+---------------+------------+
 *
 *	cmd      address              data                extra
 *	PUT      target address       up to 4 KB          data of the event
 *	GET      -                    struct apenet_get_request   -
 *	REPLY    target address       up to 4 KB          number of the get
 *	REFUSE   -                    -                   number of the get
 *	CUT      -                    -                   -
 *
 * Packets of one message are consecutive; the first and the last are marked.
 * The CRC covers all bytes before it.
 *
 * The fields of header and footer are sent in the carrier's header, and the
 * data is its payload:
 *
 *	type   flags  len    unit  aux      tag      data
 *	cmd    flags  bytes  CRC   message  address  extra
 *
 * A message engine's packet is a put of struct apenet_slot and its payload into
 * a slot of the ring that the receiver has for the sender. The rings of a
 *sender have one board address at all its receivers, so nothing is exchanged
 *before the first put. A ring can be written only by its sender.
 *
 *	 63  62                    17  16                    0
 *	+---+-------------------------+-----------------------+
 *	| 1 | hash of the sender      | offset in the ring    |   address
 *	+---+-------------------------+-----------------------+
 *
 *	offset   0        struct apenet_credit
 *	       128        short slots of 128 bytes
 *	      4096        long slots of 4 KB
 *
 * Packet number n uses slot n modulo APENET_RING_SLOTS, short or long. The data
 * of the arrival event is n and, in the upper half, apenet_credit.taken. With
 * payloads of up to 8 bytes, a packet fits into 64 bytes.
 */
#ifndef WEFT_APENET_LAYOUT_H
#define WEFT_APENET_LAYOUT_H

#include "prov/wire/wire.h"

#include <weft/apenet.h>

#define APENET_PKT     64 /* packet type of command 0 on the carrier */
#define APENET_WORD    16
#define APENET_PAYLOAD WEFT_APENET_PACKET
/* bytes of a command, which is the payload of a get request */
#define APENET_DESC    32

enum apenet_op {
	APENET_PUT,
	APENET_GET,
	APENET_REPLY,
	APENET_REFUSE,
	APENET_CUT,
	APENET_OPS,
};

#define APENET_FIRST   1u
#define APENET_LAST    2u
#define APENET_STAGED  4u /* the target collects the message in host memory */
#define APENET_RECEIVE 8u /* write an event at the target */
/* no CRC: the packet is copied in memory and crosses no link */
#define APENET_NO_CRC  16u

struct apenet_header {
	uint64_t address;
	uint16_t bytes;
	uint8_t op; /* enum apenet_op */
	uint8_t flags;
	uint32_t message;
};

struct apenet_footer {
	uint64_t extra;
	uint32_t zero;
	uint32_t crc;
};

struct apenet_get_request {
	uint64_t from; /* address at the target of the get */
	uint64_t to;   /* address at the origin */
	uint64_t bytes;
	uint32_t number;
	uint32_t flags;
};

/* ---- rings of the message engine ---- */

#define APENET_RING_SLOTS  16u
#define APENET_RING_SHORT  128u /* bytes of a short slot */
#define APENET_RING_LONG   ((uint32_t)APENET_PAYLOAD)
#define APENET_RING_SHORTS 128u /* offset of the short slots */
#define APENET_RING_LONGS  4096u
/* bytes of the credit and the short slots, and of the long slots */
#define APENET_RING_PART_0 \
	(APENET_RING_SHORTS + APENET_RING_SLOTS * APENET_RING_SHORT)
#define APENET_RING_PART_1  (APENET_RING_SLOTS * APENET_RING_LONG)
#define APENET_RING_SPAN    (UINT64_C(1) << 17)
#define APENET_RING_ADDRESS (UINT64_C(1) << 63)

/* Header of an engine packet in a slot: struct weft_pkt without unused words.
 */
struct apenet_slot {
	/*
	 * the first 32 bits of struct weft_pkt, and aux; one word, because the
	 * carrier reads the slot at once, by wide loads
	 */
	uint64_t word;
	uint64_t tag;
	uint64_t data;
};

/*
 * State of the ring in which the sender of the credit receives, as numbers of
 * packets.
 */
struct apenet_credit {
	uint32_t taken;	  /* packets whose slots are free again */
	uint32_t arrived; /* packets that have arrived */
	/* 1: retransmit the packets after `arrived` */
	uint32_t resend;
	uint32_t zero;
};

static inline uint64_t apenet_ring_offset(uint32_t number, uint64_t bytes)
{
	uint32_t slot = number % APENET_RING_SLOTS;

	return bytes <= APENET_RING_SHORT
		       ? APENET_RING_SHORTS + slot * APENET_RING_SHORT
		       : APENET_RING_LONGS + slot * APENET_RING_LONG;
}

static_assert(sizeof(struct apenet_slot) == 24, "no padding");
static_assert(APENET_RING_SHORTS >= sizeof(struct apenet_credit) &&
		      APENET_RING_PART_0 <= APENET_RING_LONGS &&
		      APENET_RING_LONGS + APENET_RING_PART_1 <=
			      APENET_RING_SPAN,
	      "the areas of a ring do not overlap");
static_assert(sizeof(struct apenet_header) == APENET_WORD &&
		      offsetof(struct apenet_header, message) == 12,
	      "a header of one word");
static_assert(sizeof(struct apenet_footer) == APENET_WORD &&
		      offsetof(struct apenet_footer, crc) == 12,
	      "a footer of one word");
static_assert(sizeof(struct apenet_get_request) == APENET_DESC, "a request");

#endif
