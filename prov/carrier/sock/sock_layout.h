/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wire format of a datagram. Numbers are in the byte order of the sender's
 * host: the receiver drops a datagram of the other byte order by its magic
 * number.
 *
 *   +------------------+--------+-----------------+--------+----------- - -
 *   | header, 64 bytes | record | packet, part    | record | packet ...
 *   +------------------+--------+-----------------+--------+----------- - -
 *
 * With a key, a tag of 16 bytes follows: AES-GMAC of everything before it
 * except the first word (sock_seal.c). The header of an ACK is followed by
 * further words of the reception bitmap.
 *
 * With a key, first contact is a HELLO and an ACK with SOCK_PUBLIC: the header
 * is followed by the sender's public key, and the tag is an HMAC with the job's
 * key (sock_keys.c).
 *
 * The header contains the length of its datagram, by which the receiver splits
 * messages that the kernel coalesced (UDP_GRO).
 *
 * Every record starts at a multiple of 8. A packet is the 32 bytes of struct
 * weft_pkt and its payload. A packet that does not fit an empty datagram is
 * split into parts, and all parts except the last are marked SOCK_PART. A
 * packet that may be delivered out of order (WEFT_PKT_SPLIT_OK, wire.h) is
 * split into packets. Datagrams of every kind acknowledge the datagrams that
 * their sender has received.
 */
#ifndef WEFT_CARRIER_SOCK_LAYOUT_H
#define WEFT_CARRIER_SOCK_LAYOUT_H

#include "prov/wire/wire.h"

#include <assert.h>
#include <stdint.h>

#define SOCK_MAGIC 0x57534b35u /* "WSK5": the last character is the version */

enum sock_kind {
	SOCK_HELLO = 1, /* probe, answered immediately */
	SOCK_DATA,	/* numbered datagram with records */
	SOCK_ACK,
	/* the sender closes; seq: its last sequence number plus one */
	SOCK_BYE,
	SOCK_RESET, /* the sender has declared the receiver dead */
};

#define SOCK_TAG 16u /* bytes of the tag after a signed datagram */

/* Flags of a datagram. */
#define SOCK_BYE_RECEIVED 1u /* the sender has received the receiver's BYE */
/* half of the sender's window is in flight: acknowledge soon */
#define SOCK_ACK_SOON	  2u
#define SOCK_UNORDERED	  4u /* packets may be delivered out of order */
#define SOCK_PUBLIC	  8u /* a public key follows (sock_keys.c) */

#define SOCK_PUBLIC_BYTES 32u /* bytes of an X25519 public key */

struct sock_head {
	/*
	 * CRC-32C of all bytes after this word; with a tag: of the header and
	 * the tag
	 */
	uint32_t crc;
	uint32_t magic; /* crc and magic: same offset in all versions */
	/* incarnation of the sender: time at which it was opened */
	uint64_t from;
	uint64_t to;  /* incarnation of the receiver; 0: not known yet */
	uint32_t seq; /* sequence number of this datagram */
	uint32_t ack; /* all sequence numbers below this one have arrived */
	uint64_t ack_bits; /* bit i: sequence number ack + i has arrived */
	uint32_t room;	   /* receive window of the sender, bytes */
	uint32_t stamp;	   /* send time, us; never 0 */
	/*
	 * stamp of the last datagram received from the peer plus its age, us;
	 * 0: none received
	 */
	uint32_t echo;
	uint8_t kind; /* enum sock_kind */
	uint8_t flags;
	uint16_t bytes; /* bytes of this datagram, including header and tag */
	/*
	 * number of datagrams from this sender to this receiver, including this
	 * one; also the nonce, so it never repeats
	 */
	uint64_t count;
};

enum sock_more {
	SOCK_WHOLE, /* a packet, or the last part of one */
	SOCK_PART,  /* the packet continues in the next datagram */
	/* piece of a WEFT_PKT_SPLIT_OK packet, itself a packet; more follow */
	SOCK_PIECE,
	/* a WEFT_PKT_SPLIT_OK packet, or the last piece of one */
	SOCK_UNORDERED_WHOLE,
	SOCK_PADDING,
	SOCK_MORE_COUNT,
};

struct sock_record {
	uint32_t bytes; /* bytes of the packet or part that follows */
	uint32_t more;	/* enum sock_more */
};

static_assert(sizeof(struct sock_head) == 64 &&
		      sizeof(struct sock_record) == 8 &&
		      offsetof(struct sock_head, ack_bits) == 32 &&
		      offsetof(struct sock_head, kind) == 52 &&
		      offsetof(struct sock_head, bytes) == 54,
	      "wire format");

#endif
