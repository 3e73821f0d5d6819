/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two-level routing tables of the switches of a tree. An end node has a GUID:
 * the number of its supernode, and its number in the supernode. The table of a
 * switch has one entry for each node of its own supernode and one for each
 * supernode:
 *
 *   GUID  | supernode | inside |      [inside 0 .. n][supernode 0 .. m]
 *
 * so 262,144 nodes need 1,280 entries. The tables of switches above all
 * supernodes have the second part only. On the machine every port of a switch
 * has its own table. The tables differ only between ports to nodes, ports to
 * the sibling and ports to higher switches, so the model has one table for each
 * of these three kinds of ports.
 *
 * Machines with supernodes route by these tables. An entry is computed when it
 * is first used; net_table_clear discards all entries, so that new ones take
 * the dead links known at that time into account. Equal entries are stored
 * once, and the tables hold their numbers.
 */
#ifndef WEFT_NET_GUID_H
#define WEFT_NET_GUID_H

#include "prov/net/net_layout.h"
#include "prov/net/routing/net_fat.h"

#include <stddef.h>
#include <stdint.h>

enum {
	NET_TABLE_KINDS = 3, /* kinds of ports of a switch */
	/* maximum number of different entries in all tables */
	NET_TABLE_ROUTES = 4096,
};

/*
 * If the tables would need more bytes than this, they are not stored, and
 * routes are computed per packet.
 */
#define NET_TABLE_BYTES_MAX (64ull << 20)

struct net_guid {
	uint32_t super, inside;
};
struct net_guid net_guid_of(const struct net_fat *f, uint32_t node);

/* Returns the number of entries of one table. */
size_t net_table_entries(const struct net_fat *f);
/* Returns the size of all tables in the block; 0: the machine has none. */
uint64_t net_table_bytes(const struct net_config *cfg);
/*
 * Returns the entry for packets to node dst that arrive at switch `node` after
 * this number of hops.
 */
const struct net_fat_route *net_table_find(const struct net *net, uint32_t node,
					   unsigned hops, uint32_t dst);
void net_table_clear(struct net *net);
/*
 * Writes the entry for `to` in the table of a switch's port. The caller ensures
 * that the routes in the tables form no cycle. -EOPNOTSUPP: the machine has no
 * tables; -EINVAL: no such switch, port, GUID or link; -ENOSPC: too many
 * different entries.
 */
int net_table_set(struct net *net, uint32_t node, unsigned port,
		  struct net_guid to, const struct net_fat_route *r);

#endif
