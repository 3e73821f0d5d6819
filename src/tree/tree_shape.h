/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees as formulas: parent and children of a member are computed from its
 * number, without memory. The unit's trees (tree.h), the model, virtual time
 * and the message-based algorithms use these formulas. Members are numbered in
 * the order of the sum; the root is member 0.
 *
 * Tree of pairs, with the same result bits as recursive doubling:
 *
 *   0 <- 1, 0 <- 2 <- 3, 0 <- 4 <- 5, ...        n is a power of two
 *   0 <- 1, 2 <- 3, ... first (n - 2^k pairs)    otherwise
 *
 * Wide tree, with few levels: each group of fan[0] members sends to its first
 * member, each group of fan[1] first members sends to the first of them, and
 * so on. 10 members, two levels of four and three:
 *
 *   0 <- 1 2 3     4 <- 5 6 7     8 <- 9         first level
 *   0 <- 4 8                                     second level
 */
#ifndef WEFT_TREE_SHAPE_H
#define WEFT_TREE_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Binomial tree: the parent of v is v with its lowest set bit cleared; the
 * children of v are v + 1, v + 2, v + 4, ... below that bit.
 */
static inline uint32_t weft_binomial_parent(uint32_t v)
{
	return v & (v - 1);
}

/* Returns the number of children of node v in a tree of n nodes. */
static inline unsigned weft_binomial_inputs(uint32_t n, uint32_t v)
{
	unsigned k = 0;

	while (k < 32 && UINT64_C(1) << k < n - v && !(v >> k & 1))
		k++;
	return k;
}

/* Returns the number of nodes in the subtree of node v. */
static inline uint32_t weft_binomial_span(uint32_t n, uint32_t v)
{
	uint32_t low = v & -v;

	return v && low < n - v ? low : n - v;
}

/* Returns the largest power of two that is not larger than n; 1 for 0. */
static inline uint32_t weft_pow2_below(uint32_t n)
{
	return UINT32_C(1) << (31 - __builtin_clz(n | 1));
}

enum { WEFT_SHAPE_LEVELS = 32, WEFT_SHAPE_INPUTS = 64 };

struct weft_tree_shape {
	uint32_t n;
	/* number of levels of a wide tree; 0: tree of pairs */
	unsigned levels;
	/*
	 * tree of pairs: number of members that are first combined in pairs,
	 * and of values after that
	 */
	uint32_t paired, items;
	uint32_t fan[WEFT_SHAPE_LEVELS]; /* group size of each level */
};

/*
 * Initializes a tree over n >= 1 members. levels: minimum number of levels of a
 * wide tree, at most WEFT_SHAPE_LEVELS; 0: tree of pairs. A member has at most
 * WEFT_SHAPE_INPUTS inputs.
 */
void weft_tree_shape_init(struct weft_tree_shape *s, uint32_t n,
			  unsigned levels);
/* Returns the number of inputs of a member, without its own contribution. */
unsigned weft_tree_shape_inputs(const struct weft_tree_shape *s,
				uint32_t member);
/*
 * Returns the parent of a member that is not the root. *nth: index of the
 * member among the inputs of its parent.
 */
uint32_t weft_tree_shape_parent(const struct weft_tree_shape *s,
				uint32_t member, unsigned *nth);
/* Returns input `nth` of a member: the inverse of weft_tree_shape_parent. */
uint32_t weft_tree_shape_child(const struct weft_tree_shape *s, uint32_t member,
			       unsigned nth);

#endif
