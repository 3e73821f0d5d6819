/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiled routers: columns, and the row buffers in front of them. */
#ifndef WEFT_NET_TILE_H
#define WEFT_NET_TILE_H

#include "prov/net/net_layout.h"

/*
 * Returns the number of packets from a receiver in the row buffer of each
 * column, VC by VC.
 */
static inline uint8_t *net_tile_rows(const struct net *net, uint32_t node,
				     unsigned port)
{
	return (uint8_t *)net_at(net, net->off_row) +
	       ((uint64_t)(node - net->ends) * net->ports + port) *
		       net->cfg.columns * 4;
}

/* Returns the number of packets in row buffers that wait for this port. */
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
 * Queues a deterministic packet that has arrived at a router. Returns a mask of
 * the ports whose state has changed.
 */
uint64_t net_tile_arrive(struct net_step *s, uint32_t node, unsigned port,
			 uint32_t pi);
/*
 * Updates the row buffers when a packet leaves. Returns a mask of the ports
 * whose state has changed.
 */
uint64_t net_tile_leave(struct net_step *s, const struct net_packet *p);
/* Returns whether the row buffer from receiver `in` to port `out` has space. */
bool net_tile_has_room(const struct net_step *s, unsigned in, unsigned out,
		       unsigned vc);
/*
 * Returns the port for an adaptive packet at the head of receiver `in`; -1: the
 * packet stays in its queue until another packet has left.
 */
int net_tile_choose(struct net_step *s, unsigned in, uint32_t pi);
/* Makes a packet on the bubble channel stay on the same parallel link. */
static inline void net_tile_pin_link(const struct net *net, uint32_t pi,
				     unsigned port)
{
	struct net_packet *p = net_packet(net, pi);

	if (p->want && port < net->down)
		p->link_hash =
			(uint16_t)(port - net->dir_first[net->flow[port]]);
}
/*
 * Moves a packet that has left its queue to the row buffer of `port`. Returns a
 * mask of the ports whose state has changed.
 */
uint64_t net_tile_enter(struct net_step *s, unsigned in, uint32_t pi,
			unsigned port);

#endif
