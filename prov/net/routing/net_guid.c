/* SPDX-License-Identifier: BSD-3-Clause */
/* Two-level routing tables, described in net_guid.h. */
#include "prov/net/routing/net_guid.h"

#include "src/base/hash.h"

#include <errno.h>
#include <string.h>

/*
 * Layout of the routing tables in the block: the different routes, then for
 * each table entry the number of its route.
 */
struct tables {
	uint64_t entries; /* entries of one table */
	uint64_t bytes;
	/* an entry with ports is in use; the last entry is temporary */
	struct net_fat_route route[NET_TABLE_ROUTES + 1];
	/*
	 * for each table entry: number of its route plus one, or 0: not
	 * computed yet
	 */
	uint16_t number[];
};

static struct tables *tables_of(const struct net *net)
{
	return net_at(net, net->off_table);
}

/*
 * Returns the number of end nodes of a supernode or, without supernodes, of the
 * machine.
 */
static uint32_t nodes_inside(const struct net_fat *f)
{
	return f->ends[f->super ? f->super : f->levels];
}

static uint32_t supernodes(const struct net_fat *f)
{
	return f->ends[f->levels] / nodes_inside(f);
}

struct net_guid net_guid_of(const struct net_fat *f, uint32_t node)
{
	return (struct net_guid){ .super = node / nodes_inside(f),
				  .inside = node % nodes_inside(f) };
}

size_t net_table_entries(const struct net_fat *f)
{
	return (size_t)nodes_inside(f) + supernodes(f);
}

uint64_t net_table_bytes(const struct net_config *cfg)
{
	struct net_fat f;
	uint64_t bytes;

	if (cfg->topology == NET_TORUS || !cfg->supernode)
		return 0;
	net_fat_init(&f, cfg);
	bytes = sizeof(struct tables) + (uint64_t)(f.nodes - f.first[1]) *
						NET_TABLE_KINDS *
						net_table_entries(&f) * 2;
	return bytes > NET_TABLE_BYTES_MAX ? 0 : bytes;
}

void net_table_clear(struct net *net)
{
	const struct net_config *cfg = &net->cfg;
	struct tables *t;

	if (!net->off_table)
		return;
	t = tables_of(net);
	memset(t, 0, net_table_bytes(cfg));
	t->entries = net_table_entries(&net->fat);
}

/*
 * Returns the kind of port at which packets arrive at a switch after this
 * number of hops. A switch of level 1 has three kinds: ports to its nodes, to
 * its sibling and to higher switches.
 */
static unsigned port_kind(const struct net_fat *f, uint32_t node, unsigned hops)
{
	if (node >= f->first[2] || !hops)
		return 0;
	return hops < NET_TABLE_KINDS ? hops - 1 : NET_TABLE_KINDS - 1;
}

/* Returns whether a switch and an end node are in the same supernode. */
static bool in_supernode(const struct net_fat *f, uint32_t node,
			 struct net_guid to)
{
	struct net_fat_place p = net_fat_place(f, node);
	uint32_t each = nodes_inside(f);

	return f->ends[p.level] <= each &&
	       p.a / (each / f->ends[p.level]) == to.super;
}

static uint16_t *number_of(const struct net *net, uint32_t node, unsigned hops,
			   struct net_guid to, bool inside)
{
	const struct net_fat *f = &net->fat;
	struct tables *t = tables_of(net);
	uint64_t table = (uint64_t)(node - f->first[1]) * NET_TABLE_KINDS +
			 port_kind(f, node, hops);

	return &t->number[table * t->entries +
			  (inside ? to.inside : nodes_inside(f) + to.super)];
}

/*
 * Returns a mask of the ports through which all nodes of a table entry can be
 * reached; an entry for another supernode stands for the nodes of all switches
 * of that supernode.
 */
static uint64_t open_to_all(const struct net *net, uint32_t node, unsigned hops,
			    uint32_t first, uint32_t count)
{
	const struct net_fat *f = &net->fat;
	uint64_t open = UINT64_MAX;
	unsigned det;

	for (uint32_t i = 0; i < count; i += f->ends[1])
		open &= net_fat_reroute(f, net_dead(net), node, first + i, hops,
					0, &det);
	return open;
}

