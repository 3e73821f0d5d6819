/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The datagram. Numbers are in the order of the sender's host: a peer of the
 * other order fails the magic word and is dropped.
 *
 *   +------------------+--------+-----------------+--------+----------- - -
 *   | head (64 bytes)  | record | packet, part    | record | packet ...
 *   +------------------+--------+-----------------+--------+----------- - -
 *
 * With a key a tag of 16 bytes follows, AES-GMAC of all before it but the first
 * word: sock_seal.c. Behind the head of an ACK are more words of what is here.
 *
 * With a key, first contact is a HELLO and an ACK with SOCK_PUBLIC: the head is
 * followed by the sender's public key, and the tag is an HMAC with the job's
 * key (sock_keys.c).
 *
 * The head says how long its datagram is, so that what the kernel joined is cut
 * by what it says itself.
 *
 * Every record starts at a multiple of 8. A packet is the 32 bytes of struct
 * weft_pkt and its payload; one that does not fit an empty datagram is cut,
 * and all parts but the last say that more follows. One that may be loose
 * (wire.h) is cut into packets. Whatever its kind, a datagram tells what its
 * sender has received.
 */
#ifndef WEFT_CARRIER_SOCK_LAYOUT_H
#define WEFT_CARRIER_SOCK_LAYOUT_H

#include "prov/wire/wire.h"

#include <assert.h>
#include <stdint.h>

#define SOCK_MAGIC 0x57534b34u /* "WSK4" */

enum sock_kind {
	SOCK_HELLO = 1, /* are you there? Answered at once */
	SOCK_DATA,	/* numbered, with records */
	SOCK_ACK,
	SOCK_BYE,   /* I close; seq: my last number plus one */
	SOCK_RESET, /* I have given you up */
};

#define SOCK_TAG 16u /* bytes behind a datagram that is signed */

/* In flags. */
#define SOCK_SAW_BYE 1u /* your BYE has been here */
#define SOCK_SOON    2u /* half of my window is on its way: tell me soon */
#define SOCK_LOOSE   4u /* whatever is missing, its packets may go up now */
#define SOCK_PUBLIC  8u /* a public key follows the head; see sock_keys.c */

#define SOCK_PUBLIC_BYTES 32u /* of an X25519 public key */

struct sock_head {
	uint32_t crc; /* CRC-32C of everything behind this word; with a tag of
		       * the head and the tag */
	uint32_t magic;
	uint64_t from;	/* incarnation of the sender: when it was opened */
	uint64_t to;	/* of the receiver; 0: not known yet */
	uint32_t seq;	/* of this datagram */
	uint32_t ack;	/* everything before has arrived */
	uint64_t here;	/* bit i: ack + i has arrived, too */
	uint32_t room;	/* bytes that may be on their way to me */
	uint32_t stamp; /* when this was sent, in us; never 0 */
	uint32_t echo;	/* stamp of the last that came from you, and how long
			 * ago that was; 0: none came */
	uint8_t kind;	/* enum sock_kind */
	uint8_t flags;
	uint16_t bytes; /* of this datagram, with the head and a tag */
	uint64_t count; /* datagrams from this sender to this receiver, with
			 * this one; never used twice, since it is the nonce */
};

enum sock_more {
	SOCK_WHOLE, /* a packet, or the last part of one */
	SOCK_PART,  /* the packet goes on in the next datagram */
	SOCK_PIECE, /* a loose packet, and others that were one with it follow
		     */
	SOCK_LOOSE_WHOLE, /* a loose packet, or the last of its pieces */
	SOCK_FILLER,	  /* nothing */
	SOCK_MORES,
};

struct sock_record {
	uint32_t bytes; /* of the packet's part behind it */
	uint32_t more;	/* enum sock_more */
};

static_assert(sizeof(struct sock_head) == 64 &&
		      sizeof(struct sock_record) == 8 &&
		      offsetof(struct sock_head, here) == 32 &&
		      offsetof(struct sock_head, kind) == 52 &&
		      offsetof(struct sock_head, bytes) == 54,
	      "wire format");

#endif
