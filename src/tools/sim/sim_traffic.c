/* SPDX-License-Identifier: BSD-3-Clause */
/* Traffic patterns, see sim_traffic.h. */
#include "src/tools/sim/sim_traffic.h"
#include "prov/net/file/net_map.h"
#include "prov/net/file/net_name.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[SIM_PATTERNS] = {
	[SIM_UNIFORM] = "uniform",     [SIM_NEIGHBOUR] = "neighbour",
	[SIM_ALLTOALL] = "all-to-all", [SIM_COMPLEMENT] = "complement",
	[SIM_HOTSPOT] = "hotspot",     [SIM_PERMUTATION] = "permutation",
	[SIM_TRANSPOSE] = "transpose", [SIM_IO] = "io",
	[SIM_GROUP] = "group",
};

const char *sim_pattern_name(enum sim_pattern pattern)
{
	return names[pattern];
}

int sim_pattern_find(const char *name)
{
	for (int i = 0; i < SIM_PATTERNS; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

/* Returns the side of a square of this many nodes; 0: not a square. */
static uint32_t side_of(uint32_t nodes)
{
	uint32_t side = 1;

	while (side * side < nodes)
		side++;
	return side * side == nodes ? side : 0;
}

/*
 * Returns the number of nodes of a group of a dragonfly, or of a switch of a
 * HyperX; 0: the machine has no groups.
 */
static uint32_t group_nodes(const struct net_config *cfg)
{
	if (!net_is_switched(cfg) || cfg->topology == NET_GRAPH)
		return 0;
	if (cfg->topology == NET_HYPERX)
		return net_router_nodes(cfg);
	return cfg->size[1] * net_router_nodes(cfg);
}

const char *sim_pattern_missing(enum sim_pattern pattern,
				const struct net_config *cfg)
{
	if (pattern == SIM_NEIGHBOUR && !net_has_coords(cfg))
		return "the coordinates of a torus or mesh";
	if (pattern == SIM_TRANSPOSE && !side_of(net_shape_nodes(cfg)))
		return "a square number of nodes";
	if (pattern == SIM_GROUP && !group_nodes(cfg))
		return "groups of nodes: a dragonfly or a HyperX";
	if (pattern == SIM_IO && !cfg->io_nodes)
		return "I/O nodes: key io of the machine file, e.g. bgq@io";
	return NULL;
}

/* ---- destinations -------------------------------------------------------- */

static uint32_t random_other(struct weft_rng *r, uint32_t src, uint32_t nodes)
{
	uint32_t n = (uint32_t)weft_rng_below(r, nodes - 1);

	return n + (n >= src);
}

/* Moves by one along dimension d. Returns false at the border of a mesh. */
static bool step(const struct net_config *c, uint16_t *at, unsigned d, bool up)
{
	unsigned end = up ? c->size[d] - 1u : 0;

	if (at[d] == end && !c->wrap[d])
		return false;
	at[d] = (uint16_t)((at[d] + (up ? 1u : c->size[d] - 1u)) % c->size[d]);
	return true;
}

/*
 * Returns neighbour `number`, modulo the number of directions; missing
 * neighbours are skipped.
 */
static uint32_t neighbour(const struct sim_traffic *t, uint32_t src,
			  uint32_t number)
{
	const struct net_config *c = t->cfg;
	uint16_t at[NET_DIMS_MAX];
	uint32_t dst;

	for (unsigned i = 0; i < 2u * c->dims; i++, number++) {
		net_node_coords(c, src, at);
		if (!step(c, at, number / 2 % c->dims, number % 2))
			continue;
		dst = net_node_at(c, at) + src % net_router_nodes(c);
		if (dst != src)
			return dst;
	}
	return src;
}

static uint64_t scramble(uint64_t x)
{
	struct weft_rng r;

	weft_rng_init(&r, x, 0);
	return weft_rng_u64(&r);
}

/*
 * Returns element k of the permutation of 0 to n - 1 that `key` selects. The
 * permutation is a Feistel cipher of four rounds on the two halves of the
 * smallest even number of bits that holds n; it is repeated until the result is
 * below n. So no table of n x n entries is needed.
 */
static uint32_t shuffled(uint64_t key, uint32_t k, uint32_t n)
{
	unsigned half = 1;
	uint32_t mask, left, right, swap;

	while ((uint64_t)1 << 2 * half < n)
		half++;
	mask = (1u << half) - 1;
	do {
		left = k >> half;
		right = k & mask;
		for (unsigned round = 0; round < 4; round++) {
			swap = left ^
			       (uint32_t)(scramble(key + right +
						   ((uint64_t)round << 32)) >>
						  20 &
					  mask);
			left = right;
			right = swap;
		}
		k = left << half | right;
	} while (k >= n);
	return k;
}

uint32_t sim_traffic_fixed(const struct sim_traffic *t, uint32_t src,
			   uint32_t number)
{
	switch (t->pattern) {
	case SIM_NEIGHBOUR:
		return neighbour(t, src, number);
	case SIM_COMPLEMENT:
		/* opposite in every dimension */
		return t->nodes - 1 - src;
	case SIM_TRANSPOSE:
		return src % t->side * t->side + src / t->side;
	default:
		return t->table[src];
	}
}

uint32_t sim_traffic_rounds(const struct sim_traffic *t)
{
	switch (t->pattern) {
	case SIM_NEIGHBOUR:
		return 2u * t->cfg->dims;
	case SIM_COMPLEMENT:
	case SIM_PERMUTATION:
	case SIM_TRANSPOSE:
		return 1;
	default:
		return 0;
	}
}

/*
 * Returns the target within the source's partition; source and target are
 * counted from the first node of the partition.
 */
static uint32_t target_in(struct sim_traffic *t, uint32_t src, uint32_t number,
			  struct weft_rng *r)
{
	uint32_t others, n, each;

	switch (t->pattern) {
	case SIM_NEIGHBOUR:
		return neighbour(t, src, number + src);
	case SIM_ALLTOALL:
		/* all other nodes, in a random order per source node */
		others = t->nodes - 1;
		n = shuffled(scramble(t->seed + src), number % others, others);
		return n + (n >= src);
	case SIM_COMPLEMENT:
	case SIM_PERMUTATION:
	case SIM_TRANSPOSE:
		return sim_traffic_fixed(t, src, number);
	case SIM_GROUP:
		each = group_nodes(t->cfg);
		n = (src / each + 1) * each % t->nodes;
		return n + (uint32_t)weft_rng_below(r, each);
	case SIM_HOTSPOT:
		if (src != t->hot && weft_rng_unit(r) < t->hot_part)
			return t->hot;
		return random_other(r, src, t->nodes);
	default:
		return random_other(r, src, t->nodes);
	}
}

uint32_t sim_traffic_next(struct sim_traffic *t, uint32_t src)
{
	uint32_t base = src - src % t->nodes, number = t->drawn[src]++;

	if (t->pattern == SIM_IO)
		return t->nodes * net_partitions(t->cfg) +
		       src / t->cfg->io_nodes;
	return base + target_in(t, src - base, number, &t->rng[src]);
}

/* Draws a random cyclic permutation, in which no node is its own partner. */
static void draw_cycle(struct sim_traffic *t)
{
	struct weft_rng r;
	uint32_t k, keep;

	weft_rng_init(&r, t->seed, 1ull << 40);
	for (uint32_t i = 0; i < t->nodes; i++)
		t->table[i] = i;
	for (uint32_t i = t->nodes - 1; i > 0; i--) {
		k = (uint32_t)weft_rng_below(&r, i);
		keep = t->table[i];
		t->table[i] = t->table[k];
		t->table[k] = keep;
	}
}

int sim_traffic_open(struct sim_traffic *t, const struct net_config *cfg,
		     enum sim_pattern pattern, double hot_part, uint64_t seed)
{
	uint32_t nodes = net_shape_nodes(cfg);
	uint32_t all = nodes * net_partitions(cfg);

	*t = (struct sim_traffic){ .cfg = cfg,
				   .pattern = pattern,
				   .nodes = nodes,
				   .hot_part = hot_part,
				   .seed = seed };
	t->hot = nodes / 2;
	t->side = side_of(nodes);
	t->rng = calloc(all, sizeof(*t->rng));
	t->drawn = calloc(all, sizeof(*t->drawn));
	t->table = calloc(nodes, sizeof(*t->table));
	if (!t->rng || !t->drawn || !t->table)
		return -ENOMEM;
	for (uint32_t n = 0; n < all; n++)
		weft_rng_init(&t->rng[n], seed, n);
	draw_cycle(t);
	return 0;
}

void sim_traffic_close(struct sim_traffic *t)
{
	free(t->rng);
	free(t->drawn);
	free(t->table);
}
