/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Networks of switches: dragonfly, dragonfly+, HyperX, and graphs from a file.
 * End nodes have the lowest numbers and one port; switches follow. The first
 * ports of a switch lead to its nodes, the others to switches.
 *
 *   dragonfly    shape = GROUPSxSWITCHES: all switches of a group are
 *                connected; each has global_links links to other groups
 *   dragonfly+   shape = GROUPSxLEAVES: each leaf of a group is connected to
 *                each of its spines, which have the links to other groups
 *   HyperX       shape = lengths: a switch is connected to all switches that
 *                differ in one coordinate, by links[d] links
 *
 *      group 0            group 1            group 2
 *    +----------+       +----------+       +----------+
 *    | s0 -- s1 |-------| s0 -- s1 |-------| s0 -- s1 |
 *    +-|------|-+       +-|------|-+       +-|------|-+
 *      n      n           n      n           n      n
 *
 * Global link j of a group (counted over its switches) leads to the j-th of the
 * other groups, modulo their number.
 *
 * Packets wait for an output port that is selected when they arrive, in a list
 * for each virtual channel: the buffers of a receiver are not ordered, so no
 * packet blocks another packet that needs a different port.
 *
 * Deadlock freedom: in a dragonfly, the number of global links passed so far
 * selects a packet's virtual channel; in a HyperX, its phase (before or after
 * the intermediate switch), with dimension order; in a graph, its number of
 * hops, or, with up-down routing, there is one channel. net_switches_cycle()
 * searches the channels of every path for a cycle.
 */
#ifndef WEFT_NET_SWITCHES_H
#define WEFT_NET_SWITCHES_H

#include "prov/net/file/net_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NET_PEER_NONE UINT32_MAX

enum { NET_SWITCHES_MAX = 4096, NET_COST_NONE = 255 };

uint32_t net_switches(const struct net_config *cfg);
uint32_t net_switches_nodes(const struct net_config *cfg);
/* Returns the maximum number of nodes of a switch; they use its first ports. */
unsigned net_switches_own(const struct net_config *cfg);
/* Returns the number of ports of the largest switch. */
unsigned net_switches_ports(const struct net_config *cfg);
/*
 * Returns the switch to which a node is connected, and sets *port_p to the
 * switch's port for that node.
 */
uint32_t net_switches_home(const struct net_config *cfg, uint32_t node,
			   unsigned *port_p);
/* Returns the node at a port of a switch; -1: none. */
int64_t net_switches_node(const struct net_config *cfg, uint32_t sw,
			  unsigned port);
/* Returns the group of a switch; the switch itself if there are no groups. */
uint32_t net_switches_group(const struct net_config *cfg, uint32_t sw);
/*
 * Returns the switch at the other end of a port's link, or -1; sets *port_p to
 * that switch's port, and *level_p to the level of the link: 0 (local), 1
 * (global) or, in a HyperX, the dimension.
 */
int64_t net_switches_peer(const struct net_config *cfg, uint32_t sw,
			  unsigned port, unsigned *port_p, unsigned *level_p);
/*
 * Returns the node or switch at the other end of any link, in the node numbers
 * of net_topo_peer().
 */
int64_t net_switches_link(const struct net_config *cfg, uint32_t node,
			  unsigned port, unsigned *port_p, unsigned *level_p);

/*
 * Paths between switches, as tables. `next` contains a mask of ports for each
 * phase, switch and target switch; there is a phase 1 only with up-down
 * routing.
 */
struct net_paths {
	const struct net_config *cfg;
	uint32_t count; /* number of switches */
	uint32_t nodes;
	unsigned ports;
	unsigned phases;
	uint64_t *next;
	/* per switch: mask of the ports with links to other groups */
	uint64_t *global;
	/* per switch and port: peer << 8 | port of the peer, or NET_PEER_NONE
	 */
	uint32_t *link;
	uint8_t *hops; /* per switch and target: number of links of the path */
	/* per node: switch << 8 | port of the switch */
	uint32_t *home;
	uint16_t *group; /* per switch */
	/*
	 * up-down routing: position of each switch in the order by distance;
	 * the root has 0
	 */
	uint16_t *rank;
};

size_t net_paths_bytes(const struct net_config *cfg);
/* Sets the numbers of switches, nodes, ports and phases. */
void net_paths_count(const struct net_config *cfg, struct net_paths *p);
/*
 * Sets the pointers of p to a block of net_paths_bytes() bytes;
 * net_paths_count() must have been called before.
 */
static inline void net_paths_at(struct net_paths *p, void *block)
{
	p->next = (uint64_t *)block;
	p->global = p->next + (uint64_t)p->count * p->count * p->phases;
	p->link = (uint32_t *)(p->global + p->count);
	p->home = p->link + (uint64_t)p->count * p->ports;
	p->group = (uint16_t *)(p->home + p->nodes);
	p->rank = p->group + p->count;
	p->hops = (uint8_t *)(p->rank + p->count);
}
/* Computes the contents of all tables. */
void net_paths_fill(struct net_paths *p);

static inline uint64_t net_paths_next(const struct net_paths *p, unsigned phase,
				      uint32_t sw, uint32_t target)
{
	return p->next[((uint64_t)phase * p->count + sw) * p->count + target];
}
static inline unsigned net_paths_hops(const struct net_paths *p, uint32_t sw,
				      uint32_t target)
{
	return p->hops[(uint64_t)sw * p->count + target];
}
/* Returns the switch at the other end of a port's link, or -1. */
static inline int64_t net_paths_peer(const struct net_paths *p, uint32_t sw,
				     unsigned port)
{
	uint32_t link = p->link[sw * p->ports + port];

	return link == NET_PEER_NONE ? -1 : (int64_t)(link >> 8);
}
/*
 * Returns whether a packet at switch `sw` has reached the group of its
 * intermediate switch `via`; without groups, that switch itself.
 */
static inline bool net_paths_reached(const struct net_paths *p, uint32_t sw,
				     uint32_t via)
{
	return p->group[sw] == p->group[via];
}
/* Returns whether the link leads away from the root of up-down routing. */
bool net_paths_is_down(const struct net_paths *p, uint32_t sw, unsigned port);
/*
 * Returns the length of the longest path without detour, in links between
 * switches.
 */
unsigned net_paths_longest(const struct net_paths *p);

/*
 * Rules that determine the virtual channel of a packet's next link from the
 * path so far.
 */
enum net_class_rule { NET_CLASS_GLOBAL, NET_CLASS_PHASE, NET_CLASS_HOP };
enum net_class_rule net_switches_rule(const struct net_config *cfg);
/*
 * Returns the number of virtual channels with which no cycle of channels is
 * possible; longest: result of net_paths_longest(), used only for graphs.
 */
unsigned net_switches_vcs(const struct net_config *cfg, unsigned longest);

/* A link of a cycle of channels. */
struct net_channel_link {
	uint32_t sw;
	unsigned port, class;
};

/*
 * Searches for a cycle in the channel dependency graph of the paths. Returns
 * the length of a cycle, 0 if there is none, or -ENOMEM; stores up to `room`
 * links of the cycle, in order.
 */
int net_switches_cycle(const struct net_paths *p, struct net_channel_link *link,
		       int room);

#endif
