/* SPDX-License-Identifier: BSD-3-Clause */
/* Test support: a network in its own memory that records its callbacks. */
#ifndef WEFT_NET_FIXTURE_H
#define WEFT_NET_FIXTURE_H

#include "prov/net/net.h"

struct net_fixture {
	struct net *net;
	struct net_config cfg;
	uint64_t packets; /* packets delivered */
	uint64_t bytes;
	uint64_t arrived; /* messages delivered */
	uint64_t last_at; /* time of the last callback */
	uint64_t last_node;
	/* time of the last callback of each of the first 64 nodes */
	uint64_t node_at[64];
	uint64_t cookie_at[8]; /* arrival times of messages 0 to 7 */
	/* offset of the latest packet of messages 0 to 7 */
	uint64_t offset_of[8];
	/* packets of messages 0 to 7 that arrived out of order */
	uint64_t overtaken;
	uint64_t last_cookie;
	/* callbacks with a time before that of the previous one */
	uint64_t backwards;
	uint64_t results;
	uint64_t result_sum; /* sum of the cookies of results */
	uint64_t result_at;  /* time of the last result */
	uint64_t log;	     /* hash of all callbacks with their times */
	uint64_t sent, timers, combines;
	uint64_t sent_at; /* time at which the unit read the last message */
	/* acknowledged messages, and the time of the last acknowledgement */
	uint64_t acked, acked_at;
	/* queries, answers; time of the last answer */
	uint64_t queried, answers, answer_at;
	uint64_t errors; /* error events */
	/* lost messages, and the time of the last loss */
	uint64_t lost, lost_at;
	/* reports of dead nodes or links; time and node of the last report */
	uint64_t dead, dead_at, dead_node;
	uint8_t answer; /* answer of the last query */
	/* answers that the first 64 nodes give to queries */
	uint8_t node_answer[64];
};

/* Opens the network, or fails the test. packets 0: a default number. */
void net_fixture_open(struct net_fixture *e, const struct net_config *cfg,
		      uint32_t packets);
void net_fixture_close(struct net_fixture *e);
/* Runs until nothing is in flight. */
void net_fixture_drain(struct net_fixture *e);
extern const struct net_up net_fixture_up;
/*
 * Sends one message from src to dst at time `at`. Returns the result of
 * net_send.
 */
int net_fixture_send(struct net_fixture *e, uint64_t at, uint32_t src,
		     uint32_t dst, uint64_t bytes);

#endif
