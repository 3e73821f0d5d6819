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

/* How many packets in row buffers are to leave by this port. */
static inline uint16_t *net_tile_queued(const struct net *net, uint32_t node,
					unsigned port)
{
	return (uint16_t *)net_at(net, net->off_queued) +
	       (uint64_t)(node - net->ends) * net->ports + port;
}

static inline bool net_tile_is(const struct net_step *s)
{
	return s->net->cfg.columns && s->id >= s->net->ends;
}

/*
 * A packet that keeps to one port is at a receiver of a router; which ports
 * have something new to look at.
 */
uint64_t net_tile_arrive(struct net_step *s, uint32_t node, unsigned port,
			 uint32_t pi);
/* One leaves by its port; likewise. */
uint64_t net_tile_leave(struct net_step *s, const struct net_packet *p);
/* Is there room in the row buffer from receiver in to a port? */
bool net_tile_has_room(const struct net_step *s, unsigned in, unsigned out,
		       unsigned vc);
/*
 * The port that an adaptive packet at the head of receiver in is to wait for,
 * or -1: it stays there until one has left.
 */
int net_tile_choose(struct net_step *s, unsigned in, uint32_t pi);
/* In the bubble channel an adaptive packet keeps to the lane of this port. */
static inline void net_tile_lane(const struct net *net, uint32_t pi,
				 unsigned port)
{
	struct net_packet *p = net_packet(net, pi);

	if (p->want && port < net->down)
		p->lane = (uint16_t)(port - net->dir_first[net->flow[port]]);
}
/* It has been taken out of its queue, and keeps to port; as for arrivals. */
uint64_t net_tile_enter(struct net_step *s, unsigned in, uint32_t pi,
			unsigned port);

#endif
