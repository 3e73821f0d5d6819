/* SPDX-License-Identifier: BSD-3-Clause */
/* Trees as lists, computed from the parents. */
#include "src/tree/tree.h"
#include "src/tree/tree_shape.h"
#include "src/base/must.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Returns the number of bytes of all lists, which are in one allocation that
 * begins with parent.
 */
static size_t tree_bytes(int n)
{
	return (6 * (size_t)n + 1) * sizeof(int);
}

static void tree_lay_out(struct weft_tree *t, int *block)
{
	t->parent = block;
	t->first = t->parent + t->n;
	t->input = t->first + t->n + 1;
	t->ordinal = t->input + t->n;
	t->visit = t->ordinal + t->n;
	t->merge = t->visit + t->n;
}

int weft_tree_alloc(struct weft_tree *t, int n)
{
	int *block = calloc(1, tree_bytes(n));

	*t = (struct weft_tree){ .n = n };
	if (block)
		tree_lay_out(t, block);
	return block ? 0 : -ENOMEM;
}

int weft_tree_copy(struct weft_tree *to, const struct weft_tree *from)
{
	int *block = malloc(tree_bytes(from->n));

	*to = *from;
	to->parent = block;
	if (!block)
		return -ENOMEM;
	memcpy(block, from->parent, tree_bytes(from->n));
	tree_lay_out(to, block);
	return 0;
}

void weft_tree_fini(struct weft_tree *t)
{
	free(t->parent);
	*t = (struct weft_tree){ 0 };
}

int weft_tree_width(const struct weft_tree *t)
{
	int most = 0;

	for (int i = 0; i < t->n; i++) {
		if (weft_tree_inputs(t, i) > most)
			most = weft_tree_inputs(t, i);
	}
	return most;
}

static int depth_of(const struct weft_tree *t, int i)
{
	int d = 0;

	for (; t->parent[i] >= 0; i = t->parent[i])
		d++;
	return d;
}

/*
 * Returns the next member to visit after the leaf i; *merges_p: number of
 * subtrees that end at i.
 */
static int next_branch(const struct weft_tree *t, int i, int *merges_p)
{
	int merges = 0;

	while (t->parent[i] >= 0) {
		int up = t->parent[i], next = t->first[up] + t->ordinal[i] + 1;

		merges++;
		if (next < t->first[up + 1]) {
			i = t->input[next];
			break;
		}
		i = up;
	}
	*merges_p = merges;
	return i;
}

static void tree_visit(struct weft_tree *t)
{
	int i = t->root;

	for (int k = 0; k < t->n; k++) {
		WEFT_ASSERT(i >= 0 && i < t->n);
		t->visit[k] = i;
		if (weft_tree_inputs(t, i))
			i = t->input[t->first[i]];
		else
			i = next_branch(t, i, &t->merge[k]);
	}
}

/* Computes inputs, their order and the depth from the parents. */
void weft_tree_finish(struct weft_tree *t)
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
	WEFT_ASSERT(t->parent[t->root] < 0 && t->first[t->n] == t->n - 1);
	tree_visit(t);
}

/* Builds a tree by the formulas of a shape. */
static int tree_of_shape(struct weft_tree *t, int n, unsigned levels)
{
	struct weft_tree_shape s;
	unsigned nth;
	int ret;

	if (n < 1 || levels > WEFT_SHAPE_LEVELS)
		return -EINVAL;
	ret = weft_tree_alloc(t, n);
	if (ret)
		return ret;
	weft_tree_shape_init(&s, (uint32_t)n, levels);
	t->parent[0] = -1;
	for (int i = 1; i < n; i++)
		t->parent[i] =
			(int)weft_tree_shape_parent(&s, (uint32_t)i, &nth);
	weft_tree_finish(t);
	return 0;
}

int weft_tree_pairs(struct weft_tree *t, int n)
{
	return tree_of_shape(t, n, 0);
}

int weft_tree_levels(struct weft_tree *t, int n, unsigned levels)
{
	return levels ? tree_of_shape(t, n, levels) : -EINVAL;
}

int weft_tree_kary(struct weft_tree *t, int n, int k)
{
	int ret;

	if (n < 1 || k < 1)
		return -EINVAL;
	ret = weft_tree_alloc(t, n);
	if (ret)
		return ret;
	for (int i = 0; i < n; i++)
		t->parent[i] = (i - 1) / k;
	t->parent[0] = -1;
	weft_tree_finish(t);
	return 0;
}

int weft_tree_torus(struct weft_tree *t, int n,
		    const struct weft_tree_coord *coord)
{
	int ret;

	if (n < 1)
		return -EINVAL;
	ret = weft_tree_alloc(t, n);
	if (ret)
		return ret;
	ret = weft_tree_box(n, coord, t->parent);
	if (ret < 0) {
		weft_tree_fini(t);
		return ret;
	}
	weft_tree_finish(t);
	return 0;
}
