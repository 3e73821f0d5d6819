/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tree over given nodes that a machine's software would choose. On a torus
 * it follows mesh links, dimension by dimension, with the root in the middle of
 * the block. In a fat tree it consists of the common switches above the nodes,
 * one per subtree and level.
 */
#include "prov/net/net.h"
#include "prov/net/routing/net_fat.h"

#include "src/base/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- trees in a torus ---------------------------------------------------- */

struct box {
	uint16_t lo[NET_DIMS_MAX], hi[NET_DIMS_MAX];
};

static void coords(const struct net_config *cfg, uint32_t node, uint16_t *x)
{
	unsigned d;

	for (d = cfg->dims; d-- > 0; node /= cfg->size[d])
		x[d] = (uint16_t)(node % cfg->size[d]);
}

/*
 * Computes the bounding block of the nodes. Returns false if the nodes do not
 * fill the block.
 */
static bool box_of(const struct net_config *cfg, const uint32_t *node,
		   uint32_t count, struct box *b)
{
	uint16_t x[NET_DIMS_MAX];
	uint64_t volume = 1;
	uint32_t i;
	unsigned d;

	coords(cfg, node[0], b->lo);
	coords(cfg, node[0], b->hi);
	for (i = 1; i < count; i++) {
		coords(cfg, node[i], x);
		for (d = 0; d < cfg->dims; d++) {
			if (x[d] < b->lo[d])
				b->lo[d] = x[d];
			if (x[d] > b->hi[d])
				b->hi[d] = x[d];
		}
	}
	for (d = 0; d < cfg->dims; d++)
		volume *= b->hi[d] - b->lo[d] + 1u;
	return volume == count;
}

/* Returns a node's index in the block; the last dimension varies fastest. */
static uint32_t box_index(const struct net_config *cfg, const struct box *b,
			  const uint16_t *x)
{
	uint32_t i = 0;
	unsigned d;

	for (d = 0; d < cfg->dims; d++)
		i = i * (b->hi[d] - b->lo[d] + 1u) + (x[d] - b->lo[d]);
	return i;
}

/*
 * Moves x one step towards the middle of the block, in the first dimension in
 * which they differ.
 */
static bool box_step(const struct net_config *cfg, const struct box *b,
		     uint16_t *x)
{
	unsigned d, mid;

	for (d = 0; d < cfg->dims; d++) {
		mid = b->lo[d] + (b->hi[d] - b->lo[d] + 1u) / 2;
		if (x[d] == mid)
			continue;
		x[d] = (uint16_t)(x[d] < mid ? x[d] + 1 : x[d] - 1);
		return true;
	}
	return false;
}

/*
 * Sets at[k] to the index in node[] of the node at index k of the block.
 * Returns false if a node occurs twice.
 */
static bool box_places(const struct net_config *cfg, const struct box *b,
		       const uint32_t *node, uint32_t count, int *at)
{
	uint16_t x[NET_DIMS_MAX];
	uint32_t i, k;

	for (i = 0; i < count; i++)
		at[i] = -1;
	for (i = 0; i < count; i++) {
		coords(cfg, node[i], x);
		k = box_index(cfg, b, x);
		if (at[k] >= 0)
			return false;
		at[k] = (int)i;
	}
	return true;
}

static int plan_torus(const struct net_config *cfg, struct net_tree_plan *t)
{
	uint16_t x[NET_DIMS_MAX];
	struct box b;
	uint32_t i;
	int *at;

	if (net_router_nodes(cfg) > 1 || !box_of(cfg, t->node, t->count, &b))
		return -EINVAL;
	at = calloc(t->count, sizeof(*at));
	if (!at)
		return -ENOMEM;
	if (!box_places(cfg, &b, t->node, t->count, at)) {
		free(at);
		return -EINVAL;
	}
	for (i = 0; i < t->count; i++) {
		coords(cfg, t->node[i], x);
		t->parent[i] =
			box_step(cfg, &b, x) ? at[box_index(cfg, &b, x)] : -1;
	}
	free(at);
	return 0;
}

/* ---- trees in a fat tree ------------------------------------------------- */

