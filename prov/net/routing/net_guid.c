/* SPDX-License-Identifier: BSD-3-Clause */
/* Two-level routing tables, described in net_guid.h. */
#include "prov/net/routing/net_guid.h"

/* Returns the end nodes of a supernode or, without one, of the machine. */
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

void net_table_fill(const struct net_fat *f, uint32_t node, unsigned hops,
		    struct net_table *t, struct net_fat_route *entry)
{
	struct net_fat_place p = net_fat_place(f, node);
	uint32_t each = nodes_inside(f), i;

	t->above = f->ends[p.level] > each;
	t->own.super = t->above ? 0 : p.a * f->ends[p.level] / each;
	t->own.inside = 0;
	t->inside = each;
	t->supers = supernodes(f);
	t->entry = entry;
	for (i = 0; i < each && !t->above; i++)
		net_fat_route(f, node, t->own.super * each + i, hops, 0,
			      &entry[i]);
	/* one route is valid for all nodes of a supernode */
	for (i = 0; i < t->supers; i++)
		net_fat_route(f, node, i * each, hops, 0, &entry[each + i]);
}

const struct net_fat_route *net_table_find(const struct net_table *t,
					   struct net_guid to)
{
	if (!t->above && to.super == t->own.super)
		return &t->entry[to.inside];
	return &t->entry[t->inside + to.super];
}
