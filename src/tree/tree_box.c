/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tree of a class route in a torus: every node of a full box sends towards
 * the middle, along one dimension after the other.
 */
#include "src/tree/tree.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A box of nodes: its lowest corner, its lengths, one member per node. */
struct box {
	int low[WEFT_TREE_DIMS];
	int len[WEFT_TREE_DIMS];
	int nodes;
	int *leader; /* leading member of each position; -1: none */
};

static int box_measure(struct box *b, int n, const struct weft_tree_coord *c)
{
	b->nodes = 1;
	for (int d = 0; d < WEFT_TREE_DIMS; d++) {
		int high = INT_MIN;

		b->low[d] = INT_MAX;
		for (int i = 0; i < n; i++) {
			if (c[i].at[d] < b->low[d])
				b->low[d] = c[i].at[d];
			if (c[i].at[d] > high)
				high = c[i].at[d];
		}
		b->len[d] = high - b->low[d] + 1;
		/* a full box has at most n nodes */
		if (b->len[d] > n / b->nodes)
			return -EDOM;
		b->nodes *= b->len[d];
	}
	return 0;
}

static int box_index(const struct box *b, const int *at)
{
	int index = 0;

	for (int d = 0; d < WEFT_TREE_DIMS; d++)
		index = index * b->len[d] + at[d] - b->low[d];
	return index;
}

/* Makes the first member on each node its leader; the box must be full. */
static int box_fill(struct box *b, int n, const struct weft_tree_coord *c)
{
	int ret = box_measure(b, n, c);

	if (ret)
		return ret;
	b->leader = malloc((size_t)b->nodes * sizeof(int));
	if (!b->leader)
		return -ENOMEM;
	memset(b->leader, 0xff, (size_t)b->nodes * sizeof(int));
	for (int i = n - 1; i >= 0; i--)
		b->leader[box_index(b, c[i].at)] = i;
	for (int i = 0; i < b->nodes; i++) {
		if (b->leader[i] >= 0)
			continue;
		free(b->leader);
		return -EDOM;
	}
	return 0;
}

/*
 * Returns the parent: one step towards the middle, along the first dimension in
 * which the position is not in the middle.
 */
static int box_parent(const struct box *b, const int *at)
{
	int next[WEFT_TREE_DIMS];

	memcpy(next, at, sizeof(next));
	for (int d = 0; d < WEFT_TREE_DIMS; d++) {
		int middle = b->low[d] + b->len[d] / 2;

		if (at[d] == middle)
			continue;
		next[d] += at[d] < middle ? 1 : -1;
		return b->leader[box_index(b, next)];
	}
	return -1;
}

int weft_tree_box(int n, const struct weft_tree_coord *coord, int *parent)
{
	struct box b = { 0 };
	int ret = box_fill(&b, n, coord);

	if (ret)
		return ret;
	for (int i = 0; i < n; i++) {
		int leader = b.leader[box_index(&b, coord[i].at)];

		parent[i] = leader != i ? leader : box_parent(&b, coord[i].at);
	}
	free(b.leader);
	return b.nodes;
}
