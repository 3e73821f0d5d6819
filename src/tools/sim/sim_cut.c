/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Upper bound of the load of a traffic pattern: the busiest cut of the network.
 * A torus is cut across each dimension, a tree around the subtrees of each
 * level, a network of switches around each node. Called by sim_run.c.
 */
#include "prov/net/file/net_map.h"
#include "prov/net/file/net_name.h"
#include "src/tools/sim/sim_traffic.h"

#include <stdlib.h>
#include <string.h>

/* ---- torus --------------------------------------------------------------- */

/* Messages over each link of a dimension, in both directions. */
struct cuts {
	double load[2][4096];
};

/* Adds a message from coordinate a to b of dimension d with weight w. */
static void cut_add(const struct net_config *c, unsigned d, unsigned a,
		    unsigned b, double w, struct cuts *cuts)
{
	unsigned size = c->size[d], up = (b + size - a) % size;
	unsigned down = size - up;

	if (!up)
		return;
	if (!c->wrap[d]) {
		down = b > a ? size : a - b;
		up = b > a ? b - a : size;
	}
	if (up == down)
		w /= 2;
	for (unsigned i = 0; i < up && up <= down; i++)
		cuts->load[0][(a + i) % size] += w;
	for (unsigned i = 0; i < down && down <= up; i++)
		cuts->load[1][(a + size - i) % size] += w;
}

static double cut_max(const struct net_config *c, unsigned d,
		      const struct cuts *cuts, uint32_t nodes)
{
	double most = 0;

	for (unsigned i = 0; i < c->size[d]; i++)
		for (unsigned dir = 0; dir < 2; dir++)
			if (cuts->load[dir][i] > most)
				most = cuts->load[dir][i];
	return most * c->size[d] * net_router_nodes(c) / nodes;
}

/*
 * Adds a message from every coordinate to every coordinate, weighted with the
 * number of node pairs that have these coordinates.
 */
static void cut_uniform(const struct sim_traffic *t, unsigned d,
			struct cuts *cuts)
{
	unsigned size = t->cfg->size[d];
	double lines = (double)t->nodes / size;
	double w = lines * lines / (t->nodes - 1);

	for (unsigned a = 0; a < size; a++)
		for (unsigned b = 0; b < size; b++)
			cut_add(t->cfg, d, a, b, w, cuts);
}

static void cut_each(const struct sim_traffic *t, unsigned d, unsigned rounds,
		     struct cuts *cuts)
{
	uint16_t from[NET_DIMS_MAX], to[NET_DIMS_MAX];

	for (uint32_t n = 0; n < t->nodes; n++)
		for (unsigned k = 0; k < rounds; k++) {
			net_node_coords(t->cfg, n, from);
			net_node_coords(t->cfg, sim_traffic_fixed(t, n, k), to);
			cut_add(t->cfg, d, from[d], to[d], 1.0 / rounds, cuts);
		}
}

/*
 * Returns the load of the busiest cut of a torus; parallel links share the load
 * of a cut.
 */
static double torus_load(const struct sim_traffic *t)
{
	struct cuts *cuts = malloc(sizeof(*cuts));
	unsigned rounds = sim_traffic_rounds(t);
	double most = 0, one;

	for (unsigned d = 0; d < t->cfg->dims && cuts; d++) {
		memset(cuts, 0, sizeof(*cuts));
		if (rounds)
			cut_each(t, d, rounds, cuts);
		else
			cut_uniform(t, d, cuts);
		one = cut_max(t->cfg, d, cuts, t->nodes);
		if (t->cfg->links[d])
			one /= t->cfg->links[d];
		most = one > most ? one : most;
	}
	free(cuts);
	return most;
}

/* ---- trees: the links up from the subtrees of a level -------------------- */

/* Returns the largest number of messages that leave or enter one subtree. */
static double leave_each(const struct sim_traffic *t, uint32_t ends)
{
	uint32_t subtrees = t->nodes / ends, dst, *out, *in;
	double most = 0;

	out = calloc(2ul * subtrees, sizeof(*out));
	if (!out)
		return 0;
	in = out + subtrees;
	for (uint32_t n = 0; n < t->nodes; n++) {
		dst = sim_traffic_fixed(t, n, 0);
		if (dst / ends == n / ends)
			continue;
		out[n / ends]++;
		in[dst / ends]++;
	}
	for (uint32_t i = 0; i < 2 * subtrees; i++)
		if (out[i] > most)
			most = out[i];
	free(out);
	return most;
}

static double tree_load(const struct sim_traffic *t)
{
	double most = 0, one;
	struct net_group g;

	for (unsigned l = 0; l + 1 < net_groups(t->cfg); l++) {
		net_group(t->cfg, l, &g);
		/* messages that leave a subtree of this many nodes */
		one = sim_traffic_rounds(t)
			      ? leave_each(t, g.ends)
			      : (double)g.ends * (t->nodes - g.ends) /
					(t->nodes - 1);
		one /= g.up;
		most = one > most ? one : most;
	}
	return most;
}

/* ---- networks of switches ------------------------------------------------ */

/*
 * Returns the load of the link between a node and its switch: whether other
 * links carry more depends on the routing.
 */
static double switched_load(const struct sim_traffic *t)
{
	return 1;
}

/* ---- any topology -------------------------------------------------------- */

/*
 * Returns the time of a packet on the link between a node and its shared
 * router, relative to the time on other links.
 */
static double node_link_time_ratio(const struct net_config *cfg)
{
	if ((net_router_nodes(cfg) == 1 && !net_is_switched(cfg)) ||
	    !cfg->link_end_ps_x1000)
		return 1;
	return (double)cfg->link_end_ps_x1000 /
	       (double)cfg->link_ps_per_byte_x1000;
}

double sim_traffic_load(const struct sim_traffic *t)
{
	static double (*const load[])(const struct sim_traffic *t) = {
		[NET_TORUS] = torus_load,
		[NET_FAT_TREE] = tree_load,
		[NET_GEN_FAT_TREE] = tree_load,
		[NET_DRAGONFLY] = switched_load,
		[NET_DRAGONFLY_PLUS] = switched_load,
		[NET_HYPERX] = switched_load,
		[NET_GRAPH] = switched_load,
	};
	double most = load[t->cfg->topology](t), one;
	struct net_group g;

	/* all nodes of a block send through the links of their I/O node */
	if (t->pattern == SIM_IO)
		return (double)t->cfg->io_nodes / t->cfg->io_links;
	/* all messages to the hot node use the links of that node */
	if (t->pattern == SIM_HOTSPOT) {
		net_group(t->cfg, 0, &g);
		one = t->hot_part * t->nodes / g.ports *
		      node_link_time_ratio(t->cfg);
		most = one > most ? one : most;
	}
	return most;
}
