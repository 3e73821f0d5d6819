/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of the paths between switches. Paths are shortest paths in which a
 * link between groups counts as three links: in a dragonfly every path without
 * detour then uses one such link at most. In a HyperX a packet uses only links
 * of the first dimension in which the current switch and the target differ.
 *
 * Up-down routing numbers the switches by their distance from a root, the
 * switch with the most links. A path uses links to lower numbers first, then
 * links to higher numbers only.
 */
#include "prov/net/routing/net_switches.h"

#include <string.h>

enum { GLOBAL_COST = 3 };

/* ---- memory -------------------------------------------------------------- */

static unsigned phases_of(const struct net_config *cfg)
{
	return cfg->path_rule == NET_UP_DOWN ? 2 : 1;
}

size_t net_paths_bytes(const struct net_config *cfg)
{
	size_t n = net_switches(cfg), square = n * n;

	return square * 8 * phases_of(cfg) + n * 8 +
	       n * net_switches_ports(cfg) * 4 +
	       (size_t)net_switches_nodes(cfg) * 4 + n * 4 + square;
}

void net_paths_count(const struct net_config *cfg, struct net_paths *p)
{
	p->cfg = cfg;
	p->count = net_switches(cfg);
	p->nodes = net_switches_nodes(cfg);
	p->ports = net_switches_ports(cfg);
	p->phases = phases_of(cfg);
}

/* ---- shortest paths ------------------------------------------------------ */

static bool is_global(const struct net_paths *p, uint32_t sw, unsigned port)
{
	return p->global[sw] >> port & 1;
}

static unsigned link_cost(const struct net_paths *p, uint32_t sw, unsigned port)
{
	return is_global(p, sw, port) ? GLOBAL_COST : 1;
}

/* Links that a search may use. */
enum search { ALL, DOWN, UP };

static bool uses(const struct net_paths *p, enum search search, uint32_t sw,
		 unsigned port)
{
	return search == ALL ||
	       net_paths_is_down(p, sw, port) == (search == DOWN);
}

/*
 * Lowers the costs of the neighbours of `sw` whose path through `sw` is
 * cheaper. Returns whether a cost has changed.
 */
static bool relax(const struct net_paths *p, uint32_t sw, uint8_t *cost,
		  enum search search)
{
	const uint32_t *link = &p->link[(uint64_t)sw * p->ports];
	bool changed = false;
	unsigned port, c;
	uint32_t peer;

	for (port = 0; port < p->ports; port++) {
		if (link[port] == NET_PEER_NONE)
			continue;
		peer = link[port] >> 8;
		if (!uses(p, search, peer, link[port] & 255))
			continue;
		c = cost[sw] + link_cost(p, sw, port);
		if (c < cost[peer] && c < NET_COST_NONE) {
			cost[peer] = (uint8_t)c;
			changed = true;
		}
	}
	return changed;
}

/*
 * Computes the costs of all switches in increasing order, so that no cost is
 * lowered later.
 */
static void search_costs(const struct net_paths *p, uint8_t *cost,
			 enum search search)
{
	unsigned c, last = 0;

	for (uint32_t s = 0; s < p->count; s++)
		if (cost[s] != NET_COST_NONE && cost[s] > last)
			last = cost[s];
	for (c = 0; c <= last; c++)
		for (uint32_t s = 0; s < p->count; s++)
			if (cost[s] == c && relax(p, s, cost, search) &&
			    last < c + GLOBAL_COST)
				last = c + GLOBAL_COST;
}

/* Returns a mask of the switch's ports that are on a path of least cost. */
static uint64_t best_ports(const struct net_paths *p, uint32_t sw,
			   unsigned have, const uint8_t *cost,
			   enum search search)
{
	uint64_t mask = 0;
	unsigned port;
	int64_t peer;

	for (port = 0; port < p->ports; port++) {
		peer = net_paths_peer(p, sw, port);
		if (peer >= 0 && uses(p, search, sw, port) &&
		    cost[peer] != NET_COST_NONE &&
		    cost[peer] + link_cost(p, sw, port) == have)
			mask |= 1ull << port;
	}
	return mask;
}

/*
 * Returns the ports of the mask that belong to the lowest HyperX dimension that
 * has a port in the mask.
 */
static uint64_t first_dimension(const struct net_paths *p, uint32_t sw,
				uint64_t mask)
{
	unsigned back, level, first = NET_DIMS_MAX;
	uint64_t kept = 0;

	for (uint64_t left = mask; left; left &= left - 1) {
		unsigned port = (unsigned)__builtin_ctzll(left);

		net_switches_peer(p->cfg, sw, port, &back, &level);
		if (first == NET_DIMS_MAX)
			first = level;
		if (level == first)
			kept |= 1ull << port;
	}
	return kept;
}

static void fill_minimal(struct net_paths *p, uint32_t target, uint8_t *cost)
{
	uint64_t mask;

	memset(cost, NET_COST_NONE, p->count);
	cost[target] = 0;
	search_costs(p, cost, ALL);
	for (uint32_t s = 0; s < p->count; s++) {
		mask = s == target ? 0 : best_ports(p, s, cost[s], cost, ALL);
		if (p->cfg->topology == NET_HYPERX)
			mask = first_dimension(p, s, mask);
		p->next[(uint64_t)s * p->count + target] = mask;
	}
}

