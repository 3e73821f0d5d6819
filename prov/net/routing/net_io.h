/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * I/O nodes of a torus (cfg.io_nodes): each serves a block of compute nodes
 * with consecutive numbers. Its links lead to bridge nodes in the block, which
 * have one port more than the torus needs. I/O nodes are numbered after all
 * compute nodes. Packets between an I/O node and a compute node use the system
 * channel, and leave and enter the torus at the bridge nearest to the compute
 * node.
 *
 *    compute nodes of a block            I/O node
 *      o - o - B - o - o - B - o           link 0: first bridge
 *              |           |               link 1: second bridge
 *              +-----------+-----> IO
 */
#ifndef WEFT_NET_IO_H
#define WEFT_NET_IO_H

#include "prov/net/net_layout.h"
#include "prov/net/routing/net_topo.h"

/* Returns the bridge on the path between a compute node and an I/O node. */
uint32_t net_io_bridge(const struct net *net, uint32_t node, uint32_t io);
/*
 * Sets *torus to the message with an I/O node as source or target replaced by
 * the bridge. -EINVAL: the message may not use I/O links: it is not a system
 * message, both ends are I/O nodes, or the compute node is in another
 * partition.
 */
int net_io_message(const struct net *net, const struct net_msg *msg,
		   struct net_msg *torus);
/*
 * Sets the output port of a packet at a node where its torus hops are complete.
 */
void net_io_ports(const struct net *net, struct net_packet *p, uint32_t node);

static inline bool net_io_is(const struct net *net, uint32_t node)
{
	return net->cfg.io_nodes && node >= net_topo_compute(&net->cfg);
}

#endif
