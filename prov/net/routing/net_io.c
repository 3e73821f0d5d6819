/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths between compute nodes and I/O nodes, see net_io.h. */
#include "prov/net/routing/net_io.h"
#include "prov/net/routing/net_routing.h"

#include <errno.h>
#include <stdlib.h>

static unsigned torus_hops(const struct net *net, uint32_t a, uint32_t b)
{
	const struct net_coord *x = net_coord(net, a), *y = net_coord(net, b);
	unsigned hops = 0;

	for (unsigned d = 0; d < net->cfg.dims; d++) {
		unsigned up = (unsigned)abs(x->x[d] - y->x[d]);
		unsigned round = net->cfg.size[d] - up;

		hops += net->cfg.wrap[d] && round < up ? round : up;
	}
	return hops;
}

/*
 * Returns the number of the I/O node's link that leads to the bridge nearest to
 * `node`.
 */
static unsigned nearest_link(const struct net *net, uint32_t node, uint32_t io)
{
	unsigned best = 0, least = UINT32_MAX, hops;

	for (unsigned k = 0; k < net->cfg.io_links; k++) {
		hops = torus_hops(net, node, net_topo_bridge(&net->cfg, io, k));
		/*
		 * of two equally distant bridges, the parity of the node's
		 * coordinates selects one
		 */
		if (hops < least ||
		    (hops == least && net_coord(net, node)->odd)) {
			least = hops;
			best = k;
		}
	}
	return best;
}

uint32_t net_io_bridge(const struct net *net, uint32_t node, uint32_t io)
{
	return net_topo_bridge(&net->cfg, io, nearest_link(net, node, io));
}

int net_io_message(const struct net *net, const struct net_msg *msg,
		   struct net_msg *torus)
{
	*torus = *msg;
	if (!net_io_is(net, msg->src) && !net_io_is(net, msg->dst))
		return 0;
	if (msg->routing != NET_SYSTEM || msg->deposit || msg->map ||
	    (net_io_is(net, msg->src) && net_io_is(net, msg->dst)))
		return -EINVAL;
	if (net_io_is(net, msg->src))
		torus->src = net_io_bridge(net, msg->dst, msg->src);
	else
		torus->dst = net_io_bridge(net, msg->src, msg->dst);
	return 0;
}

void net_io_ports(const struct net *net, struct net_packet *p, uint32_t node)
{
	p->want = 0;
	p->det = (uint8_t)net->down;
	if (net_io_is(net, node))
		p->det = (uint8_t)nearest_link(net, p->dst, node);
}
