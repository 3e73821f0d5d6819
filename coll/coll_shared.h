/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that all members of a communicator map, for blocking collectives of
 * long data on one host (algorithms "shared", coll_shared_algo.c). Every rank
 * has two slots and a line with counters, which only this rank writes:
 *
 *   token, lines | rank 0: slot 0, slot 1 | rank 1: slot 0, slot 1 | ...
 *
 * An operation consists of rounds, and all ranks number them in the same way.
 * In round n a rank
 *
 *   waits until all others have left round n - 2, which used the same slot
 *   copies its data to slot n % 2                           FILLED = n
 *   (reductions) combines its slice of the slots of all     COMBINED = n
 *   copies what it needs from the slots of others           LEFT = n
 *
 * So a rank waits only for the ranks whose data it needs, and a fast rank may
 * be one round ahead.
 */
#ifndef WEFT_COLL_SHARED_H
#define WEFT_COLL_SHARED_H

#include "src/base/atomic.h"
#include "src/base/region.h"

#include <stdbool.h>
#include <stddef.h>

struct weft_coll_args;
struct weft_comm;

enum coll_shared_stage {
	COLL_SHARED_FILLED,
	COLL_SHARED_COMBINED,
	COLL_SHARED_LEFT,
	COLL_SHARED_STAGES,
};

/*
 * Counters of a rank. The counters occupy two cache lines, since processors
 * prefetch pairs of lines.
 */
struct coll_shared_line {
	/* last round of each stage */
	_Alignas(128) weft_au32 round[COLL_SHARED_STAGES];
	weft_au32 waiters; /* processes that block on one of the counters */
};

struct coll_shared_head {
	/*
	 * random number, by which a member verifies that it opened this memory
	 */
	_Alignas(128) uint64_t token;
	struct coll_shared_line line[]; /* counters of each rank */
};

struct coll_shared {
	struct weft_region region;
	const struct weft_comm *comm;
	struct coll_shared_head *head;
	char *slots;
	size_t slot_bytes;
	uint32_t round; /* number of the current round */
	/*
	 * only reductions use the memory: a member may have device memory,
	 * which messages transfer with fewer copies; reductions are computed in
	 * host memory in any case
	 */
	bool only_reductions;
	int err; /* -ECONNRESET: a member has died */
};

/* largest number of members */
#define COLL_SHARED_RANKS 128

/* Return the size of a slot, and of the memory of n ranks, in bytes. */
size_t coll_shared_slot_bytes(int n);
size_t coll_shared_bytes(int n, size_t slot_bytes);
/*
 * Initializes *s for memory that contains zeroes. round: the number of the
 * first round minus one.
 */
void coll_shared_init(struct coll_shared *s, const struct weft_comm *comm,
		      void *memory, size_t slot_bytes, uint32_t round);

/*
 * Returns whether this operation of the communicator may use shared memory; the
 * result is the same at all ranks.
 */
bool coll_shared_fits(const struct weft_coll_args *a);
struct coll_prog;
/*
 * Called by all ranks before an operation for which coll_shared_fits() is true:
 * opens the memory at the third such call of the communicator. Returns false at
 * all ranks if the operation cannot use the memory. p: an immediate program of
 * this operation.
 */
bool coll_shared_prepare(struct coll_prog *p, const struct weft_coll_args *a);
void coll_shared_close(struct weft_comm *comm);

/* Begins the next round of a rank that fills its slot; waits for the slot. */
void coll_shared_begin(struct coll_shared *s);
/* Begins the next round of a rank that only reads. */
void coll_shared_begin_reader(struct coll_shared *s);
/* Returns the slot of a rank in this round. */
char *coll_shared_slot(const struct coll_shared *s, int rank);
/* Announces that this rank has reached a stage of this round. */
void coll_shared_reach(struct coll_shared *s, enum coll_shared_stage stage);
/* Waits until another rank has reached a stage, or s->err is set. */
void coll_shared_wait(struct coll_shared *s, int rank,
		      enum coll_shared_stage stage);

#endif
