/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allreduce of long vectors (Rabenseifner): a reduce-scatter by recursive
 * halving of the vector, then an allgather by recursive doubling
 * (coll_halving.h).
 *
 * Restrictions: intracommunicators only.
 * Cost: 2 log2 p alpha + 2 (m - 1) / m n beta + (m - 1) / m n gamma with m
 * the largest power of two in p; 2 n beta + n gamma more where p is not m.
 *
 *   p = 3, vector ab      rank  0      1      2
 *   fold 0 into 1              x0 ->  x01    x2
 *   halve                             a012   b012
 *   double, unfold             ab <-  ab     ab
 */
#include "coll/coll_halving.h"
#include "coll/coll_select.h"

void coll_allreduce_rabenseifner(struct coll_prog *p,
				 const struct weft_coll_args *a)
{
	MPI_Count n = a->r.count;
	struct weft_dt *dt = a->r.dt;
	struct coll_halving h;

	coll_copy(p, coll_input(a), n, dt, a->r.buf, n, dt);
	coll_halving(p, &h, a->r.buf, n, dt);
	coll_doubling(p, &h, a->r.buf, n, dt);
}
