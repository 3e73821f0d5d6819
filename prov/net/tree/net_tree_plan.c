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
#include "src/tree/tree.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- trees in a torus ---------------------------------------------------- */

static_assert(NET_DIMS_MAX <= WEFT_TREE_DIMS, "coordinates of a node");

static bool in_one_partition(const struct net_config *cfg,
			     const struct net_tree_plan *t)
{
	uint32_t each = 1;

	for (unsigned d = 0; d < cfg->dims; d++)
		each *= cfg->size[d];
	for (uint32_t i = 0; i < t->count; i++)
		if (t->node[i] / each != t->node[0] / each)
			return false;
	return true;
}

static int plan_torus(const struct net_config *cfg, struct net_tree_plan *t)
{
	struct weft_tree_coord *at;
	int nodes;

	if (net_router_nodes(cfg) > 1 || !in_one_partition(cfg, t))
		return -EINVAL;
	at = calloc(t->count, sizeof(*at));
	if (!at)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->count; i++) {
		uint32_t rest = t->node[i];

		for (unsigned d = cfg->dims; d-- > 0; rest /= cfg->size[d])
			at[i].at[d] = (int)(rest % cfg->size[d]);
	}
	nodes = weft_tree_box((int)t->count, at, t->parent);
	free(at);
	if (nodes == -ENOMEM)
		return nodes;
	/* the box must be full, and every node must occur once */
	return nodes == (int)t->count ? 0 : -EINVAL;
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

/*
 * Searches for a switch among the members from index `from` on. Returns its
 * index, or -1.
 */
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
 * top: number of the tree's top switch; the added switch is below it.
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
