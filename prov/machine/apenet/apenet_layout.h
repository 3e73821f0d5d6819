/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packet format of APEnet+.
 *
 * A packet is words of 128 bits: a header, up to 256 words of data, a footer.
 * It follows the carrier's header, in which only the type and the length are
 * used.
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
 */
#ifndef WEFT_APENET_LAYOUT_H
#define WEFT_APENET_LAYOUT_H

#include "prov/wire/wire.h"

#include <weft/apenet.h>

#define APENET_PKT     64 /* packet type on the carrier */
#define APENET_WORD    16
#define APENET_PAYLOAD WEFT_APENET_PACKET
#define APENET_WHOLE   (APENET_PAYLOAD + 2 * APENET_WORD)
#define APENET_DESC    32 /* bytes of a command, the payload of a get request */

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

static_assert(sizeof(struct apenet_header) == APENET_WORD &&
		      offsetof(struct apenet_header, message) == 12,
	      "a header of one word");
static_assert(sizeof(struct apenet_footer) == APENET_WORD &&
		      offsetof(struct apenet_footer, crc) == 12,
	      "a footer of one word");
static_assert(sizeof(struct apenet_get_request) == APENET_DESC, "a request");

#endif
