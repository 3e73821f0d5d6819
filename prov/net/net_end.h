/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests: a network in memory of its own that notes what comes up. */
#ifndef WEFT_NET_END_H
#define WEFT_NET_END_H

#include "prov/net/net.h"

struct net_end {
	struct net *net;
	struct net_config cfg;
	uint64_t packets; /* packets handed up */
	uint64_t bytes;
	uint64_t arrived; /* messages */
	uint64_t last_at; /* of the last call */
	uint64_t last_node;
	uint64_t node_at[64];  /* likewise, of each of the first nodes */
	uint64_t cookie_at[8]; /* when the messages 0 to 7 had arrived */
	uint64_t offset_of[8]; /* how far packets of them have come */
	uint64_t overtaken;    /* packets of them that come later */
	uint64_t last_cookie;
	uint64_t backwards; /* calls up earlier than the one before */
	uint64_t results;
	uint64_t result_sum; /* of cookies */
	uint64_t result_at;  /* the last */
	uint64_t log;	     /* hash of all calls with their times */
	uint64_t sent, timers, combines;
	uint64_t acked, acked_at;	    /* messages, the last */
	uint64_t asked, answers, answer_at; /* questions, and what came back */
	uint64_t lost, lost_at;		    /* messages, the last */
	uint64_t dead, dead_at, dead_node;  /* nodes or links, the last */
	uint8_t answer;			    /* the last */
	uint8_t says[64];		    /* what the first nodes answer */
};

/* Fails the test when it cannot open. packets 0: a good number. */
void net_end_open(struct net_end *e, const struct net_config *cfg,
		  uint32_t packets);
void net_end_close(struct net_end *e);
/* Runs until nothing is under way. */
void net_end_drain(struct net_end *e);
extern const struct net_up net_end_up;
/* One message from src to dst at time at; returns what net_send returns. */
int net_end_send(struct net_end *e, uint64_t at, uint32_t src, uint32_t dst,
		 uint64_t bytes);

#endif
