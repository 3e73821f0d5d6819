/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The formats of the Gemini interface, bit by bit.
 *
 * Network address: 18 bits processing element, 40 bits offset, and the 12-bit
 * memory descriptor handle it is relative to. Completion queue entry:
 *
 *	63 overrun   62..59 status   58..56 source   55..0 user data
 *
 * A request is stored in the fields of struct weft_pkt; the carrier's peer
 * gives the PE:
 *
 *	flags  command, enum gemini_cmd
 *	unit   11..0 handle   19..12 protection tag   31..20 GEMINI_REQ_* flags
 *	aux    request: 31..16 generation, 15..0 buffer (ORB) number
 *	tag    39..0 offset   63..40 length or operation
 *	data   user data of the remote event, or as the command defines
 *
 *	command    payload                    tag 63..40  data
 *	PUT        bytes                      0           remote event
 *	FLAG       flag offset, flag, bytes   0           remote event
 *	GET        -                          bytes       -
 *	AMO        operand a, operand b       operation   -
 *	SEND       bytes                      ssid        total bytes
 *	DATAGRAM   bytes                      0           -
 *	CONNECT    name of a mailbox          0           -
 *	DONE       list of aux words          status      -
 *	REPLY      bytes of a get or AMO      status      -
 *
 * A carrier packet may hold a run of consecutive 64-byte packets of one
 * transaction; limits and phits are counted in packets of 64 bytes.
 *
 * Mailbox: a control line, then slots.
 *
 *	0        credit: total number of messages the other side has taken
 *	64       slot 0:  | 63..32 sequence, 31..0 bytes | message ... |
 *	64+k*n   slot k
 */
#ifndef WEFT_GEMINI_LAYOUT_H
#define WEFT_GEMINI_LAYOUT_H

#include "prov/wire/wire.h"

#include <weft/gemini.h>

#define GEMINI_PKT 0x60 /* the packet type on the carrier */

enum gemini_cmd {
	GEMINI_PUT,
	GEMINI_FLAG,
	GEMINI_GET,
	GEMINI_AMO,
	GEMINI_SEND,
	GEMINI_DATAGRAM,
	GEMINI_DONE,
	GEMINI_REPLY,
	GEMINI_CONNECT,
};

#define GEMINI_REQ_EVENT  0x1 /* write a remote event */
#define GEMINI_REQ_PROMPT 0x2 /* acknowledge at once */
#define GEMINI_REQ_QUIET  0x4 /* no response; acknowledged by other means */
#define GEMINI_REQ_VMDH	  0x8 /* the handle is virtual */

#define GEMINI_MDH_MASK	   0xfffu
#define GEMINI_OFFSET_MASK ((UINT64_C(1) << WEFT_GEMINI_OFFSET_BITS) - 1)
#define GEMINI_PE_MASK	   ((UINT32_C(1) << WEFT_GEMINI_PE_BITS) - 1)
#define GEMINI_DATA_MASK   ((UINT64_C(1) << 56) - 1)
#define GEMINI_BOX_CONTROL 64
#define GEMINI_SLOT_HEAD   8
/* bytes of flag offset and flag, which precede the data */
#define GEMINI_FLAG_HEAD   16

static_assert(WEFT_GEMINI_MDDS == GEMINI_MDH_MASK + 1, "12-bit handle");
static_assert(WEFT_GEMINI_PE_BITS + WEFT_GEMINI_OFFSET_BITS == 58,
	      "58-bit network address");
static_assert(WEFT_GEMINI_PE_BITS - WEFT_GEMINI_NTT_GRAIN == 12,
	      "the upper 12 bits of a PE are translated");
static_assert(WEFT_GEMINI_VMDH == GEMINI_MDH_MASK + 1, "beside a handle");
static_assert(WEFT_GEMINI_ORB <= 0x10000 && WEFT_GEMINI_SSIDS < 0x100,
	      "numbers fit their fields");

static inline uint64_t gemini_entry(const struct weft_gemini_event *e)
{
	return (e->data & GEMINI_DATA_MASK) | (uint64_t)(e->source & 7) << 56 |
	       (uint64_t)(e->status & 15) << 59 |
	       (uint64_t)(e->overrun & 1) << 63;
}

static inline void gemini_entry_read(uint64_t w, struct weft_gemini_event *e)
{
	e->data = w & GEMINI_DATA_MASK;
	e->source = w >> 56 & 7;
	e->status = w >> 59 & 15;
	e->overrun = w >> 63;
}

static inline uint32_t gemini_unit(unsigned mdh, unsigned ptag, unsigned flags)
{
	return (mdh & GEMINI_MDH_MASK) | (ptag & 0xff) << 12 | flags << 20;
}

static inline unsigned gemini_unit_mdh(uint32_t unit)
{
	return unit & GEMINI_MDH_MASK;
}

static inline unsigned gemini_unit_ptag(uint32_t unit)
{
	return unit >> 12 & 0xff;
}

static inline unsigned gemini_unit_flags(uint32_t unit)
{
	return unit >> 20;
}

static inline uint64_t gemini_tag(uint64_t offset, unsigned extra)
{
	return (offset & GEMINI_OFFSET_MASK) |
	       (uint64_t)extra << WEFT_GEMINI_OFFSET_BITS;
}

static inline uint64_t gemini_tag_offset(uint64_t tag)
{
	return tag & GEMINI_OFFSET_MASK;
}

static inline unsigned gemini_tag_extra(uint64_t tag)
{
	return (unsigned)(tag >> WEFT_GEMINI_OFFSET_BITS);
}

static inline uint64_t gemini_slot_word(uint32_t seq, uint32_t bytes)
{
	return (uint64_t)seq << 32 | bytes;
}

/* Returns the number of 64-byte packets for n bytes; 1 for an empty request. */
static inline unsigned gemini_packets(uint64_t n)
{
	return n ? (unsigned)((n + WEFT_GEMINI_STORE - 1) / WEFT_GEMINI_STORE)
		 : 1;
}

/*
 * Returns the phits of a request that carries n bytes: per packet 7 for the
 * header, 3 for each 8 bytes, 1 for the end.
 */
static inline unsigned gemini_put_phits(uint64_t n)
{
	return 8 * gemini_packets(n) + 3 * (unsigned)((n + 7) / 8);
}

#define GEMINI_GET_PHITS 8
#define GEMINI_RSP_PHITS 2
#define GEMINI_ERR_PHITS 3

static inline unsigned gemini_reply_phits(uint64_t n)
{
	return 3 + 3 * (unsigned)((n + 7) / 8);
}

#endif
