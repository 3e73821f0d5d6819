/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uniform consensus among n members that may die: all members that decide, also
 * those that die later, decide the same value, and every member that stays
 * alive decides. The value is an array of words; the decision is the bitwise
 * AND of the contributions of at least all members that are alive at the end.
 *
 * The member with the lowest rank that is not dead is the coordinator:
 *
 *   VOTE      every member sends its contribution to the coordinator
 *   PROPOSE   the coordinator has the votes of all living members, and sends
 *             their AND to all of them
 *   ACK       a member has stored the proposal
 *   DECIDE    all living members have stored the proposal
 *
 * If the coordinator dies, the next member takes over: it sends QUERY, and
 * every member votes again, with the proposal that it has stored, if any. The
 * new coordinator proposes the stored value with the highest stamp. A decision
 * that the former coordinator may have sent is stored at all living members, so
 * the new coordinator proposes the same value. Members that have decided answer
 * every message with DECIDE, also after they have returned.
 *
 * The module sends no messages itself: the caller passes a send function, the
 * messages that arrive, and the deaths that it detects. Requirements: messages
 * between two members arrive in order; every death is reported to every living
 * member; a member that was reported dead takes no further part. Messages that
 * a member sent before its death may arrive after the report.
 *
 * Cost: 4 (n - 1) messages, 4 message times; a death adds at most 5 (n - 1).
 */
#ifndef WEFT_RECOVER_CONSENSUS_H
#define WEFT_RECOVER_CONSENSUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weft_consensus_kind {
	WEFT_CONSENSUS_VOTE,
	WEFT_CONSENSUS_PROPOSE,
	WEFT_CONSENSUS_ACK,
	WEFT_CONSENSUS_DECIDE,
	WEFT_CONSENSUS_QUERY,
	WEFT_CONSENSUS_KINDS,
};

/* Returns whether messages of this kind contain a value. */
static inline bool weft_consensus_has_value(uint32_t kind)
{
	return kind == WEFT_CONSENSUS_VOTE || kind == WEFT_CONSENSUS_PROPOSE ||
	       kind == WEFT_CONSENSUS_DECIDE;
}

struct weft_consensus_msg {
	uint32_t kind; /* enum weft_consensus_kind */
	/* 1 + rank of the coordinator that proposed the value; 0: no proposal
	 */
	uint32_t stamp;
	/* the value; NULL: messages of this kind have none */
	const uint64_t *value;
};

/* State of a member; contains no pointers but send and arg. */
struct weft_consensus {
	void (*send)(void *arg, int to, const struct weft_consensus_msg *msg);
	void *arg;
	int n;
	int me;
	size_t words; /* length of a value */
	int coordinator;
	uint32_t stamp;	   /* stamp of the stored value */
	uint32_t gathered; /* coordinator: highest stamp among the votes */
	/*
	 * index of the first word of a bitmap in a value; 0: none. The bitmap
	 * has one bit for each member; the coordinator clears the bits of dead
	 * members that have not voted.
	 */
	size_t alive;
	bool proposed; /* coordinator: waits for ACK */
	bool decided;
	/* value and AND of the votes, then dead and answered as bytes */
	uint64_t mem[];
};

/* Returns the size of the state in bytes. */
size_t weft_consensus_bytes(int n, size_t words);

/*
 * Initialises the state in memory of that size; value: the contribution of this
 * member. Sends nothing.
 */
void weft_consensus_init(struct weft_consensus *c, int n, int me, size_t words,
			 const uint64_t *value);
/*
 * Sends the vote. Call weft_consensus_dead() first for every member already
 * known to be dead.
 */
void weft_consensus_start(struct weft_consensus *c);
/* Handles the death of a member. */
void weft_consensus_dead(struct weft_consensus *c, int member);
/*
 * Handles a message. Returns false if it is invalid: it contradicts the
 * requirements above.
 */
bool weft_consensus_receive(struct weft_consensus *c, int from,
			    const struct weft_consensus_msg *msg);

/* Returns the contribution, the stored proposal, or the decision. */
static inline const uint64_t *
weft_consensus_value(const struct weft_consensus *c)
{
	return c->mem;
}

#endif
