/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reduce-scatter of short vectors: an allreduce of the whole vector by
 * recursive doubling; each rank keeps its block of the result.
 *
 * Restrictions: intracommunicators only.
 * Cost: the same as allreduce_recdbl.c.
 *
 *   p = 3       all have x012 = abc, rank 1 keeps b
 */
#include "coll/coll_select.h"

void coll_redscat_recdbl(struct coll_prog *p, const struct weft_coll_args *a)
{
	MPI_Count *off = coll_offsets(p, &a->r, p->size);
	struct weft_dt *dt = a->r.dt;
	MPI_Count n, mine;
	char *vec, *other;

	if (!off)
		return;
	n = off[p->size];
	mine = off[p->rank + 1] - off[p->rank];
	vec = coll_elems(p, n, dt);
	other = coll_elems(p, n, dt);
	if (p->err)
		return;
	coll_copy(p, coll_input(a), n, dt, vec, n, dt);
	coll_allreduce_buffers(p, vec, other, n);
	coll_copy(p, coll_at(vec, off[p->rank], dt), mine, dt, a->r.buf, mine,
		  dt);
}
