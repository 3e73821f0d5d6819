/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A collective on a class route: all nodes of a block contribute at the same
 * time; the result is the time at which the last node has the result. Long
 * messages are sent packet by packet, at most WINDOW packets ahead of the
 * results.
 *
 *   kind=allreduce|barrier, bytes=N
 *   nodes=N     size of the block: the dimensions are doubled one after the
 *               other until it has N nodes; default: the whole shape
 */
#include "src/tools/reproduce/repro_bench.h"
#include "prov/net/file/net_map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW 64u

struct coll {
	struct repro_bench bench;
	uint32_t *node;
	uint32_t count, route;
	uint64_t bytes, packets;
	enum weft_coll_kind kind;
	uint64_t last_ps;
	int err;
};

static void contribute(struct coll *c, uint64_t at, uint32_t node, uint64_t seq)
{
	uint64_t payload = c->bench.cfg.payload_bytes;
	uint64_t left = c->bytes - seq * payload;
	struct net_part part = {
		.route = c->route,
		.node = node,
		.seq = seq,
		.bytes = (uint32_t)(left < payload ? left : payload),
		.kind = (uint8_t)c->kind,
		.fp = c->kind != WEFT_COLL_BARRIER,
	};
	int err = net_tree_send(c->bench.net, at, &part);

	if (err)
		c->err = err;
}

static void result(void *arg, uint64_t at, uint32_t route, uint32_t node,
		   uint64_t seq, uint64_t cookie)
{
	struct coll *c = arg;

	c->last_ps = at > c->last_ps ? at : c->last_ps;
	if (seq + WINDOW < c->packets)
		contribute(c, at, node, seq + WINDOW);
}

static uint64_t coll_combine(void *arg, uint64_t at, uint32_t node,
			     const uint64_t *cookie, unsigned count)
{
	return 0;
}

/* Collects the nodes of the block at the origin. */
static void fill_block(struct coll *c, const uint16_t *block)
{
	uint16_t at[NET_DIMS_MAX];
	bool in;

	for (uint32_t n = 0; n < c->bench.nodes; n++) {
		net_node_coords(&c->bench.cfg, n, at);
		in = true;
		for (unsigned d = 0; d < c->bench.cfg.dims; d++)
			in &= at[d] < block[d];
		if (!in)
			continue;
		c->node[c->count++] = n;
	}
}

static int open_route(struct coll *c, const uint16_t *block)
{
	uint32_t nodes = c->bench.nodes;
	struct net_tree_plan plan;
	int err;

	c->node = calloc(nodes, sizeof(*c->node));
	if (!c->node)
		return -ENOMEM;
	fill_block(c, block);
	err = net_tree_plan(&c->bench.cfg, c->node, NULL, c->count, &plan);
	if (err)
		return err;
	err = net_tree_open(c->bench.net, plan.node, plan.parent, plan.share,
			    plan.count, &c->route);
	net_tree_plan_free(&plan);
	return err;
}

static int coll_run(struct coll *c)
{
	static const struct net_up up = { .combine = coll_combine,
					  .result = result };
	uint64_t payload = c->bench.cfg.payload_bytes;
	int err;

	c->packets = c->bytes ? (c->bytes + payload - 1) / payload : 1;
	for (uint64_t seq = 0; seq < c->packets && seq < WINDOW; seq++)
		for (uint32_t i = 0; i < c->count; i++)
			contribute(c, 0, c->node[i], seq);
	err = c->err ? c->err : repro_bench_run(&c->bench, &up, c);
	return err ? err : c->err;
}

static enum weft_coll_kind kind_of(const struct repro_row *row)
{
	char kind[64];

	return strcmp(repro_arg(row, "kind", kind, "allreduce"), "barrier")
		       ? WEFT_COLL_ALLREDUCE
		       : WEFT_COLL_BARRIER;
}

int repro_coll(const struct repro *r, const struct repro_row *row,
	       double *model_p)
{
	struct coll c = { .kind = kind_of(row) };
	uint16_t block[NET_DIMS_MAX];
	int err = repro_bench_open(&c.bench, r, row, 1u << 20);

	if (!err) {
		unsigned nodes, d;

		c.bytes = c.kind == WEFT_COLL_BARRIER
				  ? 0
				  : repro_arg_number(row, "bytes", 8);
		/* the block of the row, or the whole machine */
		nodes = (unsigned)repro_arg_number(row, "nodes", 0);
		for (d = 0; d < NET_DIMS_MAX; d++)
			block[d] = nodes ? 1 : c.bench.cfg.size[d];
		for (d = 0; nodes > 1; nodes /= 2, d++)
			block[d % c.bench.cfg.dims] =
				(uint16_t)(block[d % c.bench.cfg.dims] * 2);
		err = open_route(&c, block);
		if (!err)
			err = coll_run(&c);
	}
	*model_p = (double)c.last_ps;
	free(c.node);
	repro_bench_close(&c.bench);
	return err;
}