/* ---- up-down routing ----------------------------------------------------- */

bool net_paths_is_down(const struct net_paths *p, uint32_t sw, unsigned port)
{
	int64_t peer = net_paths_peer(p, sw, port);

	return peer >= 0 && p->rank[peer] > p->rank[sw];
}

static unsigned degree(const struct net_paths *p, uint32_t sw)
{
	unsigned port, n = 0;

	for (port = 0; port < p->ports; port++)
		n += net_paths_peer(p, sw, port) >= 0;
	return n;
}

/*
 * Numbers the switches by distance from the root: first the root, then the
 * switches at distance 1, 2, ...
 */
static void fill_ranks(struct net_paths *p, uint8_t *cost)
{
	uint32_t root = 0, n = 0;
	unsigned most = 0;

	for (uint32_t s = 0; s < p->count; s++)
		if (degree(p, s) > most) {
			most = degree(p, s);
			root = s;
		}
	memset(cost, NET_COST_NONE, p->count);
	cost[root] = 0;
	search_costs(p, cost, ALL);
	for (unsigned c = 0; c <= NET_COST_NONE; c++)
		for (uint32_t s = 0; s < p->count; s++)
			if (cost[s] == c)
				p->rank[s] = (uint16_t)n++;
}

static void fill_up_down(struct net_paths *p, uint32_t target, uint8_t *cost)
{
	uint64_t n = p->count, *up = p->next, *down = p->next + n * n;
	uint8_t down_cost[NET_SWITCHES_MAX];

	memset(down_cost, NET_COST_NONE, n);
	down_cost[target] = 0;
	search_costs(p, down_cost, DOWN);
	memcpy(cost, down_cost, n);
	search_costs(p, cost, UP);
	for (uint32_t s = 0; s < n; s++) {
		up[s * n + target] = down[s * n + target] = 0;
		if (s == target)
			continue;
		down[s * n + target] =
			best_ports(p, s, down_cost[s], down_cost, DOWN);
		up[s * n + target] = best_ports(p, s, cost[s], cost, UP);
		if (cost[s] == down_cost[s])
			up[s * n + target] |= down[s * n + target];
	}
}

/* ---- all ----------------------------------------------------------------- */

/* Sets the peer of each link of a switch. */
static void fill_switch(struct net_paths *p, uint32_t sw)
{
	uint32_t *link = &p->link[(uint64_t)sw * p->ports];
	unsigned port, back, level;
	int64_t peer;

	p->global[sw] = 0;
	p->group[sw] = (uint16_t)net_switches_group(p->cfg, sw);
	for (port = 0; port < p->ports; port++) {
		peer = net_switches_peer(p->cfg, sw, port, &back, &level);
		link[port] =
			peer < 0 ? NET_PEER_NONE : (uint32_t)peer << 8 | back;
		if (peer >= 0 && level &&
		    net_switches_rule(p->cfg) == NET_CLASS_GLOBAL)
			p->global[sw] |= 1ull << port;
	}
}

static void fill_homes(struct net_paths *p)
{
	unsigned port;

	for (uint32_t n = 0; n < p->nodes; n++) {
		uint32_t sw = net_switches_home(p->cfg, n, &port);

		p->home[n] = sw << 8 | port;
	}
}

/*
 * Returns the number of links of the path that follows the first port of each
 * switch.
 */
static unsigned count_hops(const struct net_paths *p, uint32_t sw,
			   uint32_t target)
{
	unsigned n = 0, phase = 0, port;

	while (sw != target && n < NET_COST_NONE) {
		uint64_t mask = net_paths_next(p, phase, sw, target);

		if (!mask)
			return NET_COST_NONE;
		port = (unsigned)__builtin_ctzll(mask);
		phase |= p->phases > 1 && net_paths_is_down(p, sw, port);
		sw = (uint32_t)net_paths_peer(p, sw, port);
		n++;
	}
	return n;
}

void net_paths_fill(struct net_paths *p)
{
	uint8_t cost[NET_SWITCHES_MAX];

	memset(p->rank, 0, p->count * sizeof(*p->rank));
	for (uint32_t s = 0; s < p->count; s++)
		fill_switch(p, s);
	fill_homes(p);
	if (p->phases > 1)
		fill_ranks(p, cost);
	for (uint32_t target = 0; target < p->count; target++) {
		if (p->phases > 1)
			fill_up_down(p, target, cost);
		else
			fill_minimal(p, target, cost);
	}
	for (uint32_t s = 0; s < p->count; s++)
		for (uint32_t target = 0; target < p->count; target++)
			p->hops[(uint64_t)s * p->count + target] =
				(uint8_t)count_hops(p, s, target);
}

unsigned net_paths_longest(const struct net_paths *p)
{
	unsigned most = 0;

	for (uint64_t i = 0; i < (uint64_t)p->count * p->count; i++)
		if (p->hops[i] > most)
			most = p->hops[i];
	return most;
}
