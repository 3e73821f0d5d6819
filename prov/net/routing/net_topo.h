/* SPDX-License-Identifier: BSD-3-Clause */
/* Topology: the neighbours of a node. */
#ifndef WEFT_NET_TOPO_H
#define WEFT_NET_TOPO_H

#include "prov/net/file/net_config.h"

#include <stdbool.h>
#include <stdint.h>

uint32_t net_topo_nodes(const struct net_config *cfg);
uint32_t net_topo_ends(const struct net_config *cfg);
/* Returns the number of compute nodes of all partitions of a torus. */
uint32_t net_topo_compute(const struct net_config *cfg);
/* Returns the compute node at the other end of link k of an I/O node. */
uint32_t net_topo_bridge(const struct net_config *cfg, uint32_t io, unsigned k);
/* Returns whether the port's link connects a compute node and an I/O node. */
bool net_topo_is_io(const struct net_config *cfg, uint32_t node, unsigned port);
uint32_t net_topo_ports(const struct net_config *cfg);
/*
 * Returns 1 if the links form rings, so that escape channels are needed;
 * otherwise 0.
 */
uint32_t net_topo_rings(const struct net_config *cfg);
/*
 * For a torus: net_topo_links() returns the number of links to a neighbour in
 * dimension d, net_topo_first() the first port of a direction. Direction 2d
 * goes down in dimension d, direction 2d + 1 up. The ports of a direction are
 * consecutive.
 */
unsigned net_topo_links(const struct net_config *cfg, unsigned d);
unsigned net_topo_first(const struct net_config *cfg, unsigned dir);
/* Returns whether the port's link connects a node and its shared router. */
bool net_topo_is_internal(const struct net_config *cfg, uint32_t node,
			  unsigned port);
/*
 * Returns the number of tokens of a link's VC: tokens of VC 0 stand for chunks,
 * those of other VCs for packets.
 */
uint32_t net_topo_tokens(const struct net_config *cfg, uint32_t node,
			 unsigned port, unsigned vc);
/*
 * Returns the dimension of a port's link or, in a tree, its level, from 0 on;
 * NET_DIMS_MAX: a link inside a node, or between siblings on one board.
 */
unsigned net_topo_level(const struct net_config *cfg, uint32_t node,
			unsigned port);
/*
 * Returns the node at the other end of a port's link, or -1; sets *port_p to
 * the port of that node, and *crossings_p to the number of link chips on the
 * link.
 */
int64_t net_topo_peer(const struct net_config *cfg, uint32_t node,
		      unsigned port, unsigned *port_p, unsigned *crossings_p);

#endif
