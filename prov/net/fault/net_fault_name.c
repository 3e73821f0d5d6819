/* SPDX-License-Identifier: BSD-3-Clause */
/* Parser of the objects that faults apply to; the syntax is in net_fault.h. */
#include "prov/net/fault/net_fault_int.h"
#include "prov/net/file/net_name.h"
#include "prov/net/routing/net_topo.h"

#include <stdlib.h>

/* Parses decimal digits. Returns the end of the digits, or NULL if none. */
static const char *number_parse(const char *s, uint32_t *x_p)
{
	uint64_t x = 0;
	const char *at = s;

	for (; *at >= '0' && *at <= '9' && x < UINT32_MAX; at++)
		x = 10 * x + (uint64_t)(*at - '0');
	*x_p = (uint32_t)x;
	return at == s || x > UINT32_MAX ? NULL : at;
}

/* Parses "0,3,1": the node or the shared router at these coordinates. */
static const char *coords_parse(const struct net *net, const char *s,
				uint32_t *node_p)
{
	const struct net_config *cfg = &net->cfg;
	uint32_t node = 0, x;
	unsigned d;

	for (d = 0; d < cfg->dims; d++) {
		s = number_parse(s, &x);
		if (!s || x >= cfg->size[d])
			return NULL;
		node = node * cfg->size[d] + x;
		if (d + 1 < cfg->dims && *s++ != ',')
			return NULL;
	}
	*node_p = node + (net->steer == NET_STEER_SHARED ? net->ends : 0);
	return s;
}

/* Parses "2:5": a level of a tree, and a switch number in that level. */
static const char *level_parse(const struct net *net, const char *s,
			       uint32_t *node_p)
{
	uint32_t l, n;
	struct net_group g;

	s = number_parse(s, &l);
	if (!s || *s++ != ':' || l >= net_groups(&net->cfg))
		return NULL;
	s = number_parse(s, &n);
	net_group(&net->cfg, l, &g);
	*node_p = g.first + n;
	return s && n < g.count ? s : NULL;
}

/* Parses a node. Returns the rest of the text; NULL: no such node. */
static const char *fault_name_place(const struct net *net, const char *s,
				    uint32_t *node_p)
{
	size_t n = strcspn(s, ",:.");

	if (s[n] == ',')
		return net->cfg.topology == NET_TORUS
			       ? coords_parse(net, s, node_p)
			       : NULL;
	if (s[n] == ':')
		return net->cfg.topology == NET_TORUS
			       ? NULL
			       : level_parse(net, s, node_p);
	s = number_parse(s, node_p);
	return *node_p < net->nodes ? s : NULL;
}

/*
 * Parses "A+" (one class) or "A" (both directions). Returns false if there is
 * no such class.
 */
static bool class_find(const struct net *net, const char *s,
		       struct net_fault_line *line)
{
	char name[NET_CLASS_NAME];
	unsigned i;

	for (i = 0; i < net_classes(&net->cfg); i++) {
		net_class_name(&net->cfg, i, name);
		line->class = (uint8_t)i;
		if (!strcmp(s, name))
			return true;
		line->both = s[0] == name[0] && !s[1];
		if (line->both)
			return true;
	}
	return false;
}

static bool any_link(const struct net *net, const struct net_fault_line *line,
		     uint32_t node)
{
	for (unsigned port = 0; port < net->ports; port++)
		if (net_links(net, node)[port] != NET_LINK_NONE &&
		    net_fault_line_applies(net, line, node, port))
			return true;
	return false;
}

static bool any_of_class(const struct net *net,
			 const struct net_fault_line *line)
{
	for (uint32_t n = 0; n < net->nodes; n++)
		if (any_link(net, line, n))
			return true;
	return false;
}

static const char *class_parse(const struct net *net, const char *s,
			       struct net_fault_line *line)
{
	static const struct {
		const char *name;
		unsigned class;
	} special[] = { { "*", NET_CLASS_ANY },
			{ "optical", NET_CLASS_OPTICAL },
			{ "copper", NET_CLASS_COPPER } };

	line->target = NET_FAULT_ON_CLASS;
	for (unsigned i = 0; i < WEFT_COUNT_OF(special); i++)
		if (!strcmp(s, special[i].name)) {
			line->class = (uint8_t)special[i].class;
			return NULL;
		}
	return class_find(net, s, line) && any_of_class(net, line)
		       ? NULL
		       : "no such class of links; use A+, A, 1-, optical, "
			 "copper or * for all";
}

/* Parses NODE.CLASS or NODE.CLASS.NUMBER. */
static const char *link_parse(const struct net *net, const char *s,
			      struct net_fault_line *line)
{
	char class[NET_CLASS_NAME] = "";
	uint32_t number;
	size_t n;

