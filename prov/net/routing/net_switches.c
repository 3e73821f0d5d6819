/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Topologies of networks of switches, with one table entry for each topology:
 * how the links of a switch to other switches, numbered from 0, are connected.
 */
#include "prov/net/routing/net_switches.h"

struct kind {
	/* returns the number of switches per group; 1 without groups */
	uint32_t (*group_size)(const struct net_config *cfg);
	uint32_t (*switches)(const struct net_config *cfg);
	unsigned (*links)(const struct net_config *cfg);
	int64_t (*peer)(const struct net_config *cfg, uint32_t sw, unsigned k,
			unsigned *k_p, unsigned *level_p);
	enum net_class_rule rule;
};

static uint32_t shape_product(const struct net_config *cfg)
{
	uint32_t n = 1;

	for (unsigned d = 0; d < cfg->dims; d++)
		n *= cfg->size[d];
	return n;
}

static uint32_t one(const struct net_config *cfg)
{
	return 1;
}

/* ---- links between groups ------------------------------------------------ */

/*
 * Returns the group to which global link j of a group leads, and sets *j_p to
 * the number of the link in that group. -1: the link is not used, because the
 * links cannot be distributed evenly.
 */
static int64_t global_peer(const struct net_config *cfg, uint32_t group,
			   uint32_t links, uint32_t j, uint32_t *j_p)
{
	uint32_t others = cfg->size[0] - 1u, round, to;

	if (!others)
		return -1;
	round = j / others;
	if (round >= links / others)
		return -1;
	to = j % others;
	to += to >= group;
	*j_p = round * others + group - (group > to);
	return to;
}

/* ---- dragonfly ----------------------------------------------------------- */

static uint32_t dragonfly_group_size(const struct net_config *cfg)
{
	return cfg->size[1];
}

static unsigned dragonfly_links(const struct net_config *cfg)
{
	return cfg->size[1] - 1u + cfg->global_links;
}

static int64_t dragonfly_peer(const struct net_config *cfg, uint32_t sw,
			      unsigned k, unsigned *k_p, unsigned *level_p)
{
	uint32_t a = cfg->size[1], h = cfg->global_links, group = sw / a, j;
	uint32_t own = sw % a, to;
	int64_t there;

	*level_p = k >= a - 1;
	if (k < a - 1) {
		to = k + (k >= own);
		*k_p = own - (own > to);
		return group * a + to;
	}
	there = global_peer(cfg, group, a * h, own * h + k - (a - 1), &j);
	if (there < 0)
		return -1;
	*k_p = a - 1 + j % h;
	return there * a + j / h;
}

/* ---- dragonfly+ ---------------------------------------------------------- */

static uint32_t plus_group_size(const struct net_config *cfg)
{
	return (uint32_t)cfg->size[1] + cfg->spines;
}

static uint32_t plus_switches(const struct net_config *cfg)
{
	return cfg->size[0] * plus_group_size(cfg);
}

static unsigned plus_links(const struct net_config *cfg)
{
	unsigned spine = cfg->size[1] + (unsigned)cfg->global_links;

	return spine > cfg->spines ? spine : cfg->spines;
}

static int64_t plus_peer(const struct net_config *cfg, uint32_t sw, unsigned k,
			 unsigned *k_p, unsigned *level_p)
{
	uint32_t leaves = cfg->size[1], all = plus_group_size(cfg), j;
	uint32_t group = sw / all, own = sw % all, h = cfg->global_links;
	int64_t there;

	*level_p = 0;
	if (own < leaves) {
		*k_p = own;
		return k < cfg->spines ? (int64_t)(group * all + leaves + k)
				       : -1;
	}
	if (k < leaves) {
		*k_p = own - leaves;
		return group * all + k;
	}
	*level_p = 1;
	k -= leaves;
	if (k >= h)
		return -1;
	there = global_peer(cfg, group, cfg->spines * h, (own - leaves) * h + k,
			    &j);
	if (there < 0)
		return -1;
	*k_p = leaves + j % h;
	return there * all + leaves + j / h;
}

