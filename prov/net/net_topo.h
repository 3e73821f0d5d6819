/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is my neighbour. */
#ifndef WEFT_NET_TOPO_H
#define WEFT_NET_TOPO_H

#include "prov/net/net_config.h"

#include <stdint.h>

uint32_t net_topo_nodes(const struct net_config *cfg);
uint32_t net_topo_ends(const struct net_config *cfg);
uint32_t net_topo_ports(const struct net_config *cfg);
/* Node and port at the other end, or -1. crossings_p: link chips on the way. */
int64_t net_topo_peer(const struct net_config *cfg, uint32_t node,
		      unsigned port, unsigned *port_p, unsigned *crossings_p);

#endif
