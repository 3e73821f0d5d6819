/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Generalized fat trees: level 0 are the end nodes; a switch of level l has
 * m[l] children, and a node of level l - 1 has w[l] parents. A quaternary fat
 * tree has m = 4 and w = 4, except that each end node has one parent.
 *
 * A node of level l is a pair (A, B): A is the number of its subtree among the
 * subtrees of level l (m digits above l), B is its number among the top
 * switches of that subtree (the w digits up to level l). Its parent j is (A /
 * m[l+1], B + j * W[l]); the port there is A % m[l+1]. Ports 0 to m[l] - 1 of a
 * node go down, port m[l] and higher ports go up.
 *
 *   level 2   B=0  B=1 .. B=3     A=0: all top switches of the whole tree
 *              |  x  x  x  |      every level-1 switch has a link to each
 *   level 1   A=0 .. A=3          B=0 for all if w[1] = 1
 *            / | | \
 *   level 0  0 1 2 3  4 ..        end nodes
 *
 * Rails: end nodes have w[1] parents, in several disjoint trees; B
 * distinguishes the trees. Siblings: switches 2i and 2i + 1 of level 1 in one
 * rail are connected directly, by the ports after the upward ports.
 *
 * Routes: a packet goes up until its target is below, then down. If the link
 * down to a switch of level 1 is dead, the packet goes down to the sibling of
 * that switch, then across the link between the siblings. A switch that has
 * lost all upward links sends packets across to its sibling, which sends them
 * up. A packet for a node of the sibling may go across at once. No packet
 * crosses twice, and none goes up after it has gone down, so there is no cycle.
 */
#ifndef WEFT_NET_FAT_H
#define WEFT_NET_FAT_H

#include "prov/net/file/net_config.h"

#include <stdbool.h>
#include <stdint.h>

struct net_msg;

struct net_fat {
	uint32_t levels;
	uint32_t ports;
	uint32_t nodes; /* nodes of all levels */
	uint32_t rails;
	uint32_t siblings; /* links between two sibling switches */
	uint32_t super;	   /* levels of a supernode; 0: no supernodes */
	uint32_t m[NET_DIMS_MAX + 2]; /* children of a switch of level l */
	uint32_t w[NET_DIMS_MAX + 2]; /* parents of a node of level l - 1 */
	/* end nodes below one switch of level l */
	uint32_t ends[NET_DIMS_MAX + 1];
	/* tops[l]: W[l], the product of w[1] to w[l] */
	uint32_t tops[NET_DIMS_MAX + 1];
	uint32_t first[NET_DIMS_MAX + 2]; /* first node of level l */
};

struct net_fat_place {
	uint32_t level, a, b;
};

void net_fat_init(struct net_fat *f, const struct net_config *cfg);
struct net_fat_place net_fat_place(const struct net_fat *f, uint32_t node);
/*
 * Returns the node at the other end of a port's link, and sets *port_p to the
 * port of that node; -1: no link.
 */
int64_t net_fat_neighbour(const struct net_fat *f, uint32_t node, unsigned port,
			  unsigned *port_p);
bool net_fat_is_sibling(const struct net_fat *f, uint32_t node, unsigned port);
/* Routing table entry: ports of a node towards an end node. */
struct net_fat_route {
	uint64_t ports; /* mask of the ports that adaptive packets may use */
	/* mask of the ports used if none of `ports` is usable */
	uint64_t detour;
	unsigned first; /* port that deterministic packets use if possible */
};
/*
 * Computes a table entry. hops: number of hops of the packet so far; rail:
 * number of the packet's rail plus one, or 0 for any rail.
 */
void net_fat_route(const struct net_fat *f, uint32_t node, uint32_t dst,
		   unsigned hops, unsigned rail, struct net_fat_route *r);
/*
 * Returns a mask of the ports that a packet may use, or 0 if there is no route,
 * and sets *det_p to the port for a deterministic packet: the first usable port
 * in order. dead: for each node, a mask of the ports whose link is dead; NULL:
 * no dead links.
 */
uint64_t net_fat_steer(const struct net_fat *f, const uint64_t *dead,
		       uint32_t node, uint32_t dst, unsigned hops,
		       unsigned rail, unsigned *det_p);
/*
 * Like net_fat_steer, but takes all dead links of the network into account, not
 * only those of the node.
 */
uint64_t net_fat_reroute(const struct net_fat *f, const uint64_t *dead,
			 uint32_t node, uint32_t dst, unsigned hops,
			 unsigned rail, unsigned *det_p);
/*
 * Returns the first port of the mask, searching from `first` on, with
 * wrap-around.
 */
unsigned net_fat_in_order(uint64_t ports, unsigned first);
/*
 * Returns whether the source route of msg goes up, then down, and ends at the
 * message's target.
 */
bool net_fat_route_check(const struct net_fat *f, const struct net_msg *msg,
			 bool adaptive);
unsigned net_fat_hops(const struct net_fat *f, uint32_t src, uint32_t dst);

#endif