	line->target = NET_FAULT_ON_LINK;
	line->link = 0xff;
	s = fault_name_place(net, s, &line->node);
	if (!s || *s++ != '.')
		return "no such node; expected NODE.CLASS[.NUMBER], e.g. 17.A+";
	/* a node at a shared router has no links of its own, except class N */
	if (net->steer == NET_STEER_SHARED && line->node < net->ends &&
	    *s != 'N')
		line->node =
			net->ends + line->node / net_router_nodes(&net->cfg);
	n = strcspn(s, ".");
	memcpy(class, s, n < sizeof(class) ? n : 0);
	s += n;
	if (*s == '.') {
		s = number_parse(s + 1, &number);
		line->link = number < 0xff ? (uint8_t)number : 0xfe;
	}
	if (!s || *s || !class_find(net, class, line) || line->both ||
	    !any_link(net, line, line->node))
		return "no such link at this node";
	return NULL;
}

static const char *node_parse(const struct net *net, const char *s,
			      bool a_switch, struct net_fault_line *line)
{
	bool shared = net->steer == NET_STEER_SHARED;

	line->target = NET_FAULT_ON_NODE;
	if (!a_switch && !strcmp(s, "*")) {
		line->class = NET_CLASS_ANY;
		return NULL;
	}
	s = fault_name_place(net, s, &line->node);
	if (!s || *s)
		return a_switch ? "no such switch" : "no such node";
	if (a_switch && line->node < net->ends &&
	    (shared || net->cfg.topology != NET_TORUS))
		return "a node, not a switch";
	if (!a_switch && line->node >= net->ends)
		return "a switch, not a node";
	return NULL;
}

const char *net_fault_node_parse(const struct net *net, const char *text,
				 uint32_t *node_p)
{
	struct net_fault_line line = { .node = 0 };
	const char *wrong = node_parse(net, text, false, &line);

	if (!wrong && line.class == NET_CLASS_ANY)
		wrong = "no such node";
	*node_p = line.node;
	return wrong;
}

/* Parses a rail: the links of all end nodes to one of the parallel trees. */
static const char *rail_parse(const struct net *net, const char *s,
			      struct net_fault_line *line)
{
	uint32_t rail;

	if (net->cfg.rails < 2)
		return "this machine has no rails";
	s = number_parse(s, &rail);
	if (!s || *s || rail >= net->cfg.rails)
		return "no such rail; rails are numbered from 0";
	line->target = NET_FAULT_ON_RAIL;
	line->node = rail;
	return NULL;
}

const char *net_fault_object_parse(const struct net *net,
				   const struct weft_fault_entry *f,
				   struct net_fault_line *line)
{
	switch (f->kind) {
	case WEFT_FAULT_ERRORS:
	case WEFT_FAULT_BURST:
		return class_parse(net, f->target, line);
	case WEFT_FAULT_LANES:
	case WEFT_FAULT_DEAD_LINK:
	case WEFT_FAULT_SLOW_LINK:
		return link_parse(net, f->target, line);
	case WEFT_FAULT_DEAD_RAIL:
		return rail_parse(net, f->target, line);
	default:
		return node_parse(net, f->target,
				  f->kind == WEFT_FAULT_DEAD_SWITCH, line);
	}
}

bool net_fault_is_optical(const struct net *net, uint32_t node, unsigned port)
{
	const struct net_config *cfg = &net->cfg;
	unsigned peer_port, crossings = 0;

	net_topo_peer(cfg, node, port, &peer_port, &crossings);
	return crossings ||
	       (cfg->care.fibre && !net_topo_is_internal(cfg, node, port) &&
		cfg->cable[net_topo_level(cfg, node, port)] >= cfg->care.fibre);
}

/* Returns the number of a port among the links of its class. */
static unsigned number_of(const struct net *net, uint32_t node, unsigned port)
{
	unsigned class = net_class_of(&net->cfg, node, port), n = 0;

	while (port-- && net_class_of(&net->cfg, node, port) == class)
		n++;
	return n;
}

/*
 * Returns whether two classes belong to one dimension or level, as A+ and A-,
 * or 1+ and 1- do.
 */
static bool same_dimension(const struct net *net, unsigned a, unsigned b)
{
	char x[NET_CLASS_NAME], y[NET_CLASS_NAME];

	net_class_name(&net->cfg, a, x);
	net_class_name(&net->cfg, b, y);
	return x[0] == y[0];
}

bool net_fault_line_applies(const struct net *net,
			    const struct net_fault_line *line, uint32_t node,
			    unsigned port)
{
	unsigned class = net_class_of(&net->cfg, node, port);
	bool of_class = line->class == NET_CLASS_ANY || class == line->class ||
			(line->both && same_dimension(net, class, line->class));

	if (line->target == NET_FAULT_ON_NODE)
		return node == line->node;
	if (line->target == NET_FAULT_ON_RAIL)
		return node < net->ends &&
		       port / (net->fat.w[1] / net->fat.rails) == line->node;
	if (line->class == NET_CLASS_OPTICAL || line->class == NET_CLASS_COPPER)
		return net_fault_is_optical(net, node, port) ==
		       (line->class == NET_CLASS_OPTICAL);
	if (line->target == NET_FAULT_ON_CLASS)
		return of_class;
	return node == line->node && of_class &&
	       (line->link == 0xff || number_of(net, node, port) == line->link);
}
