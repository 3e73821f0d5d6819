/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opening and closing of class routes; a node has a fixed number of route
 * entries. net_tree.c moves the packets, net_tree_plan.c selects a tree.
 */
#include "prov/net/tree/net_tree_int.h"
#include "prov/net/net_layout.h"

#include "src/base/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct net_tree_rec *route_of(const struct net *net, uint32_t route)
{
	return (struct net_tree_rec *)net_at(net, net->off_route) + route;
}

static int64_t route_free(const struct net *net)
{
	uint32_t i;

	for (i = 0; i < net->routes_max; i++)
		if (!route_of(net, i)->count)
			return i;
	return -1;
}

static uint32_t member_of(const struct net *net, uint32_t node, uint32_t route)
{
	uint32_t i = node * net->cfg.routes + 1, k;

	for (k = 0; k < net->cfg.routes; k++)
		if (net_member(net, i + k)->route == route)
			return i + k;
	return 0;
}

/* ---- opening a class route ----------------------------------------------- */

/*
 * Allocates a route entry at the node for a route. Returns 0, -EINVAL or
 * -ENOSPC.
 */
static int alloc_entry(struct net *net, uint32_t node, uint32_t route,
		       uint32_t share)
{
	uint32_t first = node * net->cfg.routes + 1, k, used = 0, mi;
	struct net_member *m;

	if (node >= net->nodes || share > NET_SHARE_MAX)
		return -EINVAL;
	for (k = 0; k < net->cfg.routes; k++) {
		if (net_member(net, first + k)->route == route + 1)
			return -EINVAL;
		used += net_member(net, first + k)->route != 0;
	}
	if (used >= net->cfg.routes - net->cfg.routes_system)
		return -ENOSPC;
	mi = member_of(net, node, 0);
	m = net_member(net, mi);
	memset(m, 0, sizeof(*m));
	m->route = route + 1;
	m->share = share;
	m->credit_up = net_tree_credits(net, NET_VC_COLL0);
	m->credit_down = net_tree_credits(net, NET_VC_COLL1);
	return 0;
}

static bool has_barrier(const struct net *net, uint32_t node)
{
	uint32_t first = node * net->cfg.routes + 1, k, used = 0;

	for (k = 0; k < net->cfg.routes; k++)
		used += net_member(net, first + k)->barrier;
	return used < net->cfg.barriers;
}

/*
 * Adds a barrier class to the route if every node of the route has a free one.
 */
static void place_barrier(struct net *net, const uint32_t *node, uint32_t count,
			  uint32_t route)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (!has_barrier(net, node[i]))
			return;
	for (i = 0; i < count; i++)
		net_member(net, member_of(net, node[i], route + 1))->barrier =
			1;
}

/*
 * Returns whether the switch port at which the member's results arrive has a
 * free entry.
 */
static bool entry_left(const struct net *net, uint32_t mi)
{
	uint32_t node = net_member_node(net, mi), k, used = 0;
	uint32_t first = node * net->cfg.routes + 1;
	const struct net_member *m;

	for (k = 0; k < net->cfg.routes; k++) {
		m = net_member(net, first + k);
		used += m->parent && m->port_up == net_member(net, mi)->port_up;
	}
	return node < net->ends || !net->cfg.routes_port ||
	       used <= net->cfg.routes_port;
}

/* Links the child to its parent; children are sorted by port. */
static int link_to_parent(struct net *net, uint32_t child, uint32_t parent)
{
	struct net_member *c = net_member(net, child);
	struct net_member *p = net_member(net, parent);
	uint32_t cn = net_member_node(net, child);
	uint32_t pn = net_member_node(net, parent);
	const uint32_t *link = net_links(net, pn);
	uint32_t *at = &p->child;
	unsigned port, steps = 0;

	for (port = 0; port < net->ports; port++)
		if (net_link_peer(link[port]) == cn)
			break;
	if (port == net->ports)
		return -EINVAL;
	c->parent = parent;
	c->port_down = (uint8_t)port;
	c->port_up = (uint8_t)net_link_port(link[port]);
	while (*at && net_member(net, *at)->port_down < port) {
		net_walk_check(steps++ < net->ports);
		at = &net_member(net, *at)->next;
	}
	c->next = *at;
	*at = child;
	p->children++;
	return entry_left(net, child) ? 0 : -ENOSPC;
}

/* Returns whether every member reaches the root. */
static bool is_tree(const int *parent, uint32_t count)
{
	uint32_t i, k, steps, roots = 0;

	for (i = 0; i < count; i++) {
		if (parent[i] >= (int)count)
			return false;
		roots += parent[i] < 0;
	}
	for (i = 0; i < count; i++) {
		for (k = i, steps = 0; parent[k] >= 0; k = (uint32_t)parent[k])
			if (++steps > count)
				return false;
	}
	return roots == 1;
}

static void route_clear(struct net *net, uint32_t route)
{
	uint32_t i;

	for (i = 1; i <= net->members_max; i++)
		if (net_member(net, i)->route == route + 1)
			memset(net_member(net, i), 0,
			       sizeof(struct net_member));
}

static int route_build(struct net *net, const uint32_t *node, const int *parent,
		       uint32_t count, uint32_t route)
{
	uint32_t i, mi;
	int ret = 0;

	for (i = 0; i < count && !ret; i++) {
		mi = member_of(net, node[i], route + 1);
		if (parent[i] < 0)
			route_of(net, route)->root = mi;
		else
			ret = link_to_parent(
				net, mi,
				member_of(net, node[parent[i]], route + 1));
		if (ret == -EINVAL)
			weft_log(WEFT_LOG_INFO,
				 "net: class route: no link from node %u to %u",
				 node[i], node[parent[i]]);
	}
	return ret;
}

bool net_tree_supports(const struct net_config *cfg, unsigned kind)
{
	bool sums = kind == WEFT_COLL_REDUCE || kind == WEFT_COLL_ALLREDUCE;

	if (kind == WEFT_COLL_BARRIER && !cfg->barriers && !cfg->query_ps &&
	    cfg->fold_ps)
		return false;
	return cfg->routes && (!sums || cfg->coll_packet_ticks);
}

int net_tree_open(struct net *net, const uint32_t *node, const int *parent,
		  const uint32_t *share, uint32_t count, uint32_t *route_p)
{
	int64_t id = route_free(net);
	uint32_t i, route = (uint32_t)id;
	int ret = 0;
	struct net_tree_rec *r;

	if (!count || !is_tree(parent, count))
		return -EINVAL;
	if (id < 0)
		return -ENOSPC;
	for (i = 0; i < count && !ret; i++)
		ret = alloc_entry(net, node[i], route, share[i]);
	if (!ret)
		ret = route_build(net, node, parent, count, route);
	if (ret) {
		route_clear(net, route);
		return ret;
	}
	place_barrier(net, node, count, route);
	r = route_of(net, route);
	for (i = 0; i < count; i++) {
		if (!share[i])
			continue;
		if (!r->contributors++)
			r->query_source = member_of(net, node[i], route + 1);
	}
	route_of(net, route)->count = count;
	net->routes++;
	*route_p = route;
	return 0;
}

void net_tree_close(struct net *net, uint32_t route)
{
	if (route >= net->routes_max || !route_of(net, route)->count)
		return;
	route_clear(net, route);
	memset(route_of(net, route), 0, sizeof(struct net_tree_rec));
	net->routes--;
}
