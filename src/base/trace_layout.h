/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File format of a trace, a file without a name. Writers allocate chunks as
 * they need them; what they have written remains when they die.
 *
 *   0        +----------------------------+
 *            | head   magic, next chunk   |  4096 bytes
 *   4096     +----------------------------+
 *            | chunk  type, writer, state |  TRACE_CHUNK bytes each:
 *            |        records             |  64 of them are the head
 *            +----------------------------+
 *
 * Events are frequent: a writer has one chunk for them mapped, its event buffer
 * (desk). When the buffer is full, the writer writes it as another chunk and
 * starts it again. A writer's chunks are read in their order, then its buffer.
 * If a writer dies between the two steps, there is a chunk of the buffer's
 * generation (turn): the buffer is read and the chunk is ignored.
 *
 * An event in the buffer is valid if it has the generation of the buffer, so
 * that a writer touches only the event. Its times are ps, or values of the
 * processor's counter if its chunk is marked so; the head holds one moment of
 * both clocks, the reader takes another.
 */
#ifndef WEFT_BASE_TRACE_LAYOUT_H
#define WEFT_BASE_TRACE_LAYOUT_H

#include "src/base/atomic.h"

#include <assert.h>

#define TRACE_MAGIC   0x65636172u /* "race" */
#define TRACE_VERSION 4u

enum { TRACE_HEAD = 4096, TRACE_CHUNK = 1 << 16, TRACE_CHUNK_HEAD = 64 };

struct trace_head {
	uint32_t magic;
	uint32_t version;
	weft_au64 chunks; /* allocated so far */
	weft_au32 lost;	  /* writers that ended since there was no room */
	uint32_t counted; /* the counter is usable; counter and ns: its start */
	uint64_t counter;
	uint64_t ns;
};

enum trace_type {
	TRACE_EVENTS,
	TRACE_LINKS,
	TRACE_NOTES,
	TRACE_TREES,
	TRACE_TYPES
};

struct trace_chunk {
	uint32_t type; /* enum trace_type */
	uint32_t writer;
	/*
	 * {generation:32, complete bytes of records:32}; event buffer: its
	 * generation
	 */
	weft_au64 state;
	uint32_t desk;	  /* chunk number of the writer's event buffer;
			     TRACE_NO_DESK */
	uint32_t counted; /* times of events are counter values */
};

#define TRACE_NO_DESK	  UINT32_MAX
#define TRACE_USED(state) ((uint32_t)(state))
#define TRACE_TURN	  (UINT64_C(1) << 32)

enum trace_kind {
	/*
	 * t, span: start and duration; id: name; word: TRACE_COLL, TRACE_REACH
	 * or 0
	 */
	TRACE_CALL = 1,
	TRACE_SEND, /* t: time; span: bytes; id: receiver; word: tag word */
	TRACE_RECV, /* t: time; span: bytes; word: tag word */
};

/* An event in the file. */
struct trace_entry {
	uint64_t t;
	uint64_t span;
	uint64_t word;
	uint32_t id;
	weft_au32 mark; /* {generation:24, enum trace_kind:8} */
};

#define TRACE_MARK(turn, kind) ((uint32_t)(turn) << 8 | (kind))
#define TRACE_MARK_TURN(mark)  ((mark) >> 8)
#define TRACE_MARK_KIND(mark)  ((mark)&0xff)

/*
 * Identifies a collective in all its members: first member, context of the
 * communicator, number of earlier collectives in it.
 */
#define TRACE_COLL(first, ctx, n)                                \
	(UINT64_C(1) << 63 | (uint64_t)((first)&0x1ffff) << 46 | \
	 (uint64_t)((ctx)&0x3fff) << 32 | (uint32_t)(n))

#define TRACE_IS_COLL(word) ((word) >> 63)

/* A call that accesses bytes of another rank's window. */
#define TRACE_REACH(rank, bytes)                                 \
	(UINT64_C(1) << 62 | (uint64_t)((rank)&0x1fffff) << 41 | \
	 ((uint64_t)(bytes)&TRACE_REACH_BYTES))
#define TRACE_REACH_BYTES      ((UINT64_C(1) << 41) - 1)
#define TRACE_IS_REACH(word)   ((word) >> 62 == 1)
#define TRACE_REACH_RANK(word) ((uint32_t)((word) >> 41 & 0x1fffff))

struct trace_link {
	char name[8];
	char node[32];
	uint64_t packets;
	uint64_t bytes;
	uint64_t busy_ps;
	uint64_t queued_ps;
	/* of a fault plan */
	uint64_t bad, detours, retry_ps, dead;
};

/* A node or switch of a class route; those of one route are consecutive. */
struct trace_branch {
	uint64_t t;	/* time when it was opened */
	uint32_t first; /* rank of the first member, which writes the record */
	uint32_t route; /* number of earlier routes of that member */
	uint32_t index; /* of this node in the route */
	int32_t parent; /* index of the parent, or -1: root */
	uint32_t ranks; /* members at this node */
	uint32_t members;
	char node[32];
};

static_assert(sizeof(struct trace_entry) == 32, "two in a line");
static_assert(sizeof(struct trace_link) == 104, "whole words");
static_assert(sizeof(struct trace_branch) == 64, "a line");
static_assert(sizeof(struct trace_chunk) <= TRACE_CHUNK_HEAD, "fits");
static_assert(sizeof(struct trace_head) <= TRACE_HEAD, "fits");

#endif
