/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Combining trees over the members of a group, for machines whose interfaces
 * combine: each member waits for its inputs in order, and sends the result to
 * its parent. Members are numbered in the order of the operation; the root is
 * member 0.
 *
 * Binomial tree, with the same result bits as recursive doubling:
 *
 *   0 <- 1, 0 <- 2 <- 3, 0 <- 4 <- 5, ...        n is a power of two
 *   0 <- 1, 2 <- 3, ... first (n - 2^k pairs)    otherwise
 *
 * Wide tree, with few levels: each group of fan[0] members sends to its first
 * member, each group of fan[1] first members sends to the first of them, and
 * so on. 16 members, two levels:
 *
 *   0 <- 1 2 3     4 <- 5 6 7     8 <- 9 ..      first level
 *   0 <- 4 8 12                                  second level
 */
#ifndef WEFT_NET_FOLD_H
#define WEFT_NET_FOLD_H

#include <stdbool.h>
#include <stdint.h>

enum { NET_FOLD_LEVELS = 8, NET_FOLD_INPUTS = 64 };

struct net_fold {
	uint32_t n;
	/* minimum number of levels of a wide tree; 0: binomial tree */
	unsigned levels;
	uint32_t fan[NET_FOLD_LEVELS]; /* group size of each level */
	/* binomial tree: members combined in pairs first, values after that */
	uint32_t paired, items;
};

/*
 * Initializes a tree over n members. levels: minimum number of levels of a wide
 * tree; 0: binomial tree. A member has at most NET_FOLD_INPUTS inputs.
 */
void net_fold_init(struct net_fold *f, uint32_t n, unsigned levels);
/* Returns the number of inputs of a member, without its own contribution. */
unsigned net_fold_inputs(const struct net_fold *f, uint32_t member);
/*
 * Returns the parent of a member that is not the root. *nth: index of the
 * member among the inputs of its parent.
 */
uint32_t net_fold_parent(const struct net_fold *f, uint32_t member,
			 unsigned *nth);
/* Returns input `nth` of a member: the inverse of net_fold_parent. */
uint32_t net_fold_child(const struct net_fold *f, uint32_t member,
			unsigned nth);

#endif
