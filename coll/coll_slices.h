/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The phase that the algorithms "slices" share: every rank combines its own
 * slice of the vector. All slices are offered to their owners at once, and an
 * owner takes them one after the other into the same temporary buffer, which
 * stays in its cache. So no rank waits for another between two steps.
 *
 *   p = 3, vector abc     rank  0           1           2
 *   offer                       b0 c0       a1 c1       a2 b2
 *   combine                     a0 a2 a1    b1 b0 b2    c2 c1 c0
 */
#ifndef WEFT_COLL_SLICES_H
#define WEFT_COLL_SLICES_H

#include "coll/coll_prog.h"

/* Returns the number of elements of a rank's slice. */
static inline MPI_Count coll_slice_n(const struct coll_prog *p, MPI_Count n,
				     int rank)
{
	return coll_part_first(n, p->size, rank + 1) -
	       coll_part_first(n, p->size, rank);
}

/* Returns the address of a rank's slice. */
static inline char *coll_slice_at(const struct coll_prog *p, const void *vec,
				  MPI_Count n, int rank)
{
	return coll_at(vec, coll_part_first(n, p->size, rank), p->op_dt);
}

/*
 * Combines this rank's slice of the vectors `in` of all ranks into `to`, which
 * may be the slice of `in` itself. Sends may be outstanding on return; but when
 * another rank's combined slice arrives, it may be stored over that slice of
 * `in`, since its owner has read the slice.
 */
void coll_slices(struct coll_prog *p, const void *in, MPI_Count n, void *to);

#endif
