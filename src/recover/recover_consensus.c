/* SPDX-License-Identifier: BSD-3-Clause */
/* Uniform consensus (recover_consensus.h), without transport. */
#include "src/recover/recover_consensus.h"

#include <string.h>

/* ---- parts of the state -------------------------------------------------- */

static uint64_t *votes_of(struct weft_consensus *c)
{
	return c->mem + c->words;
}

static uint8_t *dead_of(struct weft_consensus *c)
{
	return (uint8_t *)(c->mem + 2 * c->words);
}

static uint8_t *answered_of(struct weft_consensus *c)
{
	return dead_of(c) + c->n;
}

size_t weft_consensus_bytes(int n, size_t words)
{
	size_t flags = (2 * (size_t)n + 7) & ~(size_t)7;

	return sizeof(struct weft_consensus) + 2 * words * sizeof(uint64_t) +
	       flags;
}

static void value_copy(const struct weft_consensus *c, uint64_t *to,
		       const uint64_t *from)
{
	memmove(to, from, c->words * sizeof(*to));
}

/* ---- sending ------------------------------------------------------------- */

static void send_to(struct weft_consensus *c, int to,
		    enum weft_consensus_kind kind)
{
	const struct weft_consensus_msg msg = {
		.kind = kind,
		.stamp = c->stamp,
		.value = weft_consensus_has_value(kind) ? c->mem : NULL,
	};

	c->send(c->arg, to, &msg);
}

static void send_to_living(struct weft_consensus *c,
			   enum weft_consensus_kind kind)
{
	for (int i = 0; i < c->n; i++)
		if (i != c->me && !dead_of(c)[i])
			send_to(c, i, kind);
}

/* ---- coordinator --------------------------------------------------------- */

static void answered_clear(struct weft_consensus *c)
{
	memset(answered_of(c), 0, (size_t)c->n);
	answered_of(c)[c->me] = 1;
}

static bool all_answered(struct weft_consensus *c)
{
	for (int i = 0; i < c->n; i++)
		if (!answered_of(c)[i] && !dead_of(c)[i])
			return false;
	return true;
}

/*
 * Clears the bits of the dead members whose contribution is missing. A value
 * that was proposed before must not change.
 */
static void mark_missing(struct weft_consensus *c)
{
	uint64_t *bits = votes_of(c) + c->alive;

	for (int i = 0; c->alive && !c->gathered && i < c->n; i++)
		if (!answered_of(c)[i])
			bits[i / 64] &= ~(UINT64_C(1) << i % 64);
}

static void propose(struct weft_consensus *c)
{
	mark_missing(c);
	value_copy(c, c->mem, votes_of(c));
	c->stamp = (uint32_t)c->me + 1;
	c->proposed = true;
	answered_clear(c);
	send_to_living(c, WEFT_CONSENSUS_PROPOSE);
}

static void decide(struct weft_consensus *c)
{
	c->decided = true;
	send_to_living(c, WEFT_CONSENSUS_DECIDE);
}

/*
 * Continues as the coordinator when all living members have voted, or have
 * stored the proposal.
 */
static void coordinate(struct weft_consensus *c)
{
	if (c->decided || c->coordinator != c->me)
		return;
	if (!c->proposed && all_answered(c))
		propose(c);
	if (c->proposed && all_answered(c))
		decide(c);
}

static void coordinator_begin(struct weft_consensus *c)
{
	value_copy(c, votes_of(c), c->mem);
	c->gathered = c->stamp;
	c->proposed = false;
	answered_clear(c);
	if (c->me > 0)
		send_to_living(c, WEFT_CONSENSUS_QUERY);
	coordinate(c);
}

static void vote_count(struct weft_consensus *c, int from,
		       const struct weft_consensus_msg *msg)
{
	uint64_t *votes = votes_of(c);

	if (c->proposed || answered_of(c)[from])
		return;
	answered_of(c)[from] = 1;
	if (msg->stamp > c->gathered) {
		c->gathered = msg->stamp;
		value_copy(c, votes, msg->value);
	} else if (msg->stamp == c->gathered) {
		for (size_t i = 0; i < c->words; i++)
			votes[i] &= msg->value[i];
	}
	coordinate(c);
}

/* ---- all members --------------------------------------------------------- */

/* Votes, or becomes the coordinator. */
static void vote(struct weft_consensus *c)
{
	if (c->coordinator == c->me)
		coordinator_begin(c);
	else
		send_to(c, c->coordinator, WEFT_CONSENSUS_VOTE);
}

