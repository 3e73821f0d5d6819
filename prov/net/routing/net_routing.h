/* SPDX-License-Identifier: BSD-3-Clause */
/* Routing: the ports that a packet may use. */
#ifndef WEFT_NET_ROUTING_H
#define WEFT_NET_ROUTING_H

#include "prov/net/net_layout.h"

void net_routing_init(struct net *net);
/* Routes a packet around dead links (net_fault_routing.c). */
void net_fault_routing(const struct net *net, struct net_packet *p,
		       uint32_t node);
/*
 * Computes the hops of a message per dimension. -EINVAL: the target cannot be
 * reached (e.g. a hint leads out of a mesh), or the source route does not end
 * at the target.
 */
int net_routing_plan(const struct net *net, const struct net_msg *msg,
		     int8_t *rem);
/*
 * Converts the directions in `want` and `det` to ports, if directions have
 * several ports.
 */
void net_routing_spread(const struct net *net, struct net_packet *p);
/* Set and update `want` and `det` in trees and with shared routers. */
void net_routing_ports_other(const struct net *net, struct net_packet *p,
			     uint32_t node);
void net_routing_hop_other(const struct net *net, struct net_packet *p,
			   uint32_t node, unsigned port);
static inline void net_routing_ports_torus(const struct net *net,
					   struct net_packet *p)
{
	uint32_t want;

	p->det = (uint8_t)__builtin_ctz(p->dirs & net->det_dirs[p->left]);
	want = p->dirs & net->zone_dirs[p->zone][p->left];
	if (!(p->flags & NET_P_DYN) ||
	    (p->vc == NET_VC_DET && p->flags & NET_P_STAY))
		want = 0;
	p->want = want;
	if (weft_unlikely(net->parallel))
		net_routing_spread(net, p);
}
/* Sets `want` and `det` of a packet at a node other than its target. */
static inline void net_routing_ports(const struct net *net,
				     struct net_packet *p, uint32_t node)
{
	if (weft_likely(!(net->steer | net->detour)))
		net_routing_ports_torus(net, p);
	else
		net_routing_ports_other(net, p, node);
}
static inline bool net_routing_is_last(const struct net *net,
				       const struct net_packet *p,
				       uint32_t node)
{
	return net->steer ? p->dst == node : !p->left;
}
static inline void net_routing_hop_torus(const struct net *net,
					 struct net_packet *p, unsigned port)
{
	unsigned flow = net->flow[port], d = flow >> 1;

	p->rem[d] = (int8_t)(p->rem[d] + 1 - 2 * (int)(flow & 1));
	p->left &= (uint8_t) ~((unsigned)(p->rem[d] == 0) << d);
}
/* Updates a packet's remaining hops when it leaves the node by this port. */
static inline void net_routing_hop(const struct net *net, struct net_packet *p,
				   uint32_t node, unsigned port)
{
	if (weft_unlikely(net->steer))
		net_routing_hop_other(net, p, node, port);
	else
		net_routing_hop_torus(net, p, port);
}
/* Sets `left` and `dirs` of a packet from its hops per dimension. */
void net_routing_start(const struct net *net, struct net_packet *p);
unsigned net_routing_hops(const struct net *net, uint32_t src, uint32_t dst);

#endif