/* ---- HyperX -------------------------------------------------------------- */

static unsigned hyperx_parallel(const struct net_config *cfg, unsigned d)
{
	return cfg->links[d] ? cfg->links[d] : 1;
}

static unsigned hyperx_links(const struct net_config *cfg)
{
	unsigned n = 0;

	for (unsigned d = 0; d < cfg->dims; d++)
		n += (cfg->size[d] - 1u) * hyperx_parallel(cfg, d);
	return n;
}

static int64_t hyperx_peer(const struct net_config *cfg, uint32_t sw,
			   unsigned k, unsigned *k_p, unsigned *level_p)
{
	uint32_t step = shape_product(cfg), x, to, first = 0;
	unsigned d, links = 0, of_dim = 0;

	for (d = 0; d < cfg->dims; d++) {
		step /= cfg->size[d];
		links = hyperx_parallel(cfg, d);
		of_dim = (cfg->size[d] - 1u) * links;
		if (k < of_dim)
			break;
		k -= of_dim;
		first += of_dim;
	}
	if (d == cfg->dims)
		return -1;
	x = sw / step % cfg->size[d];
	to = k / links;
	to += to >= x;
	*k_p = first + (x - (x > to)) * links + k % links;
	*level_p = d;
	return (int64_t)sw + ((int64_t)to - x) * step;
}

/* ---- graphs -------------------------------------------------------------- */

static uint32_t graph_switches(const struct net_config *cfg)
{
	return cfg->graph.switches;
}

static unsigned graph_links(const struct net_config *cfg)
{
	const struct net_graph *g = &cfg->graph;
	unsigned most = 0, n;

	for (unsigned s = 0; s < g->switches; s++) {
		n = g->first_link[s + 1] - g->first_link[s];
		most = n > most ? n : most;
	}
	return most;
}

static int64_t graph_peer(const struct net_config *cfg, uint32_t sw, unsigned k,
			  unsigned *k_p, unsigned *level_p)
{
	const struct net_graph *g = &cfg->graph;
	unsigned at = g->first_link[sw] + k;

	*level_p = 0;
	if (at >= g->first_link[sw + 1])
		return -1;
	*k_p = g->peer_link[at];
	return g->peer[at];
}

/* ---- all ----------------------------------------------------------------- */

static const struct kind kinds[NET_TOPOLOGIES] = {
	[NET_DRAGONFLY] = { dragonfly_group_size, shape_product,
			    dragonfly_links, dragonfly_peer, NET_CLASS_GLOBAL },
	[NET_DRAGONFLY_PLUS] = { plus_group_size, plus_switches, plus_links,
				 plus_peer, NET_CLASS_GLOBAL },
	[NET_HYPERX] = { one, shape_product, hyperx_links, hyperx_peer,
			 NET_CLASS_PHASE },
	[NET_GRAPH] = { one, graph_switches, graph_links, graph_peer,
			NET_CLASS_HOP },
};

enum net_class_rule net_switches_rule(const struct net_config *cfg)
{
	return kinds[cfg->topology].rule;
}

uint32_t net_switches(const struct net_config *cfg)
{
	return kinds[cfg->topology].switches(cfg);
}

uint32_t net_switches_nodes(const struct net_config *cfg)
{
	if (cfg->topology == NET_GRAPH)
		return cfg->graph.first_node[cfg->graph.switches];
	return shape_product(cfg) * net_router_nodes(cfg);
}

unsigned net_switches_own(const struct net_config *cfg)
{
	const struct net_graph *g = &cfg->graph;
	unsigned most = 0, n;

	if (cfg->topology != NET_GRAPH)
		return net_router_nodes(cfg);
	for (unsigned s = 0; s < g->switches; s++) {
		n = g->first_node[s + 1] - g->first_node[s];
		most = n > most ? n : most;
	}
	return most;
}

