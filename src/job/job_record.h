/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File format of recorded calls (mpiexec --record, weft-sim --replay). Ranks
 * append chunks to one file, which the launcher has created, each chunk by one
 * write; a chunk has calls of one rank.
 *
 *   0    +--------------------------------------+
 *        | struct record_head                   |
 *   24   +--------------------------------------+
 *        | struct record_chunk: rank, number    |  chunks of all ranks in any
 *        | bytes of calls                       |  order, those of a rank
 *        +--------------------------------------+  numbered from 0
 *
 * All fields are little-endian. A call is a sequence of numbers of 7 bits per
 * byte, least significant first, with bit 7 set in all bytes but the last; at
 * most 10 bytes. Signed numbers are mapped to 0, -1, 1, -2, ... A call does not
 * cross chunks. The first number is its kind (enum record_kind):
 *
 *   END       no more calls
 *   COMPUTE   picoseconds
 *   SEND      flags, comm, peer, tag, bytes; peer and tag are signed: -1 any,
 *             -2 MPI_PROC_NULL
 *   RECV      as SEND
 *   ISEND     as SEND, request
 *   IRECV     as SEND, request
 *   SENDRECV  flags, comm, peer, tag, bytes, peer, tag, bytes of the receive
 *   WAIT      n, n requests
 *   WAIT_ONE  n, n requests, index of the one that completed
 *   POLL      number of polls without result
 *   PROBE     flags, comm, peer, tag
 *   WTIME     number of reads of the clock
 *   COLL      flags, comm, kind, root, operation, type, bytes of an element,
 *             elements sent, elements received; UNEVEN: n elements sent per
 *             rank, n received (n 0 or the size of comm); LATER: request
 *   COMM      parent, new number (0: not a member), how, n, n ranks of the
 *             world
 *   COMM_FREE comm
 *   REQ_FREE  request
 *   OTHER     bytes of a name, name: the call cannot be replayed
 *
 * Communicator 0 is the world. Types and operations are handles of MPI's ABI if
 * they are predefined, otherwise 0.
 */
#ifndef WEFT_JOB_RECORD_H
#define WEFT_JOB_RECORD_H

#include "src/base/hash.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#define RECORD_MAGIC	   "WEFTCALL"
#define RECORD_VERSION	   1u
#define RECORD_CHUNK_MAGIC 0x6b6e6863u /* ASCII "chnk" */
#define RECORD_CHUNK_MAX   (1u << 24)  /* maximum bytes of calls in a chunk */
#define RECORD_RANKS_MAX   (1u << 20)

struct record_head {
	char magic[8];
	uint32_t version;
	uint32_t ranks;
	uint64_t unused;
};

struct record_chunk {
	uint32_t magic;
	uint32_t rank;
	uint32_t number;
	uint32_t bytes;
	uint64_t check; /* record_check() of the bytes that follow */
};

static_assert(sizeof(struct record_head) == 24 &&
		      sizeof(struct record_chunk) == 24,
	      "file format");

enum record_kind {
	RECORD_END = 0,	    /* MPI_Finalize */
	RECORD_COMPUTE = 1, /* time between two calls */
	RECORD_SEND = 2,
	RECORD_RECV = 3,
	RECORD_ISEND = 4,
	RECORD_IRECV = 5,
	RECORD_SENDRECV = 6,
	RECORD_WAIT = 7, /* waits for all of the requests */
	/*
	 * waits for one of the requests: the request that completed in the
	 * recorded run
	 */
	RECORD_WAIT_ONE = 8,
	RECORD_POLL = 9, /* polls without result: MPI_Test, MPI_Iprobe */
	RECORD_PROBE = 10,
	RECORD_WTIME = 11, /* reads of the clock */
	RECORD_COLL = 12,
	RECORD_COMM = 13, /* a communicator is created */
	RECORD_COMM_FREE = 14,
	RECORD_REQ_FREE = 15,
	RECORD_OTHER = 16, /* a call that cannot be replayed, with its name */
	RECORD_KINDS
};

enum record_flag {
	RECORD_SYNC = 1,      /* MPI_Ssend */
	RECORD_TYPED = 2,     /* the data is not contiguous in memory */
	RECORD_TYPED_IN = 4,  /* SENDRECV: received data is not contiguous */
	RECORD_IN_PLACE = 8,  /* a collective with MPI_IN_PLACE */
	RECORD_UNEVEN = 16,   /* a collective with counts per rank */
	RECORD_COMMUTES = 32, /* the user's operation commutes */
	RECORD_LATER = 64,    /* a nonblocking collective */
	RECORD_FLAGS = 127
};

/* Special values of peers and tags. */
enum { RECORD_ANY = -1, RECORD_NO_PROC = -2 };

/* How a communicator was created, which determines its messages. */
enum record_comm_how {
	RECORD_COMM_AGREE, /* the members of the parent agree on an id */
	RECORD_COMM_SPLIT, /* colours are gathered first */
	RECORD_COMM_HOWS
};

/* Returns a checksum of the bytes of a chunk. */
static inline uint64_t record_check(const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	uint64_t h = n, word;

	for (; n >= 8; n -= 8, p += 8) {
		memcpy(&word, p, 8);
		h = weft_hash_mix(h ^ word) + 0x9e3779b97f4a7c15u;
	}
	for (; n; n--, p++)
		h = weft_hash_mix(h ^ *p) + 1;
	return h;
}

#define RECORD_NUMBER_BYTES 10

/* Writes a number at p. Returns the address after it. */
static inline unsigned char *record_put(unsigned char *p, uint64_t n)
{
	for (; n > 0x7f; n >>= 7)
		*p++ = (unsigned char)(n | 0x80);
	*p++ = (unsigned char)n;
	return p;
}

static inline uint64_t record_signed(int64_t n)
{
	return (uint64_t)n << 1 ^ (uint64_t)(n >> 63);
}

/*
 * Reads a number. Returns the address after it; NULL: the number is incomplete
 * or too long.
 */
static inline const unsigned char *
record_get(const unsigned char *p, const unsigned char *end, uint64_t *n_p)
{
	uint64_t n = 0;

	for (unsigned shift = 0; p < end && shift < 64; shift += 7) {
		uint64_t bits = *p & 0x7f;

		if (shift == 63 && bits > 1)
			return NULL;
		n |= bits << shift;
		if (*p++ < 0x80) {
			*n_p = n;
			return p;
		}
	}
	return NULL;
}

static inline int64_t record_unsigned(uint64_t n)
{
	return (int64_t)(n >> 1 ^ -(n & 1));
}

#endif
