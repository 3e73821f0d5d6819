/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tokens of collective channels that the class routes of a link share
 * (cfg.coll_shared). A link has two channels: routes of the world and of the
 * system use the first, routes of other groups the second. A packet holds a
 * token from its grant until its buffer at the next node is free, so a route
 * whose members are late may delay the other routes of its channel, as on the
 * machine. A returned token goes to packets down the tree before packets up the
 * tree, to routes of the system before those of users, and otherwise to the
 * routes in round-robin order (assumed). Barrier packets use no channel.
 */
#include "prov/net/net_pool.h"
#include "prov/net/tree/net_tree_int.h"

#include <errno.h>

static struct net_coll_link *coll_link(const struct net *net, uint32_t node,
				       unsigned port)
{
	return (struct net_coll_link *)net_at(net, net->off_coll) +
	       (uint64_t)node * net->ports + port;
}

int net_tree_class_set(struct net *net, uint32_t route,
		       enum net_tree_class class)
{
	unsigned found = 0;

	for (uint32_t i = 1; i <= net->members_max; i++) {
		struct net_member *m = net_member(net, i);

		if (m->route != route + 1)
			continue;
		m->channel = class == NET_TREE_GROUP;
		m->system = class == NET_TREE_SYSTEM;
		found++;
	}
	return found ? 0 : -EINVAL;
}

bool net_coll_link_take(struct net *net, uint32_t node, unsigned port,
			unsigned channel)
{
	struct net_coll_link *l = coll_link(net, node, port);

	if (l->used[channel] >= net->cfg.tokens[NET_VC_COLL0 + channel])
		return false;
	l->used[channel]++;
	return true;
}

/*
 * Returns the child to which m's node has a packet to send through a port, or
 * 0.
 */
static uint32_t waiting_child(const struct net *net, const struct net_member *m,
			      unsigned port)
{
	const struct net_member *child;
	uint32_t c;
	unsigned steps = 0;

	for (c = m->child; c; c = child->next) {
		net_walk_check(steps++ < net->ports);
		child = net_member(net, c);
		if (child->port_down == port &&
		    net_coll_uses_link(net, child->down.head))
			return c;
	}
	return 0;
}

/*
 * Returns the member that has a packet of this kind waiting for a port,
 * searching from route entry `first` on; 0: none. For a packet down the tree,
 * returns the child that will receive it.
 */
static uint32_t waiting_member(const struct net *net, uint32_t node,
			       unsigned port, const struct net_coll_wait *kind,
			       unsigned first)
{
	for (uint32_t k = 0; k < net->cfg.routes; k++) {
		uint32_t mi = node * net->cfg.routes + 1 +
			      (first + k) % net->cfg.routes;
		const struct net_member *m = net_member(net, mi);
		uint32_t c;

		if (!m->route || m->channel != kind->channel ||
		    m->system != kind->system)
			continue;
		if (kind->down) {
			c = waiting_child(net, m, port);
			if (c)
				return c;
		} else if (m->parent && m->port_up == port &&
			   net_coll_uses_link(net, m->up.head)) {
			return mi;
		}
	}
	return 0;
}

uint32_t net_coll_link_return(struct net *net, uint32_t node, unsigned port,
			      unsigned channel, bool *down_p)
{
	struct net_coll_link *l = coll_link(net, node, port);
	struct net_coll_wait kind = { .channel = (uint8_t)channel };
	uint32_t mi = 0, entry;

	WEFT_GUARD_ASSERT(l->used[channel]);
	net->excess += !l->used[channel];
	l->used[channel] -= l->used[channel] != 0;
	for (unsigned i = 0; i < 4 && !mi; i++) {
		kind.down = i < 2;
		kind.system = i % 2 == 0;
		mi = waiting_member(net, node, port, &kind, l->next[channel]);
	}
	if (!mi)
		return 0;
	*down_p = kind.down;
	entry = kind.down ? net_member(net, mi)->parent : mi;
	l->next[channel] = (uint8_t)((entry - 1) % net->cfg.routes + 1);
	return mi;
}
