/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees of groups, as lists. Members are numbered 0..n-1 in the order of
 * their set; a tree gives each member's parent, and its inputs (children) in a
 * fixed order. Pure functions, no I/O.
 *
 *   binomial (native), n = 6              class route on a 4 x 2 torus
 *
 *          0                               0 -> 1 -> 2 <- 3    B = 0
 *        / | \                                       ^
 *       1  2  4                                      |
 *          |  |                            4 -> 5 -> 6 <- 7    B = 1
 *          3  5
 *
 * In the binomial tree a member adds its inputs to its own contribution one by
 * one, which gives ((0 + 1) + (2 + 3)) + (4 + 5), the result of recursive
 * doubling. Where n is no power of two, the first members are combined in
 * pairs, each of which then counts as one member: five members give ((0 + 1) +
 * 2) + (3 + 4).
 *
 * A class route covers a rectangle of nodes: every node sends along the first
 * dimension towards the root's coordinate, then along the next; no wrap-around
 * link is used, the root is in the middle. Members that share a node are
 * combined before the node's links are used.
 *
 * K-ary trees are used on request. Where members are bound to processors
 * (weft_tree_place), they follow the host's topology instead of the ranks:
 * tree_host.c.
 *
 * The tree determines the order of a sum. The arrays visit and merge describe
 * this order for code that does not use the tree's nodes: take the members in
 * the order of visit; push the contribution of each on a stack; then merge the
 * two topmost entries merge[i] times, the lower being the left operand. At most
 * depth contributions are below the topmost one.
 */
#ifndef WEFT_TREE_H
#define WEFT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEFT_TREE_DIMS 6

struct weft_tree {
	int n;
	int root;
	int depth;   /* number of hops from the farthest member to the root */
	int *parent; /* parent of each member; -1 at the root */
	/* children of i: input[first[i]] .. input[first[i + 1] - 1] */
	int *first;
	int *input;   /* children, lowest number first */
	int *ordinal; /* index of the member among its parent's children */
	int *visit;   /* members, each before its children */
	int *merge;   /* number of merges after pushing visit[i] */
};

/* Coordinates of a member's node. Unused dimensions are 0. */
struct weft_tree_coord {
	int at[WEFT_TREE_DIMS];
};

/*
 * Location of a member on its host: the index of the child at each level of the
 * host's topology tree, the coarsest level (packages, for example) in the
 * lowest bits. All ones at a level: this level and finer ones are unknown.
 */
typedef uint64_t weft_tree_place;
#define WEFT_TREE_LEVELS     6
#define WEFT_TREE_LEVEL_BITS 10
#define WEFT_TREE_LEVEL_MAX  ((1u << WEFT_TREE_LEVEL_BITS) - 1)
#define WEFT_TREE_NOWHERE    UINT64_MAX

static inline unsigned weft_tree_place_at(weft_tree_place p, int level)
{
	return (unsigned)(p >> level * WEFT_TREE_LEVEL_BITS) &
	       WEFT_TREE_LEVEL_MAX;
}

/*
 * The functions that build a tree return 0, -ENOMEM or -EINVAL. k >= 1, n >= 1.
 * weft_tree_pairs and weft_tree_levels build the two trees of tree_shape.h.
 */
int weft_tree_pairs(struct weft_tree *t, int n);
int weft_tree_kary(struct weft_tree *t, int n, int k);
int weft_tree_levels(struct weft_tree *t, int n, unsigned levels);

/*
 * Builds a k-ary tree by locations: neighbouring members are combined first.
 * The result depends on the arguments only. If a location is unknown, the tree
 * follows the order of members.
 */
int weft_tree_host(struct weft_tree *t, int n, int k,
		   const weft_tree_place *place);

/*
 * Builds a class route over the members' nodes. -EDOM: the nodes do not form a
 * rectangle, so the hardware could not serve the set.
 */
int weft_tree_torus(struct weft_tree *t, int n,
		    const struct weft_tree_coord *coord);
/*
 * Sets only the parents, as weft_tree_torus() would. Returns the number of
 * nodes, or an error of weft_tree_torus().
 */
int weft_tree_box(int n, const struct weft_tree_coord *coord, int *parent);
int weft_tree_copy(struct weft_tree *to, const struct weft_tree *from);
void weft_tree_fini(struct weft_tree *t);
/* Returns the largest number of children of a member. */
int weft_tree_width(const struct weft_tree *t);

/* For tree_host.c: allocate the lists; compute all lists from the parents. */
int weft_tree_alloc(struct weft_tree *t, int n);
void weft_tree_finish(struct weft_tree *t);

static inline int weft_tree_inputs(const struct weft_tree *t, int i)
{
	return t->first[i + 1] - t->first[i];
}

#endif
