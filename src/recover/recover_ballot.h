/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ballots: the consensus of a communicator's members (recover_consensus.h) over
 * messages. Members start the ballots of a communicator in the same order. A
 * decided ballot is kept, so that members which have not decided get the
 * decision, also after this process has freed the communicator.
 */
#ifndef WEFT_RECOVER_BALLOT_H
#define WEFT_RECOVER_BALLOT_H

#include "src/recover/recover_consensus.h"
#include "src/recover/recover_msg.h"

struct weft_ballot;

struct weft_ballot_value {
	const uint64_t *word;
	size_t words;
	/* first word of the bitmap of members: alive (recover_consensus.h) */
	size_t alive;
};

/*
 * Starts a ballot. proc: the members; this process is member `me`. Returns the
 * ballot, or NULL if there is no memory. All functions require the lock.
 */
struct weft_ballot *weft_ballot_start(const struct weft_recover_key *key,
				      const int *proc, int n, int me,
				      const struct weft_ballot_value *value);
/* Returns the decision; NULL: not decided yet. */
const uint64_t *weft_ballot_decision(const struct weft_ballot *b);
/* Releases a ballot, decided or not. */
void weft_ballot_put(struct weft_ballot *b);

/* Handles a message. */
void weft_ballot_receive(const struct weft_recover_msg *m);
/* Handles the failures since the last call. */
void weft_ballots_advance(void);
void weft_ballots_close(void);

#endif
