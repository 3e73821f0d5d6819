/* SPDX-License-Identifier: BSD-3-Clause */
/* Between the sources and the run of an experiment. */
#ifndef WEFT_SIM_INT_H
#define WEFT_SIM_INT_H

#include "src/sim/sim_progress.h"
#include "src/sim/sim_run.h"

/* Messages of one FIFO in memory; what comes after waits at the node. */
#define SIM_FIFO_DEPTH 2u

struct sim_message {
	uint64_t born;
	uint32_t src;
	uint32_t next; /* free record */
	uint16_t fifo;
};

/* Birth times of messages that wait at a node, a ring that grows. */
struct sim_backlog {
	uint64_t *born;
	uint32_t head, count, room;
};

struct sim_source {
	struct sim_backlog backlog;
	struct weft_rng rng; /* of its times */
	uint64_t next_at;    /* open loop: in 1/1024 ps */
	uint32_t turn;	     /* FIFO that is looked at first */
	uint32_t left;	     /* exchange: messages not yet drawn */
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
	uint32_t turns; /* exchange: messages of a node */
	uint64_t under_way;
	uint64_t bytes_in; /* delivered while counting */
	double gap_ps;	   /* open loop: mean between messages of a node */
	struct net_count before; /* counting begins */
	uint64_t count_from, count_to, last_at;
	bool stop;
	int err;
	struct sim_progress progress;
};

/* sim_source.c: what the nodes do, and what the network calls up. */
extern const struct net_up sim_up;
void sim_fail(struct sim *s, int err);
/* Something to send at a node: into a FIFO if one has room. */
void sim_offer(struct sim *s, uint64_t at, uint32_t node);
/* Draws when the node sends next, open loop. */
void sim_set_timer(struct sim *s, uint32_t node);
/* Fills the node's FIFOs with its first messages of an exchange. */
void sim_begin_exchange(struct sim *s, uint32_t node);

#endif