unsigned net_switches_ports(const struct net_config *cfg)
{
	return net_switches_own(cfg) + kinds[cfg->topology].links(cfg);
}

uint32_t net_switches_group(const struct net_config *cfg, uint32_t sw)
{
	return sw / kinds[cfg->topology].group_size(cfg);
}

/* Returns the switch with index `leaf` among the switches that have nodes. */
static uint32_t leaf_switch(const struct net_config *cfg, uint32_t leaf)
{
	if (cfg->topology != NET_DRAGONFLY_PLUS)
		return leaf;
	return leaf / cfg->size[1] * plus_group_size(cfg) + leaf % cfg->size[1];
}

static uint32_t graph_home(const struct net_graph *g, uint32_t node)
{
	uint32_t low = 0, high = g->switches;

	while (high - low > 1) {
		uint32_t middle = (low + high) / 2;

		if (g->first_node[middle] <= node)
			low = middle;
		else
			high = middle;
	}
	return low;
}

uint32_t net_switches_home(const struct net_config *cfg, uint32_t node,
			   unsigned *port_p)
{
	uint32_t own = net_router_nodes(cfg), sw;

	if (cfg->topology == NET_GRAPH) {
		sw = graph_home(&cfg->graph, node);
		*port_p = node - cfg->graph.first_node[sw];
		return sw;
	}
	*port_p = node % own;
	return leaf_switch(cfg, node / own);
}

int64_t net_switches_node(const struct net_config *cfg, uint32_t sw,
			  unsigned port)
{
	const struct net_graph *g = &cfg->graph;
	uint32_t own = net_router_nodes(cfg), all;

	if (cfg->topology == NET_GRAPH) {
		uint32_t node = g->first_node[sw] + port;

		return node < g->first_node[sw + 1] ? (int64_t)node : -1;
	}
	if (cfg->topology == NET_DRAGONFLY_PLUS) {
		all = plus_group_size(cfg);
		if (sw % all >= cfg->size[1])
			return -1;
		sw = sw / all * cfg->size[1] + sw % all;
	}
	return (int64_t)sw * own + port;
}

int64_t net_switches_peer(const struct net_config *cfg, uint32_t sw,
			  unsigned port, unsigned *port_p, unsigned *level_p)
{
	unsigned own = net_switches_own(cfg);
	int64_t peer;

	if (port < own)
		return -1;
	peer = kinds[cfg->topology].peer(cfg, sw, port - own, port_p, level_p);
	if (peer >= 0)
		*port_p += own;
	return peer;
}

int64_t net_switches_link(const struct net_config *cfg, uint32_t node,
			  unsigned port, unsigned *port_p, unsigned *level_p)
{
	uint32_t ends = net_switches_nodes(cfg);
	int64_t peer;

	*level_p = NET_DIMS_MAX;
	if (node < ends)
		return port ? -1
			    : (int64_t)ends +
				       net_switches_home(cfg, node, port_p);
	if (port < net_switches_own(cfg)) {
		*port_p = 0;
		return net_switches_node(cfg, node - ends, port);
	}
	peer = net_switches_peer(cfg, node - ends, port, port_p, level_p);
	return peer < 0 ? -1 : ends + peer;
}

unsigned net_switches_vcs(const struct net_config *cfg, unsigned longest)
{
	unsigned detours =
		cfg->path_rule == NET_VALIANT || cfg->path_rule == NET_UGAL;

	switch (net_switches_rule(cfg)) {
	case NET_CLASS_GLOBAL:
		return cfg->size[0] > 1 ? 2 + detours : 1;
	case NET_CLASS_PHASE:
		return 1 + detours;
	default:
		if (cfg->path_rule == NET_UP_DOWN || !longest)
			return 1;
		return detours ? 2 * longest : longest;
	}
}
