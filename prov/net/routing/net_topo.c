/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Topology: the neighbours of a node. In a torus or mesh, the last coordinate
 * varies fastest in the numbering of nodes; direction 2d goes down in dimension
 * d, direction 2d + 1 up. A direction has one or several ports, and a link
 * connects ports of opposite directions. A dimension of length 1 with
 * wrap-around has a link from each node to itself. If several nodes share a
 * router, nodes are numbered before routers. Fat trees are in net_topo_fat.c.
 */
#include "prov/net/routing/net_fat.h"
#include "prov/net/net_layout.h"
#include "prov/net/routing/net_switches.h"
#include "prov/net/routing/net_topo.h"

/* Returns the number of routers of a torus, or of end nodes of a tree. */
static uint32_t product(const struct net_config *cfg)
{
	uint32_t n = 1;
	unsigned d;

	for (d = 0; d < cfg->dims; d++)
		n *= cfg->size[d];
	return n;
}

/*
 * Returns the difference between the node numbers of neighbours in dimension d.
 */
static uint32_t torus_step(const struct net_config *cfg, unsigned d)
{
	uint32_t n = 1;

	while (++d < cfg->dims)
		n *= cfg->size[d];
	return n;
}

unsigned net_topo_links(const struct net_config *cfg, unsigned d)
{
	return cfg->links[d] ? cfg->links[d] : 1;
}

unsigned net_topo_first(const struct net_config *cfg, unsigned dir)
{
	unsigned i, n = 0;

	for (i = 0; i < dir; i++)
		n += net_topo_links(cfg, i / 2);
	return n;
}

static unsigned torus_dir(const struct net_config *cfg, unsigned port)
{
	unsigned dir, n;

	for (dir = 0; port >= (n = net_topo_links(cfg, dir / 2)); dir++)
		port -= n;
	return dir;
}

static int64_t torus_peer(const struct net_config *cfg, uint32_t node,
			  unsigned port, unsigned *port_p,
			  unsigned *crossings_p)
{
	unsigned dir = torus_dir(cfg, port), d = dir / 2, up = dir % 2;
	unsigned size = cfg->size[d];
	uint32_t step = torus_step(cfg, d);
	uint32_t x = node / step % size;
	uint32_t y = up ? (x + 1) % size : (x + size - 1) % size;
	uint32_t edge = up ? y : x;

	if (!cfg->wrap[d] && (up ? y < x || size == 1 : y > x || size == 1))
		return -1;
	*port_p = net_topo_first(cfg, dir ^ 1) +
		  (port - net_topo_first(cfg, dir));
	*crossings_p = cfg->midplane[d] && size > cfg->midplane[d] &&
		       edge % cfg->midplane[d] == 0;
	return node + (int64_t)(y * step) - (int64_t)(x * step);
}

static bool shared(const struct net_config *cfg)
{
	return net_router_nodes(cfg) > 1 && !net_is_switched(cfg);
}

uint32_t net_topo_compute(const struct net_config *cfg)
{
	return product(cfg) * net_partitions(cfg) * net_router_nodes(cfg);
}

uint32_t net_topo_bridge(const struct net_config *cfg, uint32_t io, unsigned k)
{
	return (io - net_topo_compute(cfg)) * cfg->io_nodes +
	       k * (cfg->io_nodes / cfg->io_links);
}

bool net_topo_is_io(const struct net_config *cfg, uint32_t node, unsigned port)
{
	return cfg->io_nodes && (node >= net_topo_compute(cfg) ||
				 port == net_topo_first(cfg, 2u * cfg->dims));
}

/*
 * Returns the node at the other end of a link between a compute node and an I/O
 * node.
 */
static int64_t io_peer(const struct net_config *cfg, uint32_t node,
		       unsigned port, unsigned *port_p)
{
	uint32_t compute = net_topo_compute(cfg), io;
	unsigned down = net_topo_first(cfg, 2u * cfg->dims), k;

	if (node >= compute) {
		*port_p = down;
		return port < cfg->io_links
			       ? (int64_t)net_topo_bridge(cfg, node, port)
			       : -1;
	}
	io = compute + node / cfg->io_nodes;
	for (k = 0; k < cfg->io_links; k++)
		if (net_topo_bridge(cfg, io, k) == node) {
			*port_p = k;
			return io;
		}
	return -1;
}

/*
 * Returns the node at the other end of a link in a partition, which is a torus
 * of its own.
 */
static int64_t partition_peer(const struct net_config *cfg, uint32_t node,
			      unsigned port, unsigned *port_p,
			      unsigned *crossings_p)
{
	uint32_t base = node - node % product(cfg);
	int64_t peer;

	*crossings_p = 0;
	if (net_topo_is_io(cfg, node, port))
		return io_peer(cfg, node, port, port_p);
	peer = torus_peer(cfg, node - base, port, port_p, crossings_p);
	return peer < 0 ? peer : base + peer;
}

