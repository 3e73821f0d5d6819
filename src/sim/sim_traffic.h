/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who sends to whom. Each node draws from a stream of its own, so that what
 * one node does never depends on when others ask.
 */
#ifndef WEFT_SIM_TRAFFIC_H
#define WEFT_SIM_TRAFFIC_H

#include "prov/net/net_config.h"
#include "src/base/rng.h"

#include <stdbool.h>

enum sim_pattern {
	SIM_UNIFORM,	 /* any other node */
	SIM_NEIGHBOUR,	 /* each neighbour in turn */
	SIM_ALLTOALL,	 /* each other node once, in an order of its own */
	SIM_COMPLEMENT,	 /* the node opposite in every dimension */
	SIM_HOTSPOT,	 /* one node more often than the others */
	SIM_PERMUTATION, /* one partner each, drawn by lot */
	SIM_TRANSPOSE,	 /* of a square of nodes, row by row: its mirror */
	SIM_PATTERNS
};

struct sim_traffic {
	const struct net_config *cfg;
	enum sim_pattern pattern;
	uint32_t nodes;
	uint32_t side;	 /* of the square that the nodes are, or 0 */
	uint32_t hot;	 /* the node, and how much more often */
	double hot_part; /* of the messages that go there besides */
	uint64_t seed;
	uint32_t *table;      /* permutation */
	struct weft_rng *rng; /* per node */
	uint32_t *turn;	      /* per node, messages drawn */
};

/* Name and back; -1: no such pattern. */
const char *sim_pattern_name(enum sim_pattern pattern);
int sim_pattern_find(const char *name);
/* What the pattern needs and the machine does not have, or NULL. */
const char *sim_pattern_lacks(enum sim_pattern pattern,
			      const struct net_config *cfg);

/* 0 or -ENOMEM. Close takes what a failed open leaves. */
int sim_traffic_open(struct sim_traffic *t, const struct net_config *cfg,
		     enum sim_pattern pattern, double hot_part, uint64_t seed);
void sim_traffic_close(struct sim_traffic *t);
uint32_t sim_traffic_next(struct sim_traffic *t, uint32_t src);

/* Patterns whose partners are known: after so many rounds they repeat, or 0. */
uint32_t sim_traffic_rounds(const struct sim_traffic *t);
uint32_t sim_traffic_fixed(const struct sim_traffic *t, uint32_t src,
			   uint32_t turn);

/*
 * Load of the busiest cut of the machine: messages through one of its links
 * for one message of every node. With minimal routing no network can take more
 * than 1 / load of a link's rate from each node.
 */
double sim_traffic_load(const struct sim_traffic *t);

#endif
