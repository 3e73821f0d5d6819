/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The formats of the Elan4 interface, bit by bit. Commands are 64-bit words;
 * the low byte of the first is the command code, which determines the number of
 * words:
 *
 *	NOP            1 word
 *	OPEN_PACKET    1   15..8 channel  23..16 restarts  63..32 vproc
 *	TRANSACTION    2+n 31..16 type    63..32 bytes     w1 address, n data
 *	WRITE_WORD     3   w1 address  w2 value
 *	ADD_WORD       3   w1 address  w2 value
 *	COPY64         3   w1 from     w2 to
 *	GUARD          1   15..8 channel  23..16 accepted acknowledgements
 *	SET_EVENT      2   63..32 count   w1 address
 *	WAIT_EVENT     5   63..32 count   w1 address
 *	                   w2 7..0 type 15..8 words  w3 from  w4 to
 *	RUN_DMA        8   w1..w7 descriptor
 *	RUN_THREAD     7   63..32 program  w1..w6 registers
 *	INTERRUPT      2   w1 cookie
 *
 * The machine packs command and address into one word; the order of commands,
 * their fields and their effects are the same.
 *
 * DMA descriptor, 7 words:
 *
 *	w0  31..0 bytes  39..32 flags  47..40 restarts  63..48 return vproc
 *	w1  cookie       w2 31..0 vproc
 *	w3  source       w4 destination   w5 source event   w6 dest. event
 *
 * Packet on a carrier (struct weft_pkt); the carrier's peer is the route:
 *
 *	flags 0  packet: unit 13..0 context, aux number, payload transactions
 *	flags 1  ack: unit enum weft_qsnet2_ack, payload packet numbers
 *	flags 2  packet of a broadcast: transactions marked END are deferred
 *	flags 3  end packet: aux number, unit 1: all OK, execute; 0: drop
 *
 *	transaction:  | type 16 | bytes 16 | 0 32 | address 64 | data ... |
 *
 * type 7..0 kind, 8 last (in commands), 10..9 data type, 11 deferred until the
 * end packet; data is padded to 8. Packet number: 31..16 generation, 15 DMA, 14
 * channel, 13..0 queue or DMA slot. A write of a DMA packet may have up to 2048
 * bytes: a run of the machine's 128-byte writes.
 */
#ifndef WEFT_QSNET2_LAYOUT_H
#define WEFT_QSNET2_LAYOUT_H

#include "prov/wire/wire.h"

#include <weft/qsnet2.h>

#define QSNET2_PKT 0x70 /* the packet type on the carrier */

enum qsnet2_kind {
	QSNET2_PACKET,
	QSNET2_ACK,
	QSNET2_BROADCAST,
	QSNET2_END,
	QSNET2_KINDS,
};

struct qsnet2_trans {
	uint16_t type;
	uint16_t bytes;
	uint32_t reserved;
	uint64_t address;
};

static_assert(sizeof(struct qsnet2_trans) == 16, "shared format");
static_assert(sizeof(struct weft_qsnet2_event) == 32 &&
		      offsetof(struct weft_qsnet2_event, from) == 8,
	      "event of 32 bytes");
static_assert(sizeof(struct weft_qsnet2_input) == 64 &&
		      offsetof(struct weft_qsnet2_input, back) == 16,
	      "input queue of 64 bytes");
static_assert(WEFT_QSNET2_COPY == 255 * 8, "8-bit number of words");

#define QSNET2_TYPE	 0xffu /* mask of the kind in a transaction's type */
/* mask of the data type in a transaction's type */
#define QSNET2_UNITS	 0x600u
#define QSNET2_DMA_WORDS 7
#define QSNET2_WIRE_MAX \
	(WEFT_QSNET2_PACKET + 512) /* including transaction headers */
#define QSNET2_QUEUE_SPACE (UINT64_C(1) << 63)
#define QSNET2_RESTARTS	   16  /* restarts if the descriptor specifies 0 */
#define QSNET2_FOREVER	   255 /* unlimited restarts */

#define QSNET2_ID_DMA	  0x8000u
#define QSNET2_ID_CHANNEL 0x4000u
#define QSNET2_ID_INDEX	  0x3fffu

static_assert(WEFT_QSNET2_QUEUES <= QSNET2_ID_INDEX, "queue number");

static inline unsigned qsnet2_cmd(uint64_t w)
{
	return w & 255;
}

static inline unsigned qsnet2_cmd_channel(uint64_t w)
{
	return w >> 8 & 255;
}

/*
 * Returns the argument of a command: number of restarts (OPEN_PACKET), or of
 * accepted acknowledgements (GUARD).
 */
static inline unsigned qsnet2_cmd_arg(uint64_t w)
{
	return w >> 16 & 255;
}

static inline uint32_t qsnet2_cmd_high(uint64_t w)
{
	return (uint32_t)(w >> 32);
}

static inline unsigned qsnet2_cmd_type(uint64_t w)
{
	return w >> 16 & 0xffff;
}

/* Returns the data type: log2 of the bytes of an element. */
static inline unsigned qsnet2_data_type(unsigned type)
{
	return type >> 9 & 3;
}

static inline unsigned qsnet2_dma_type(const struct weft_qsnet2_dma *d)
{
	return d->flags >> 6;
}

static inline uint32_t qsnet2_words(uint32_t n)
{
	return (n + 7) / 8;
}

#endif
