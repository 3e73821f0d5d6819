/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of nodes and links; the syntax is described in net_name.h. */
#include "prov/net/file/net_name.h"
#include "prov/net/routing/net_fat.h"
#include "prov/net/routing/net_switches.h"
#include "prov/net/routing/net_topo.h"

#include <stdio.h>

/* ---- torus --------------------------------------------------------------- */

static unsigned torus_class_of(const struct net_config *cfg, uint32_t node,
			       unsigned port)
{
	unsigned dir = 0;

	if (net_topo_is_internal(cfg, node, port))
		return 2u * cfg->dims + (node < net_topo_ends(cfg));
	if (net_topo_is_io(cfg, node, port))
		return 2u * cfg->dims + (node < net_topo_compute(cfg));
	while (port >= net_topo_first(cfg, dir + 1))
		dir++;
	return dir;
}

/*
 * Writes the name of a class. N: links between a node and its shared router; I:
 * links between a compute node and its I/O node.
 */
static void torus_class_name(const struct net_config *cfg, unsigned class,
			     char name[NET_CLASS_NAME])
{
	char other = cfg->io_nodes ? 'I' : 'N';

	snprintf(name, NET_CLASS_NAME, "%c%c",
		 class < 2u * cfg->dims ? (char)('A' + class / 2) : other,
		 class % 2 ? '+' : '-');
}

static bool is_io(const struct net_config *cfg, uint32_t node)
{
	return cfg->io_nodes && node >= net_topo_compute(cfg);
}

static bool is_node(const struct net_config *cfg, uint32_t node)
{
	return net_router_nodes(cfg) > 1 && node < net_topo_ends(cfg);
}

static unsigned torus_place(const struct net_config *cfg, uint32_t node,
			    uint32_t place[NET_DIMS_MAX])
{
	if (is_node(cfg, node) || is_io(cfg, node)) {
		place[0] = node;
		return 1;
	}
	if (net_router_nodes(cfg) > 1)
		node -= net_topo_ends(cfg);
	for (unsigned d = cfg->dims; d-- > 0; node /= cfg->size[d])
		place[d] = node % cfg->size[d];
	return cfg->dims;
}

static void torus_node(const struct net_config *cfg, uint32_t node, char *text,
		       size_t len)
{
	uint32_t at[NET_DIMS_MAX];
	size_t n = 0;

	torus_place(cfg, node, at);
	if (is_node(cfg, node)) {
		snprintf(text, len, "node %u", node);
		return;
	}
	if (is_io(cfg, node)) {
		snprintf(text, len, "I/O node %u",
			 node - net_topo_compute(cfg));
		return;
	}
	if (net_partitions(cfg) > 1)
		n = (size_t)snprintf(
			text, len, "%u:",
			node / (net_topo_compute(cfg) / net_partitions(cfg)));
	for (unsigned d = 0; d < cfg->dims && n < len; d++)
		n += (size_t)snprintf(text + n, len - n, "%c%u", d ? ',' : '(',
				      at[d]);
	if (n < len)
		snprintf(text + n, len - n, ")");
}

/* Writes the number of the link if several links lead to one neighbour. */
static void torus_port(const struct net_config *cfg, uint32_t node,
		       unsigned port, char *text, size_t len)
{
	unsigned dir = torus_class_of(cfg, node, port);

	text[0] = 0;
	if (dir < 2u * cfg->dims && net_topo_links(cfg, dir / 2) > 1)
		snprintf(text, len, " link %u",
			 port - net_topo_first(cfg, dir));
}

static void torus_group(const struct net_config *cfg, unsigned i,
			struct net_group *g)
{
	*g = (struct net_group){ .count = net_topo_nodes(cfg),
				 .ports = net_topo_ports(cfg) };
	if (cfg->io_nodes) {
		g->first = i ? net_topo_compute(cfg) : 0;
		g->count = i ? g->count - g->first : net_topo_compute(cfg);
		g->ports = i ? cfg->io_links : g->ports;
		return;
	}
	if (net_router_nodes(cfg) == 1)
		return;
	g->first = i ? net_topo_ends(cfg) : 0;
	g->count = i ? g->count - g->first : net_topo_ends(cfg);
	g->ports = i ? g->ports : 1;
}

/*
 * Returns the number of groups of nodes; shared routers or I/O nodes are a
 * group of their own.
 */
