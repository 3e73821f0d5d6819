/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees of the collective unit: binomial and k-ary trees, and trees embedded in
 * a torus.
 */
#include "prov/group/cunit/cunit_tree.h"
#include "src/base/must.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/*
 * Returns the bytes of all lists, which are one allocation that starts at
 * parent.
 */
static size_t tree_bytes(int n)
{
	return (6 * (size_t)n + 1) * sizeof(int);
}

static void tree_lay_out(struct weft_cunit_tree *t, int *block)
{
	t->parent = block;
	t->first = t->parent + t->n;
	t->input = t->first + t->n + 1;
	t->ordinal = t->input + t->n;
	t->visit = t->ordinal + t->n;
	t->merge = t->visit + t->n;
}

int cunit_tree_alloc(struct weft_cunit_tree *t, int n)
{
	int *block = calloc(1, tree_bytes(n));

	*t = (struct weft_cunit_tree){ .n = n };
	if (block)
		tree_lay_out(t, block);
	return block ? 0 : -ENOMEM;
}

int weft_cunit_tree_copy(struct weft_cunit_tree *to,
			 const struct weft_cunit_tree *from)
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

void weft_cunit_tree_fini(struct weft_cunit_tree *t)
{
	free(t->parent);
	*t = (struct weft_cunit_tree){ 0 };
}

int weft_cunit_tree_width(const struct weft_cunit_tree *t)
{
	int most = 0;

	for (int i = 0; i < t->n; i++) {
		if (weft_cunit_tree_inputs(t, i) > most)
			most = weft_cunit_tree_inputs(t, i);
	}
	return most;
}

static int depth_of(const struct weft_cunit_tree *t, int i)
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
static int next_branch(const struct weft_cunit_tree *t, int i, int *merges_p)
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

static void tree_visit(struct weft_cunit_tree *t)
{
	int i = t->root;

	for (int k = 0; k < t->n; k++) {
		WEFT_ASSERT(i >= 0 && i < t->n);
		t->visit[k] = i;
		if (weft_cunit_tree_inputs(t, i))
			i = t->input[t->first[i]];
		else
			i = next_branch(t, i, &t->merge[k]);
	}
}

/* Computes inputs, their order and the depth from the parents. */
void cunit_tree_finish(struct weft_cunit_tree *t)
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

/*
 * Builds a binomial tree. If n is not a power of two, the first members form
 * pairs, each of which counts as one member.
 */
int weft_cunit_tree_pairs(struct weft_cunit_tree *t, int n)
{
	int paired, half = 1, ret;

	if (n < 1)
		return -EINVAL;
	ret = cunit_tree_alloc(t, n);
	if (ret)
		return ret;
	while (half <= n / 2)
		half *= 2;
	paired = 2 * (n - half);
	for (int i = 0; i < n; i++) {
		int one = i < paired ? i / 2 : i - paired / 2;
		int up = one & (one - 1);

		t->parent[i] = up < paired / 2 ? 2 * up : up + paired / 2;
		if (i < paired && i % 2)
			t->parent[i] = i - 1;
	}
	t->parent[0] = -1;
	cunit_tree_finish(t);
	return 0;
}

int weft_cunit_tree_kary(struct weft_cunit_tree *t, int n, int k)
{
	int ret;

	if (n < 1 || k < 1)
		return -EINVAL;
	ret = cunit_tree_alloc(t, n);
	if (ret)
		return ret;
	for (int i = 0; i < n; i++)
		t->parent[i] = (i - 1) / k;
	t->parent[0] = -1;
	cunit_tree_finish(t);
	return 0;
}

/* A box of nodes: its lowest corner, its lengths, one member per node. */
struct box {
	int low[WEFT_CUNIT_DIMS];
	int len[WEFT_CUNIT_DIMS];
	int nodes;
	int *leader; /* leading member of each position; -1: none */
};

static int box_measure(struct box *b, int n, const struct weft_cunit_coord *c)
{
	b->nodes = 1;
	for (int d = 0; d < WEFT_CUNIT_DIMS; d++) {
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

	for (int d = 0; d < WEFT_CUNIT_DIMS; d++)
		index = index * b->len[d] + at[d] - b->low[d];
	return index;
}

/* Makes the first member on each node its leader; the box must be full. */
static int box_fill(struct box *b, int n, const struct weft_cunit_coord *c)
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
	int next[WEFT_CUNIT_DIMS];

	memcpy(next, at, sizeof(next));
	for (int d = 0; d < WEFT_CUNIT_DIMS; d++) {
		int middle = b->low[d] + b->len[d] / 2;

		if (at[d] == middle)
			continue;
		next[d] += at[d] < middle ? 1 : -1;
		return b->leader[box_index(b, next)];
	}
	return -1;
}

int weft_cunit_tree_torus(struct weft_cunit_tree *t, int n,
			  const struct weft_cunit_coord *coord)
{
	struct box b = { 0 };
	int ret;

	if (n < 1)
		return -EINVAL;
	ret = box_fill(&b, n, coord);
	if (ret)
		return ret;
	ret = cunit_tree_alloc(t, n);
	if (ret)
		goto out_free;
	for (int i = 0; i < n; i++) {
		int leader = b.leader[box_index(&b, coord[i].at)];

		t->parent[i] =
			leader != i ? leader : box_parent(&b, coord[i].at);
	}
	cunit_tree_finish(t);
out_free:
	free(b.leader);
	return ret;
}