void weft_consensus_init(struct weft_consensus *c, int n, int me, size_t words,
			 const uint64_t *value)
{
	memset(c, 0, weft_consensus_bytes(n, words));
	c->n = n;
	c->me = me;
	c->words = words;
	c->coordinator = -1;
	value_copy(c, c->mem, value);
}

/*
 * Sets the coordinator to the living member with the lowest rank. Returns
 * whether the coordinator has changed.
 */
static bool coordinator_find(struct weft_consensus *c)
{
	int first = 0;

	while (first < c->me && dead_of(c)[first])
		first++;
	if (first == c->coordinator)
		return false;
	c->coordinator = first;
	return true;
}

void weft_consensus_start(struct weft_consensus *c)
{
	coordinator_find(c);
	vote(c);
}

void weft_consensus_dead(struct weft_consensus *c, int member)
{
	if (member == c->me || dead_of(c)[member])
		return;
	dead_of(c)[member] = 1;
	if (c->decided || c->coordinator < 0)
		return;
	if (coordinator_find(c))
		vote(c);
	else
		coordinate(c);
}

/*
 * Marks all members of lower rank than this coordinator as dead. Called after a
 * message that only a coordinator sends or gets, and that therefore shows that
 * they are dead.
 */
static void dead_below(struct weft_consensus *c, int coordinator)
{
	for (int i = 0; i < coordinator; i++)
		dead_of(c)[i] = dead_of(c)[i] || i != c->me;
	if (coordinator_find(c))
		vote(c);
}

static void proposal_store(struct weft_consensus *c, int from,
			   const struct weft_consensus_msg *msg)
{
	/*
	 * ignores the proposal of a former coordinator that arrives after this
	 * member has voted for its successor
	 */
	if (from != c->coordinator)
		return;
	value_copy(c, c->mem, msg->value);
	c->stamp = msg->stamp;
	send_to(c, from, WEFT_CONSENSUS_ACK);
}

static void decision_store(struct weft_consensus *c,
			   const struct weft_consensus_msg *msg)
{
	value_copy(c, c->mem, msg->value);
	c->stamp = msg->stamp;
	c->decided = true;
	/*
	 * the living members get the decision without a request, since they
	 * send nothing more after they have voted for this coordinator
	 */
	if (c->me == c->coordinator)
		send_to_living(c, WEFT_CONSENSUS_DECIDE);
}

static bool is_valid(const struct weft_consensus *c, int from,
		     const struct weft_consensus_msg *msg)
{
	if (from < 0 || from >= c->n || from == c->me ||
	    msg->stamp > (uint32_t)c->n ||
	    !msg->value == weft_consensus_has_value(msg->kind))
		return false;
	switch (msg->kind) {
	case WEFT_CONSENSUS_VOTE:
	case WEFT_CONSENSUS_ACK:
		return from > c->me;
	case WEFT_CONSENSUS_QUERY:
		return from < c->me || c->decided;
	case WEFT_CONSENSUS_PROPOSE:
		return (from < c->me || c->decided) &&
		       msg->stamp == (uint32_t)from + 1;
	case WEFT_CONSENSUS_DECIDE:
		return msg->stamp > 0;
	default:
		return false;
	}
}

/*
 * Sends the decision to a member that may not have decided, in reply to a
 * message of this kind. Returns true.
 */
static bool answer(struct weft_consensus *c, int to, uint32_t kind)
{
	if (kind != WEFT_CONSENSUS_DECIDE && kind != WEFT_CONSENSUS_ACK)
		send_to(c, to, WEFT_CONSENSUS_DECIDE);
	return true;
}

bool weft_consensus_receive(struct weft_consensus *c, int from,
			    const struct weft_consensus_msg *msg)
{
	if (!is_valid(c, from, msg))
		return false;
	if (c->decided)
		return answer(c, from, msg->kind);
	switch (msg->kind) {
	case WEFT_CONSENSUS_VOTE:
		dead_below(c, c->me);
		vote_count(c, from, msg);
		break;
	case WEFT_CONSENSUS_QUERY:
		dead_below(c, from);
		break;
	case WEFT_CONSENSUS_PROPOSE:
		dead_below(c, from);
		proposal_store(c, from, msg);
		break;
	case WEFT_CONSENSUS_ACK:
		if (c->proposed) {
			answered_of(c)[from] = 1;
			coordinate(c);
		}
		break;
	case WEFT_CONSENSUS_DECIDE:
		decision_store(c, msg);
		break;
	}
	return true;
}