/* Computes a table entry as the machine's management software does. */
static void entry_compute(const struct net *net, uint32_t node, unsigned hops,
			  uint32_t dst, bool inside, struct net_fat_route *r)
{
	const struct net_fat *f = &net->fat;
	uint32_t count = inside ? 1 : nodes_inside(f);
	uint32_t first = dst - (inside ? 0 : dst % count);
	uint64_t open;

	net_fat_route(f, node, first, hops, 0, r);
	if (!net->deaths || net->renewed != net->deaths)
		return;
	open = open_to_all(net, node, hops, first, count);
	if (open) {
		r->ports = open;
		r->detour = 0;
	}
}

static bool same_route(const struct net_fat_route *a,
		       const struct net_fat_route *b)
{
	return a->ports == b->ports && a->detour == b->detour &&
	       a->first == b->first;
}

/*
 * Stores a route unless it is stored already. Returns its number;
 * NET_TABLE_ROUTES: no space.
 */
static uint32_t route_add(struct tables *t, const struct net_fat_route *r)
{
	uint64_t key =
		weft_hash_mix(r->ports ^ weft_hash_mix(r->detour)) ^ r->first;
	uint32_t i = (uint32_t)(weft_hash_mix(key) % NET_TABLE_ROUTES), n;

	for (n = 0; n < NET_TABLE_ROUTES; n++) {
		if (!t->route[i].ports)
			t->route[i] = *r;
		if (same_route(&t->route[i], r))
			return i;
		i = (i + 1) % NET_TABLE_ROUTES;
	}
	t->route[NET_TABLE_ROUTES] = *r;
	return NET_TABLE_ROUTES;
}

const struct net_fat_route *net_table_find(const struct net *net, uint32_t node,
					   unsigned hops, uint32_t dst)
{
	struct tables *t = tables_of(net);
	struct net_guid to = net_guid_of(&net->fat, dst);
	bool inside = in_supernode(&net->fat, node, to);
	uint16_t *number = number_of(net, node, hops, to, inside);
	struct net_fat_route r;
	uint32_t i;

	if (weft_likely(*number))
		return &t->route[*number - 1];
	entry_compute(net, node, hops, dst, inside, &r);
	i = route_add(t, &r);
	if (i < NET_TABLE_ROUTES)
		*number = (uint16_t)(i + 1);
	return &t->route[i];
}

/* Returns a number of hops after which packets may arrive at this port. */
static unsigned hops_at(const struct net_fat *f, uint32_t node, unsigned port)
{
	if (port < f->m[1])
		return 1;
	return net_fat_is_sibling(f, node, port) ? 2 : 3;
}

/* Returns whether the route has ports and all of them have links. */
static bool route_valid(const struct net *net, uint32_t node,
			const struct net_fat_route *r)
{
	uint64_t ports = r->ports | r->detour;

	if (!r->ports || r->first >= net->ports ||
	    (net->ports < 64 && ports >> net->ports))
		return false;
	for (; ports; ports &= ports - 1)
		if (net_neighbour(net, node, (unsigned)__builtin_ctzll(ports)) <
		    0)
			return false;
	return true;
}

int net_table_set(struct net *net, uint32_t node, unsigned port,
		  struct net_guid to, const struct net_fat_route *r)
{
	const struct net_fat *f = &net->fat;
	bool inside;
	uint32_t i;

	if (!net->off_table)
		return -EOPNOTSUPP;
	if (node < net->ends || node >= net->nodes || port >= net->ports ||
	    to.super >= supernodes(f) || to.inside >= nodes_inside(f) ||
	    net_neighbour(net, node, port) < 0 || !route_valid(net, node, r))
		return -EINVAL;
	i = route_add(tables_of(net), r);
	if (i == NET_TABLE_ROUTES)
		return -ENOSPC;
	inside = in_supernode(f, node, to);
	*number_of(net, node, hops_at(f, node, port), to, inside) =
		(uint16_t)(i + 1);
	return 0;
}
