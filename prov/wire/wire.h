/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The packet, common to all machines and carriers: a header of 32 bytes and a
 * payload. Small messages fit with their header into one cache line.
 *
 * 0        1       2     4        8        12       16        24        32
 * +--------+-------+-----+--------+--------+--------+---------+---------+
 * | type   | flags | len | (carr.)| unit   | aux    | tag     | data    |
 * +--------+-------+-----+--------+--------+--------+---------+---------+
 *
 * type selects the part of the engine that handles the packet, which defines
 * the other fields. "carr." is a word for the carrier (its sequence number or
 * publish word).
 */
#ifndef WEFT_PROV_WIRE_H
#define WEFT_PROV_WIRE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

struct weft_pkt {
	/* packet type: enum nic_type of the engine, or a type of the unit */
	uint8_t type;
	uint8_t flags; /* flags, defined by the type */
	uint16_t len;  /* payload bytes, without this header */
	/* word for the carrier; senders set 0 or a WEFT_PKT_* hint */
	uint32_t carrier;
	uint32_t unit; /* word for the unit: FIFO or queue number, credits */
	/* message id, operation, or other, depending on the type */
	uint32_t aux;
	uint64_t tag;
	uint64_t data; /* remote CQ data, or an address */
};

/*
 * Hint for virtual time: this packet may be reordered, and may take any route.
 */
#define WEFT_PKT_ANY_ROUTE 1u

/*
 * Hint to carriers that can split packets: the payload may arrive as several
 * packets of this type, at any time and in any order, each with its own len and
 * with the offset of its first byte added to tag.
 */
#define WEFT_PKT_SPLIT_OK 2u

static_assert(sizeof(struct weft_pkt) == 32 &&
		      offsetof(struct weft_pkt, tag) == 16,
	      "shared format");

#endif
