/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The node of each rank, and the size of the machine that a job needs. All
 * functions except net_map_read() are pure: the launcher and the virtual-time
 * runtime both call them and get the same result.
 *
 * A shape is "4x4x4x4x2", dimension A first. A map is a sequence of letters,
 * one for each dimension and T for the slot on a node; the last letter varies
 * fastest: ABCDET fills a node, then proceeds along E. A map can also be a
 * table with one line of coordinates "a b c d e t" for each rank; # starts a
 * comment.
 *
 * Functions that fail write an error message for the user to `why`.
 */
#ifndef WEFT_NET_MAP_H
#define WEFT_NET_MAP_H

#include "prov/net/file/net_config.h"

#include <stddef.h>
#include <stdint.h>

enum { NET_MAP_WHY = 224, NET_MAP_NODES_MAX = 1 << 20 };

struct net_place {
	uint32_t node;
	uint32_t slot; /* slot on the node, below ppn */
};

struct net_map_args {
	/* must be a torus whose shape is already set */
	const struct net_config *cfg;
	/* ranks per node; 0: cfg->ranks_per_node */
	uint32_t ppn;
	uint32_t ranks;
	/* sequence of letters; NULL: dimensions in order, then T */
	const char *order;
	const char *table; /* contents of a table file, or NULL */
};

/* ---- shapes -------------------------------------------------------------- */

uint32_t net_shape_nodes(const struct net_config *cfg);
/*
 * Finds the smallest block of at least this number of nodes. The block grows by
 * doubling, the last dimension first, up to the size of the full machine: 32
 * nodes of Blue Gene/Q are 2x2x2x2x2, 512 are 4x4x4x4x2, all 98304 are
 * 16x16x16x12x2.
 */
int net_shape_fit(struct net_config *cfg, uint32_t nodes,
		  char why[NET_MAP_WHY]);
char *net_shape_text(const struct net_config *cfg, char *text, size_t len);

/*
 * Node numbers and coordinates. The last dimension varies fastest. Nodes of a
 * shared router are consecutive; net_node_at returns the first of them.
 */
uint32_t net_node_at(const struct net_config *cfg, const uint16_t *at);
void net_node_coords(const struct net_config *cfg, uint32_t node, uint16_t *at);

/* ---- maps ---------------------------------------------------------------- */

/* Returns whether text is a sequence of letters, not a file name. */
int net_map_is_order(const char *text);
/* Reads a file; the caller frees the text. Returns 0 or -errno. */
int net_map_read(const char *name, char **text_p, char why[NET_MAP_WHY]);
/*
 * Computes node and slot of each of args->ranks ranks. Returns 0, -EINVAL or
 * -ENOMEM.
 */
int net_map_fill(const struct net_map_args *args, struct net_place *place,
		 char why[NET_MAP_WHY]);

#endif
