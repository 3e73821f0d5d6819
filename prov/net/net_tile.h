/* SPDX-License-Identifier: BSD-3-Clause */
/* Routers of tiles: columns, and the buffers in front of them. */
#ifndef WEFT_NET_TILE_H
#define WEFT_NET_TILE_H

#include "prov/net/net_layout.h"

/* Packets of a receiver in the row buffer of each column, VC by VC. */
static inline uint8_t *net_tile_rows(const struct net *net, uint32_t node,
				     unsigned port)
{
	return (uint8_t *)net_at(net, net->off_row) +
	       ((uint64_t)(node - net->ends) * net->ports + port) *
		       net->cfg.columns * 4;
}

/* Number of packets in row buffers that will leave by this port. */
static inline uint16_t *net_tile_queued(const struct net *net, uint32_t node,
					unsigned port)
{
	return (uint16_t *)net_at(net, net->off_queued) +
	       (uint64_t)(node - net->ends) * net->ports + port;
}

static inline bool net_tile_router(const struct net_step *s)
{
	return s->net->cfg.columns && s->id >= s->net->ends;
}

/*
 * A deterministic packet is at a receiver of a router; returns the ports that
 * have changed.
 */
uint64_t net_tile_arrive(struct net_step *s, uint32_t node, unsigned port,
			 uint32_t pi);
/* A packet leaves by its port; returns the ports that have changed. */
uint64_t net_tile_leave(struct net_step *s, const struct net_packet *p);
/* True if the row buffer from receiver in to port out has space. */
bool net_tile_has_room(const struct net_step *s, unsigned in, unsigned out,
		       unsigned vc);
/*
 * The port that an adaptive packet at the head of receiver in waits for, or -1:
 * the packet stays in its queue until another one has left.
 */
int net_tile_choose(struct net_step *s, unsigned in, uint32_t pi);
/* On the bubble channel an adaptive packet keeps to the lane of this port. */
static inline void net_tile_lane(const struct net *net, uint32_t pi,
				 unsigned port)
{
	struct net_packet *p = net_packet(net, pi);

	if (p->want && port < net->down)
		p->lane = (uint16_t)(port - net->dir_first[net->flow[port]]);
}
/*
 * Moves a packet that has left its queue to the row buffer for port; returns
 * the ports that have changed.
 */
uint64_t net_tile_enter(struct net_step *s, unsigned in, uint32_t pi,
			unsigned port);

#endif
