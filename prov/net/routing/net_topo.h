/* SPDX-License-Identifier: BSD-3-Clause */
/* Topology: the neighbours of a node. */
#ifndef WEFT_NET_TOPO_H
#define WEFT_NET_TOPO_H

#include "prov/net/file/net_config.h"

#include <stdbool.h>
#include <stdint.h>

uint32_t net_topo_nodes(const struct net_config *cfg);
uint32_t net_topo_ends(const struct net_config *cfg);
uint32_t net_topo_ports(const struct net_config *cfg);
/* 1: links can form rings, so dynamic packets need an escape channel; 0. */
uint32_t net_topo_rings(const struct net_config *cfg);
/*
 * Torus: the links to a neighbour, and the first port of a direction, which is
 * twice the dimension, plus one upwards. Ports of a direction are consecutive.
 */
unsigned net_topo_links(const struct net_config *cfg, unsigned d);
unsigned net_topo_first(const struct net_config *cfg, unsigned dir);
/* True if the link connects a node and its shared router. */
bool net_topo_is_internal(const struct net_config *cfg, uint32_t node,
			  unsigned port);
/* Buffers of a link's virtual channel: chunks of the first, else packets. */
uint32_t net_topo_tokens(const struct net_config *cfg, uint32_t node,
			 unsigned port, unsigned vc);
/*
 * Dimension, or in a tree level, of a port's link: from 0 on; NET_DIMS_MAX:
 * none, the link is inside a node, or connects siblings on one board.
 */
unsigned net_topo_level(const struct net_config *cfg, uint32_t node,
			unsigned port);
/* Node and port at the other end, or -1. crossings_p: link chips between. */
int64_t net_topo_peer(const struct net_config *cfg, uint32_t node,
		      unsigned port, unsigned *port_p, unsigned *crossings_p);

#endif
