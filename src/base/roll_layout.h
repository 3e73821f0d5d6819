/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared format of the job status page, see roll.h.
 *
 *   0        +--------------------------------------+
 *            | head                              64 |
 *   64       | names   ROLL_NAMES of             64 |  names of calls, by id
 *            | member  members of               256 |  what each executes
 *            | tally   members * ROLL_NAMES of   16 |  only if counted
 *            | text    ROLL_TEXT bytes              |  only if counted
 *            +--------------------------------------+
 *
 * Everything is written by the members and read by their launcher, also after
 * their death; entries (cards) are read by the other members. A name is found
 * by its hash and linear probing; a name may be stored twice if two members
 * wrote it concurrently.
 */
#ifndef WEFT_BASE_ROLL_LAYOUT_H
#define WEFT_BASE_ROLL_LAYOUT_H

#include "src/base/atomic.h"

#include <assert.h>
#include <stdalign.h>
#include <stddef.h>

#define ROLL_MAGIC   0x6c6c6f72u /* "roll" */
#define ROLL_VERSION 2u

enum { ROLL_NAMES = 1024, ROLL_NAME = 56, ROLL_THREADS = 8 };
enum { ROLL_CARD = 120 };
enum { ROLL_TEXT = 1 << 18, ROLL_ONCE = 6 };

struct roll_head {
	uint32_t magic;
	uint32_t version;
	uint64_t bytes;
	uint32_t members;
	uint32_t counted;   /* with tallies and text */
	weft_au32 text_len; /* complete bytes of text */
	uint32_t pad;
	uint64_t job;		   /* hash of the job's name */
	weft_au32 once[ROLL_ONCE]; /* hashes of texts reported once */
};
static_assert(sizeof(struct roll_head) == 64, "shared format");

enum { ROLL_FREE, ROLL_WRITING, ROLL_READY };

struct roll_name {
	weft_au32 state;
	uint32_t pad;
	char text[ROLL_NAME]; /* ends with 0 */
};
static_assert(sizeof(struct roll_name) == 64, "shared format");

struct roll_member {
	/* line 0: ids of the current calls, written by every call; 0: none */
	weft_au32 in[ROLL_THREADS];
	weft_au32 finished; /* has done everything that other members rely on */
	weft_au32 ended;    /* end_ps is valid; it may be 0 */
	uint32_t pad[6];
	/* line 1: times, only if requested */
	weft_au64 begin_ps;
	weft_au64 end_ps;
	uint64_t pad2[6];
	/* lines 2 and 3: written once by each process of the member */
	weft_au32 card_state; /* {number:24, length:8}; 0: none yet */
	uint32_t pad3;
	weft_au64 card[ROLL_CARD / 8];
};
static_assert(sizeof(struct roll_member) == 256 &&
		      offsetof(struct roll_member, begin_ps) == 64 &&
		      offsetof(struct roll_member, card_state) == 128,
	      "shared format");

struct roll_tally {
	weft_au64 count;
	weft_au64 ps;
};
static_assert(sizeof(struct roll_tally) == 16, "shared format");

#endif
