/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees as data. In the binomial tree of p ranks with root r, node v (the rank
 * relative to the root) has the children v+1, v+2, v+4 ... below the lowest bit
 * of v; child v+m represents the nodes [v+m, v+2m). For p = 6:
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
	int parent; /* rank, -1 at the root */
	int span;   /* nodes of the subtree, this one included */
	int nchild;
	int child[COLL_TREE_CHILDREN];	    /* ranks, nearest first */
	int child_dist[COLL_TREE_CHILDREN]; /* m: child is v + m */
	int child_span[COLL_TREE_CHILDREN];
};

void coll_tree_binomial(int p, int root, int rank, struct coll_tree *t);

/* Nodes in the subtree of node v. */
int coll_tree_span(int p, int v);

/* Of span ranks from rank on, the number before the wrap to rank 0. */
int coll_tree_run(int p, int rank, int span);

/* The largest power of two that is not larger than p (p >= 1). */
int coll_pow2_below(int p);

/*
 * Folding p ranks onto the largest power of two m: of the first 2 * (p - m)
 * ranks every even one sends its part to its right neighbour and is idle. The
 * others are numbered 0 .. m-1 in the order of ranks, so that neighbouring
 * numbers represent neighbouring ranks and operands keep their order:
 *
 *   p = 6, m = 4     rank  0  1  2  3  4  5
 *                          0->   2->
 *                    fold     0     1  2  3
 */
struct coll_fold {
	int m;
	int extra; /* p - m: pairs that fold */
	int me;	   /* number of this rank, or -1: idle */
};
void coll_fold_init(struct coll_fold *f, int p, int rank);
int coll_fold_rank(const struct coll_fold *f, int number);

#endif
