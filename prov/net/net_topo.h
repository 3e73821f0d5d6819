/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is my neighbour. */
#ifndef WEFT_NET_TOPO_H
#define WEFT_NET_TOPO_H

#include "prov/net/net_config.h"

#include <stdbool.h>
#include <stdint.h>

uint32_t net_topo_nodes(const struct net_config *cfg);
uint32_t net_topo_ends(const struct net_config *cfg);
uint32_t net_topo_ports(const struct net_config *cfg);
/* Links can form rings, so that dynamic packets need a way to escape: 0, 1. */
uint32_t net_topo_rings(const struct net_config *cfg);
/*
 * Torus: the links to a neighbour, and the first port of a direction, which is
 * twice the dimension, and one more upwards. Ports of a direction follow each
 * other.
 */
unsigned net_topo_links(const struct net_config *cfg, unsigned d);
unsigned net_topo_first(const struct net_config *cfg, unsigned dir);
/* The link joins a node and the router that it shares. */
bool net_topo_inside(const struct net_config *cfg, uint32_t node,
		     unsigned port);
/* Buffers of a link's virtual channel: chunks of the first, else packets. */
uint32_t net_topo_tokens(const struct net_config *cfg, uint32_t node,
			 unsigned port, unsigned vc);
/*
 * The dimension, or in a tree the level, of a port's link: from 0 on;
 * NET_DIMS_MAX: none, it is inside, or joins siblings on one board.
 */
unsigned net_topo_level(const struct net_config *cfg, uint32_t node,
			unsigned port);
/* Node and port at the other end, or -1. crossings_p: link chips on the way. */
int64_t net_topo_peer(const struct net_config *cfg, uint32_t node,
		      unsigned port, unsigned *port_p, unsigned *crossings_p);

#endif
