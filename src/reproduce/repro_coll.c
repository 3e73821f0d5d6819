/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives on class routes (SC11 V.D, Tables 3 and 4, and the estimates of
 * II.C and II.D). All nodes of a block give their part at the same time; the
 * time is that of the last node's result. Long messages are sent packet by
 * packet, WINDOW of them ahead of the results.
 */
#include "src/reproduce/repro_bench.h"
#include "prov/net/net_map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW 64u

struct coll {
	struct repro_bench bench;
	uint32_t *node;
	int *parent;
	uint32_t *share;
	uint32_t count, route;
	uint64_t bytes, packets;
	enum net_coll kind;
	uint64_t last_ps;
	int err;
};

static void give(struct coll *c, uint64_t at, uint32_t node, uint64_t seq)
{
	uint64_t payload = c->bench.cfg.payload_bytes;
	uint64_t left = c->bytes - seq * payload;
	struct net_part part = {
		.route = c->route, .node = node, .seq = seq,
		.bytes = (uint32_t)(left < payload ? left : payload),
		.kind = (uint8_t)c->kind, .fp = c->kind != NET_BARRIER,
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
		give(c, at, node, seq + WINDOW);
}

static uint64_t combine(void *arg, uint64_t at, uint32_t node,
			const uint64_t *cookie, unsigned count)
{
	return 0;
}

/* The nodes of the block that begins at the origin. */
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
		c->share[c->count] = 1;
		c->node[c->count++] = n;
	}
}

static int open_route(struct coll *c, const uint16_t *block)
{
	uint32_t nodes = c->bench.nodes;
	int err;

	c->node = calloc(nodes, sizeof(*c->node));
	c->parent = calloc(nodes, sizeof(*c->parent));
	c->share = calloc(nodes, sizeof(*c->share));
	if (!c->node || !c->parent || !c->share)
		return -ENOMEM;
	fill_block(c, block);
	err = net_tree_parents(&c->bench.cfg, c->node, c->count, c->parent);
	if (!err)
		err = net_tree_open(c->bench.net, c->node, c->parent,
				     c->share, c->count, &c->route);
	return err;
}

static int run(struct coll *c)
{
	static const struct net_up up = { .combine = combine,
					  .result = result };
	uint64_t payload = c->bench.cfg.payload_bytes;
	int err;

	c->packets = c->bytes ? (c->bytes + payload - 1) / payload : 1;
	for (uint64_t seq = 0; seq < c->packets && seq < WINDOW; seq++)
		for (uint32_t i = 0; i < c->count; i++)
			give(c, 0, c->node[i], seq);
	err = c->err ? c->err : repro_bench_run(&c->bench, &up, c);
	return err ? err : c->err;
}

/* One collective on a block of a machine; its time in ps. */
static int measure(struct coll *c, const struct repro *r, const char *dims,
		   const uint16_t *block, double *ps_p)
{
	int err = repro_bench_open(&c->bench, r, dims, 1u << 20);

	if (!err) {
		err = open_route(c, block ? block : c->bench.cfg.size);
		if (!err)
			err = run(c);
		if (err)
			fprintf(stderr, "weft-reproduce: class route: %s\n",
				strerror(-err));
	}
	*ps_p = (double)c->last_ps;
	free(c->node);
	free(c->parent);
	free(c->share);
	repro_bench_close(&c->bench);
	return err;
}

/* Twice the nodes at a time: pairs in each dimension, then fours. */
int repro_allreduce(const struct repro *r, const struct repro_row *row,
		    double *model_p)
{
	struct coll c = { .bytes = 8, .kind = NET_ALLREDUCE };
	uint16_t block[NET_DIMS_MAX] = { 1, 1, 1, 1, 1, 1 };
	unsigned nodes = (unsigned)atoi(row->x), d = 0;
	double ps = 0;
	int err;

	for (; nodes > 1; nodes /= 2, d++)
		block[d % 5] = (uint16_t)(block[d % 5] * 2);
	err = measure(&c, r, "4x4x4x4x2", block, &ps);
	*model_p = ps / 1e3;
	return err;
}

int repro_allreduce_long(const struct repro *r, const struct repro_row *row,
			 double *model_p)
{
	struct coll c = { .bytes = strtoull(row->x, NULL, 10),
			  .kind = NET_ALLREDUCE };
	double ps = 0;
	int err = measure(&c, r, "4x4x4x4x2", NULL, &ps);

	*model_p = err ? 0 : (double)c.bytes * 1e3 / ps;
	return err;
}

int repro_allreduce_all(const struct repro *r, const struct repro_row *row,
			double *model_p)
{
	struct coll c = { .bytes = 8, .kind = NET_ALLREDUCE };
	double ps = 0;
	int err = measure(&c, r, row->x, NULL, &ps);

	*model_p = ps / 1e6;
	return err;
}

int repro_barrier_all(const struct repro *r, const struct repro_row *row,
		      double *model_p)
{
	struct coll c = { .kind = NET_BARRIER };
	double ps = 0;
	int err = measure(&c, r, row->x, NULL, &ps);

	*model_p = ps / 1e6;
	return err;
}
