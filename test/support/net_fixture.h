/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests: a network in memory of its own that records its callbacks. */
#ifndef WEFT_NET_FIXTURE_H
#define WEFT_NET_FIXTURE_H

#include "prov/net/net.h"

struct net_fixture {
	struct net *net;
	struct net_config cfg;
	uint64_t packets; /* delivered packets */
	uint64_t bytes;
	uint64_t arrived; /* delivered messages */
	uint64_t last_at; /* time of the last callback */
	uint64_t last_node;
	uint64_t node_at[64];  /* last callback per node, first 64 nodes */
	uint64_t cookie_at[8]; /* arrival times of messages 0 to 7 */
	uint64_t offset_of[8]; /* offset of the latest packet of each of them */
	uint64_t overtaken;    /* packets of them that came out of order */
	uint64_t last_cookie;
	uint64_t backwards; /* callbacks earlier than the one before */
	uint64_t results;
	uint64_t result_sum; /* of cookies */
	uint64_t result_at;  /* time of the last result */
	uint64_t log;	     /* hash of all callbacks with their times */
	uint64_t sent, timers, combines;
	uint64_t acked, acked_at;	    /* messages; time of the last */
	uint64_t asked, answers, answer_at; /* queries and answers */
	uint64_t lost, lost_at;		    /* messages; time of the last */
	uint64_t dead, dead_at, dead_node;  /* nodes or links; last one */
	uint8_t answer;			    /* last answer */
	uint8_t says[64];		    /* answers of the first nodes */
};

/* Fails the test if it cannot open. packets 0: a default number. */
void net_fixture_open(struct net_fixture *e, const struct net_config *cfg,
		      uint32_t packets);
void net_fixture_close(struct net_fixture *e);
/* Runs until nothing is in flight. */
void net_fixture_drain(struct net_fixture *e);
extern const struct net_up net_fixture_up;
/* Sends one message from src to dst at time at; returns net_send's result. */
int net_fixture_send(struct net_fixture *e, uint64_t at, uint32_t src,
		     uint32_t dst, uint64_t bytes);

#endif
