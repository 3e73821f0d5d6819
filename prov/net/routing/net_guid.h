/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two-level routing tables. An end node has a GUID: the number of its
 * supernode, and its number in the supernode. The table of a switch has one
 * entry for each node of its own supernode and one for each supernode:
 *
 *   GUID  | supernode | inside |      [inside 0 .. n][supernode 0 .. m]
 *
 * so 262,144 nodes need 1,280 entries. Switches above all supernodes have the
 * second part only. Every port of a switch has its own table; the tables of
 * ports to nodes, to the sibling and to higher switches differ.
 */
#ifndef WEFT_NET_GUID_H
#define WEFT_NET_GUID_H

#include "prov/net/routing/net_fat.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct net_guid {
	uint32_t super, inside;
};
struct net_guid net_guid_of(const struct net_fat *f, uint32_t node);

struct net_table {
	/* GUID of the switch, of which only the supernode is used */
	struct net_guid own;
	bool above;		     /* 1: the switch is above all supernodes */
	uint32_t inside, supers;     /* entries of the two parts */
	struct net_fat_route *entry; /* inside + supers entries */
};

/* Returns the number of entries of a switch's table. */
size_t net_table_entries(const struct net_fat *f);
/*
 * Fills the table of the ports at which packets arrive after this number of
 * hops. entry: array of net_table_entries() entries.
 */
void net_table_fill(const struct net_fat *f, uint32_t node, unsigned hops,
		    struct net_table *t, struct net_fat_route *entry);
const struct net_fat_route *net_table_find(const struct net_table *t,
					   struct net_guid to);

#endif