/*
 * Shared routers: returns the node or router at the other end of a link. A node
 * has one link; the last ports of a router lead to its nodes.
 */
static int64_t shared_peer(const struct net_config *cfg, uint32_t node,
			   unsigned port, unsigned *port_p,
			   unsigned *crossings_p)
{
	uint32_t ends = net_topo_ends(cfg), each = net_router_nodes(cfg);
	unsigned down = net_topo_first(cfg, 2u * cfg->dims);
	int64_t peer;

	*crossings_p = 0;
	if (node < ends) {
		*port_p = down + node % each;
		return port ? -1 : (int64_t)(ends + node / each);
	}
	node -= ends;
	if (port >= down) {
		*port_p = 0;
		return node * each + (port - down);
	}
	peer = torus_peer(cfg, node, port, port_p, crossings_p);
	return peer < 0 ? peer : ends + peer;
}

uint32_t net_topo_nodes(const struct net_config *cfg)
{
	struct net_fat f;

	if (net_is_switched(cfg))
		return net_switches_nodes(cfg) + net_switches(cfg);
	if (cfg->topology == NET_TORUS && shared(cfg))
		return product(cfg) * (1u + cfg->router_nodes);
	if (cfg->topology == NET_TORUS)
		return net_topo_compute(cfg) +
		       (cfg->io_nodes ? net_topo_compute(cfg) / cfg->io_nodes
				      : 0);
	net_fat_init(&f, cfg);
	return f.nodes;
}

uint32_t net_topo_ends(const struct net_config *cfg)
{
	if (net_is_switched(cfg))
		return net_switches_nodes(cfg);
	if (cfg->topology == NET_TORUS && !shared(cfg))
		return net_topo_nodes(cfg);
	return product(cfg) * net_router_nodes(cfg);
}

uint32_t net_topo_ports(const struct net_config *cfg)
{
	struct net_fat f;

	if (net_is_switched(cfg))
		return net_switches_ports(cfg);
	if (cfg->topology == NET_TORUS)
		return net_topo_first(cfg, 2u * cfg->dims) +
		       (shared(cfg) ? cfg->router_nodes : 0u) +
		       (cfg->io_nodes != 0);
	net_fat_init(&f, cfg);
	return f.ports;
}

uint32_t net_topo_rings(const struct net_config *cfg)
{
	return cfg->topology == NET_TORUS;
}

bool net_topo_is_internal(const struct net_config *cfg, uint32_t node,
			  unsigned port)
{
	if (net_is_switched(cfg))
		return node < net_switches_nodes(cfg) ||
		       port < net_switches_own(cfg);
	return shared(cfg) && (node < net_topo_ends(cfg) ||
			       port >= net_topo_first(cfg, 2u * cfg->dims));
}

uint32_t net_topo_tokens(const struct net_config *cfg, uint32_t node,
			 unsigned port, unsigned vc)
{
	uint32_t times = cfg->tokens_end ? cfg->tokens_end : 1;

	if (net_is_switched(cfg) && vc > NET_VC_DET)
		vc = NET_VC_DET;
	if (cfg->tokens_shared)
		return net_channel_tokens(cfg, net_channel(vc)) +
		       cfg->tokens_shared;
	return cfg->tokens[vc] *
	       (net_topo_is_internal(cfg, node, port) ? times : 1);
}

unsigned net_topo_level(const struct net_config *cfg, uint32_t node,
			unsigned port)
{
	unsigned back, level;
	struct net_fat f;
	uint32_t l;

	if (net_is_switched(cfg)) {
		net_switches_link(cfg, node, port, &back, &level);
		return level;
	}
	if (net_topo_is_internal(cfg, node, port) ||
	    net_topo_is_io(cfg, node, port))
		return NET_DIMS_MAX;
	if (cfg->topology == NET_TORUS)
		return torus_dir(cfg, port) / 2;
	net_fat_init(&f, cfg);
	if (net_fat_is_sibling(&f, node, port))
		return NET_DIMS_MAX;
	l = net_fat_place(&f, node).level;
	return port < f.m[l] ? l - 1 : l;
}

int64_t net_topo_peer(const struct net_config *cfg, uint32_t node,
		      unsigned port, unsigned *port_p, unsigned *crossings_p)
{
	struct net_fat f;
	unsigned level;

	*crossings_p = 0;
	if (net_is_switched(cfg))
		return net_switches_link(cfg, node, port, port_p, &level);
	if (shared(cfg))
		return shared_peer(cfg, node, port, port_p, crossings_p);
	if (cfg->topology == NET_TORUS)
		return partition_peer(cfg, node, port, port_p, crossings_p);
	net_fat_init(&f, cfg);
	*crossings_p = 0;
	return net_fat_neighbour(&f, node, port, port_p);
}
