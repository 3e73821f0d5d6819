/* SPDX-License-Identifier: BSD-3-Clause */
/* Trees and folds, as pure functions of (ranks, root, rank). */
#include "coll/coll_tree.h"

static int min_int(int a, int b)
{
	return a < b ? a : b;
}

int coll_tree_span(int p, int v)
{
	return v ? min_int(v & -v, p - v) : p;
}

int coll_tree_run(int p, int rank, int span)
{
	return min_int(span, p - rank);
}

/* Returns (v + root) mod p without overflow. */
static int tree_rank(int v, int root, int p)
{
	return v < p - root ? v + root : v - (p - root);
}

void coll_tree_binomial(int p, int root, int rank, struct coll_tree *t)
{
	int m = 1;

	t->v = (rank - root + p) % p;
	t->nchild = 0;
	for (; m < p - t->v && !(t->v & m); m <<= 1) {
		t->child[t->nchild] = tree_rank(t->v + m, root, p);
		t->child_dist[t->nchild] = m;
		t->child_span[t->nchild++] = min_int(m, p - t->v - m);
		if (m > p / 2)
			break;
	}
	t->parent = t->v ? tree_rank(t->v - (t->v & -t->v), root, p) : -1;
	t->span = coll_tree_span(p, t->v);
}

int coll_pow2_below(int p)
{
	int m = 1;

	while (m <= p / 2)
		m <<= 1;
	return m;
}

void coll_fold_init(struct coll_fold *f, int p, int rank)
{
	f->m = coll_pow2_below(p);
	f->extra = p - f->m;
	if (rank >= 2 * f->extra)
		f->me = rank - f->extra;
	else
		f->me = rank & 1 ? rank / 2 : -1;
}

int coll_fold_rank(const struct coll_fold *f, int number)
{
	return number < f->extra ? 2 * number + 1 : number + f->extra;
}