/* Returns the lowest level at which one switch is above all nodes. */
static uint32_t common_level(const struct net_fat *f,
			     const struct net_tree_plan *t)
{
	uint32_t l, i;

	for (l = 1; l < f->levels; l++) {
		for (i = 1; i < t->count; i++)
			if (t->node[i] / f->ends[l] != t->node[0] / f->ends[l])
				break;
		if (i == t->count)
			break;
	}
	return l;
}

/* Searches a switch from index `from` on. Returns its index or -1. */
static int switch_find(const struct net_tree_plan *t, uint32_t from,
		       uint32_t node)
{
	uint32_t i;

	for (i = t->count; i-- > from;)
		if (t->node[i] == node)
			return (int)i;
	return -1;
}

/*
 * Adds the switch of level l above member i, unless the plan already has it.
 * top: number of the top switch above that switch.
 */
static int add_parent(const struct net_fat *f, struct net_tree_plan *t,
		      uint32_t i, uint32_t l, uint32_t from, uint32_t top)
{
	struct net_fat_place p = net_fat_place(f, t->node[i]);
	uint32_t a = p.a / f->m[l];
	uint32_t node = f->first[l] + a * f->tops[l] + top % f->tops[l];
	int at = switch_find(t, from, node);

	if (at < 0) {
		if (t->count == t->room)
			return -ENOSPC;
		at = (int)t->count++;
		t->node[at] = node;
		t->share[at] = 0;
		t->parent[at] = -1;
	}
	t->parent[i] = at;
	return 0;
}

/* Returns whether the node numbers are consecutive, in any order. */
static bool is_range(const struct net_tree_plan *t)
{
	uint32_t i, low = t->node[0], high = low;

	for (i = 1; i < t->count; i++) {
		if (t->node[i] < low)
			low = t->node[i];
		if (t->node[i] > high)
			high = t->node[i];
	}
	return high - low + 1 == t->count;
}

static int plan_fat(const struct net_config *cfg, struct net_tree_plan *t)
{
	uint32_t top, l, i, first = 0, end = t->count, which;
	struct net_fat f;
	int err;
	uint64_t sum;

	if (cfg->coll_range && !is_range(t))
		return -EINVAL;
	net_fat_init(&f, cfg);
	top = common_level(&f, t);
	/* ports have few table entries, so groups use different top switches */
	sum = t->count;
	for (i = 0; i < t->count; i++)
		sum += weft_hash_mix(t->node[i] + 1ull);
	which = cfg->routes_port ? (uint32_t)(weft_hash_mix(sum) % f.tops[top])
				 : 0;
	for (l = 1; l <= top; l++) {
		for (i = first; i < end; i++) {
			err = add_parent(&f, t, i, l, end, which);
			if (err)
				return err;
		}
		first = end;
		end = t->count;
	}
	return 0;
}

/* ---- all topologies ------------------------------------------------------ */

int net_tree_plan(const struct net_config *cfg, const uint32_t *node,
		  const uint32_t *share, uint32_t count,
		  struct net_tree_plan *t)
{
	uint32_t i;
	int err;

	*t = (struct net_tree_plan){ .count = count };
	if (!count)
		return -EINVAL;
	t->room = count + (cfg->topology == NET_TORUS ? 0 : cfg->dims * count);
	t->node = calloc(t->room, sizeof(*t->node));
	t->parent = calloc(t->room, sizeof(*t->parent));
	t->share = calloc(t->room, sizeof(*t->share));
	if (!t->node || !t->parent || !t->share) {
		net_tree_plan_free(t);
		return -ENOMEM;
	}
	memcpy(t->node, node, count * sizeof(*node));
	for (i = 0; i < count; i++)
		t->share[i] = share ? share[i] : 1;
	err = cfg->topology == NET_TORUS ? plan_torus(cfg, t)
					 : plan_fat(cfg, t);
	if (err)
		net_tree_plan_free(t);
	return err;
}

void net_tree_plan_free(struct net_tree_plan *t)
{
	free(t->node);
	free(t->parent);
	free(t->share);
	*t = (struct net_tree_plan){ 0 };
}
