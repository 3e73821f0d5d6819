/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scan and exscan along a chain: each rank receives the sum of the lower ranks,
 * adds its own vector and sends the sum to the next rank. The algorithm with
 * the least total work.
 *
 * Restrictions: none.
 * Cost: (p - 1) (alpha + n beta + n gamma).
 *
 *   p = 3       0 -> 1: x0     1 -> 2: x0 op x1
 */
#include "coll/coll_select.h"

void coll_scan_linear(struct coll_prog *p, const struct weft_coll_args *a)
{
	MPI_Count n = a->r.count;
	struct weft_dt *dt = a->r.dt;
	void *in;

	coll_copy(p, coll_input(a), n, dt, a->r.buf, n, dt);
	if (p->rank > 0) {
		in = coll_elems(p, n, dt);
		coll_recv_wait(p, in, n, dt, p->rank - 1);
		coll_reduce(p, in, a->r.buf, n);
	}
	if (p->rank + 1 < p->size)
		coll_send(p, a->r.buf, n, dt, p->rank + 1);
}

void coll_exscan_linear(struct coll_prog *p, const struct weft_coll_args *a)
{
	MPI_Count n = a->r.count;
	struct weft_dt *dt = a->r.dt;
	void *sum = coll_elems(p, n, dt);

	coll_copy(p, coll_input(a), n, dt, sum, n, dt);
	if (p->rank > 0) {
		coll_recv_wait(p, a->r.buf, n, dt, p->rank - 1);
		coll_reduce(p, a->r.buf, sum, n);
	}
	if (p->rank + 1 < p->size)
		coll_send(p, sum, n, dt, p->rank + 1);
}
