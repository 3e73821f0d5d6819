/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wire format of a datagram. Numbers are in the byte order of the sender's
 * host: the receiver drops a datagram of the other byte order by its magic
 * number.
 *
 *   +------------------+--------+-----------------+--------+----------- - -
 *   | head (64 bytes)  | record | packet, part    | record | packet ...
 *   +------------------+--------+-----------------+--------+----------- - -
 *
 * With a key, a tag of 16 bytes follows: AES-GMAC of everything before it
 * except the first word (sock_seal.c). The head of an ACK is followed by
 * further words of the reception bitmap.
 *
 * With a key, first contact is a HELLO and an ACK with SOCK_PUBLIC: the head is
 * followed by the sender's public key, and the tag is an HMAC with the job's
 * key (sock_keys.c).
 *
 * The head holds the length of its datagram, by which the receiver splits what
 * the kernel coalesced (UDP_GRO).
 *
 * Every record starts at a multiple of 8. A packet is the 32 bytes of struct
 * weft_pkt and its payload. A packet that does not fit an empty datagram is cut
 * into parts, and all parts except the last are marked SOCK_PART. A packet that
 * may be delivered out of order (WEFT_PKT_SPLIT_OK, wire.h) is cut into
 * packets. Datagrams of every kind acknowledge what their sender has received.
 */
#ifndef WEFT_CARRIER_SOCK_LAYOUT_H
#define WEFT_CARRIER_SOCK_LAYOUT_H

#include "prov/wire/wire.h"

#include <assert.h>
#include <stdint.h>

#define SOCK_MAGIC 0x57534b34u /* "WSK4" */

enum sock_kind {
	SOCK_HELLO = 1, /* probe; answered at once */
	SOCK_DATA,	/* numbered, with records */
	SOCK_ACK,
	SOCK_BYE,   /* the sender closes; seq: its last number plus one */
	SOCK_RESET, /* the sender has declared the receiver dead */
};

#define SOCK_TAG 16u /* bytes of the tag behind a signed datagram */

/* flags of a datagram */
#define SOCK_BYE_RECEIVED 1u /* the BYE of the receiver has arrived */
#define SOCK_ACK_SOON	  2u /* half of the window is in flight: ack soon */
#define SOCK_LOOSE	  4u /* packets may be delivered out of order */
#define SOCK_PUBLIC	  8u /* a public key follows; see sock_keys.c */

#define SOCK_PUBLIC_BYTES 32u /* bytes of an X25519 public key */

struct sock_head {
	uint32_t crc; /* CRC-32C of everything behind this word; with a tag: of
			 the head and the tag */
	uint32_t magic;
	uint64_t from;	/* incarnation of the sender: time of its opening */
	uint64_t to;	/* incarnation of the receiver; 0: not known yet */
	uint32_t seq;	/* number of this datagram */
	uint32_t ack;	/* every number before this one has arrived */
	uint64_t here;	/* bit i: number ack + i has arrived */
	uint32_t room;	/* bytes in flight that the sender accepts */
	uint32_t stamp; /* send time in us; never 0 */
	uint32_t echo; /* stamp of the last datagram received from the peer plus
			  its age in us; 0: none received */
	uint8_t kind;  /* enum sock_kind */
	uint8_t flags;
	uint16_t bytes; /* bytes of this datagram, with head and tag */
	uint64_t count; /* number of datagrams from this sender to this
			   receiver, this one included; never repeated, since it
			   is the nonce */
};

enum sock_more {
	SOCK_WHOLE, /* a packet, or the last part of one */
	SOCK_PART,  /* the packet continues in the next datagram */
	SOCK_PIECE, /* of a loose packet, as a packet; more pieces follow */
	SOCK_LOOSE_WHOLE, /* a loose packet, or its last piece */
	SOCK_PADDING,	  /* padding */
	SOCK_MORE_COUNT,
};

struct sock_record {
	uint32_t bytes; /* bytes of the packet or part behind this record */
	uint32_t more;	/* enum sock_more */
};

static_assert(sizeof(struct sock_head) == 64 &&
		      sizeof(struct sock_record) == 8 &&
		      offsetof(struct sock_head, here) == 32 &&
		      offsetof(struct sock_head, kind) == 52 &&
		      offsetof(struct sock_head, bytes) == 54,
	      "wire format");

#endif
