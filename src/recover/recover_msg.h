/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages by which the members of a communicator handle failures. They are not
 * messages of the communicator: they are also sent between members of a revoked
 * communicator. The lock is held in all functions.
 */
#ifndef WEFT_RECOVER_MSG_H
#define WEFT_RECOVER_MSG_H

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

enum weft_recover_what { WEFT_RECOVER_BALLOT, WEFT_RECOVER_REVOKE };

/*
 * Identifies a communicator; the context id alone does not, since it may be
 * used again later.
 */
struct weft_recover_key {
	uint32_t ctx;
	uint32_t hash; /* hash of the members */
	uint32_t seq;  /* number of the ballot */
};

/* The head of a message; the words of the value follow. */
struct weft_recover_msg {
	alignas(8) uint32_t what; /* enum weft_recover_what */
	struct weft_recover_key key;
	uint32_t kind; /* ballots: enum weft_consensus_kind */
	uint32_t stamp;
	uint32_t from; /* ballots: member number of the sender */
	uint32_t words;
};

static inline const uint64_t *
weft_recover_msg_value(const struct weft_recover_msg *m)
{
	return m->words ? (const uint64_t *)(m + 1) : NULL;
}

/*
 * Opens the receives. handle: called for each message, of which only the length
 * has been checked.
 */
int weft_recover_msg_open(void (*handle)(const struct weft_recover_msg *m));
/* Frees the buffers, after the endpoint is closed. */
void weft_recover_msg_close(void);

/* Sends a message; if the process is dead, the message is dropped. */
void weft_recover_msg_send(int proc, const struct weft_recover_msg *m,
			   const uint64_t *value);
/* Passes the messages that have arrived to the handler. */
void weft_recover_msg_deliver(void);

#endif
