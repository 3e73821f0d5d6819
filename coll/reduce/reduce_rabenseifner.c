/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reduction of long vectors (Rabenseifner): every rank combines a part of the
 * vector (coll_halving.h), then the parts are sent directly to the root.
 *
 * Restrictions: intracommunicators only.
 * Cost: (log2 p + p) alpha + 2 (p - 1) / p n beta + (p - 1) / p n gamma;
 * if p is not a power of two, n beta + n gamma more.
 *
 *   p = 3, vector ab      rank  0      1      2
 *   fold 0 into 1              x0 ->  x01    x2
 *   halve                             a012   b012
 *   to root 0                  ab  <-  a  b
 */
#include "coll/coll_halving.h"
#include "coll/coll_select.h"

static void collect(struct coll_prog *p, const struct weft_coll_args *a,
		    struct coll_halving *h, void *vec)
{
	MPI_Count n = a->r.count;
	struct weft_dt *dt = a->r.dt;
	struct coll_window w;
	int i;

	for (i = 0; i < h->fold.m; i++) {
		w = coll_halving_window(h, n, i);
		if (i != h->fold.me)
			coll_recv(p, coll_at(a->r.buf, w.lo, dt), w.hi - w.lo,
				  dt, coll_fold_rank(&h->fold, i));
		else
			coll_copy(p, coll_at(vec, w.lo, dt), w.hi - w.lo, dt,
				  coll_at(a->r.buf, w.lo, dt), w.hi - w.lo, dt);
	}
}

void coll_reduce_rabenseifner(struct coll_prog *p,
			      const struct weft_coll_args *a)
{
	MPI_Count n = a->r.count;
	struct weft_dt *dt = a->r.dt;
	bool at_root = p->rank == a->root;
	void *vec = at_root ? a->r.buf : coll_elems(p, n, dt);
	struct coll_halving h;
	struct coll_window w;

	coll_copy(p, at_root ? coll_input(a) : a->s.buf, n, dt, vec, n, dt);
	coll_halving(p, &h, vec, n, dt);
	if (at_root) {
		collect(p, a, &h, vec);
		return;
	}
	if (h.fold.me < 0)
		return;
	w = coll_halving_window(&h, n, h.fold.me);
	coll_send(p, coll_at(vec, w.lo, dt), w.hi - w.lo, dt, a->root);
}
