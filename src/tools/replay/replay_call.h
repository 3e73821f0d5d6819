/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A call of a rank, as recorded, and the sources of calls: a trace file, an
 * OTF2 archive, or a synthetic pattern.
 */
#ifndef WEFT_REPLAY_CALL_H
#define WEFT_REPLAY_CALL_H

#include "src/job/job_record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Largest numbers that a reader accepts. */
#define REPLAY_REQS_MAX	 (1u << 20) /* number of requests of one call */
#define REPLAY_BYTES_MAX (UINT64_C(1) << 40)

struct replay_call {
	enum record_kind kind;
	unsigned flags;
	uint64_t comm; /* communicator; 0: the world */
	int64_t peer, tag;
	uint64_t bytes;
	uint64_t req; /* request of ISEND, IRECV, COLL with LATER, REQ_FREE */
	/* The receive of SENDRECV. */
	int64_t peer_in, tag_in;
	uint64_t bytes_in;
	/* WAIT, WAIT_ONE: requests; POLL, WTIME: only the number */
	uint64_t count;
	const uint64_t *reqs;
	uint64_t which; /* WAIT_ONE: index of the request */
	uint64_t ps;	/* duration of COMPUTE */
	/*
	 * COLL: enum weft_coll_kind, root, handles of a predefined type and
	 * operation (0: others), elements sent and received (per block), bytes
	 * of an element; UNEVEN: elements per rank, or NULL
	 */
	unsigned coll;
	int64_t root;
	uint64_t op, type, type_bytes;
	uint64_t send, recv;
	const uint64_t *sends, *recvs;
	uint64_t send_count, recv_count; /* lengths of these arrays */
	/*
	 * COMM: number of the new communicator (0: none), how it was created,
	 * and its members
	 */
	uint64_t made;
	unsigned how;
	uint64_t members;
	const uint64_t *member; /* ranks of the world */
	const char *name;	/* name of the function of OTHER */
};

/*
 * A source of calls. Arrays of a call are valid until the next call of that
 * rank is read.
 */
struct replay_source {
	uint32_t ranks;
	/*
	 * Reads the next call of a rank; false: the trace is invalid at this
	 * call.
	 */
	bool (*next)(struct replay_source *s, uint32_t rank,
		     struct replay_call *c);
	/* Describes the position in the trace at which next() failed. */
	void (*where)(struct replay_source *s, uint32_t rank, char *text,
		      size_t len);
	void (*close)(struct replay_source *s);
	/* Makes next() start again at the first call of the rank. */
	void (*rewind)(struct replay_source *s, uint32_t rank);
};

/* Opens a trace file. Returns 0 or -errno; why: an error text. */
int replay_trace_open(const char *file, struct replay_source **s_p, char *why,
		      size_t len);
/* Opens an OTF2 archive by its anchor file. */
int replay_otf2_open(const char *file, struct replay_source **s_p, char *why,
		     size_t len);
/* Makes the calls of a pattern such as "halo,ranks=64,bytes=8192,steps=10". */
int replay_pattern_open(const char *text, struct replay_source **s_p, char *why,
			size_t len);
/* Opens a pattern, or a file by one of the readers above. */
int replay_source_open(const char *name, bool is_pattern,
		       struct replay_source **s_p, char *why, size_t len);

#endif
