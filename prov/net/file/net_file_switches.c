/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Networks of switches in machine files: defaults that depend on the shape,
 * limits, and the check that virtual channels suffice. A file whose channels
 * form a cycle is refused, and the message shows the cycle.
 */
#include "prov/net/file/net_file_int.h"
#include "prov/net/routing/net_switches.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 8, PORTS_MAX = 64, VCS_MAX = 6 };

/* Sets and checks the links between groups of a dragonfly. */
static int set_global_links(const struct file_doc *doc, struct net_config *c)
{
	unsigned switches =
		c->topology == NET_DRAGONFLY ? c->size[1] : c->spines;
	unsigned others = c->size[0] - 1u;

	if (c->dims != 2)
		return file_fail(doc->why,
				 "%.200s: shape has %u lengths; a dragonfly "
				 "has two, groups and switches with nodes per "
				 "group, e.g. 9x4",
				 doc->name, c->dims);
	if (!c->global_links)
		c->global_links = (uint16_t)((others + switches - 1) /
					     (switches ? switches : 1));
	if (switches * c->global_links < others)
		return file_fail(
			doc->why,
			"%.200s: shape has %u groups, but the %u %s "
			"of a group have %u links to other groups "
			"(global_links = %u); %u are needed",
			doc->name, c->size[0], switches,
			c->topology == NET_DRAGONFLY ? "switches" : "spines",
			switches * c->global_links, c->global_links, others);
	return 0;
}

static int check_sizes(const struct file_doc *doc, const struct net_config *c)
{
	unsigned ports = net_switches_ports(c);

	if (ports > PORTS_MAX)
		return file_fail(doc->why,
				 "%.200s: a switch has %u ports, %u of them "
				 "for nodes (router_nodes); the limit is %d",
				 doc->name, ports, net_switches_own(c),
				 PORTS_MAX);
	if (net_switches(c) > NET_SWITCHES_MAX)
		return file_fail(doc->why,
				 "%.200s: %u switches by shape; the limit is "
				 "%d",
				 doc->name, net_switches(c), NET_SWITCHES_MAX);
	return 0;
}

/* ---- channels ------------------------------------------------------------ */

static void switch_name(const struct file_graph_names *names, uint32_t sw,
			char *text, size_t len)
{
	if (names)
		snprintf(text, len, "%s", names->name[sw]);
	else
		snprintf(text, len, "%u", sw);
}

static int report_cycle(const struct file_doc *doc, const struct net_paths *p,
			const struct file_graph_names *names, unsigned needed,
			const struct net_channel_link *link, int count)
{
	char text[1024], a[32], b[32];
	size_t at = 0;

	for (int i = 0; i < count && i < SHOWN && at < sizeof(text); i++) {
		switch_name(names, link[i].sw, a, sizeof(a));
		switch_name(
			names,
			(uint32_t)net_paths_peer(p, link[i].sw, link[i].port),
			b, sizeof(b));
		at += (size_t)snprintf(text + at, sizeof(text) - at,
				       "\n  switch %s to switch %s, virtual "
				       "channel %u",
				       a, b, link[i].class);
	}
	return file_fail(doc->why,
			 "%.200s: packets could wait for each other forever: "
			 "vcs = %u gives a cycle of %d channels:%s%s\n  with "
			 "vcs = %u there is none%s%s",
			 doc->name, p->cfg->vcs, count, text,
			 count > SHOWN ? "\n  ..." : "", needed,
			 needed > VCS_MAX ? " (the limit is 6)" : "",
			 p->cfg->topology == NET_GRAPH
				 ? "; routing = up-down needs one"
				 : "");
}

static int check_connected(const struct file_doc *doc,
			   const struct net_paths *p,
			   const struct file_graph_names *names)
{
	char a[32], b[32];

	for (uint32_t s = 0; s < p->count; s++)
		for (uint32_t t = 0; t < p->count; t++) {
			if (net_paths_hops(p, s, t) != NET_COST_NONE)
				continue;
			switch_name(names, s, a, sizeof(a));
			switch_name(names, t, b, sizeof(b));
			return file_fail(doc->why,
					 "%.200s: no path from switch %s to "
					 "switch %s, or one of more than 254 "
					 "links",
					 doc->name, a, b);
		}
	return 0;
}

/* Sets the virtual channels of a graph, and checks those of the file. */
static int check_paths(const struct file_doc *doc, struct net_config *c,
		       const struct net_paths *p,
		       const struct file_graph_names *names)
{
	struct net_channel_link link[SHOWN];
	unsigned needed;
	int n;

	if (check_connected(doc, p, names))
		return -EINVAL;
	needed = net_switches_vcs(c, net_paths_longest(p));
	if (!c->vcs)
		c->vcs = (uint8_t)(needed < VCS_MAX ? needed : VCS_MAX);
	if (c->vcs >= needed)
		return 0;
	n = net_switches_cycle(p, link, SHOWN);
	if (n < 0)
		return file_fail(doc->why, "%.200s: no memory", doc->name);
	return n ? report_cycle(doc, p, names, needed, link, n) : 0;
}

int file_switches(const struct file_doc *doc, struct net_config *c,
		  const struct file_graph_names *names)
{
	struct net_paths p;
	void *block;
	int err = 0;

	if (c->topology == NET_DRAGONFLY || c->topology == NET_DRAGONFLY_PLUS)
		err = set_global_links(doc, c);
	if (!err)
		err = check_sizes(doc, c);
	if (!err && c->topology != NET_GRAPH && c->path_rule == NET_UP_DOWN)
		err = file_fail(doc->why,
				"%.200s: routing = up-down is for topology = "
				"graph",
				doc->name);
	if (err)
		return err;
	if (c->topology != NET_GRAPH) {
		if (!c->vcs)
			c->vcs = (uint8_t)net_switches_vcs(c, 0);
		if (c->vcs >= net_switches_vcs(c, 0))
			return 0;
	}
	net_paths_count(c, &p);
	block = malloc(net_paths_bytes(c));
	if (!block)
		return file_fail(doc->why, "%.200s: no memory", doc->name);
	net_paths_at(&p, block);
	net_paths_fill(&p);
	err = check_paths(doc, c, &p, names);
	free(block);
	return err;
}
