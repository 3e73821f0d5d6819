/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The collective unit's part of an endpoint's shared area. An area holds
 * segments, one per class route; a segment holds its owner's state in that
 * route's tree.
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
 *          group that has more members than processors (cunit_board.c)
 *
 * Operations are cut into packets; packet number s of a route uses slot s %
 * slots. Sequence numbers and counters are not reset, except that on the board
 * the last member resets the counter. A slot is reused when all members have
 * read it. In a tree the root is notified by credits that go up the tree every
 * CUNIT_WINDOW packets; in a small group every member publishes how much it has
 * read, in every packet that it sends (lag) and, since it may send none, in
 * credit_done every CUNIT_WINDOW packets.
 */
#ifndef WEFT_CUNIT_LAYOUT_H
#define WEFT_CUNIT_LAYOUT_H

#include "src/os/event_word.h"

#include <stdalign.h>
#include <stddef.h>

#define CUNIT_SLOTS  16u		/* slots of a segment, a power of two */
#define CUNIT_WINDOW (CUNIT_SLOTS / 2u) /* packets between two credits */
#define CUNIT_PAGE   4096u

/* Indices of the event words on which waiters block. */
enum {
	CUNIT_EVENT_OUT,
	CUNIT_EVENT_CREDIT,
	CUNIT_EVENT_SYNCPOINT,
	CUNIT_EVENT_WORDS
};

#define CUNIT_SYNCPOINT_WORDS 4 /* words of a member at a sync point */

/* A published packet. The payload starts in its line and continues after it. */
struct cunit_packet {
	alignas(64) weft_au64 seq; /* packet number + 1 when complete */
	uint32_t sig;		   /* signature of the writer's operation */
	uint16_t flags;		   /* WEFT_NUM_NAN, WEFT_NUM_OVERFLOW */
	uint16_t lag;		   /* small group: writer's unread packets */
	uint8_t payload[48];	   /* first bytes of the payload */
};

static_assert(sizeof(struct cunit_packet) == 64 &&
		      offsetof(struct cunit_packet, payload) == 16,
	      "shared format");

struct cunit_head {
	/* line 0: arrivals at epochs, by parity of the epoch */
	alignas(64) weft_au64 credit_in[2];
	/*
	 * line 1: at the tree's root: completed epochs, written by the last
	 * member to arrive; in a small group: packets read by the owner
	 */
	alignas(64) weft_au64 credit_done;
	/* line 2: generation of the group the owner has open here; 0: none */
	alignas(64) weft_au64 generation;
	/* line 3: at the tree's root: waiters for packets, credits, points */
	alignas(64) struct weft_event event_word[CUNIT_EVENT_WORDS];
	/*
	 * line 4: at the tree's root: number of arrivals of all members at sync
	 * points
	 */
	alignas(64) weft_au64 met;
	/* line 5: words of the owner at sync points */
	alignas(64) weft_au64 word[CUNIT_SYNCPOINT_WORDS];
};

static_assert(sizeof(struct cunit_head) == 384 &&
		      offsetof(struct cunit_head, credit_done) == 64 &&
		      offsetof(struct cunit_head, generation) == 128 &&
		      offsetof(struct cunit_head, event_word) == 192 &&
		      offsetof(struct cunit_head, met) == 256,
	      "shared format");

struct cunit_count {
	alignas(64) weft_au64 arrived;
};

static_assert(sizeof(struct cunit_count) == 64, "shared format");

/* One packet of all members on the board. */
struct cunit_board_slot {
	/* arrivals; bits 63..32: sum of barrier signatures */
	alignas(64) weft_au64 arrived;
	struct cunit_packet out; /* the result */
};

/* Largest number of members of a board, regardless of the geometry. */
#define CUNIT_BOARD_MAX	  128
/* longest contribution on a board */
#define CUNIT_BOARD_BYTES sizeof(((struct cunit_packet *)0)->payload)

/*
 * Cells are ordered by member, so that each member always uses the same page.
 */
struct cunit_board {
	struct cunit_board_slot slot[CUNIT_SLOTS];
	struct cunit_packet cell[][CUNIT_SLOTS];
};

static_assert(sizeof(struct cunit_board) == CUNIT_SLOTS * 128, "shared format");

/* Sizes, equal at all endpoints of a machine. */
struct weft_cunit_geo {
	unsigned routes;     /* number of segments per area */
	unsigned inputs;     /* cells per slot: at most children + 1 */
	size_t packet_bytes; /* payload of one packet, at least 48 */
	unsigned board;	     /* maximum number of members on a board */
	size_t slots_bytes;  /* bytes of all slots of a segment; 0: as needed */
};

static inline size_t cunit_packet_bytes(const struct weft_cunit_geo *g)
{
	size_t bytes = offsetof(struct cunit_packet, payload) + g->packet_bytes;

	return (bytes + 63) / 64 * 64;
}

static inline size_t cunit_slot_bytes(const struct weft_cunit_geo *g)
{
	return sizeof(struct cunit_count) +
	       (g->inputs + 1) * cunit_packet_bytes(g);
}

static inline size_t cunit_slots_bytes(const struct weft_cunit_geo *g)
{
	return g->slots_bytes ? g->slots_bytes
			      : CUNIT_SLOTS * cunit_slot_bytes(g);
}

/* Changes the geometry to more cells of smaller packets in equal segments. */
static inline void weft_cunit_geo_widen(struct weft_cunit_geo *g,
					unsigned inputs)
{
	size_t slot;

	if (inputs <= g->inputs)
		return;
	g->slots_bytes = cunit_slots_bytes(g);
	g->inputs = inputs;
	slot = g->slots_bytes / CUNIT_SLOTS - sizeof(struct cunit_count);
	g->packet_bytes = slot / (inputs + 1) / 64 * 64 -
			  offsetof(struct cunit_packet, payload);
}

/* Returns the offset of the board in a segment; segments are whole pages. */
static inline size_t cunit_board_at(const struct weft_cunit_geo *g)
{
	size_t at = sizeof(struct cunit_head) + cunit_slots_bytes(g);

	return (at + CUNIT_PAGE - 1) / CUNIT_PAGE * CUNIT_PAGE;
}

static inline size_t cunit_segment_bytes(const struct weft_cunit_geo *g)
{
	size_t cell = CUNIT_SLOTS * sizeof(struct cunit_packet);
	size_t bytes = cunit_board_at(g) + sizeof(struct cunit_board) +
		       g->board * cell;

	return (bytes + CUNIT_PAGE - 1) / CUNIT_PAGE * CUNIT_PAGE;
}

static inline struct cunit_head *
cunit_segment(void *area, const struct weft_cunit_geo *g, unsigned route)
{
	return (struct cunit_head *)((char *)area +
				     route * cunit_segment_bytes(g));
}

static inline struct cunit_count *cunit_count_of(struct cunit_head *segment,
						 const struct weft_cunit_geo *g,
						 uint64_t seq)
{
	return (struct cunit_count *)((char *)(segment + 1) +
				      (seq % CUNIT_SLOTS) *
					      cunit_slot_bytes(g));
}

static inline struct cunit_packet *cunit_out(struct cunit_head *segment,
					     const struct weft_cunit_geo *g,
					     uint64_t seq)
{
	return (struct cunit_packet *)(cunit_count_of(segment, g, seq) + 1);
}

static inline struct cunit_packet *cunit_cell(struct cunit_head *segment,
					      const struct weft_cunit_geo *g,
					      uint64_t seq, unsigned input)
{
	return (struct cunit_packet *)((char *)cunit_out(segment, g, seq) +
				       (input + 1) * cunit_packet_bytes(g));
}

#endif
