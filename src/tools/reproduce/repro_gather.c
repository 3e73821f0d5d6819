/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A collective by the members' interfaces: contributions are sent as messages
 * up a tree, level by level, and combined in each interface one after another;
 * the switches multicast the root's result. The time is from the simultaneous
 * post to the last member's result.
 *
 *   members=N       processes
 *   per=N           processes of each node (default: 1)
 *   kind=barrier|allreduce|bcast, bytes=N
 *
 * A broadcast first gathers contributions without data, as the machine does.
 * The software that posts a contribution and receives the result is included.
 */
#include "src/tools/reproduce/repro_bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Interface of a member. */
struct member {
	uint64_t inputs; /* arrived inputs, one bit each */
	uint64_t busy_ps;
	unsigned added;
	bool posted; /* whether the member posted its contribution */
};

struct gather {
	struct repro_bench bench;
	struct weft_tree_shape tree;
	struct member *member;
	uint32_t per, route;
	uint32_t up_bytes, down_bytes;
	uint8_t path;
	uint64_t last_ps;
	int err;
};

static uint32_t node_of(const struct gather *g, uint32_t member)
{
	return member / g->per;
}

static void record_error(struct gather *g, int err)
{
	if (err)
		g->err = err;
}

/*
 * Combines the arrived inputs in order; after the last input the result is sent
 * to the parent, or multicast by the root.
 */
static void advance(struct gather *g, uint32_t member, uint64_t at)
{
	struct member *m = &g->member[member];
	unsigned n = weft_tree_shape_inputs(&g->tree, member);

	if (!m->posted)
		return;
	if (m->busy_ps < at)
		m->busy_ps = at;
	for (; m->added < n && m->inputs >> m->added & 1; m->added++)
		m->busy_ps += g->bench.cfg.fold_ps;
	if (m->added < n)
		return;
	m->posted = false;
	if (member) {
		unsigned nth;
		uint32_t up = weft_tree_shape_parent(&g->tree, member, &nth);
		const struct net_msg msg = {
			.src = node_of(g, member),
			.dst = node_of(g, up),
			.bytes = g->up_bytes,
			.path = g->path,
			.fifo = member % g->per,
			.cookie = (uint64_t)up << 8 | nth,
		};

		record_error(g, net_send(g->bench.net, m->busy_ps, &msg));
	} else {
		const struct net_part part = {
			.route = g->route,
			.bytes = g->down_bytes,
			.kind = WEFT_COLL_BCAST,
		};

		record_error(g, net_tree_send(g->bench.net, m->busy_ps, &part));
	}
}

static void timer(void *arg, uint64_t at, uint64_t cookie)
{
	struct gather *g = arg;

	g->member[cookie].posted = true;
	advance(g, (uint32_t)cookie, at);
}

static void gather_arrived(void *arg, uint64_t at, uint64_t cookie,
			   uint32_t node)
{
	struct gather *g = arg;
	uint32_t member = (uint32_t)(cookie >> 8);

	g->member[member].inputs |= 1ull << (cookie & 255);
	advance(g, member, at);
}

static void result(void *arg, uint64_t at, uint32_t route, uint32_t node,
		   uint64_t seq, uint64_t cookie)
{
	struct gather *g = arg;

	g->last_ps = at;
}

static int open_group(struct gather *g)
{
	uint32_t nodes = (g->tree.n + g->per - 1) / g->per, i;
	uint32_t *node = calloc(nodes, sizeof(*node));
	struct net_tree_plan plan;
	int err;

	if (!node)
		return -ENOMEM;
	for (i = 0; i < nodes; i++)
		node[i] = i;
	err = net_tree_plan(&g->bench.cfg, node, NULL, nodes, &plan);
	free(node);
	if (err)
		return err;
	err = net_tree_open(g->bench.net, plan.node, plan.parent, plan.share,
			    plan.count, &g->route);
	net_tree_plan_free(&plan);
	return err;
}

static int gather_run(struct gather *g)
{
	static const struct net_up up = { .timer = timer,
					  .arrived = gather_arrived,
					  .result = result };
	uint64_t at = g->bench.cfg.coll_send_ps + g->bench.cfg.coll_inject_ps;
	int err;

	g->member = calloc(g->tree.n, sizeof(*g->member));
	if (!g->member)
		return -ENOMEM;
	for (uint32_t i = 0; i < g->tree.n; i++)
		record_error(g, net_timer(g->bench.net, at, i));
	err = g->err ? g->err : repro_bench_run(&g->bench, &up, g);
	free(g->member);
	return err ? err : g->err;
}

int repro_gather(const struct repro *r, const struct repro_row *row,
		 double *model_p)
{
	uint32_t n = (uint32_t)repro_arg_number(row, "members", 4), bytes;
	char text[64];
	const char *kind = repro_arg(row, "kind", text, "barrier");
	struct gather g = { .last_ps = 0 };
	int err = repro_bench_open(&g.bench, r, row, 1u << 16);

	g.per = (uint32_t)repro_arg_number(row, "per", 1);
	bytes = (uint32_t)repro_arg_number(row, "bytes", 8);
	g.up_bytes = strcmp(kind, "allreduce") ? 0 : bytes;
	g.down_bytes = strcmp(kind, "barrier") ? bytes : 0;
	weft_tree_shape_init(&g.tree, n, g.bench.cfg.fold_levels);
	if (!err && (!n || !g.per || n > g.bench.nodes * g.per))
		err = -EINVAL;
	if (!err)
		err = repro_bench_path(&g.bench, "event", &g.path);
	if (!err)
		err = open_group(&g);
	if (!err)
		err = gather_run(&g);
	*model_p = (double)(g.last_ps + g.bench.cfg.coll_recv_ps);
	repro_bench_close(&g.bench);
	return err;
}
