/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums over the ports. The hardware counts packets received and the packets
 * queued, integrated over time; their quotient is the mean wait (Little).
 */
#include "src/sim/sim_links.h"
#include "prov/net/net_map.h"

#include <stdio.h>
#include <string.h>

void sim_port_name(const struct net_config *cfg, unsigned port, char name[8])
{
	if (port < 2u * cfg->dims)
		snprintf(name, 8, "%c%c", (char)('A' + port / 2),
			 port % 2 ? '+' : '-');
	else
		snprintf(name, 8, "p%u", port % 1000);
}

static void add(struct sim_class *c, const struct net_port_count *p,
		uint64_t time_ps)
{
	double use = time_ps ? (double)p->busy_ps / (double)time_ps : 0;

	c->use += use;
	c->most = use > c->most ? use : c->most;
	c->packets += p->packets;
	c->chunks += p->chunks;
	c->received += p->received;
	c->queued += (double)p->queued_ps;
	c->links++;
}

static void finish(struct sim_class *c, uint64_t time_ps)
{
	c->wait_ns = c->received ? c->queued / (double)c->received / 1e3 : 0;
	if (c->links) {
		c->use /= c->links;
		c->queued /= (double)time_ps * c->links;
	}
}

/* A mesh ends somewhere, and a dimension of one node has no links. */
static bool there(const struct net_config *cfg, uint32_t node, unsigned port)
{
	uint16_t at[NET_DIMS_MAX];
	unsigned d = port / 2;

	if (cfg->wrap[d])
		return true;
	net_node_coords(cfg, node, at);
	return port % 2 ? at[d] + 1u < cfg->size[d] : at[d] > 0;
}

unsigned sim_links_classes(const struct net_config *cfg,
			   const struct sim_result *r,
			   struct sim_class class[2 * NET_DIMS_MAX])
{
	unsigned count = r->ports < 2u * cfg->dims ? r->ports : 2u * cfg->dims;

	memset(class, 0, count * sizeof(*class));
	for (unsigned p = 0; p < count; p++) {
		sim_port_name(cfg, p, class[p].name);
		for (uint32_t n = 0; n < r->nodes; n++)
			if (there(cfg, n, p))
				add(&class[p],
				    &r -> link[(size_t)n * r->ports + p].count,
				    r->time_ps);
		finish(&class[p], r -> time_ps);
	}
	return count;
}

unsigned sim_links_busiest(const struct sim_result *r, unsigned count,
			   const struct sim_link **link)
{
	size_t all = (size_t)r->nodes * r->ports;
	unsigned n = 0, at;

	for (size_t i = 0; i < all; i++) {
		const struct sim_link *l = &r->link[i];

		if (!l->count.busy_ps)
			continue;
		for (at = n;
		     at && link[at - 1]->count.busy_ps < l->count.busy_ps; at--)
			if (at < count)
				link[at] = link[at - 1];
		if (at < count)
			link[at] = l;
		n += n < count;
	}
	return n;
}

void sim_node_text(const struct net_config *cfg, uint32_t node, char *buf,
		   size_t len)
{
	uint16_t at[NET_DIMS_MAX];
	size_t n = 0;

	net_node_coords(cfg, node, at);
	for (unsigned d = 0; d < cfg->dims && n < len; d++)
		n += (size_t)snprintf(buf + n, len - n, "%s%u", d ? "," : "",
				      at[d]);
}
