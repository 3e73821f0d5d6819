/* SPDX-License-Identifier: BSD-3-Clause */
/* Detection times of the node failures in a fault plan (net_watch.h). */
#include "prov/net/fault/net_fault_int.h"
#include "prov/net/file/net_map.h"
#include "prov/net/file/net_name.h"
#include "prov/net/health/net_watch.h"
#include "prov/watch/watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* PERIODS: simulated periods after the last failure. */
enum { PERIODS = 8, PACKETS = 4096 };

static void on_timer(void *arg, uint64_t at, uint64_t cookie)
{
	net_watch_timer(arg, at, cookie);
}

static void on_word(void *arg, uint64_t at, uint64_t cookie, uint32_t node,
		    unsigned port)
{
	net_watch_word(arg, at, cookie, node, port);
}

static bool is_dead_node(const struct net_fault_line *line)
{
	return line->kind == WEFT_FAULT_DEAD_NODE &&
	       line->target == NET_FAULT_ON_NODE;
}

/* Returns the end of the simulated time; 0 if no node fails. */
static uint64_t end_of(const struct net *net)
{
	const struct net_fault_line *line = net_fault_lines(net);
	uint64_t end = 0, last;

	for (uint32_t i = 0; i < net_faults(net)->count; i++) {
		last = line[i].at_ps + PERIODS * net->cfg.watch_ps;
		if (is_dead_node(&line[i]) && end < last)
			end = last;
	}
	return end;
}

static int kill_all(const struct net *net, struct net_watch *w, unsigned room)
{
	const struct net_fault_line *line = net_fault_lines(net);
	unsigned n = 0;
	int ret = 0;

	for (uint32_t i = 0; i < net_faults(net)->count && !ret; i++)
		if (is_dead_node(&line[i]) && n++ < room)
			ret = net_watch_fail(w, line[i].at_ps, line[i].node,
					     NET_WATCH_BOTH);
	return ret;
}

static int run_watch(struct net *net, struct net_watch_failure *death,
		     unsigned room)
{
	static const struct net_up up = { .timer = on_timer, .word = on_word };
	const struct net_watch_failure *d;
	struct net_watch *w;
	uint64_t until = end_of(net), next;
	unsigned n;
	bool stop = false;
	int ret;

	if (!until)
		return 0;
	ret = net_watch_open(&w, net, &net->cfg, net_faults(net)->seed, until);
	if (ret)
		return ret;
	ret = kill_all(net, w, room);
	while (!ret && !net_watch_done(w) &&
	       (next = net_next(net)) != NET_NEVER)
		net_run(net, next, &up, w, &stop);
	for (n = 0; !ret && (d = net_watch_get(w, n)); n++)
		death[n] = *d;
	net_watch_close(w);
	return ret ? ret : (int)n;
}

int net_watch_plan(const struct net_config *cfg, const char *name,
		   const struct weft_fault_plan *plan,
		   struct net_watch_failure *death, unsigned room)
{
	struct net_config own = *cfg;
	struct weft_fault_plan_why why;
	uint32_t packets;
	struct net *net;
	size_t bytes;
	int ret;

	if (!cfg->watch_ps)
		return 0;
	net_fault_reserve(&own, plan);
	if (!own.faults)
		return 0;
	packets = PACKETS + 32 * net_shape_nodes(&own);
	bytes = net_bytes(&own, packets);
	net = calloc(1, bytes);
	if (!net)
		return -ENOMEM;
	ret = net_open(net, bytes, &own, packets);
	if (!ret)
		ret = net_fault_load(net, name, plan, &why);
	if (!ret)
		ret = run_watch(net, death, room);
	free(net);
	return ret;
}

static void time_since(const struct net_watch_failure *d, uint64_t at,
		       char *text, size_t len)
{
	if (at == NET_NEVER)
		snprintf(text, len, "never");
	else
		snprintf(text, len, "%.3f ms", (double)(at - d->at) / 1e9);
}

void net_watch_text(const struct net_config *cfg,
		    const struct net_watch_failure *d, char *text, size_t len)
{
	char node[64], first[32], last[32], master[32];

	net_node_name(cfg, d->node, node, sizeof(node));
	time_since(d, d->first_at, first, sizeof(first));
	time_since(d, d->last_at, last, sizeof(last));
	time_since(d, d->master_at, master, sizeof(master));
	snprintf(text, len,
		 "node %s died at %.3f ms: first neighbour %s, last %s, master "
		 "%s later (host %s, interface %s)",
		 node, (double)d->at / 1e9, first, last, master,
		 weft_watch_name(d->host), weft_watch_name(d->nic));
}
