/* SPDX-License-Identifier: BSD-3-Clause */
/* Topology: the neighbours of a node in a fat tree, described in net_fat.h. */
#include "prov/net/routing/net_fat.h"

#include <string.h>

void net_fat_init(struct net_fat *f, const struct net_config *cfg)
{
	uint32_t l, ports;

	memset(f, 0, sizeof(*f));
	f->levels = cfg->dims;
	f->rails = cfg->rails ? cfg->rails : 1;
	f->siblings = f->levels > 1 ? cfg->siblings : 0;
	f->super = cfg->supernode < cfg->dims ? cfg->supernode : cfg->dims;
	f->ends[0] = f->tops[0] = 1;
	for (l = 1; l <= f->levels; l++) {
		f->m[l] = cfg->size[l - 1];
		if (cfg->topology == NET_FAT_TREE)
			f->w[l] = l == 1 ? 1 : cfg->size[l - 2];
		else
			f->w[l] = cfg->parents[l - 1] ? cfg->parents[l - 1] : 1;
		f->w[l] *= l == 1 ? f->rails : 1;
		f->ends[l] = f->ends[l - 1] * f->m[l];
		f->tops[l] = f->tops[l - 1] * f->w[l];
	}
	for (l = 0; l <= f->levels; l++) {
		f->first[l + 1] = f->first[l] +
				  f->ends[f->levels] / f->ends[l] * f->tops[l];
		ports = f->m[l] + f->w[l + 1] + (l == 1 ? f->siblings : 0);
		if (f->ports < ports)
			f->ports = ports;
	}
	f->nodes = f->first[f->levels + 1];
}

struct net_fat_place net_fat_place(const struct net_fat *f, uint32_t node)
{
	struct net_fat_place p = { 0, 0, 0 };

	while (node >= f->first[p.level + 1])
		p.level++;
	node -= f->first[p.level];
	p.a = node / f->tops[p.level];
	p.b = node % f->tops[p.level];
	return p;
}

static uint32_t topo_fat_node_id(const struct net_fat *f, uint32_t l,
				 uint32_t a, uint32_t b)
{
	return f->first[l] + a * f->tops[l] + b;
}

bool net_fat_is_sibling(const struct net_fat *f, uint32_t node, unsigned port)
{
	return f->siblings && node >= f->first[1] && node < f->first[2] &&
	       port >= f->m[1] + f->w[2] &&
	       port < f->m[1] + f->w[2] + f->siblings;
}

int64_t net_fat_neighbour(const struct net_fat *f, uint32_t node, unsigned port,
			  unsigned *port_p)
{
	struct net_fat_place p = net_fat_place(f, node);
	uint32_t l = p.level, up = port - f->m[l];

	if (port < f->m[l]) {
		/* a child's upward ports follow its downward ports */
		*port_p = f->m[l - 1] + p.b / f->tops[l - 1];
		return topo_fat_node_id(f, l - 1, p.a * f->m[l] + port,
					p.b % f->tops[l - 1]);
	}
	if (net_fat_is_sibling(f, node, port)) {
		*port_p = port;
		/*
		 * if the number of switches is odd, the last one has no sibling
		 */
		return (p.a ^ 1) < f->ends[f->levels] / f->ends[1]
			       ? (int64_t)topo_fat_node_id(f, 1, p.a ^ 1, p.b)
			       : -1;
	}
	if (l == f->levels || up >= f->w[l + 1])
		return -1;
	*port_p = p.a % f->m[l + 1];
	return topo_fat_node_id(f, l + 1, p.a / f->m[l + 1],
				p.b + up * f->tops[l]);
}
