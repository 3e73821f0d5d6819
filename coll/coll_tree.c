/* SPDX-License-Identifier: BSD-3-Clause */
/* Trees and folds, as pure functions of (ranks, root, rank). */
#include "coll/coll_tree.h"
#include "src/tree/tree_shape.h"

int coll_tree_run(int p, int rank, int span)
{
	return span < p - rank ? span : p - rank;
}

/* Returns (v + root) mod p without overflow. */
static int tree_rank(int v, int root, int p)
{
	return v < p - root ? v + root : v - (p - root);
}

void coll_tree_binomial(int p, int root, int rank, struct coll_tree *t)
{
	unsigned n = (unsigned)p, v = (unsigned)((rank - root + p) % p);

	t->v = (int)v;
	t->nchild = (int)weft_binomial_inputs(n, v);
	for (int i = 0; i < t->nchild; i++) {
		unsigned m = 1u << i;

		t->child[i] = tree_rank((int)(v + m), root, p);
		t->child_dist[i] = (int)m;
		t->child_span[i] = (int)weft_binomial_span(n, v + m);
	}
	t->parent = v ? tree_rank((int)weft_binomial_parent(v), root, p) : -1;
	t->span = (int)weft_binomial_span(n, v);
}

void coll_fold_init(struct coll_fold *f, int p, int rank)
{
	f->m = (int)weft_pow2_below((unsigned)p);
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
