/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of a machine's nodes and links, for reports and drawings. On a torus a
 * node has coordinates, and a link a dimension and a direction: A+. A link
 * between a node and a shared router is N+ (to the router) or N-. In a tree a
 * node has a level and a number in the level; a link has the level at which it
 * starts, + for up or - for down, and a port number. Links between siblings are
 * 1=. With several rails, the rail precedes the switch number: 1.17.
 */
#ifndef WEFT_NET_NAME_H
#define WEFT_NET_NAME_H

#include "prov/net/file/net_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NET_CLASSES_MAX = 2 * NET_DIMS_MAX + 2, NET_CLASS_NAME = 4 };

/* Returns whether nodes have coordinates. */
bool net_has_coords(const struct net_config *cfg);
/*
 * Returns the number of link classes; the links of one direction or level are a
 * class.
 */
unsigned net_classes(const struct net_config *cfg);
unsigned net_class_of(const struct net_config *cfg, uint32_t node,
		      unsigned port);
/* Writes the name of a class: "A+", "1-". */
void net_class_name(const struct net_config *cfg, unsigned class,
		    char name[NET_CLASS_NAME]);

/*
 * Writes the name of a node: "(0,1,3,2,1)", "node 17", "level 2 switch 5",
 * "level 2 switch 1.5"; 32 bytes suffice.
 */
void net_node_name(const struct net_config *cfg, uint32_t node, char *text,
		   size_t len);
/* Writes the name of a link: sender, and port if there are parallel links. */
void net_link_name(const struct net_config *cfg, uint32_t node, unsigned port,
		   char *text, size_t len);
/*
 * Sets the coordinates of a node or, in a tree, its level and number. Returns
 * the number of values set.
 */
unsigned net_node_location(const struct net_config *cfg, uint32_t node,
			   uint32_t place[NET_DIMS_MAX]);

/* Nodes of one kind: all nodes of a torus, or a level of a tree. */
struct net_group {
	uint32_t first, count;
	unsigned ports;
	uint32_t ends; /* trees: end nodes below one node of the group */
	/* upward links of all nodes above the same end nodes; trees only */
	uint32_t up;
};
unsigned net_groups(const struct net_config *cfg);
void net_group(const struct net_config *cfg, unsigned i, struct net_group *g);

#endif
