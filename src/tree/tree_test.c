/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees contain every member once, combine inputs in order, and use links of
 * the torus.
 */
#include "test/t.h"
#include "src/tree/tree.h"

#include <stdlib.h>
#include <string.h>

/*
 * Checks that a stack, after all visits and merges, contains only the root's
 * contribution.
 */
static void check_visits(const struct weft_tree *t)
{
	int *stack = malloc((size_t)(t->n + 1) * sizeof(int)), top = 0;

	for (int i = 0; i < t->n; i++) {
		T_TRUE(top <= t->depth);
		stack[top++] = t->visit[i];
		for (int k = t->merge[i]; k > 0; k--) {
			top--;
			T_TRUE(top > 0);
			T_IS(t->parent[stack[top]], stack[top - 1]);
		}
		/* a member without inputs is merged at once */
		T_IS(!t->merge[i] && t->n > 1,
		     weft_tree_inputs(t, t->visit[i]) > 0);
	}
	T_IS(top, 1);
	T_IS(stack[0], t->root);
	free(stack);
}

/*
 * Checks that every member reaches the root, and that the lists of inputs match
 * the parents.
 */
static void check(const struct weft_tree *t)
{
	int inputs = 0;

	for (int i = 0; i < t->n; i++) {
		int p = t->parent[i];

		inputs += weft_tree_inputs(t, i);
		if (p < 0) {
			T_IS(i, t->root);
			continue;
		}
		T_IS(t->input[t->first[p] + t->ordinal[i]], i);
	}
	T_IS(inputs, t->n - 1);
	check_visits(t);
}

static void kary_trees_contain_every_member(void **state)
{
	for (int n = 1; n <= 70; n++) {
		for (int k = 1; k <= 9; k++) {
			struct weft_tree t;

			T_OK(weft_tree_kary(&t, n, k));
			check(&t);
			for (int i = 0; i < n; i++)
				T_TRUE(weft_tree_inputs(&t, i) <= k);
			weft_tree_fini(&t);
		}
	}
}

static void trees_of_pairs_contain_every_member(void **state)
{
	struct weft_tree t, copy;

	T_IS(weft_tree_pairs(&t, 0), -EINVAL);
	for (int n = 1; n <= 300; n++) {
		T_OK(weft_tree_pairs(&t, n));
		check(&t);
		/* no more inputs than rounds of recursive doubling */
		T_TRUE(1 << weft_tree_width(&t) < 4 * n);
		for (int i = 0; i < n; i++)
			T_IS(t.visit[i], i);
		T_OK(weft_tree_copy(&copy, &t));
		weft_tree_fini(&t);
		check(&copy);
		weft_tree_fini(&copy);
	}
}

/* Trees are not deeper than requested, and not wider than needed. */
static void descriptor_trees_have_the_given_levels(void **state)
{
	struct weft_tree t;

	T_IS(weft_tree_levels(&t, 0, 2), -EINVAL);
	T_IS(weft_tree_levels(&t, 4, 0), -EINVAL);
	for (int n = 1; n <= 1100; n++) {
		int side = 1;

		while (side * side < n)
			side++;
		T_OK(weft_tree_levels(&t, n, 2));
		check(&t);
		T_TRUE(t.depth <= (side <= 33 ? 2 : 3));
		T_TRUE(weft_tree_width(&t) <= 2 * (side - 1));
		T_TRUE(n < 5 || side > 33 || weft_tree_width(&t) > side - 1);
		for (int i = 0; i < n; i++)
			T_IS(t.visit[i], i);
		weft_tree_fini(&t);
	}
	T_OK(weft_tree_levels(&t, 5000, 2));
	check(&t);
	T_IS(t.depth, 3);
	weft_tree_fini(&t);
}

