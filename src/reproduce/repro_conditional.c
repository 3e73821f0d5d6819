/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A barrier by a network conditional: node 0 broadcasts a test to a range of
 * nodes, the switches merge the answers on the way back, and what follows a
 * success sets an event everywhere. nodes=N: how many; software at both ends
 * is the host's share of a short write, and a look.
 */
#include "src/reproduce/repro_bench.h"

#include <errno.h>
#include <stdlib.h>

enum { ASK, ANSWER }; /* sequence numbers of the two packets */

struct conditional {
	struct repro_bench bench;
	uint32_t route;
	uint64_t last_ps;
	int err;
};

static void give(struct conditional *c, uint64_t at, uint32_t node,
		 uint64_t seq)
{
	struct net_part part = {
		.route = c->route,
		.node = node,
		.seq = seq,
		.kind = seq == ASK ? NET_BCAST : NET_BARRIER,
		.bytes = seq == ASK ? 8 : 0,
	};
	int err = net_tree_send(c->bench.net, at, &part);

	if (err)
		c->err = err;
}

static void result(void *arg, uint64_t at, uint32_t route, uint32_t node,
		   uint64_t seq, uint64_t cookie)
{
	struct conditional *c = arg;

	if (seq == ASK)
		give(c, at, node, ANSWER);
	else
		c->last_ps = at;
}

static int open_range(struct conditional *c, uint32_t nodes)
{
	struct net_tree_plan plan;
	uint32_t *node = calloc(nodes, sizeof(*node)), i;
	int err;

	if (!node)
		return -ENOMEM;
	for (i = 0; i < nodes; i++)
		node[i] = i;
	err = net_tree_plan(&c->bench.cfg, node, NULL, nodes, &plan);
	free(node);
	if (err)
		return err;
	err = net_tree_open(c->bench.net, plan.node, plan.parent, plan.share,
			    plan.count, &c->route);
	net_tree_plan_free(&plan);
	return err;
}

int repro_conditional(const struct repro *r, const struct repro_row *row,
		      double *model_p)
{
	static const struct net_up up = { .result = result };
	uint32_t nodes = (uint32_t)repro_arg_number(row, "nodes", 4);
	struct conditional c = { .err = 0 };
	int err = repro_bench_open(&c.bench, r, row, 1u << 16);

	if (!err)
		err = open_range(&c, nodes);
	if (!err) {
		give(&c, c.bench.cfg.path[0].inject_ps, 0, ASK);
		err = c.err ? c.err : repro_bench_run(&c.bench, &up, &c);
	}
	*model_p = (double)(c.last_ps + c.bench.cfg.poll_ps);
	repro_bench_close(&c.bench);
	return err ? err : c.err;
}
