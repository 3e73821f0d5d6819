/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gather up a binomial tree: a node packs its block and those of its subtree
 * and sends them as one message. The root receives into place; a run of ranks
 * that passes the last rank comes to it as two messages.
 *
 * Restrictions: blocks of one size; intracommunicators.
 * Cost: ceil(log2 p) alpha + (p - 1) / p n beta, n the bytes at the root.
 *
 *   p = 5, root 0       1->0 3->2      blocks 1; 3
 *                       2->0           2 3
 *                       4->0           4
 */
#include "coll/coll_select.h"
#include "coll/coll_tree.h"

static void root_part(struct coll_prog *p, const struct weft_coll_args *a,
		      const struct coll_tree *t)
{
	int i, n;

	for (i = 0; i < t->nchild; i++) {
		n = coll_tree_run(p->size, t->child[i], t->child_span[i]);
		coll_recv(p, coll_block(&a->r, t->child[i]), n * a->r.count,
			  a->r.dt, t->child[i]);
		n = t->child_span[i] - n;
		coll_recv(p, a->r.buf, n * a->r.count, a->r.dt, t->child[i]);
	}
	if (!coll_in_place(&a->s))
		coll_copy(p, a->s.buf, a->s.count, a->s.dt,
			  coll_block(&a->r, p->rank), a->r.count, a->r.dt);
}

static void send_up(struct coll_prog *p, const struct weft_coll_args *a,
		    const struct coll_tree *t, char *bytes, MPI_Count len)
{
	int n = t->span;

	if (t->parent == a->root)
		n = coll_tree_run(p->size, p->rank, t->span);
	coll_send(p, bytes, n * len, coll_byte(), t->parent);
	coll_send(p, bytes + n * len, (t->span - n) * len, coll_byte(),
		  t->parent);
}

void coll_gather_binomial(struct coll_prog *p, const struct weft_coll_args *a)
{
	MPI_Count len = a->s.count * (a->s.dt ? a->s.dt->size : 0);
	struct coll_tree t;
	char *bytes;
	int i;

	coll_tree_binomial(p->size, a->root, p->rank, &t);
	if (t.v == 0) {
		root_part(p, a, &t);
		return;
	}
	if (t.span == 1) {
		coll_send(p, a->s.buf, a->s.count, a->s.dt, t.parent);
		return;
	}
	bytes = coll_bytes(p, t.span * len);
	coll_copy(p, a->s.buf, a->s.count, a->s.dt, bytes, len, coll_byte());
	for (i = 0; i < t.nchild; i++)
		coll_recv(p, bytes + t.child_dist[i] * len,
			  t.child_span[i] * len, coll_byte(), t.child[i]);
	coll_wait_all(p);
	send_up(p, a, &t, bytes, len);
}
