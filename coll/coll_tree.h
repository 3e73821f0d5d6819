/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees as data. Node v of the binomial tree (src/tree/tree_shape.h) is the
 * rank relative to the root; its child v+m represents the nodes [v+m, v+2m).
 * For p = 6:
 *
 *            0
 *          / | \
 *         1  2  4        child 4 of the root spans 4 and 5
 *            |  |
 *            3  5
 */
#ifndef WEFT_COLL_TREE_H
#define WEFT_COLL_TREE_H

enum { COLL_TREE_CHILDREN = 31 };

struct coll_tree {
	int v;	    /* this rank relative to the root */
	int parent; /* rank of the parent; -1: this is the root */
	int span;   /* number of nodes of the subtree, including this one */
	int nchild;
	/* ranks of the children, nearest first */
	int child[COLL_TREE_CHILDREN];
	int child_dist[COLL_TREE_CHILDREN]; /* distance m of each child v + m */
	int child_span[COLL_TREE_CHILDREN];
};

void coll_tree_binomial(int p, int root, int rank, struct coll_tree *t);

/*
 * Returns how many of `span` consecutive ranks, beginning with `rank`, come
 * before the wrap-around to rank 0.
 */
int coll_tree_run(int p, int rank, int span);

/*
 * Folding p ranks onto the largest power of two m: each even rank among the
 * first 2 * (p - m) ranks sends its vector to its right neighbour and is then
 * idle. The others are numbered 0 .. m-1 in the order of ranks, so that
 * neighbouring numbers represent neighbouring ranks and operands keep their
 * order:
 *
 *   p = 6, m = 4     rank  0  1  2  3  4  5
 *                          0->   2->
 *                    fold     0     1  2  3
 */
struct coll_fold {
	int m;
	int extra; /* p - m: number of pairs that fold */
	int me;	   /* folded number of this rank; -1: idle */
};
void coll_fold_init(struct coll_fold *f, int p, int rank);
int coll_fold_rank(const struct coll_fold *f, int number);

#endif
