/* SPDX-License-Identifier: BSD-3-Clause */
/* Routers of networks of switches (routing/net_switches.h). */
#ifndef WEFT_NET_SWITCHED_H
#define WEFT_NET_SWITCHED_H

#include "prov/net/net_layout.h"
#include "prov/net/routing/net_switches.h"

/* Reserves the tables of the network; called by lay_nodes. */
void net_switched_open(struct net *net);
/*
 * Selects the port and the channel of the packet at the head of a receiver's
 * queue, and moves the packet to the list of the port.
 */
void net_switched_route(struct net_step *s, unsigned slot);
/* Serves a port of a switch: its channels round robin, oldest packet first. */
void net_switched_serve(struct net_step *s, unsigned port);
/* Updates a packet that leaves the switch by this port. */
void net_switched_hop(const struct net *net, struct net_packet *p,
		      uint32_t node, unsigned port);
/* Returns the number of links of the minimal path between two nodes. */
unsigned net_switched_hops(const struct net *net, uint32_t src, uint32_t dst);

#endif
