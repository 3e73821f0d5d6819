/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums of the port statistics of each link class. The hardware counts received
 * packets and the integral of queued packets over time; the quotient is the
 * mean wait (Little's law).
 */
#include "src/tools/sim/sim_links.h"

#include <stdio.h>
#include <string.h>

static void links_add(struct sim_class *c, const struct net_port_count *p,
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
	c->used += p->packets > 0;
}

static void links_finish(struct sim_class *c, uint64_t time_ps)
{
	c->wait_ns = c->received ? c->queued / (double)c->received / 1e3 : 0;
	if (c->links) {
		c->use /= c->links;
		c->queued /= (double)time_ps * c->links;
	}
}

unsigned sim_links_classes(const struct net_config *cfg,
			   const struct sim_result *r,
			   struct sim_class class[NET_CLASSES_MAX])
{
	unsigned count = net_classes(cfg), c;
	size_t all = (size_t)r->places * r->ports;

	memset(class, 0, count * sizeof(*class));
	for (size_t i = 0; i < all; i++) {
		const struct sim_link *l = &r->link[i];

		if (!l->there)
			continue;
		c = net_class_of(cfg, l->node, l->port);
		links_add(&class[c], &l -> count, r -> time_ps);
	}
	for (c = 0; c < count; c++) {
		net_class_name(cfg, c, class[c].name);
		links_finish(&class[c], r -> time_ps);
	}
	return count;
}

unsigned sim_links_busiest(const struct sim_result *r, unsigned count,
			   const struct sim_link **link)
{
	size_t all = (size_t)r->places * r->ports;
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

void sim_place_text(const struct net_config *cfg, uint32_t node, char *buf,
		    size_t len)
{
	uint32_t at[NET_DIMS_MAX];
	unsigned count = net_node_location(cfg, node, at);
	size_t n = 0;

	for (unsigned d = 0; d < count && n < len; d++)
		n += (size_t)snprintf(buf + n, len - n, "%s%u", d ? "," : "",
				      at[d]);
}