static unsigned torus_groups(const struct net_config *cfg)
{
	return net_router_nodes(cfg) > 1 || cfg->io_nodes ? 2 : 1;
}

/* ---- trees --------------------------------------------------------------- */

/*
 * Returns the class of a link: 0+, 1-, 1+, 2-, ... (level, + up, - down). The
 * last class is for links between siblings.
 */
static unsigned fat_class_of(const struct net_config *cfg, uint32_t node,
			     unsigned port)
{
	struct net_fat f;
	uint32_t l;

	net_fat_init(&f, cfg);
	if (net_fat_is_sibling(&f, node, port))
		return 2u * cfg->dims;
	l = net_fat_place(&f, node).level;
	return port < f.m[l] ? 2 * l - 1 : 2 * l;
}

static void fat_class_name(const struct net_config *cfg, unsigned class,
			   char name[NET_CLASS_NAME])
{
	if (class == 2u * cfg->dims)
		snprintf(name, NET_CLASS_NAME, "1=");
	else
		snprintf(name, NET_CLASS_NAME, "%u%c", (class + 1) / 2 % 10,
			 class % 2 ? '-' : '+');
}

static unsigned fat_place(const struct net_config *cfg, uint32_t node,
			  uint32_t place[NET_DIMS_MAX])
{
	struct net_fat f;

	net_fat_init(&f, cfg);
	place[0] = net_fat_place(&f, node).level;
	place[1] = node - f.first[place[0]];
	return 2;
}

/* Writes the rail of a switch; the switch number counts within the rail. */
static void fat_rail(const struct net_config *cfg, uint32_t node,
		     uint32_t level, char *text, size_t len)
{
	struct net_fat_place p;
	struct net_fat f;
	uint32_t each, rail, nth;

	net_fat_init(&f, cfg);
	p = net_fat_place(&f, node);
	each = f.w[1] / f.rails;
	rail = p.b % f.w[1] / each;
	nth = p.a * (f.tops[level] / f.rails) + p.b / f.w[1] * each +
	      p.b % each;
	snprintf(text, len, "level %u switch %u.%u", level, rail, nth);
}

static void fat_node(const struct net_config *cfg, uint32_t node, char *text,
		     size_t len)
{
	uint32_t at[NET_DIMS_MAX];

	fat_place(cfg, node, at);
	if (at[0] && cfg->rails > 1)
		fat_rail(cfg, node, at[0], text, len);
	else if (at[0])
		snprintf(text, len, "level %u switch %u", at[0], at[1]);
	else
		snprintf(text, len, "node %u", at[1]);
}

static void fat_port(const struct net_config *cfg, uint32_t node, unsigned port,
		     char *text, size_t len)
{
	snprintf(text, len, " port %u", port);
}

static void fat_group(const struct net_config *cfg, unsigned i,
		      struct net_group *g)
{
	struct net_fat f;

	net_fat_init(&f, cfg);
	g->first = f.first[i];
	g->count = f.first[i + 1] - f.first[i];
	g->ports = f.m[i] + f.w[i + 1] + (i == 1 ? f.siblings : 0);
	g->ends = f.ends[i];
	g->up = f.tops[i] * f.w[i + 1];
}

static unsigned fat_groups(const struct net_config *cfg)
{
	return cfg->dims + 1u;
}

/* ---- networks of switches ------------------------------------------------ */

static unsigned switched_class_of(const struct net_config *cfg, uint32_t node,
				  unsigned port)
{
	unsigned back, level;

	net_switches_link(cfg, node, port, &back, &level);
	if (level == NET_DIMS_MAX)
		return node >= net_switches_nodes(cfg);
	return 2 + level;
}

static void switched_class_name(const struct net_config *cfg, unsigned class,
				char name[NET_CLASS_NAME])
{
	bool groups = net_switches_rule(cfg) == NET_CLASS_GLOBAL;

	if (class < 2)
		snprintf(name, NET_CLASS_NAME, "%s", class ? "N-" : "N+");
	else if (cfg->topology == NET_HYPERX)
		snprintf(name, NET_CLASS_NAME, "%c", 'A' + (class - 2) % 26);
	else
		snprintf(name, NET_CLASS_NAME, "%s",
			 class == 2 ? groups ? "L" : "S" : "G");
}

