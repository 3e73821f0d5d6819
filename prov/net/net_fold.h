/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees over the members of a group by which their interfaces add, each waiting
 * for its inputs in their order and sending the sum on. Members are in the
 * order of the sum; the root is the first.
 *
 * Pairs, with the bits of recursive doubling:
 *
 *   0 <- 1, 0 <- 2 <- 3, 0 <- 4 <- 5, ...        n a power of two
 *   0 <- 1 first, 2 <- 3 first, ... then those   as many pairs as are over
 *
 * Wide, of few levels: every so many have one of them to send to, and of those
 * every so many again. 16 members, two levels:
 *
 *   0 <- 1 2 3     4 <- 5 6 7     8 <- 9 ..      the first level
 *   0 <- 4 8 12                                  the second
 */
#ifndef WEFT_NET_FOLD_H
#define WEFT_NET_FOLD_H

#include <stdbool.h>
#include <stdint.h>

enum { NET_FOLD_LEVELS = 8, NET_FOLD_INPUTS = 64 };

struct net_fold {
	uint32_t n;
	unsigned levels;	       /* wide; 0: pairs */
	uint32_t fan[NET_FOLD_LEVELS]; /* members that one stands for */
	uint32_t paired, items; /* pairs: members in them, what is left */
};

/* levels: at least, of a wide tree; 0: pairs. At most NET_FOLD_INPUTS each. */
void net_fold_init(struct net_fold *f, uint32_t n, unsigned levels);
/* Inputs of a member beside its own. */
unsigned net_fold_inputs(const struct net_fold *f, uint32_t member);
/* To whom a member sends, not the root; and which of its inputs that is. */
uint32_t net_fold_parent(const struct net_fold *f, uint32_t member,
			 unsigned *nth);
/* The other way round. */
uint32_t net_fold_child(const struct net_fold *f, uint32_t member,
			unsigned nth);

#endif
