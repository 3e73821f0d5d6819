/* SPDX-License-Identifier: BSD-3-Clause */
/* Trees of the unit's groups: k-ary ones, and those that follow a torus. */
#include "prov/nic/cu/cu_tree.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

int cu_tree_alloc(struct weft_cu_tree *t, int n)
{
	size_t bytes = (size_t)n * sizeof(int);

	*t = (struct weft_cu_tree){ .n = n };
	t->parent = malloc(bytes);
	t->first = calloc((size_t)n + 1, sizeof(int));
	t->input = malloc(bytes);
	t->ordinal = calloc((size_t)n, sizeof(int));
	if (t->parent && t->first && t->input && t->ordinal)
		return 0;
	weft_cu_tree_fini(t);
	return -ENOMEM;
}

void weft_cu_tree_fini(struct weft_cu_tree *t)
{
	free(t->parent);
	free(t->first);
	free(t->input);
	free(t->ordinal);
	*t = (struct weft_cu_tree){ 0 };
}

static int depth_of(const struct weft_cu_tree *t, int i)
{
	int d = 0;

	for (; t->parent[i] >= 0; i = t->parent[i])
		d++;
	return d;
}

/* Inputs, their order and the depth follow from the parents. */
void cu_tree_finish(struct weft_cu_tree *t)
{
	for (int i = 0; i < t->n; i++) {
		if (t->parent[i] < 0)
			t->root = i;
		else
			t->ordinal[i] = t->first[t->parent[i] + 1]++;
	}
	for (int i = 0; i < t->n; i++)
		t->first[i + 1] += t->first[i];
	for (int i = 0; i < t->n; i++) {
		int d = depth_of(t, i);

		if (t->parent[i] >= 0)
			t->input[t->first[t->parent[i]] + t->ordinal[i]] = i;
		if (d > t->depth)
			t->depth = d;
	}
}

int weft_cu_tree_kary(struct weft_cu_tree *t, int n, int k)
{
	int ret;

	if (n < 1 || k < 1)
		return -EINVAL;
	ret = cu_tree_alloc(t, n);
	if (ret)
		return ret;
	for (int i = 0; i < n; i++)
		t->parent[i] = (i - 1) / k;
	t->parent[0] = -1;
	cu_tree_finish(t);
	return 0;
}

/* A box of nodes: its lowest corner, its lengths, one member per node. */
struct box {
	int low[WEFT_CU_DIMS];
	int len[WEFT_CU_DIMS];
	int nodes;
	int *leader; /* by position in the box; -1: no member there */
};

static int box_measure(struct box *b, int n, const struct weft_cu_coord *c)
{
	b->nodes = 1;
	for (int d = 0; d < WEFT_CU_DIMS; d++) {
		int high = INT_MIN;

		b->low[d] = INT_MAX;
		for (int i = 0; i < n; i++) {
			if (c[i].at[d] < b->low[d])
				b->low[d] = c[i].at[d];
			if (c[i].at[d] > high)
				high = c[i].at[d];
		}
		b->len[d] = high - b->low[d] + 1;
		/* more nodes than members cannot be a full box */
		if (b->len[d] > n / b->nodes)
			return -EDOM;
		b->nodes *= b->len[d];
	}
	return 0;
}

static int box_index(const struct box *b, const int *at)
{
	int index = 0;

	for (int d = 0; d < WEFT_CU_DIMS; d++)
		index = index * b->len[d] + at[d] - b->low[d];
	return index;
}

/* The first member on each node leads it; the box must be full. */
static int box_fill(struct box *b, int n, const struct weft_cu_coord *c)
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

/* One step towards the middle, along the first dimension that is off. */
static int box_parent(const struct box *b, const int *at)
{
	int next[WEFT_CU_DIMS];

	memcpy(next, at, sizeof(next));
	for (int d = 0; d < WEFT_CU_DIMS; d++) {
		int middle = b->low[d] + b->len[d] / 2;

		if (at[d] == middle)
			continue;
		next[d] += at[d] < middle ? 1 : -1;
		return b->leader[box_index(b, next)];
	}
	return -1;
}

int weft_cu_tree_torus(struct weft_cu_tree *t, int n,
		       const struct weft_cu_coord *coord)
{
	struct box b = { 0 };
	int ret;

	if (n < 1)
		return -EINVAL;
	ret = box_fill(&b, n, coord);
	if (ret)
		return ret;
	ret = cu_tree_alloc(t, n);
	if (ret)
		goto out_free;
	for (int i = 0; i < n; i++) {
		int leader = b.leader[box_index(&b, coord[i].at)];

		t->parent[i] = leader != i ? leader :
					     box_parent(&b, coord[i].at);
	}
	cu_tree_finish(t);
out_free:
	free(b.leader);
	return ret;
}
