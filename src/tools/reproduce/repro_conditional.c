/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A barrier of the nodes 0 to N - 1, nodes=N, by the barrier method of the
 * machine: all nodes arrive at the same time; the result is the time at which
 * the last node has detected the completion by polling.
 */
#include "src/tools/reproduce/repro_bench.h"

#include <errno.h>
#include <stdlib.h>

struct conditional {
	struct repro_bench bench;
	uint32_t route;
	uint64_t last_ps;
};

static void result(void *arg, uint64_t at, uint32_t route, uint32_t node,
		   uint64_t seq, uint64_t cookie)
{
	struct conditional *c = arg;

	c->last_ps = at;
}

static int arrive(struct conditional *c, uint32_t nodes)
{
	struct net_part part = { .route = c->route, .kind = WEFT_COLL_BARRIER };
	int err = 0;

	for (; part.node < nodes && !err; part.node++)
		err = net_tree_send(c->bench.net, 0, &part);
	return err;
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
	struct conditional c = { .last_ps = 0 };
	int err = repro_bench_open(&c.bench, r, row, 1u << 16);

	if (!err)
		err = open_range(&c, nodes);
	if (!err)
		err = arrive(&c, nodes);
	if (!err)
		err = repro_bench_run(&c.bench, &up, &c);
	*model_p = (double)(c.last_ps + c.bench.cfg.poll_ps);
	repro_bench_close(&c.bench);
	return err;
}
