/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by sim_source.c and sim_run.c. */
#ifndef WEFT_SIM_INT_H
#define WEFT_SIM_INT_H

#include "src/tools/sim/sim_progress.h"
#include "src/tools/sim/sim_run.h"

/*
 * Number of messages per injection FIFO; further messages wait in the node's
 * backlog.
 */
#define SIM_FIFO_DEPTH 2u

struct sim_message {
	uint64_t created;
	uint32_t src;
	uint32_t next; /* index of the next record in the free list */
	uint16_t fifo;
};

/* Creation times (ps) of the messages that wait at a node, a growing ring. */
struct sim_backlog {
	uint64_t *created;
	uint32_t head, count, room;
};

struct sim_source {
	struct sim_backlog backlog;
	struct weft_rng rng; /* random numbers for the node's creation times */
	uint64_t next_at;    /* open loop: next creation time, in 1/1024 ps */
	uint32_t next_fifo;  /* index of the FIFO that is tried first */
	uint32_t left;	     /* exchange: number of messages not yet created */
};

struct sim {
	const struct sim_spec *spec;
	struct sim_result *r;
	struct net *net;
	size_t net_bytes;
	struct sim_traffic traffic;
	struct sim_source *source;
	uint8_t *busy; /* messages in each FIFO of each node */
	struct sim_message *message;
	uint32_t message_room, message_free;
	uint32_t fifos;
	uint32_t exchange_messages; /* exchange: messages per node */
	uint64_t in_flight;
	uint64_t bytes_in; /* bytes delivered while counting */
	double gap_ps;	   /* open loop: mean time between messages of a node */
	struct net_count before; /* counters at the start of counting */
	uint64_t count_from, count_to, last_at;
	bool stop;
	int err;
	struct sim_progress progress;
};

/*
 * Callbacks of the network, and the function that ends a run with an error
 * (sim_source.c).
 */
extern const struct net_up sim_up;
void sim_fail(struct sim *s, int err);
/* Creates a message: posts it to a FIFO, or adds it to the backlog. */
void sim_create_message(struct sim *s, uint64_t at, uint32_t node);
/* Open loop: draws the time of the node's next message and sets its timer. */
void sim_set_timer(struct sim *s, uint32_t node);
/* Exchange: fills the node's FIFOs with its first messages. */
void sim_begin_exchange(struct sim *s, uint32_t node);

#endif
