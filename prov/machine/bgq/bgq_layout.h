/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The formats of the Message Unit, bit by bit.
 *
 * Descriptor, 64 bytes (one slot of an injection memory FIFO):
 *
 *	word 0   63 prefetch-only  62 interrupt  59..56 load operation
 *	         47..32 reserved   31..16 reserved  15..0 network FIFO map
 *	word 1   47..0 payload address
 *	word 2   63..0 message length in bytes
 *	word 3   reserved, 0
 *	word 4-7 header template, 32 bytes
 *
 * Packet header, 32 bytes: 12 of the network, 20 of the unit:
 *
 *	byte 0     0x55, point to point; 0x5a, broadcast on a class route:
 *	           byte 2 then has the class in bits 7..4
 *	byte 1     hint bits A-, A+, B-, B+, C-, C+, D-, D+
 *	byte 2     7..6 hints E   5 to IO   4..3 from IO
 *	           2 dynamic      1 deposit 0 interrupt
 *	byte 3     7..5 virtual channel   4..3 zone   2 stay on bubble
 *	           0 last packet of its message (assumed)
 *	byte 4-7   destination: 29..0, six bits per coordinate A..E
 *	byte 8     6..5 packet type       4..0 size in chunks of 32 bytes
 *	byte 9-11  set by the links: sequence, Hamming code, checksum skip
 *	byte 12-15 word "aux"     byte 16-23 word "sel"     byte 24-31 "ctr"
 *
 *	type       aux                          sel               ctr
 *	FIFO       software use                 57..48 rec. FIFO  software use
 *	                                        47..0  packet counter
 *	put        15..0 valid bytes            57..48 base id    57..48 base id
 *	           19..16 store operation       47..0  offset     47..0  offset
 *	get        0                            57..48 inj. FIFO  0
 *
 * The machine has 37-bit physical addresses and offsets. Here they are process
 * addresses of 48 bits, so a memory-FIFO header leaves 12 bytes for software
 * use instead of 14. All words are in host byte order: these packets never
 * leave the host, and the carrier between hosts has its own format.
 *
 * On a carrier the header is stored in the fields of struct weft_pkt and adds
 * no bytes: unit = bytes 1, 2, 3, 8; aux, tag, data = aux, sel, ctr. Byte 0 is
 * constant and the peer gives the destination.
 */
#ifndef WEFT_BGQ_LAYOUT_H
#define WEFT_BGQ_LAYOUT_H

#include "prov/wire/wire.h"

#include <stdbool.h>
#include <string.h>
#include <weft/bgq.h>

#define BGQ_PT2PT      0x55
#define BGQ_COLLECTIVE 0x5a
/* type of a barrier packet on a carrier; the machine's code is not known */
#define BGQ_GI	       0x66

enum bgq_type {
	BGQ_FIFO = 0,
	BGQ_PUT = 1,
	BGQ_GET = 2,
};

#define BGQ_CTL_INTERRUPT 0x01
#define BGQ_CTL_DYNAMIC	  0x04
/* bit of header byte 3: last packet of its message */
#define BGQ_VC_LAST	  0x01

#define BGQ_ADDR_BITS 48
#define BGQ_ADDR_MASK ((UINT64_C(1) << BGQ_ADDR_BITS) - 1)
#define BGQ_ID_MASK   0x3ff
#define BGQ_NODE_MASK 0x3fffffffu

struct bgq_hdr {
	uint8_t kind;  /* BGQ_PT2PT */
	uint8_t hints; /* A..D */
	uint8_t ctl;
	uint8_t vc;
	uint32_t dest;
	uint8_t type_size;
	uint8_t link[3];
	uint32_t aux;
	uint64_t sel;
	uint64_t ctr;
};

static_assert(sizeof(struct bgq_hdr) == 32 &&
		      offsetof(struct bgq_hdr, aux) == 12,
	      "12 bytes of the network, 20 of the unit");
static_assert(sizeof(((struct bgq_hdr *)0)->aux) +
			      sizeof(((struct bgq_hdr *)0)->ctr) ==
		      WEFT_BGQ_SOFT_BYTES,
	      "the software's own bytes of a memory-FIFO header");

#define BGQ_D0_PREFETCH	  (UINT64_C(1) << 63)
#define BGQ_D0_INTERRUPT  (UINT64_C(1) << 62)
#define BGQ_D0_LOAD_SHIFT 56
#define BGQ_D0_RESERVED	  UINT64_C(0x30ffffffffff0000)

struct bgq_desc {
	uint64_t ctl;
	uint64_t payload;
	uint64_t bytes;
	uint64_t reserved;
	struct bgq_hdr hdr;
};

static_assert(sizeof(struct bgq_desc) == 64 &&
		      offsetof(struct bgq_desc, hdr) == 32 &&
		      sizeof(struct bgq_desc) == sizeof(struct weft_bgq_desc),
	      "descriptor of 64 bytes, template in the second half");
