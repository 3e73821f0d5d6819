/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traffic patterns: the destination of each message. Each node draws from its
 * own random stream, so its destinations do not depend on other nodes. Used by
 * sim_source.c and sim_cut.c.
 */
#ifndef WEFT_SIM_TRAFFIC_H
#define WEFT_SIM_TRAFFIC_H

#include "prov/net/file/net_config.h"
#include "src/base/rng.h"

#include <stdbool.h>

enum sim_pattern {
	SIM_UNIFORM,   /* a random node other than the source */
	SIM_NEIGHBOUR, /* each neighbour, round robin */
	/* every other node once, in a random order per source node */
	SIM_ALLTOALL,
	SIM_COMPLEMENT,	 /* the node opposite in every dimension */
	SIM_HOTSPOT,	 /* one node more often than the other nodes */
	SIM_PERMUTATION, /* one random partner per node */
	SIM_TRANSPOSE,	 /* nodes as a square matrix: the transposed position */
	SIM_IO,		 /* the I/O node of the source */
	SIM_GROUP,	 /* a random node of the next group */
	SIM_PATTERNS
};

struct sim_traffic {
	const struct net_config *cfg;
	enum sim_pattern pattern;
	/* number of nodes in a partition; traffic stays inside */
	uint32_t nodes;
	uint32_t side;	 /* side of the square of nodes; 0: not a square */
	uint32_t hot;	 /* number of the hot node */
	double hot_part; /* additional fraction of messages to the hot node */
	uint64_t seed;
	uint32_t *table;      /* partner of each node (permutation) */
	struct weft_rng *rng; /* random number generator of each node */
	uint32_t *drawn;      /* number of messages drawn so far by each node */
};

/* Converts a pattern to its name and back; -1: no such pattern. */
const char *sim_pattern_name(enum sim_pattern pattern);
int sim_pattern_find(const char *name);
/*
 * Returns the feature that the pattern needs and the machine lacks; NULL: none.
 */
const char *sim_pattern_missing(enum sim_pattern pattern,
				const struct net_config *cfg);

/* Returns 0 or -ENOMEM. sim_traffic_close() is valid after a failed open. */
int sim_traffic_open(struct sim_traffic *t, const struct net_config *cfg,
		     enum sim_pattern pattern, double hot_part, uint64_t seed);
void sim_traffic_close(struct sim_traffic *t);
uint32_t sim_traffic_next(struct sim_traffic *t, uint32_t src);

/*
 * For patterns with fixed partners, returns the number of messages after which
 * the partners repeat; 0: partners are not fixed.
 */
uint32_t sim_traffic_rounds(const struct sim_traffic *t);
uint32_t sim_traffic_fixed(const struct sim_traffic *t, uint32_t src,
			   uint32_t number);

/*
 * Returns the load of the busiest cut of the machine: the number of messages on
 * one of its links if every node sends one message. With minimal routing, the
 * rate of a node is at most the rate of a link divided by this load.
 */
double sim_traffic_load(const struct sim_traffic *t);

#endif
