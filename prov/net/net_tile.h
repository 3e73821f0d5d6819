/* SPDX-License-Identifier: BSD-3-Clause */
/* Routers of tiles: columns, and the buffers in front of them. */
#ifndef WEFT_NET_TILE_H
#define WEFT_NET_TILE_H

#include "prov/net/net_layout.h"

/* Packets of a receiver in front of each column, VC by VC. */
static inline uint8_t *net_tile_rows(const struct net *net, uint32_t node,
				     unsigned port)
{
	return (uint8_t *)net_at(net, net->off_row) +
	       ((uint64_t)(node - net->ends) * net->ports + port) *
		       net->cfg.columns * 4;
}

/*
 * A packet that keeps to one port is at a receiver of a router; which ports
 * have something new to look at.
 */
uint64_t net_tile_arrive(struct net_step *s, uint32_t node, unsigned port,
			 uint32_t pi);
/* One leaves by its port; likewise. */
uint64_t net_tile_leave(struct net_step *s, const struct net_packet *p);
/* The ports of one column that an adaptive packet which has to wait asks. */
uint64_t net_tile_column(const struct net_step *s, uint64_t want);

#endif
