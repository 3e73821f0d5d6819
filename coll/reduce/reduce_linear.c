/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reduction by the root alone: the root receives one vector after the other,
 * from the last rank to the first, so that operands keep their order.
 *
 * Restrictions: none; supports intercommunicators.
 * Cost: (p - 1) (alpha + n beta + n gamma).
 *
 *   p = 3, root 1       acc = x2; acc = x1 op acc; acc = x0 op acc
 */
#include "coll/coll_select.h"

/* Returns the vector of rank i: `own`, or `tmp`, into which it is received. */
static const void *linear_vector(struct coll_prog *p,
				 const struct weft_coll_args *a, int i,
				 const void *own, void *tmp)
{
	if (i == p->rank && !a->comm->inter)
		return own;
	coll_recv_wait(p, tmp, a->r.count, a->r.dt, i);
	return tmp;
}

void coll_reduce_recv_all(struct coll_prog *p, const struct weft_coll_args *a,
			  const void *own, void *to)
{
	MPI_Count n = a->r.count;
	struct weft_dt *dt = a->r.dt;
	void *tmp = NULL;
	const void *x;
	int i = p->size - 1;

	x = linear_vector(p, a, i, own, to);
	if (x != to)
		coll_copy(p, x, n, dt, to, n, dt);
	if (i > 0)
		tmp = coll_elems(p, n, dt);
	while (--i >= 0)
		coll_reduce(p, linear_vector(p, a, i, own, tmp), to, n);
}

static void linear_intra(struct coll_prog *p, const struct weft_coll_args *a)
{
	MPI_Count n = a->r.count;
	struct weft_dt *dt = a->r.dt;
	const void *own = coll_input(a);
	void *copy;

	if (p->rank != a->root) {
		coll_send(p, a->s.buf, n, dt, a->root);
		return;
	}
	if (coll_in_place(&a->s)) {
		copy = coll_elems(p, n, dt);
		coll_copy(p, own, n, dt, copy, n, dt);
		own = copy;
	}
	coll_reduce_recv_all(p, a, own, a->r.buf);
}

void coll_reduce_linear(struct coll_prog *p, const struct weft_coll_args *a)
{
	if (!a->comm->inter)
		linear_intra(p, a);
	else if (a->root == MPI_ROOT)
		coll_reduce_recv_all(p, a, NULL, a->r.buf);
	else if (a->root != MPI_PROC_NULL)
		coll_send(p, a->s.buf, a->r.count, a->r.dt, a->root);
}
