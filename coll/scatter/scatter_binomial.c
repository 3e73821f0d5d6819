/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scatter down a binomial tree: a node receives the packed blocks of its
 * subtree, keeps the first and hands on the rest. The root sends from place;
 * a run of ranks that passes the last rank leaves it as two messages.
 *
 * Restrictions: blocks of one size; intracommunicators.
 * Cost: ceil(log2 p) alpha + (p - 1) / p n beta, n the bytes at the root.
 *
 *   p = 5, root 0       0->4           blocks 4
 *                       0->2           2 3
 *                       0->1 2->3      1; 3
 */
#include "coll/coll_select.h"
#include "coll/coll_tree.h"

static void root_part(struct coll_prog *p, const struct weft_coll_args *a,
		      const struct coll_tree *t)
{
	int i, n;

	for (i = t->nchild - 1; i >= 0; i--) {
		n = coll_tree_run(p->size, t->child[i], t->child_span[i]);
		coll_send(p, coll_block(&a->s, t->child[i]), n * a->s.count,
			  a->s.dt, t->child[i]);
		n = t->child_span[i] - n;
		coll_send(p, a->s.buf, n * a->s.count, a->s.dt, t->child[i]);
	}
	if (!coll_in_place(&a->r))
		coll_copy(p, coll_block(&a->s, p->rank), a->s.count, a->s.dt,
			  a->r.buf, a->r.count, a->r.dt);
}

static void recv_down(struct coll_prog *p, const struct weft_coll_args *a,
		      const struct coll_tree *t, char *bytes, MPI_Count len)
{
	int n = t->span;

	if (t->parent == a->root)
		n = coll_tree_run(p->size, p->rank, t->span);
	coll_recv(p, bytes, n * len, coll_byte(), t->parent);
	coll_recv(p, bytes + n * len, (t->span - n) * len, coll_byte(),
		  t->parent);
	coll_wait_all(p);
}

void coll_scatter_binomial(struct coll_prog *p, const struct weft_coll_args *a)
{
	MPI_Count len = a->r.count * (a->r.dt ? a->r.dt->size : 0);
	struct coll_tree t;
	char *bytes;
	int i;

	coll_tree_binomial(p->size, a->root, p->rank, &t);
	if (t.v == 0) {
		root_part(p, a, &t);
		return;
	}
	if (t.span == 1) {
		coll_take(p, a->r.buf, a->r.count, a->r.dt, t.parent);
		return;
	}
	bytes = coll_bytes(p, t.span * len);
	recv_down(p, a, &t, bytes, len);
	for (i = t.nchild - 1; i >= 0; i--)
		coll_send(p, bytes + t.child_dist[i] * len,
			  t.child_span[i] * len, coll_byte(), t.child[i]);
	coll_copy(p, bytes, len, coll_byte(), a->r.buf, a->r.count, a->r.dt);
}