static_assert(WEFT_BGQ_GET_DESCS * sizeof(struct bgq_desc) == WEFT_BGQ_PAYLOAD,
	      "eight descriptors fill a packet");
static_assert(WEFT_BGQ_INJ_FIFOS == 17 * 4 * 8 &&
		      WEFT_BGQ_REC_FIFOS == 17 * 4 * 4 &&
		      WEFT_BGQ_BAT_ENTRIES == 17 * 4 * 8 &&
		      WEFT_BGQ_INJ_FIFOS <= BGQ_ID_MASK,
	      "17 groups of 4 subgroups");

static inline uint64_t bgq_sel(unsigned id, uint64_t offset)
{
	return (uint64_t)(id & BGQ_ID_MASK) << BGQ_ADDR_BITS |
	       (offset & BGQ_ADDR_MASK);
}

static inline unsigned bgq_sel_id(uint64_t sel)
{
	return sel >> BGQ_ADDR_BITS & BGQ_ID_MASK;
}

static inline uint64_t bgq_sel_offset(uint64_t sel)
{
	return sel & BGQ_ADDR_MASK;
}

static inline unsigned bgq_hdr_type(const struct bgq_hdr *h)
{
	return h->type_size >> 5 & 3;
}

static inline unsigned bgq_hdr_chunks(const struct bgq_hdr *h)
{
	return h->type_size & 31;
}

static inline unsigned bgq_hdr_vc(const struct bgq_hdr *h)
{
	return h->vc >> 5;
}

static inline unsigned bgq_hdr_zone(const struct bgq_hdr *h)
{
	return h->vc >> 3 & 3;
}

static inline uint8_t bgq_vc_byte(unsigned vc, unsigned zone, bool stay)
{
	return (uint8_t)(vc << 5 | (zone & 3) << 3 | (unsigned)stay << 2);
}

static inline bool bgq_hdr_stay(const struct bgq_hdr *h)
{
	return h->vc >> 2 & 1;
}

/* Returns the hint of dimension dim (A..E): -1, +1, or 0. */
static inline int bgq_hdr_hint(const struct bgq_hdr *h, unsigned dim)
{
	unsigned bits = dim < 4 ? h->hints >> (6 - 2 * dim) : h->ctl >> 6;

	return (int)(bits & 1) - (int)(bits >> 1 & 1);
}

/* Sets the hint of dimension dim (A..E): -1, +1, or 0. */
static inline void bgq_hdr_hint_set(struct bgq_hdr *h, unsigned dim, int hint)
{
	unsigned bits = hint < 0 ? 2 : hint > 0;

	if (dim < 4)
		h->hints |= (uint8_t)(bits << (6 - 2 * dim));
	else
		h->ctl |= (uint8_t)(bits << 6);
}

/* Returns the class route of a broadcast packet. */
static inline unsigned bgq_hdr_route(const struct bgq_hdr *h)
{
	return h->ctl >> 4;
}

static inline unsigned bgq_desc_load_op(const struct bgq_desc *d)
{
	return d->ctl >> BGQ_D0_LOAD_SHIFT & 15;
}

static inline unsigned bgq_desc_map(const struct bgq_desc *d)
{
	return d->ctl & 0xffff;
}

static inline unsigned bgq_put_valid(uint32_t aux)
{
	return aux & 0xffff;
}

static inline unsigned bgq_put_store_op(uint32_t aux)
{
	return aux >> 16 & 15;
}

static inline unsigned bgq_chunks(uint64_t n)
{
	return (unsigned)((n + WEFT_BGQ_CHUNK - 1) / WEFT_BGQ_CHUNK);
}

/* Convert a header to a carrier packet, and a carrier packet to a header. */
static inline void bgq_hdr_to_pkt(const struct bgq_hdr *h, struct weft_pkt *p)
{
	p->flags = 0;
	p->len = (uint16_t)(bgq_hdr_chunks(h) * WEFT_BGQ_CHUNK);
	p->carrier = 0;
	p->unit = (uint32_t)h->hints | (uint32_t)h->ctl << 8 |
		  (uint32_t)h->vc << 16 | (uint32_t)h->type_size << 24;
	p->aux = h->aux;
	p->tag = h->sel;
	p->data = h->ctr;
}

static inline unsigned bgq_pkt_type(const struct weft_pkt *p)
{
	return p->unit >> 29 & 3;
}

static inline void bgq_hdr_from_pkt(struct bgq_hdr *h, const struct weft_pkt *p)
{
	memset(h, 0, sizeof(*h));
	h->kind = BGQ_PT2PT;
	h->hints = (uint8_t)p->unit;
	h->ctl = (uint8_t)(p->unit >> 8);
	h->vc = (uint8_t)(p->unit >> 16);
	h->type_size = (uint8_t)(p->unit >> 24);
	h->aux = p->aux;
	h->sel = p->tag;
	h->ctr = p->data;
}

#endif