/* The tree that src/tree/tree_shape.h draws. */
static void sixteen_members_form_a_4x4_tree(void **state)
{
	struct weft_tree t;

	T_OK(weft_tree_levels(&t, 16, 2));
	for (int i = 1; i < 16; i++)
		T_IS(t.parent[i], i % 4 ? i / 4 * 4 : 0);
	T_IS(weft_tree_inputs(&t, 0), 6);
	T_IS(t.input[t.first[0] + 2], 3);
	T_IS(t.input[t.first[0] + 3], 4);
	weft_tree_fini(&t);
}

/*
 * Returns the coordinates of all nodes of a box at an offset in the machine,
 * with ppn members on each.
 */
static struct weft_tree_coord *box(const int *len, int ppn, int off, int *n_p)
{
	int n = ppn;
	struct weft_tree_coord *c;

	for (int d = 0; d < WEFT_TREE_DIMS; d++)
		n *= len[d];
	c = calloc((size_t)n, sizeof(*c));
	for (int i = 0; i < n; i++) {
		int rest = i / ppn;

		for (int d = WEFT_TREE_DIMS - 1; d >= 0; d--) {
			c[i].at[d] = off + rest % len[d];
			rest /= len[d];
		}
	}
	*n_p = n;
	return c;
}

static int distance(const struct weft_tree_coord *a,
		    const struct weft_tree_coord *b)
{
	int sum = 0;

	for (int d = 0; d < WEFT_TREE_DIMS; d++)
		sum += abs(a->at[d] - b->at[d]);
	return sum;
}

static void a_class_route_uses_neighbour_links_only(void **state)
{
	static const int shape[][WEFT_TREE_DIMS] = {
		{ 1, 1, 1, 1, 1, 1 }, { 7, 1, 1, 1, 1, 1 },
		{ 1, 3, 1, 5, 1, 1 }, { 4, 4, 4, 4, 2, 1 },
		{ 2, 2, 2, 2, 2, 2 }, { 3, 2, 4, 1, 2, 1 },
	};

	for (size_t s = 0; s < sizeof(shape) / sizeof(shape[0]); s++) {
		for (int ppn = 1; ppn <= 3; ppn += 2) {
			struct weft_tree t;
			int n;
			struct weft_tree_coord *c = box(shape[s], ppn, 3, &n);

			T_OK(weft_tree_torus(&t, n, c));
			check(&t);
			for (int i = 0; i < n; i++) {
				int p = t.parent[i];

				if (p >= 0)
					T_TRUE(distance(&c[i], &c[p]) <= 1);
			}
			weft_tree_fini(&t);
			free(c);
		}
	}
}

/* Table 3 of the paper: 18 hops up and down on a midplane. */
static void a_midplane_is_nine_hops_deep(void **state)
{
	static const int len[] = { 4, 4, 4, 4, 2, 1 };
	struct weft_tree t;
	int n;
	struct weft_tree_coord *c = box(len, 1, 0, &n);

	T_IS(n, 512);
	T_OK(weft_tree_torus(&t, n, c));
	T_IS(t.depth, 9);
	weft_tree_fini(&t);
	free(c);
}

static void nodes_not_in_a_rectangle_are_refused(void **state)
{
	static const int len[] = { 4, 3, 1, 1, 1, 1 };
	struct weft_tree t;
	int n;
	struct weft_tree_coord *c = box(len, 1, 0, &n);

	T_IS(weft_tree_torus(&t, n - 1, c), -EDOM);
	c[5].at[0] = 1000000;
	T_IS(weft_tree_torus(&t, n, c), -EDOM);
	T_IS(weft_tree_torus(&t, 0, c), -EINVAL);
	T_IS(weft_tree_kary(&t, 0, 2), -EINVAL);
	free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(kary_trees_contain_every_member),
		T_CASE(trees_of_pairs_contain_every_member),
		T_CASE(descriptor_trees_have_the_given_levels),
		T_CASE(sixteen_members_form_a_4x4_tree),
		T_CASE(a_class_route_uses_neighbour_links_only),
		T_CASE(a_midplane_is_nine_hops_deep),
		T_CASE(nodes_not_in_a_rectangle_are_refused),
	};

	return T_RUN(tests);
}
