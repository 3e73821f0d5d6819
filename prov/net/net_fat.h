/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fat trees, generalized: level 0 are the end nodes, level l the switches with
 * m[l] children each, and a node of level l - 1 has w[l] parents. A quaternary
 * fat tree has m = 4 and w = 4 but for one parent of each end node.
 *
 * A node of level l is a pair: A, which subtree of that level (m digits above
 * l), and B, which of the subtree's tops (w digits up to l). Its parent j is
 * (A / m[l+1], B + j * W[l]); the port there is A % m[l+1]. Ports 0 to m[l] - 1
 * of a node go down, those from m[l] on go up.
 *
 *   level 2   B=0  B=1 .. B=3     one A: all tops of the whole tree
 *              |  x  x  x  |      every level-1 switch has a link to each
 *   level 1   A=0 .. A=3          one B each when w[1] = 1
 *            / | | \
 *   level 0  0 1 2 3  4 ..        end nodes
 */
#ifndef WEFT_NET_FAT_H
#define WEFT_NET_FAT_H

#include "prov/net/net_config.h"

#include <stdbool.h>
#include <stdint.h>

struct net_msg;

struct net_fat {
	uint32_t levels;
	uint32_t ports;
	uint32_t nodes;			  /* of all levels */
	uint32_t m[NET_DIMS_MAX + 2];	  /* [l]: children of level l */
	uint32_t w[NET_DIMS_MAX + 2];	  /* [l]: parents of level l - 1 */
	uint32_t ends[NET_DIMS_MAX + 1];  /* [l]: end nodes below one of l */
	uint32_t tops[NET_DIMS_MAX + 1];  /* [l]: W, product of w up to l */
	uint32_t first[NET_DIMS_MAX + 2]; /* [l]: number of its first node */
};

/* Where a node stands. */
struct net_fat_place {
	uint32_t level, a, b;
};

void net_fat_init(struct net_fat *f, const struct net_config *cfg);
struct net_fat_place net_fat_place(const struct net_fat *f, uint32_t node);
/* Node and port at the other end of a port, or -1. */
int64_t net_fat_peer(const struct net_fat *f, uint32_t node, unsigned port,
		     unsigned *port_p);
/* Ports towards end node dst: a mask, and the one of deterministic packets. */
uint64_t net_fat_steer(const struct net_fat *f, uint32_t node, uint32_t dst,
		       unsigned *det_p);
/* Whether a message's source route goes up, then down, and ends at dst. */
bool net_fat_leads(const struct net_fat *f, const struct net_msg *msg,
		   bool adaptive);
unsigned net_fat_hops(const struct net_fat *f, uint32_t src, uint32_t dst);

#endif
