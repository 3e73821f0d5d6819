/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reduction up a binomial tree. A node receives from its nearest children
 * first: each child represents the ranks that follow those combined so far, so
 * operands keep their order, and the result does not depend on the order of
 * arrival. If the operation is not commutative and the root is not rank 0, the
 * tree is rooted at rank 0, which sends the result to the root.
 *
 * Restrictions: intracommunicators only.
 * Cost: ceil(log2 p) (alpha + n beta + n gamma), one message more for
 * operations that do not commute.
 *
 *   p = 6, root 0      1->0 3->2 5->4    x01 x23 x45
 *                      2->0              x0123
 *                      4->0              x012345
 */
#include "coll/coll_select.h"
#include "coll/coll_tree.h"

/*
 * Receives the children's vectors alternately into the two buffers, the last
 * vector into `to`. Returns the address of the subtree's sum.
 */
static const void *binomial_combine(struct coll_prog *p,
				    const struct weft_coll_args *a,
				    const struct coll_tree *t, const void *own,
				    void *to)
{
	void *buf[2] = { to, NULL };
	const void *acc = own;
	MPI_Count n = a->r.count;
	void *in;
	int i;

	if (t->nchild > 1 || own == to)
		buf[1] = coll_elems(p, n, a->r.dt);
	/* In place, the first child's vector must not overwrite this node's. */
	if (own == to && t->nchild % 2) {
		coll_copy(p, own, n, a->r.dt, buf[1], n, a->r.dt);
		acc = buf[1];
	}
	for (i = 0; i < t->nchild; i++) {
		in = buf[(t->nchild - 1 - i) % 2];
		coll_recv_wait(p, in, n, a->r.dt, t->child[i]);
		coll_reduce(p, acc, in, n);
		acc = in;
	}
	return acc;
}

void coll_reduce_tree(struct coll_prog *p, const struct weft_coll_args *a,
		      const struct coll_tree *t, const void *own, void *to)
{
	struct weft_dt *dt = a->r.dt;
	MPI_Count n = a->r.count;
	const void *sum;

	/* an inner node uses a temporary buffer */
	if (t->parent >= 0 && t->nchild)
		to = coll_elems(p, n, dt);
	sum = binomial_combine(p, a, t, own, to);
	if (t->parent >= 0)
		coll_send(p, sum, n, dt, t->parent);
	else
		coll_copy(p, sum, n, dt, to, n, dt);
}

void coll_reduce_binomial(struct coll_prog *p, const struct weft_coll_args *a)
{
	int top = weft_op_commutes(a->op) ? a->root : 0;
	struct weft_dt *dt = a->r.dt;
	MPI_Count n = a->r.count;
	bool at_root = p->rank == a->root;
	const void *own = at_root ? coll_input(a) : a->s.buf;
	struct coll_tree t;
	const void *sum;
	void *to = NULL;

	coll_tree_binomial(p->size, top, p->rank, &t);
	if (at_root && top == a->root)
		to = a->r.buf;
	else if (t.nchild)
		to = coll_elems(p, n, dt);
	sum = binomial_combine(p, a, &t, own, to);
	if (t.parent >= 0)
		coll_send(p, sum, n, dt, t.parent);
	else if (!at_root)
		coll_send(p, sum, n, dt, a->root);
	else
		coll_copy(p, sum, n, dt, a->r.buf, n, dt);
	if (at_root && top != a->root) {
		/*
		 * In place, the vector must be sent before the result
		 * overwrites it.
		 */
		coll_wait_all(p);
		coll_recv_wait(p, a->r.buf, n, dt, top);
	}
}
