/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The formats of the Sunway interface. A send descriptor has 64 bytes (struct
 * weft_swhni_desc). A packet has a head of three slices of 16 bytes and up to
 * 2048 bytes; on a carrier the first two slices are struct weft_pkt:
 *
 *	type   SWHNI_PKT
 *	flags  enum swhni_cmd
 *	len    bytes of what follows: the third slice, data
 *	unit   7..0 target's interface  8 its engine
 *	       16..10 source's interface  17 its engine  31..24 message's flags
 *	aux    message at its source: 31..9 generation  8 engine  7..0 place
 *	tag    address at the target; queue messages: 15..0 virtual queue
 *	data   notification, sequence number, or what the command says
 *
 *	slice  | job 32 | total 32 | offset 32 | more 32 |
 *
 *	command   data of the packet     tag             data
 *	WRITE     bytes at offset        address         notification
 *	READ      struct swhni_read      address         -
 *	WRITTEN   bytes at offset        place           -      (R2W)
 *	QUEUE     a message              virtual queue   sequence
 *	IO_WRITE  a word                 number          -
 *	IO_READ   -                      number          -
 *	MANAGE    -                      number          value
 *	DONE      -                      status          an answer's value
 *	ACK       -                      -               sequence
 *
 * Packets of the message engine (machine sunway) keep their own head, which
 * takes the place of addresses that queue messages have no need of; types are
 * below WEFT_PKT_UNIT, and of the head only the unit's word is changed:
 *
 *	unit   15..0 sequence number  16 fast short message
 */
#ifndef WEFT_PROV_SWHNI_LAYOUT_H
#define WEFT_PROV_SWHNI_LAYOUT_H

#include "prov/wire/wire.h"

#include <weft/swhni.h>

#define SWHNI_PKT 0x50 /* the packet type on the carrier */

#define SWHNI_DESC  64
#define SWHNI_SLICE 16

static_assert(sizeof(struct weft_swhni_desc) == SWHNI_DESC &&
		      offsetof(struct weft_swhni_desc, local) == 16 &&
		      offsetof(struct weft_swhni_desc, hop) == 56,
	      "descriptor of 64 bytes");

/* The unit's word of a packet of the message engine. */
#define SWHNI_SEQ      0xffffu
#define SWHNI_UNIT_FSM 0x10000u

#endif
