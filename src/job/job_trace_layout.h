/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File format of a trace, a file without a name. Writers allocate chunks as
 * they need them; the contents remain when a writer dies.
 *
 *   0        +----------------------------+
 *            | head   magic, next chunk   |  4096 bytes
 *   4096     +----------------------------+
 *            | chunk  type, writer, state |  TRACE_CHUNK bytes each:
 *            |        open calls, records |  192 of them are the head
 *            +----------------------------+
 *
 * Events are frequent: a writer has one chunk for them mapped, its event
 * buffer. When the buffer is full, the writer writes its contents to another
 * chunk and starts a new generation of the buffer. A reader reads the chunks
 * of a writer in their order, then its buffer. If a writer dies between the
 * two steps, there is a chunk with the generation of the buffer: the reader
 * reads the buffer and ignores the chunk.
 *
 * An event in the buffer is valid if it has the generation of the buffer, so
 * a writer touches only the cache line of the event. Times of events are in
 * ps, or values of the processor's counter if `counted` is set in the chunk.
 * The head holds a reading of the counter and the clock; the reader reads
 * both again and computes the counter's rate.
 */
#ifndef WEFT_JOB_TRACE_LAYOUT_H
#define WEFT_JOB_TRACE_LAYOUT_H

#include "src/base/atomic.h"

#include <assert.h>

#define TRACE_MAGIC   0x65636172u /* ASCII "race" */
#define TRACE_VERSION 5u

enum { TRACE_HEAD = 4096, TRACE_CHUNK = 1 << 16, TRACE_CHUNK_HEAD = 192 };

