/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The collective unit's part of an endpoint's shared area. An area holds
 * segments (`row` in the code), one per class route; a segment holds its
 * owner's state in that route's tree.
 *
 *   area:     segment 0 | segment 1 | ... | segment routes-1
 *   segment:  head (6 lines)
 *             slots x { count line, out, cell 0, cell 1, ... cell inputs-1 }
 *             board
 *
 *   out    packet published by the owner: its contribution in a small group,
 *          the data of a broadcast of which it is the root, or, at the root of
 *          the tree, the result of a reduction
 *   cell   the contribution of one input: 0 is the owner, 1.. are its children
 *          in the order of the tree
 *   count  arrival counter of the slot's inputs, never reset; the member that
 *          completes a multiple of the inputs continues as this node
 *
 *   board  the whole tree in a few pages, at its root: short reductions of a
 *          group that has more members than processors (cu_board.c)
 *
 * Operations are cut into packets; packet number s of a route uses slot s %
 * slots. Sequence numbers and counters are not reset, except that on the board
 * the last member resets the counter. A slot is reused when all members have
 * read it. In a tree the root learns this from credits that go up the tree
 * every CU_WINDOW packets; in a small group every member publishes it with
 * every packet (lag) and, for members that have none to send, every CU_WINDOW
 * packets in credit_done.
 */
#ifndef WEFT_NIC_CU_LAYOUT_H
#define WEFT_NIC_CU_LAYOUT_H

#include "src/base/bell.h"

#include <stdalign.h>
#include <stddef.h>

#define CU_SLOTS  16u		  /* a power of two */
#define CU_WINDOW (CU_SLOTS / 2u) /* packets between two credits */
#define CU_PAGE	  4096u

/* Event words for waiters. */
enum { CU_EVENT_OUT, CU_EVENT_CREDIT, CU_EVENT_SYNCPOINT, CU_EVENT_WORDS };

#define CU_SYNCPOINT_WORDS 4 /* words of a member at a sync point */

/* A published packet. The payload starts in its line and continues after it. */
struct cu_packet {
	alignas(64) weft_au64 seq; /* number + 1 when complete */
	uint32_t sig;		   /* signature of the writer's operation */
	uint16_t flags;		   /* WEFT_CU_NAN, WEFT_CU_OVERFLOW */
	uint16_t lag;		   /* small group: writer's unread packets */
	uint8_t payload[48];	   /* first bytes of the payload */
};

static_assert(sizeof(struct cu_packet) == 64 &&
		      offsetof(struct cu_packet, payload) == 16,
	      "shared format");

struct cu_head {
	/* line 0: arrivals at epochs, by parity of the epoch */
	alignas(64) weft_au64 credit_in[2];
	/*
	 * line 1: written by the last to arrive at an epoch, at the tree's
	 * root; in a small group by the owner: packets it has read
	 */
	alignas(64) weft_au64 credit_done;
	/* line 2: generation of the group the owner has open here; 0: none */
	alignas(64) weft_au64 generation;
	/* line 3: at the tree's root: waiters for packets, credits, points */
	alignas(64) struct weft_bell bell[CU_EVENT_WORDS];
	/* line 4: at the tree's root: all members' arrivals at sync points */
	alignas(64) weft_au64 met;
	/* line 5: words of the owner at sync points */
	alignas(64) weft_au64 word[CU_SYNCPOINT_WORDS];
};

static_assert(sizeof(struct cu_head) == 384 &&
		      offsetof(struct cu_head, credit_done) == 64 &&
		      offsetof(struct cu_head, generation) == 128 &&
		      offsetof(struct cu_head, bell) == 192 &&
		      offsetof(struct cu_head, met) == 256,
	      "shared format");

struct cu_count {
	alignas(64) weft_au64 arrived;
};

static_assert(sizeof(struct cu_count) == 64, "shared format");

/* One packet of all members on the board. */
struct cu_board_slot {
	alignas(64) weft_au64 arrived; /* upper half: barriers */
	struct cu_packet out;	       /* the result */
};

/* Members that a board serves at most, whatever its size. */
#define CU_BOARD_MAX 128

/* Cells are ordered by member: each member uses the same page again. */
struct cu_board {
	struct cu_board_slot slot[CU_SLOTS];
	struct cu_packet cell[][CU_SLOTS];
};

static_assert(sizeof(struct cu_board) == CU_SLOTS * 128, "shared format");

/* The sizes that all endpoints of a machine agree on. */
struct weft_cu_geo {
	unsigned routes;     /* segments of an area */
	unsigned inputs;     /* cells of a slot: children + 1 at most */
	size_t packet_bytes; /* payload of one packet, at least 48 */
	unsigned board;	     /* members that fit on a board */
	size_t slots_bytes;  /* bytes of all slots of a segment; 0: as needed */
};

static inline size_t cu_packet_bytes(const struct weft_cu_geo *g)
{
	size_t bytes = offsetof(struct cu_packet, payload) + g->packet_bytes;

	return (bytes + 63) / 64 * 64;
}

static inline size_t cu_slot_bytes(const struct weft_cu_geo *g)
{
	return sizeof(struct cu_count) + (g->inputs + 1) * cu_packet_bytes(g);
}

static inline size_t cu_slots_bytes(const struct weft_cu_geo *g)
{
	return g->slots_bytes ? g->slots_bytes : CU_SLOTS * cu_slot_bytes(g);
}

/* Changes the geometry to more cells of smaller packets in equal segments. */
static inline void weft_cu_geo_widen(struct weft_cu_geo *g, unsigned inputs)
{
	size_t slot;

	if (inputs <= g->inputs)
		return;
	g->slots_bytes = cu_slots_bytes(g);
	g->inputs = inputs;
	slot = g->slots_bytes / CU_SLOTS - sizeof(struct cu_count);
	g->packet_bytes = slot / (inputs + 1) / 64 * 64 -
			  offsetof(struct cu_packet, payload);
}

/* Offset of the board in a segment; segments are whole pages. */
static inline size_t cu_board_at(const struct weft_cu_geo *g)
{
	size_t at = sizeof(struct cu_head) + cu_slots_bytes(g);

	return (at + CU_PAGE - 1) / CU_PAGE * CU_PAGE;
}

static inline size_t cu_segment_bytes(const struct weft_cu_geo *g)
{
	size_t cell = CU_SLOTS * sizeof(struct cu_packet);
	size_t bytes =
		cu_board_at(g) + sizeof(struct cu_board) + g->board * cell;

	return (bytes + CU_PAGE - 1) / CU_PAGE * CU_PAGE;
}

static inline struct cu_head *
cu_segment(void *area, const struct weft_cu_geo *g, unsigned route)
{
	return (struct cu_head *)((char *)area + route * cu_segment_bytes(g));
}

static inline struct cu_count *
cu_count_of(struct cu_head *row, const struct weft_cu_geo *g, uint64_t seq)
{
	return (struct cu_count *)((char *)(row + 1) +
				   (seq % CU_SLOTS) * cu_slot_bytes(g));
}

static inline struct cu_packet *
cu_out(struct cu_head *row, const struct weft_cu_geo *g, uint64_t seq)
{
	return (struct cu_packet *)(cu_count_of(row, g, seq) + 1);
}

static inline struct cu_packet *cu_cell(struct cu_head *row,
					const struct weft_cu_geo *g,
					uint64_t seq, unsigned input)
{
	return (struct cu_packet *)((char *)cu_out(row, g, seq) +
				    (input + 1) * cu_packet_bytes(g));
}

#endif
