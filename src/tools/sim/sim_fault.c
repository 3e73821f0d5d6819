/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Effects of a fault plan: counters of all kinds of errors, and the links with
 * the most errors. Called by the writers of weft-sim.
 */
#include "src/tools/sim/sim_out_int.h"
#include "prov/net/file/net_name.h"
#include "prov/net/health/net_watch.h"

#include <inttypes.h>
#include <stdio.h>

enum { LINKS_MAX = 1000, DEATHS_MAX = 64 };

/* Returns the number of errors of a link, for sorting. */
static uint64_t error_count(const struct sim_link *l)
{
	return l->fault.bad + l->fault.detours + l->fault.escaped;
}

/* Finds up to `count` links with the most errors; returns their number. */
static unsigned most_errors(const struct sim_result *r, unsigned count,
			    const struct sim_link **link)
{
	size_t all = (size_t)r->places * r->ports;
	unsigned n = 0, at;

	for (size_t i = 0; i < all; i++) {
		const struct sim_link *l = &r->link[i];

		if (!l->there || (!error_count(l) && !l->fault.dead))
			continue;
		for (at = n; at && error_count(link[at - 1]) < error_count(l);
		     at--)
			if (at < count)
				link[at] = link[at - 1];
		if (at < count)
			link[at] = l;
		n += n < count;
	}
	return n;
}

/*
 * Computes when other nodes are notified of the nodes that fail in the fault
 * plan, on machines with fault awareness. Returns the number of failed nodes.
 */
static unsigned deaths(const struct sim_opts *o,
		       struct net_watch_failure *death)
{
	int n = net_watch_plan(&o->spec.cfg, o->spec.plan_name, o->spec.plan,
			       death, DEATHS_MAX);

	return n < 0 ? 0 : (unsigned)n;
}

static void awareness_text(const struct sim_opts *o)
{
	struct net_watch_failure death[DEATHS_MAX];
	unsigned count = deaths(o, death);
	char line[256];

	if (count)
		printf("\nfault awareness, period %.3f ms\n",
		       (double)o->spec.cfg.watch_ps / 1e9);
	for (unsigned i = 0; i < count; i++) {
		net_watch_text(&o->spec.cfg, &death[i], line, sizeof(line));
		printf("  %s\n", line);
	}
}

/* Returns the time from the failure to time `at` in ms; -1: never. */
static double since_failure_ms(const struct net_watch_failure *d, uint64_t at)
{
	return at == NET_NEVER ? -1 : (double)(at - d->at) / 1e9;
}

static void awareness_json(const struct sim_opts *o)
{
	struct net_watch_failure death[DEATHS_MAX], *d;
	unsigned count = deaths(o, death);
	char node[64];

	if (!count)
		return;
	printf("      \"awareness\": [");
	for (unsigned i = 0; i < count; i++) {
		d = &death[i];
		net_node_name(&o->spec.cfg, d->node, node, sizeof(node));
		printf("%s\n        { \"node\": \"%s\", \"at_ms\": %.6f, "
		       "\"first_ms\": %.6f, \"last_ms\": %.6f, "
		       "\"master_ms\": %.6f }",
		       i ? "," : "", node, (double)d->at / 1e9,
		       since_failure_ms(d, d->first_at),
		       since_failure_ms(d, d->last_at),
		       since_failure_ms(d, d->master_at));
	}
	printf("\n      ],\n");
}

void sim_faults_text(const struct sim_opts *o, const struct sim_result *r)
{
	const struct net_config *cfg = &o->spec.cfg;
	const struct sim_link *link[LINKS_MAX];
	char class[NET_CLASS_NAME], node[64];
	const char *name;
	uint64_t value;
	unsigned count;

	if (!r->faults)
		return;
	printf("\nfaults\n");
	for (unsigned i = 0; (name = net_fault_item(&r->fault, i, &value)); i++)
		if (value)
			printf("  %-34s %12" PRIu64 "\n", name, value);
	count = most_errors(r, o->busiest, link);
	for (unsigned i = 0; i < count; i++) {
		const struct sim_link *l = link[i];

		net_class_name(cfg, net_class_of(cfg, l->node, l->port), class);
		net_link_name(cfg, l->node, l->port, node, sizeof(node));
		printf("  %s %s%s  %" PRIu64 " packets, %" PRIu64
		       " bad, %" PRIu64 " detours, %.3f us of retries\n",
		       node, class, l->fault.dead ? " dead" : "",
		       l->fault.packets, l->fault.bad, l->fault.detours,
		       (double)l->fault.retry_ps / 1e6);
	}
	awareness_text(o);
}

void sim_faults_json(const struct sim_opts *o, const struct sim_result *r)
{
	const struct net_config *cfg = &o->spec.cfg;
	const struct sim_link *link[LINKS_MAX];
	char class[NET_CLASS_NAME], node[64];
	const char *name;
	uint64_t value;
	unsigned count;

	if (!r->faults)
		return;
	printf("      \"faults\": {");
	for (unsigned i = 0; (name = net_fault_item(&r->fault, i, &value)); i++)
		printf("%s\n        \"%s\": %" PRIu64, i ? "," : "", name,
		       value);
	printf("\n      },\n      \"worst\": [");
	count = most_errors(r, o->busiest, link);
	for (unsigned i = 0; i < count; i++) {
		const struct sim_link *l = link[i];

		net_class_name(cfg, net_class_of(cfg, l->node, l->port), class);
		net_link_name(cfg, l->node, l->port, node, sizeof(node));
		printf("%s\n        { \"node\": \"%s\", \"port\": \"%s\", "
		       "\"dead\": %s, \"packets\": %" PRIu64
		       ", \"bad\": %" PRIu64 ", \"detours\": %" PRIu64
		       ", \"retry_us\": %.6f }",
		       i ? "," : "", node, class,
		       l->fault.dead ? "true" : "false", l->fault.packets,
		       l->fault.bad, l->fault.detours,
		       (double)l->fault.retry_ps / 1e6);
	}
	printf("%s],\n", count ? "\n      " : "");
	awareness_json(o);
}
