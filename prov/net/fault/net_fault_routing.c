/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routing around dead links, on machines that support it.
 *
 * On a torus a packet tries, in this order: another link to the same neighbour,
 * another dimension in which the packet has hops left, the opposite direction
 * of the ring. Messages sent after the tables have been rebuilt take the
 * opposite direction from the start. A reversed packet travels more than half
 * of the ring, and is not reversed again.
 *
 * In a tree the tables contain alternative links (net_routing_fat.c).
 */
#include "prov/net/fault/net_fault_int.h"
#include "prov/net/routing/net_routing.h"

#include <stdlib.h>

/* Counts a detour: packets of one message may now use several routes. */
static void count_detour(const struct net *net, const struct net_packet *p,
			 uint32_t node, unsigned port)
{
	net_fault_link(net, node, port)->detours++;
	net_faults(net)->sum.detours++;
	net_mrec(net, p->msg)->fate |= NET_FATE_RESENT;
}

/* Returns the ports in the mask whose links are not dead. */
static uint64_t live_ports(const struct net *net, uint32_t node, uint64_t ports)
{
	uint64_t left = ports, w;

	for (w = ports; w; w &= w - 1)
		if (net_fault_is_dead(net, node, (unsigned)__builtin_ctzll(w)))
			left &= ~(w & -w);
	return left;
}

/*
 * Returns the number of the k-th set bit, with k modulo the number of set bits,
 * which must not be 0.
 */
static unsigned kth_port(uint64_t ports, unsigned k)
{
	k %= (unsigned)__builtin_popcountll(ports);
	while (k--)
		ports &= ports - 1;
	return (unsigned)__builtin_ctzll(ports);
}

/* ---- torus --------------------------------------------------------------- */

/* Returns the direction of a packet's remaining hops in a dimension. */
static unsigned dir_of(const struct net_packet *p, unsigned d)
{
	return 2 * d + (p->rem[d] > 0);
}

static void reverse(const struct net *net, struct net_packet *p, unsigned d)
{
	int size = net->cfg.size[d];

	p->rem[d] = (int8_t)(p->rem[d] + (p->rem[d] > 0 ? -size : size));
	p->dirs ^= 3u << 2 * d;
}

/* Returns a mask of the ports that the packet can take, or 0. */
static uint64_t torus_ports(const struct net *net, struct net_packet *p,
			    uint32_t node, unsigned first)
{
	uint64_t ports = 0;
	unsigned i, d;

	for (i = 0; i <= net->cfg.dims && !ports; i++) {
		d = i ? net->cfg.order[i - 1] : first;
		if (p->rem[d])
			ports = live_ports(net, node,
					   net->dir_ports[dir_of(p, d)]);
	}
	for (i = 0; i < net->cfg.dims && !ports; i++) {
		d = net->cfg.order[i];
		if (!p->rem[d] || !net->cfg.wrap[d] ||
		    2 * abs(p->rem[d]) > net->cfg.size[d])
			continue;
		ports = live_ports(net, node, net->dir_ports[dir_of(p, d) ^ 1]);
		if (ports)
			reverse(net, p, d);
	}
	return ports;
}

static void steer_torus(const struct net *net, struct net_packet *p,
			uint32_t node)
{
	unsigned was = p->det;
	uint64_t ports;

	if (net->flow[was] == NET_FLOW_NONE ||
	    (net->steer == NET_STEER_SHARED && node < net->ends))
		return;
	p->want = live_ports(net, node, p->want);
	if (!net_fault_is_dead(net, node, was))
		return;
	ports = torus_ports(net, p, node, net->flow[was] / 2u);
	count_detour(net, p, node, was);
	if (ports)
		p->det = (uint8_t)kth_port(ports, p->link_hash);
	if (p->flags & NET_P_DYN && !p->want)
		/* no alternative: the packet is lost at the dead port */
		p->want = ports ? ports : 1ull << was;
}

/* Advances *node by these hops. Returns whether all links are live. */
static bool path_is_live(const struct net *net, uint32_t *node, unsigned dir,
			 unsigned hops)
{
	uint64_t ports;

	while (hops--) {
		ports = live_ports(net, *node, net->dir_ports[dir]);
		if (!ports)
			return false;
		*node = net_link_peer(
			net_links(net, *node)[__builtin_ctzll(ports)]);
	}
	return true;
}

void net_fault_route_plan(const struct net *net, const struct net_msg *msg,
			  int8_t *rem)
{
	const struct net_config *cfg = &net->cfg;
	uint32_t at = msg->src, next;
	unsigned i, d;
	int other;

	if (net->steer == NET_STEER_SHARED)
		at = net->ends + msg->src / net_router_nodes(cfg);
	for (i = 0; i < cfg->dims; i++) {
		d = cfg->order[i];
		next = at;
		if (path_is_live(net, &next, 2 * d + (rem[d] > 0),
				 (unsigned)abs(rem[d]))) {
			at = next;
			continue;
		}
		other = rem[d] + (rem[d] > 0 ? -1 : 1) * cfg->size[d];
		next = at;
		if (!cfg->wrap[d] ||
		    !path_is_live(net, &next, 2 * d + (other > 0),
				  (unsigned)abs(other)))
			return; /* a later hop may have a live port */
		rem[d] = (int8_t)other;
		at = next;
	}
}

/* ---- trees --------------------------------------------------------------- */

void net_fault_routing(const struct net *net, struct net_packet *p,
		       uint32_t node)
{
	if (net->steer == NET_STEER_TREE) {
		/*
		 * the tables avoid dead links: compute the port that would be
		 * used without faults
		 */
		unsigned det = p->det, rail = 0;

		if (node < net->ends)
			rail = net_mrec(net, p->msg)->rail;
		net_fat_steer(&net->fat, NULL, node, p->dst, p->left, rail,
			      &det);
		if (det != p->det && net_fault_is_dead(net, node, det))
			count_detour(net, p, node, det);
	} else {
		steer_torus(net, p, node);
	}
}