struct trace_head {
	uint32_t magic;
	uint32_t version;
	weft_au64 chunks; /* number of chunks allocated so far */
	/* number of writers that stopped because there was no space left */
	weft_au32 lost;
	/* 1: the counter is usable; counter, ns: values at the start */
	uint32_t counted;
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

/*
 * Open call: a thread of the writer has entered the call and not left it. Only
 * the writer's event buffer has open calls.
 */
enum { TRACE_THREADS = 8 };

struct trace_open {
	weft_au64 since; /* time of entry, in the unit of the chunk's events */
	weft_au32 id; /* number of the name; 0: no call is open. Stored last */
	uint32_t unused;
};

struct trace_chunk {
	uint32_t type; /* enum trace_type */
	uint32_t writer;
	/*
	 * {generation:32, complete bytes of records:32}; in the event buffer
	 * only the generation
	 */
	weft_au64 state;
	/* chunk number of the event buffer, or TRACE_NO_BUFFER */
	uint32_t event_buf;
	uint32_t counted; /* 1: times of events are counter values */
	uint64_t unused[5];
	struct trace_open open[TRACE_THREADS];
};

#define TRACE_NO_BUFFER	  UINT32_MAX
#define TRACE_USED(state) ((uint32_t)(state))
#define TRACE_GENERATION  (UINT64_C(1) << 32)

/*
 * Meaning of the fields of an entry, by kind:
 *
 *   kind   t            span               word          id
 *   CALL   begin        duration           what it is    {size:22, name:10}
 *   SEND   begin        bytes              tag word      {later:1, to:31}
 *   RECV   completion   time since posted  tag word      bytes, at most 2^32-1
 *   DONE   completion   0                  tag word      destination
 *   MORE   0            size of a CALL     rank of root  root + 1, or 0
 *
 * Ranks are ranks of the job, except the root of MORE, which is a rank of the
 * communicator. The word of a CALL is TRACE_COLL(), TRACE_ACCESS(),
 * TRACE_P2P(), or 0. A size is the number of data bytes plus one, or 0 if the
 * call has no data. DONE is the local completion of a send whose SEND has later
 * = 1; other sends complete immediately. MORE precedes the CALL that it belongs
 * to; it exists if the size does not fit the CALL, or if the collective has a
 * root.
 */
enum trace_kind {
	TRACE_CALL = 1,
	TRACE_SEND,
	TRACE_RECV,
	TRACE_DONE,
	TRACE_MORE,
};

#define TRACE_LATER	(1u << 31)
#define TRACE_NAME_BITS 10
#define TRACE_SIZE_MOST ((1u << 22) - 1) /* larger sizes are in TRACE_MORE */

struct trace_entry {
	uint64_t t;
	uint64_t span;
	uint64_t word;
	uint32_t id;
	weft_au32 mark; /* {generation:24, enum trace_kind:8} */
};

#define TRACE_MARK(generation, kind) ((uint32_t)(generation) << 8 | (kind))
#define TRACE_MARK_GENERATION(mark)  ((mark) >> 8)
#define TRACE_MARK_KIND(mark)	     ((mark)&0xff)

/*
 * Word of a CALL that is a collective, the same in all members: first member,
 * context of the communicator, number of earlier collectives on it.
 */
#define TRACE_COLL(first, ctx, n)                                \
	(UINT64_C(1) << 63 | (uint64_t)((first)&0x1ffff) << 46 | \
	 (uint64_t)((ctx)&0x3fff) << 32 | (uint32_t)(n))

#define TRACE_IS_COLL(word) ((word) >> 63)

/* Word of a CALL that accesses `bytes` bytes of the window of `rank`. */
#define TRACE_ACCESS(rank, bytes)                                \
	(UINT64_C(1) << 62 | (uint64_t)((rank)&0x1fffff) << 41 | \
	 ((uint64_t)(bytes)&TRACE_ACCESS_BYTES))
#define TRACE_ACCESS_BYTES	((UINT64_C(1) << 41) - 1)
#define TRACE_IS_ACCESS(word)	((word) >> 62 == 1)
#define TRACE_ACCESS_RANK(word) ((uint32_t)((word) >> 41 & 0x1fffff))

/* Word of a point-to-point call: rank in the communicator, tag, context. */
#define TRACE_P2P(peer, tag, ctx)                     \
	((uint64_t)((uint32_t)(peer)&0x1ffff) << 45 | \
	 (uint64_t)((uint32_t)(tag)&0x7fffffff) << 14 | ((ctx)&0x3fff))
#define TRACE_IS_P2P(word)   ((word) && (word) >> 62 == 0)
#define TRACE_P2P_PEER(word) ((uint32_t)((word) >> 45 & 0x1ffff))
#define TRACE_P2P_TAG(word)  ((uint32_t)((word) >> 14 & 0x7fffffff))
#define TRACE_P2P_CTX(word)  ((uint32_t)((word)&0x3fff))
/* Special values of peer and tag. */
#define TRACE_ANY_PEER	     0x1ffffu
#define TRACE_NULL_PEER	     0x1fffeu
#define TRACE_NO_PEER	     0x1fffdu
#define TRACE_ANY_TAG	     0x7fffffffu
#define TRACE_NO_TAG	     0x7ffffffeu

#define TRACE_COLL_CTX(word) ((uint32_t)((word) >> 32 & 0x3fff))

/* Fields of the tag word of a message (src/msg/msg_tag.h). */
#define TRACE_WORD_TAG(word)  ((uint32_t)((word)&0x7fffffff))
#define TRACE_WORD_KIND(word) ((uint32_t)((word) >> 48 & 3))
#define TRACE_WORD_CTX(word)  ((uint32_t)((word) >> 50))
enum {
	TRACE_WORD_COLL = 1, /* a message inside a collective */
	TRACE_WORD_SYNC = 3, /* a step of MPI_Win_post or MPI_Win_complete, not
				a message */
};

struct trace_link {
	char name[8];
	char node[32];
	uint64_t packets;
	uint64_t bytes;
	uint64_t busy_ps;
	uint64_t queued_ps;
	/*
	 * effects of a fault plan: packets with errors, packets routed around a
	 * fault, time of retries, and whether the link is dead
	 */
	uint64_t bad, detours, retry_ps, dead;
};

/* A node or switch of a class route; records of a route are consecutive. */
struct trace_tree_node {
	uint64_t t;	/* time when the route was opened */
	uint32_t first; /* rank of the first member, which writes the record */
	uint32_t route; /* number of earlier routes of that member */
	uint32_t index; /* index of this node in the route */
	int32_t parent; /* index of the parent, or -1: root */
	uint32_t ranks; /* number of members at this node */
	uint32_t members;
	char node[32];
};

static_assert(sizeof(struct trace_entry) == 32, "two in a line");
static_assert(sizeof(struct trace_link) == 104, "whole words");
static_assert(sizeof(struct trace_tree_node) == 64, "a line");
static_assert(sizeof(struct trace_chunk) == TRACE_CHUNK_HEAD, "fits");
static_assert(sizeof(struct trace_head) <= TRACE_HEAD, "fits");

#endif
