/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who is my neighbour. Torus or mesh: node numbers have the last dimension
 * fastest; port 2d goes down dimension d, port 2d + 1 up, and a link joins
 * opposite ports. A dimension of one node that wraps is a link to oneself.
 * Fat trees are in net_topo_fat.c.
 */
#include "prov/net/net_fat.h"
#include "prov/net/net_layout.h"
#include "prov/net/net_topo.h"

static uint32_t torus_nodes(const struct net_config *cfg)
{
	uint32_t n = 1;
	unsigned d;

	for (d = 0; d < cfg->dims; d++)
		n *= cfg->size[d];
	return n;
}

/* Nodes between neighbours along dimension d. */
static uint32_t torus_step(const struct net_config *cfg, unsigned d)
{
	uint32_t n = 1;

	while (++d < cfg->dims)
		n *= cfg->size[d];
	return n;
}

static int64_t torus_peer(const struct net_config *cfg, uint32_t node,
			  unsigned port, unsigned *port_p,
			  unsigned *crossings_p)
{
	unsigned d = port / 2, up = port % 2, size = cfg->size[d];
	uint32_t step = torus_step(cfg, d);
	uint32_t x = node / step % size;
	uint32_t y = up ? (x + 1) % size : (x + size - 1) % size;
	uint32_t edge = up ? y : x;

	if (!cfg->wrap[d] && (up ? y < x || size == 1 : y > x || size == 1))
		return -1;
	*port_p = port ^ 1;
	*crossings_p = cfg->midplane[d] && size > cfg->midplane[d] &&
		       edge % cfg->midplane[d] == 0;
	return node + (int64_t)(y * step) - (int64_t)(x * step);
}

uint32_t net_topo_nodes(const struct net_config *cfg)
{
	struct net_fat f;

	if (cfg->topology == NET_TORUS)
		return torus_nodes(cfg);
	net_fat_init(&f, cfg);
	return f.nodes;
}

/* The sizes of a tree multiply to its end nodes, too. */
uint32_t net_topo_ends(const struct net_config *cfg)
{
	return torus_nodes(cfg);
}

uint32_t net_topo_ports(const struct net_config *cfg)
{
	struct net_fat f;

	if (cfg->topology == NET_TORUS)
		return 2u * cfg->dims;
	net_fat_init(&f, cfg);
	return f.ports;
}

int64_t net_topo_peer(const struct net_config *cfg, uint32_t node,
		      unsigned port, unsigned *port_p, unsigned *crossings_p)
{
	struct net_fat f;

	if (cfg->topology == NET_TORUS)
		return torus_peer(cfg, node, port, port_p, crossings_p);
	net_fat_init(&f, cfg);
	*crossings_p = 0;
	return net_fat_peer(&f, node, port, port_p);
}