static unsigned switched_place(const struct net_config *cfg, uint32_t node,
			       uint32_t place[NET_DIMS_MAX])
{
	uint32_t ends = net_switches_nodes(cfg);

	place[0] = node >= ends;
	place[1] = node - (node >= ends ? ends : 0);
	return 2;
}

static void switched_node(const struct net_config *cfg, uint32_t node,
			  char *text, size_t len)
{
	uint32_t at[NET_DIMS_MAX];

	switched_place(cfg, node, at);
	snprintf(text, len, "%s %u", at[0] ? "switch" : "node", at[1]);
}

static void switched_group(const struct net_config *cfg, unsigned i,
			   struct net_group *g)
{
	uint32_t ends = net_switches_nodes(cfg);

	*g = (struct net_group){ .first = i ? ends : 0,
				 .count = i ? net_switches(cfg) : ends,
				 .ports = i ? net_switches_ports(cfg) : 1 };
}

static unsigned switched_groups(const struct net_config *cfg)
{
	return 2;
}

/* ---- all topologies ------------------------------------------------------ */

struct names {
	unsigned (*class_of)(const struct net_config *cfg, uint32_t node,
			     unsigned port);
	void (*class_name)(const struct net_config *cfg, unsigned class,
			   char name[NET_CLASS_NAME]);
	unsigned (*place)(const struct net_config *cfg, uint32_t node,
			  uint32_t place[NET_DIMS_MAX]);
	void (*node)(const struct net_config *cfg, uint32_t node, char *text,
		     size_t len);
	void (*port)(const struct net_config *cfg, uint32_t node, unsigned port,
		     char *text, size_t len);
	unsigned (*groups)(const struct net_config *cfg);
	void (*group)(const struct net_config *cfg, unsigned i,
		      struct net_group *g);
};

static const struct names torus = { torus_class_of, torus_class_name,
				    torus_place,    torus_node,
				    torus_port,	    torus_groups,
				    torus_group };
static const struct names fat = { fat_class_of, fat_class_name, fat_place,
				  fat_node,	fat_port,	fat_groups,
				  fat_group };
static const struct names switched = { switched_class_of, switched_class_name,
				       switched_place,	  switched_node,
				       fat_port,	  switched_groups,
				       switched_group };
static const struct names *const names[] = {
	[NET_TORUS] = &torus,
	[NET_FAT_TREE] = &fat,
	[NET_GEN_FAT_TREE] = &fat,
	[NET_DRAGONFLY] = &switched,
	[NET_DRAGONFLY_PLUS] = &switched,
	[NET_HYPERX] = &switched,
	[NET_GRAPH] = &switched,
};

unsigned net_classes(const struct net_config *cfg)
{
	bool across =
		cfg->topology != NET_TORUS && cfg->siblings && cfg->dims > 1;

	if (net_is_switched(cfg))
		return 2u + cfg->dims;
	return 2u * cfg->dims +
	       (net_router_nodes(cfg) > 1 || cfg->io_nodes ? 2 : 0) + across;
}

bool net_has_coords(const struct net_config *cfg)
{
	return cfg->topology == NET_TORUS;
}

unsigned net_class_of(const struct net_config *cfg, uint32_t node,
		      unsigned port)
{
	return names[cfg->topology]->class_of(cfg, node, port);
}

void net_class_name(const struct net_config *cfg, unsigned class,
		    char name[NET_CLASS_NAME])
{
	names[cfg->topology]->class_name(cfg, class, name);
}

void net_node_name(const struct net_config *cfg, uint32_t node, char *text,
		   size_t len)
{
	names[cfg->topology]->node(cfg, node, text, len);
}

void net_link_name(const struct net_config *cfg, uint32_t node, unsigned port,
		   char *text, size_t len)
{
	char number[16];
	size_t n;

	net_node_name(cfg, node, text, len);
	names[cfg->topology]->port(cfg, node, port, number, sizeof(number));
	for (n = 0; n < len && text[n]; n++)
		;
	snprintf(text + n, len - n, "%s", number);
}

unsigned net_node_location(const struct net_config *cfg, uint32_t node,
			   uint32_t place[NET_DIMS_MAX])
{
	return names[cfg->topology]->place(cfg, node, place);
}

unsigned net_groups(const struct net_config *cfg)
{
	return names[cfg->topology]->groups(cfg);
}

void net_group(const struct net_config *cfg, unsigned i, struct net_group *g)
{
	names[cfg->topology]->group(cfg, i, g);
}
